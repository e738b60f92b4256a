// SPDX-License-Identifier: Apache-2.0
/*
 * What this machine, this user and, if given, this process allow a prober to do,
 * each with its remedy. Tries things on itself and on children of its own; of the
 * target it only reads. Uses libc and probe/{process,maps,module,memory}.h.
 */
#ifndef CANNWATCH_PROBE_DOCTOR_H
#define CANNWATCH_PROBE_DOCTOR_H

#include <stddef.h>

enum doctor_state {
	DOCTOR_GOOD,
	DOCTOR_LIMITED, /* something optional is missing */
	DOCTOR_BAD,	/* stacks or reports cannot be had without it */
	DOCTOR_NOTE,	/* a fact */
};

struct doctor_check {
	const char *name; /* stable, for JSON */
	enum doctor_state state;
	char found[256];
	char remedy[256]; /* "" if none is needed */
};

#define DOCTOR_MAX_CHECKS 24

/* pid 0: the machine only. -ESRCH if there is no such process; otherwise 0 and the checks. */
int doctor_examine(int pid, struct doctor_check checks[DOCTOR_MAX_CHECKS], size_t *count);
const char *doctor_state_name(enum doctor_state state);

#endif

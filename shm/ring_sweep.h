// SPDX-License-Identifier: Apache-2.0
/* Removes the rings that dead processes left behind. Needs libc only. */
#ifndef CANNWATCH_SHM_RING_SWEEP_H
#define CANNWATCH_SHM_RING_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_sweep_result {
	size_t removed;	 /* or, if dry, that would be */
	size_t living;	 /* their process is there */
	size_t elsewhere; /* of another pid namespace, whose processes cannot be seen from here */
	size_t unread;	 /* no rings, not allowed to read, or being created */
	uint64_t bytes;	 /* that the removed ones took */
};

struct ring_sweep_options {
	const char *root; /* where the directories cannwatch-<uid> are; NULL: /dev/shm */
	bool everybody;	  /* the rings of all users, else the caller's own */
	bool dry;	  /* only count */
	/* Told of each removed ring; NULL nobody. */
	void (*told)(void *context, const char *path, int pid);
	void *context;
};

/*
 * Only rings whose header names this pid namespace and a process that is gone (or whose
 * pid now has another start time) are removed. Not safe against two at once removing the
 * same file: the second just does not find it. 0 or -errno: -ENOENT there is no directory.
 */
int ring_sweep(const struct ring_sweep_options *options, struct ring_sweep_result *result);

#endif

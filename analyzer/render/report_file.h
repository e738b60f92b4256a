// SPDX-License-Identifier: Apache-2.0
/*
 * The pair of files a report leaves behind: cannwatch-<host>-<pid>-<number>.txt and
 * .json, mode 0600, each appearing whole or not at all. Follows no link.
 */
#ifndef CANNWATCH_RENDER_REPORT_FILE_H
#define CANNWATCH_RENDER_REPORT_FILE_H

#include "analyzer/render/render.h"

struct report_file {
	const char *directory; /* NULL: the current one */
	const char *host;
	int64_t pid;
	unsigned int number;
};

/* Both files. 0 or -errno of what failed first; nothing half-written stays. */
int report_file_write(const struct report_file *file, const struct report *report);

/*
 * Drops from the report what an earlier one of the same process says already and has not
 * taken back: the same class, culprit and chain. One wait is reported once.
 */
void report_file_drop_known(const struct report_file *file, struct report *report);

/* What report_file_recover found out. */
struct report_recovery {
	char *summary;	/* of the first verdict; owned by the caller, NULL unknown */
	double after_s; /* how long the hang lasted, < 0 unknown */
	int64_t rank;	/* MODEL_UNKNOWN */
	bool already;	/* nothing was left that could have ended: nothing was changed */
};

/*
 * The hang of that report has ended: moves its verdicts to "recovered" in the .json and
 * adds a line to the .txt. What is still so, verdicts of now, stays (NULL: nothing is).
 * Needs nothing but the files. -ENOENT: there is no such report.
 */
int report_file_recover(const struct report_file *file, const struct report *now,
			struct report_recovery *recovery);

#endif

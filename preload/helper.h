// SPDX-License-Identifier: Apache-2.0
/*
 * Starts `cannwatch attach --from-shim` so that the program cannot notice: no SIGCHLD,
 * nothing for its wait(), no descriptor, signal or environment of its own changed. One
 * helper at a time; the watchdog calls these, and the library's destructor at exit.
 */
#ifndef CANNWATCH_PRELOAD_HELPER_H
#define CANNWATCH_PRELOAD_HELPER_H

#include <stdbool.h>
#include <stdint.h>

enum helper_outcome {
	HELPER_RUNNING,
	HELPER_HANG,	 /* it found a hang or a fault and said so */
	HELPER_REPORTED, /* it found something less and said so */
	HELPER_SILENT,	 /* it ran and found nothing to say */
	HELPER_FAILED,	 /* it could not run or do its work */
};

/*
 * Starts it for report number number, or, if recovered, to say that this report's hang
 * has ended. Returns NULL, or why it could not be started (static text).
 */
const char *helper_start(uint32_t number, bool recovered);

/*
 * Runs a shell command in the same way instead: CANNWATCH_PID in its environment, stderr
 * its only descriptor of the program's, 30 s to run. NULL, or why it could not be started.
 */
const char *helper_command(const char *command);

/* Is it still running, and if not, how did it end? Never waits. Call again only after a new start. */
enum helper_outcome helper_poll(void);

/* As helper_start with recovered, but the helper outlives the program. Waits at most 200 ms. */
void helper_farewell(uint32_t number);

#endif

// SPDX-License-Identifier: Apache-2.0
/* The shim's one thread: dates blocked calls and starts the helper when one looks stuck. */
#ifndef CANNWATCH_PRELOAD_WATCHDOG_H
#define CANNWATCH_PRELOAD_WATCHDOG_H

/* Starts it. Once per ring, after the ring is valid. */
void watchdog_start(void);

/* The program ends: no more helpers, but a report whose hang has ended is brought up to date. */
void watchdog_stop(void);

/* In a forked child: the thread is not there. */
void watchdog_forget(void);

#endif

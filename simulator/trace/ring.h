// SPDX-License-Identifier: Apache-2.0
/* Inside of libascend_trace.so: the rings and how they are written out. */
#ifndef SIMULATOR_TRACE_RING_H
#define SIMULATOR_TRACE_RING_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum {
	RECORD_TEXT = 112,
	RING_RECORDS = 1000, /* 128,000 bytes: stays in the heap proper */
	MAX_RINGS = 16,
	RING_NAME = 40,
	ASK_SIGNAL = 35,
};

#define BEING_WRITTEN UINT64_MAX

struct trace_record {		  /* 128 bytes */
	_Atomic uint64_t time_ns; /* CLOCK_REALTIME; 0: never written */
	uint64_t length;	  /* always 112 */
	char text[RECORD_TEXT];
};

struct trace_ring {
	char name[RING_NAME];
	_Atomic uint64_t next;
	struct trace_record *records;
};

/* Writes every ring into schedule_tracer_<name>.txt below the directory. Safe in a signal handler. */
void rings_save(const char *directory);

/* Makes <root>/trace_<pgid>_<pid>_<time>/<event>_event_<pid>_<time>. Safe in a signal handler. */
int event_directory(const char *event, char *to, size_t size);

/* "2026-11-30 21:14:59.455.262" in local time; at least 32 bytes. Safe in a signal handler. */
void time_text(uint64_t ns, char *to, size_t size);
/* The same as digits only, with six digits of microseconds. */
void time_digits(uint64_t ns, char *to, size_t size);
uint64_t trace_now(void);

/* paths.c: what cannot be found out in a signal handler is found out here. */
void paths_load(void);
void signals_install(void);

/* stackcore.c, in signal handlers. Whether the signal was a request to this thread to unwind itself. */
bool stackcore_answer(const siginfo_t *info, const void *context);
void stackcore_write(const char *directory, int number, const void *context);
void stackcore_prepare(void);

#endif

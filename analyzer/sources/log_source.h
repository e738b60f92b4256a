// SPDX-License-Identifier: Apache-2.0
/*
 * What every source of log text has in common: it names the literals by which its
 * lines are noticed and translates lines into the model. A source judges nothing
 * and knows no other source. The table of sources: recognise.c.
 */
#ifndef CANNWATCH_SOURCES_LOG_SOURCE_H
#define CANNWATCH_SOURCES_LOG_SOURCE_H

#include "analyzer/model/model.h"
#include "analyzer/model/observation.h"
#include "analyzer/sources/log_feed.h"

/* The file that is being read, and what is known about it so far. */
struct log_file {
	struct model *model;
	struct observations *set;
	struct log_feed *feed;
	const char *name;
	uint32_t index;	 /* model_origin.file */
	int64_t rank;	 /* from the path ("rank-3/"), MODEL_UNKNOWN */
	int64_t device;	 /* from the path ("device-2/") */
	int64_t pid;	 /* from the path ("plog-<pid>_") or the text */
	int64_t now_us;	 /* time of the last line that had one */
	int64_t path_us; /* time in the path, MODEL_UNKNOWN */
	int64_t year;	 /* of the last full date, for dates without one */
	bool spoke;	 /* something was recognised */
};

struct log_source {
	const char *name;
	const char *const *literals; /* NULL-terminated */
	size_t state_size;	     /* zeroed for every file */
	/*
	 * True when the line is this source's. *want: how many of the next lines to
	 * deliver whatever they hold.
	 */
	bool (*line)(struct log_file *file, void *state, const struct log_line *line, unsigned *want);
	void (*end)(struct log_file *file, void *state); /* end of the file; may be NULL */
};

extern const struct log_source schedule_tracer_source;
extern const struct log_source runtime_trace_source;
extern const struct log_source compile_trace_source;
extern const struct log_source stack_text_source;
extern const struct log_source device_log_source;
extern const struct log_source record_source;

/* Where the line stands, its text interned and shortened. */
struct model_origin log_origin(struct log_file *file, enum model_source source, const struct log_line *line,
			       struct span text);
/*
 * Times as logs write them, as microseconds of the wall clock written. *at is moved
 * past it. False if there is none at *at. Forms: 2026-03-04-09:28:57.351.512,
 * 2026-03-04 09:28:57,351, 2026-03-04T09:28:57.351Z, Mar  4 09:28:57, 03-04 09:28:57.
 */
bool log_time(struct log_file *file, struct span text, size_t *at, int64_t *time_us);
/* The first time in the first bytes of the line; remembers it as the file's now. */
bool log_time_find(struct log_file *file, struct span text, size_t within, int64_t *time_us);

#endif

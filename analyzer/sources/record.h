// SPDX-License-Identifier: Apache-2.0
/*
 * The head of one log record, in every shape that is seen: plog and device logs
 * with damaged or rearranged heads, torch_npu's [ERROR] lines, the error codes of
 * the screen, loggers of frameworks, and what collectors put in front of a line.
 * Pure functions over spans.
 */
#ifndef CANNWATCH_SOURCES_RECORD_H
#define CANNWATCH_SOURCES_RECORD_H

#include "analyzer/model/observation.h"
#include "analyzer/sources/log_source.h"

struct record_head {
	enum log_level level;
	bool is_plog;	 /* [LEVEL] MODULE(pid,name):... */
	int64_t time_us; /* MODEL_UNKNOWN, also when the time stamp is broken */
	int64_t pid, tid, rank, device;
	struct span module, name, function;
	size_t text;	 /* offset where the message begins */
};

/* What a collector put before the line. */
struct record_prefix {
	int64_t rank, pid;
	struct span name;
	enum log_level level; /* of a framework's logger */
	size_t length;	      /* bytes of it */
};

/*
 * Offset of the first "[LEVEL]" at or after from that begins a record, SIZE_MAX if
 * there is none.
 */
size_t record_find(struct span line, size_t from);
/* Reads the head at the beginning of text (text begins at "[LEVEL]"). */
void record_read(struct log_file *file, struct span text, struct record_head *head);
/* What stands before the message in a line that has no "[LEVEL]". */
void record_prefix_read(struct log_file *file, struct span line, struct record_prefix *prefix);

#endif

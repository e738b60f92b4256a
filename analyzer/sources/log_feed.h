// SPDX-License-Identifier: Apache-2.0
/*
 * Bytes in, interesting lines out. Reads in windows of bounded size, lets the sieve
 * (literal_set.h) say which lines matter, hands those to the consumer with their
 * line number, and as many following ones as the consumer asks for. What shrinks or
 * ends while it is read is an ordinary end.
 */
#ifndef CANNWATCH_SOURCES_LOG_FEED_H
#define CANNWATCH_SOURCES_LOG_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyzer/sources/literal_set.h"
#include "analyzer/sources/span.h"

/* Where bytes come from: a file, a pipe, a member of an archive, a test's buffer. */
struct byte_source {
	/* Up to size bytes; 0 at the end, -errno on error (both end the reading). */
	ssize_t (*read)(struct byte_source *source, char *bytes, size_t size);
};

struct log_line {
	struct span text;    /* without line end, colour codes and NUL bytes */
	struct span raw;     /* as it stands in the file, without the newline */
	uint64_t number;     /* from 1 */
	bool hit;	     /* holds a literal; else it was asked for */
	bool is_cut;	     /* the file ends within it; such a line is always delivered */
	bool is_contiguous;  /* the line before was delivered too */
};

struct log_feed;

struct log_consumer {
	/* Returns how many of the following lines it wants in any case. */
	unsigned (*line)(struct log_consumer *consumer, struct log_feed *feed, const struct log_line *line);
};

struct log_feed *log_feed_new(struct literal_set *literals);
void log_feed_free(struct log_feed *feed);
/* Reads source to its end. Bytes read in *size. 0 or -errno of the first read. */
int log_feed_run(struct log_feed *feed, struct byte_source *source, struct log_consumer *consumer, uint64_t *size);
/*
 * Within a consumer's call: the line that stands distance (from 1) lines before the
 * current one, cleaned. False when it is not at hand any more.
 */
bool log_feed_back(struct log_feed *feed, unsigned distance, struct log_line *line);

/* Newlines in bytes[0..size). */
uint64_t count_newlines(const char *bytes, size_t size);

#endif

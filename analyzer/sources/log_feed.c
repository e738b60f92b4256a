// SPDX-License-Identifier: Apache-2.0
/* Windows, line numbers and cleaning (log_feed.h). Needs literal_set.h and util.h. */
#include "analyzer/sources/log_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"

#define WINDOW	  (1024 * 1024)
#define LOOK_BACK (16 * 1024)
#define BACK_LINE (8 * 1024)

struct log_feed {
	struct literal_set *literals;
	struct line_hits hits;
	char *buffer;	 /* look-back, then the window */
	char *clean;	 /* the current line, when it had to be cleaned */
	char *back;	 /* the same for a line looked back at */
	size_t known;	 /* bytes at the buffer's start that were delivered or skipped already */
	size_t filled;
	size_t at;	 /* start of the current line */
	uint64_t number; /* of the line at `at` */
	uint64_t last;	 /* number of the line delivered last */
	unsigned want;
	bool is_cut;	 /* the text ends inside a line */
};

struct log_feed *log_feed_new(struct literal_set *literals)
{
	struct log_feed *feed = xcalloc(1, sizeof(*feed));

	feed->literals = literals;
	feed->buffer = xmalloc(LOOK_BACK + WINDOW);
	feed->clean = xmalloc(LOOK_BACK + WINDOW);
	feed->back = xmalloc(BACK_LINE);
	return feed;
}

void log_feed_free(struct log_feed *feed)
{
	if (!feed)
		return;
	free(feed->buffer);
	free(feed->clean);
	free(feed->back);
	free(feed->hits.starts);
	free(feed);
}

typedef unsigned char byte_vector __attribute__((vector_size(16)));

uint64_t count_newlines(const char *bytes, size_t size)
{
	const byte_vector newline = (byte_vector){ 0 } + '\n';
	uint64_t count = 0;
	size_t i = 0;

	while (size - i >= 16) {
		byte_vector sums = { 0 };
		/* A lane counts up to 255. */
		size_t stop = i + ((size - i) / 16 > 255 ? 255 : (size - i) / 16) * 16;

		for (; i < stop; i += 16) {
			byte_vector chunk;

			memcpy(&chunk, bytes + i, sizeof(chunk));
			sums -= (byte_vector)(chunk == newline);
		}
		for (int lane = 0; lane < 16; lane++)
			count += sums[lane];
	}
	for (; i < size; i++)
		count += bytes[i] == '\n';
	return count;
}

/* Length of the escape sequence at bytes[0..size), at least 1. */
static size_t escape_length(const char *bytes, size_t size)
{
	size_t i = 2;

	if (size < 2)
		return size;
	if (bytes[1] == '[') {
		while (i < size && i < 32 && !(bytes[i] >= 0x40 && bytes[i] <= 0x7e))
			i++;
		return i < size ? i + 1 : i;
	}
	if (bytes[1] == ']') {
		while (i < size && i < 256 && bytes[i] != '\a')
			i++;
		return i < size ? i + 1 : i;
	}
	return 2;
}

static struct span clean_line(struct span raw, char *room, size_t room_size)
{
	size_t out = 0;

	while (raw.n && raw.p[raw.n - 1] == '\r')
		raw.n--;
	if (raw.n >= 3 && !memcmp(raw.p, "\xef\xbb\xbf", 3))
		raw = span_from(raw, 3);
	if (!memchr(raw.p, '\033', raw.n) && !memchr(raw.p, 0, raw.n) && !memchr(raw.p, '\r', raw.n))
		return raw;
	for (size_t i = 0; i < raw.n && out < room_size;) {
		if (raw.p[i] == '\033') {
			i += escape_length(raw.p + i, raw.n - i);
			continue;
		}
		room[out++] = raw.p[i] == '\r' || raw.p[i] == 0 ? ' ' : raw.p[i];
		i++;
	}
	return (struct span){ room, out };
}

/* Without a line end, but with what sentences and fields end in: nothing is missing. */
static bool looks_whole(struct span text)
{
	char last, before;

	while (text.n && span_is_space(text.p[text.n - 1]))
		text.n--;
	if (text.n < 2)
		return false;
	last = text.p[text.n - 1];
	before = text.p[text.n - 2];
	return last == ')' || last == '"' || last == '!' || (last == ']' && before != '[') ||
	       (last == '.' && !span_is_digit(before)) || text.p[text.n - 1] == '\'';
}

static void deliver(struct log_feed *feed, struct log_consumer *consumer, size_t end, bool hit)
{
	struct log_line line = {
		.raw = { feed->buffer + feed->at, end - feed->at },
		.number = feed->number,
		.hit = hit,
		.is_cut = feed->is_cut && end == feed->filled,
		.is_contiguous = feed->last + 1 == feed->number,
	};
	unsigned want;

	line.text = clean_line(line.raw, feed->clean, LOOK_BACK + WINDOW);
	line.is_cut = line.is_cut && !looks_whole(line.text);
	want = consumer->line(consumer, feed, &line);
	if (want > feed->want)
		feed->want = want;
	feed->last = feed->number;
}

/* Skips the rest of a region; a last line without its end is handed out whatever it holds. */
static void feed_last(struct log_feed *feed, size_t position, size_t end, struct log_consumer *consumer)
{
	const char *newline = end > position ? memrchr(feed->buffer + position, '\n', end - position) : NULL;
	size_t last = newline ? (size_t)(newline - feed->buffer) + 1 : position;

	feed->number += count_newlines(feed->buffer + position, end - position);
	if (!feed->is_cut || last >= end)
		return;
	feed->at = last;
	deliver(feed, consumer, end, false);
}

/* Hands out the lines of buffer[known..end), all of them whole unless is_cut. */
static int feed_region(struct log_feed *feed, size_t end, struct log_consumer *consumer)
{
	size_t base = feed->known, position = base, hit = 0;
	int rc = literal_set_scan(feed->literals, feed->buffer + base, end - base, &feed->hits);

	if (rc)
		return rc;
	while (position < end) {
		const char *newline;
		size_t line_end, next = position;

		if (!feed->want) {
			if (hit == feed->hits.count)
				break;
			next = base + feed->hits.starts[hit];
		}
		feed->number += count_newlines(feed->buffer + position, next - position);
		feed->at = next;
		newline = memchr(feed->buffer + next, '\n', end - next);
		line_end = newline ? (size_t)(newline - feed->buffer) : end;
		if (feed->want)
			feed->want--;
		deliver(feed, consumer, line_end, hit < feed->hits.count && base + feed->hits.starts[hit] == next);
		position = newline ? line_end + 1 : end;
		feed->number += newline != NULL;
		while (hit < feed->hits.count && base + feed->hits.starts[hit] < position)
			hit++;
	}
	feed_last(feed, position, end, consumer);
	feed->known = end;
	return 0;
}

/* Drops what is known but for the look-back. */
static void feed_slide(struct log_feed *feed)
{
	size_t drop = feed->known > LOOK_BACK ? feed->known - LOOK_BACK : 0;

	memmove(feed->buffer, feed->buffer + drop, feed->filled - drop);
	feed->known -= drop;
	feed->filled -= drop;
}

static size_t region_end(const struct log_feed *feed, bool at_end)
{
	const char *newline;

	if (at_end)
		return feed->filled;
	newline = memrchr(feed->buffer + feed->known, '\n', feed->filled - feed->known);
	if (newline)
		return (size_t)(newline - feed->buffer) + 1;
	/* A line longer than the window is handed out in pieces. */
	return feed->filled - feed->known >= WINDOW ? feed->filled : feed->known;
}

int log_feed_run(struct log_feed *feed, struct byte_source *source, struct log_consumer *consumer, uint64_t *size)
{
	bool at_end = false;
	int rc = 0, error = 0;

	feed->known = feed->filled = 0;
	feed->number = 1;
	feed->last = 0;
	feed->want = 0;
	feed->is_cut = false;
	*size = 0;
	while (!at_end && !rc) {
		ssize_t got;

		feed_slide(feed);
		got = source->read(source, feed->buffer + feed->filled, LOOK_BACK + WINDOW - feed->filled);
		if (got < 0 && !*size)
			error = (int)got;
		at_end = got <= 0;
		if (got > 0) {
			feed->filled += (size_t)got;
			*size += (uint64_t)got;
		}
		feed->is_cut = at_end && feed->filled > feed->known && feed->buffer[feed->filled - 1] != '\n';
		rc = feed_region(feed, region_end(feed, at_end), consumer);
	}
	return rc ? rc : error;
}

bool log_feed_back(struct log_feed *feed, unsigned distance, struct log_line *line)
{
	size_t end = feed->at;

	if (distance >= feed->number)
		return false;
	for (unsigned i = 0; i < distance; i++) {
		const char *newline;
		size_t start;

		if (!end || feed->buffer[end - 1] != '\n')
			return false;
		newline = end > 1 ? memrchr(feed->buffer, '\n', end - 1) : NULL;
		start = newline ? (size_t)(newline - feed->buffer) + 1 : 0;
		if (!newline && feed->number != distance + 1)
			return false; /* its start is no longer at hand */
		line->raw = (struct span){ feed->buffer + start, end - 1 - start };
		end = start;
	}
	line->number = feed->number - distance;
	line->text = clean_line(line->raw, feed->back, BACK_LINE);
	line->hit = line->is_cut = false;
	line->is_contiguous = true;
	return true;
}

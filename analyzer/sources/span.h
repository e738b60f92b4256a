// SPDX-License-Identifier: Apache-2.0
/*
 * A span: bytes of foreign text, not NUL-terminated, that are only looked at.
 * Every helper stays inside the span. Needs libc only.
 */
#ifndef CANNWATCH_SOURCES_SPAN_H
#define CANNWATCH_SOURCES_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const char *p;
	size_t n;
};

#define SPAN_NONE ((struct span){ NULL, 0 })

static inline struct span span_of(const char *text)
{
	return (struct span){ text, strlen(text) };
}

static inline bool span_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool span_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool span_is_word(char c)
{
	return span_is_alpha(c) || span_is_digit(c) || c == '_';
}

static inline bool span_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The part from offset on; empty when offset is past the end. */
struct span span_from(struct span s, size_t offset);
struct span span_cut(struct span s, size_t from, size_t to);
struct span span_trim(struct span s);
bool span_equals(struct span s, const char *text);
bool span_starts(struct span s, const char *text);
/* Without regard to ASCII case. */
bool span_starts_nocase(struct span s, const char *text);
bool span_ends(struct span s, const char *text);
/* Offset of the first occurrence at or after from, SIZE_MAX if there is none. */
size_t span_find(struct span s, const char *text, size_t from);
size_t span_find_nocase(struct span s, const char *text, size_t from);
size_t span_find_char(struct span s, char c, size_t from);
static inline bool span_has(struct span s, const char *text)
{
	return span_find(s, text, 0) != SIZE_MAX;
}
static inline bool span_has_nocase(struct span s, const char *text)
{
	return span_find_nocase(s, text, 0) != SIZE_MAX;
}
/*
 * Reads a decimal or 0x number at *at (an optional '-' first) and moves *at past
 * it. False, and *at unmoved, when there is none or it does not fit.
 */
bool span_number(struct span s, size_t *at, int64_t *number);
/* Only digits (at least one): its value. */
bool span_is_number(struct span s, int64_t *number);
/*
 * The value of a field, however it is spelled: "stream_id=7", "streamID:[7]",
 * "stream id: 7". name is lower case without separators ("streamid"); a hit begins
 * at a word's start. *value gets what follows up to a delimiter. Offset behind the
 * name's separator, SIZE_MAX if there is none.
 */
size_t span_field(struct span s, const char *name, size_t from, struct span *value);
/* The same for a number; the first of the '\0'-separated, doubly terminated names that has one. */
bool span_field_number(struct span s, const char *names, int64_t *number);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Comparing texts without libc, for look-ups: a sanitizer asks for functions before
 * its own strcmp works. Needs nothing. Signal and thread safe.
 */
#ifndef CANNWATCH_PRELOAD_BARE_TEXT_H
#define CANNWATCH_PRELOAD_BARE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* As strcmp: the sign of the first difference. */
static inline int bare_compare(const char *one, const char *other)
{
	while (*one && *one == *other) {
		one++;
		other++;
	}
	return (unsigned char)*one - (unsigned char)*other;
}

static inline bool bare_starts(const char *text, const char *start)
{
	while (*start)
		if (*text++ != *start++)
			return false;
	return true;
}

/* The last place of a character, NULL none. */
static inline const char *bare_last(const char *text, char wanted)
{
	const char *last = NULL;

	for (; *text; text++)
		if (*text == wanted)
			last = text;
	return last;
}

#endif

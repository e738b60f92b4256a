// SPDX-License-Identifier: Apache-2.0
/*
 * Memory, arrays and text for the analyser. Everything that allocates here ends
 * the program with a line on stderr when there is no memory: an analyser without
 * memory has nothing left to say. Needs libc only.
 */
#ifndef CANNWATCH_MODEL_UTIL_H
#define CANNWATCH_MODEL_UTIL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Never NULL. Sizes that overflow count as "no memory". */
void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text); /* NULL gives NULL */
char *xstrndup(const char *text, size_t length);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/*
 * Appends one zeroed element to an array that is kept as pointer and count only,
 * and returns it. The room is implied by the count (a power of two, at least 8),
 * so such an array must only ever be grown by this function.
 */
void *array_add(void *array_pointer, size_t *count, size_t size);

/* A text that grows. Zero-initialise; text_take hands the bytes over (never NULL). */
struct text {
	char *bytes; /* NUL-terminated once something was added */
	size_t length;
	size_t room;
};

void text_add(struct text *text, const char *string);
void text_addn(struct text *text, const char *bytes, size_t length);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *text_take(struct text *text);
void text_clear(struct text *text);

#endif

// SPDX-License-Identifier: Apache-2.0
/* Memory, arrays and text (util.h). Needs libc only. */
#include "analyzer/model/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *memory)
{
	if (memory)
		return memory;
	fputs("cannwatch: out of memory\n", stderr);
	exit(1);
}

void *xmalloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return check(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t count, size_t size)
{
	return check(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return text ? check(strdup(text)) : NULL;
}

char *xstrndup(const char *text, size_t length)
{
	return check(strndup(text, length));
}

char *xvasprintf(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	return check(text);
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return text;
}

void *array_add(void *array_pointer, size_t *count, size_t size)
{
	void *array;
	char *element;

	/* The pointer's own type is not known here: copy it, do not alias it. */
	memcpy(&array, array_pointer, sizeof(array));
	if (*count == 0)
		array = xreallocarray(array, 8, size);
	else if (*count >= 8 && (*count & (*count - 1)) == 0)
		array = xreallocarray(array, *count * 2, size);
	memcpy(array_pointer, &array, sizeof(array));
	element = (char *)array + *count * size;
	memset(element, 0, size);
	(*count)++;
	return element;
}

static void text_reserve(struct text *text, size_t more)
{
	if (text->length + more + 1 <= text->room)
		return;
	text->room = (text->length + more + 1) * 2;
	text->bytes = xreallocarray(text->bytes, text->room, 1);
}

void text_addn(struct text *text, const char *bytes, size_t length)
{
	text_reserve(text, length);
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_addn(text, string, strlen(string));
}

void text_addf(struct text *text, const char *format, ...)
{
	va_list args;
	char *piece;

	va_start(args, format);
	piece = xvasprintf(format, args);
	va_end(args);
	text_add(text, piece);
	free(piece);
}

char *text_take(struct text *text)
{
	char *bytes;

	text_reserve(text, 0);
	text->bytes[text->length] = '\0';
	bytes = text->bytes;
	memset(text, 0, sizeof(*text));
	return bytes;
}

void text_clear(struct text *text)
{
	free(text->bytes);
	memset(text, 0, sizeof(*text));
}

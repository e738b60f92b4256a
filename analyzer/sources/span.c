// SPDX-License-Identifier: Apache-2.0
/* Helpers over foreign text. Needs libc only. */
#include "analyzer/sources/span.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

struct span span_from(struct span s, size_t offset)
{
	if (offset > s.n)
		offset = s.n;
	return (struct span){ s.p + offset, s.n - offset };
}

struct span span_cut(struct span s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from > to)
		from = to;
	return (struct span){ s.p + from, to - from };
}

struct span span_trim(struct span s)
{
	while (s.n && (span_is_space(s.p[0]) || s.p[0] == '\n')) {
		s.p++;
		s.n--;
	}
	while (s.n && (span_is_space(s.p[s.n - 1]) || s.p[s.n - 1] == '\n'))
		s.n--;
	return s;
}

bool span_equals(struct span s, const char *text)
{
	return s.n == strlen(text) && !memcmp(s.p, text, s.n);
}

bool span_starts(struct span s, const char *text)
{
	size_t n = strlen(text);

	return s.n >= n && !memcmp(s.p, text, n);
}

bool span_starts_nocase(struct span s, const char *text)
{
	size_t n = strlen(text);

	if (s.n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (lower(s.p[i]) != lower(text[i]))
			return false;
	return true;
}

bool span_ends(struct span s, const char *text)
{
	size_t n = strlen(text);

	return s.n >= n && !memcmp(s.p + s.n - n, text, n);
}

size_t span_find(struct span s, const char *text, size_t from)
{
	const char *hit;

	if (from >= s.n)
		return SIZE_MAX;
	hit = memmem(s.p + from, s.n - from, text, strlen(text));
	return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

size_t span_find_nocase(struct span s, const char *text, size_t from)
{
	size_t n = strlen(text);

	for (size_t i = from; n <= s.n && i <= s.n - n; i++)
		if (lower(s.p[i]) == lower(text[0]) && span_starts_nocase(span_from(s, i), text))
			return i;
	return SIZE_MAX;
}

size_t span_find_char(struct span s, char c, size_t from)
{
	const char *hit;

	if (from >= s.n)
		return SIZE_MAX;
	hit = memchr(s.p + from, c, s.n - from);
	return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

static int hex_digit(char c)
{
	if (span_is_digit(c))
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool span_number(struct span s, size_t *at, int64_t *number)
{
	size_t i = *at, start;
	bool negative = false;
	int64_t value = 0;
	int base = 10;

	if (i < s.n && s.p[i] == '-') {
		negative = true;
		i++;
	}
	if (i + 2 < s.n && s.p[i] == '0' && lower(s.p[i + 1]) == 'x' && hex_digit(s.p[i + 2]) >= 0) {
		base = 16;
		i += 2;
	}
#ifdef FUZZ_PLANTED
	/* A mistake on purpose: the fuzzers must find that the end is not looked at. */
	for (start = i; s.p[i]; i++) {
#else
	for (start = i; i < s.n; i++) {
#endif
		int digit = hex_digit(s.p[i]);

		if (digit < 0 || digit >= base)
			break;
		if (__builtin_mul_overflow(value, (int64_t)base, &value) ||
		    __builtin_add_overflow(value, (int64_t)digit, &value))
			return false;
	}
	if (i == start)
		return false;
	*at = i;
	*number = negative ? -value : value;
	return true;
}

bool span_is_number(struct span s, int64_t *number)
{
	size_t at = 0;

	return s.n && span_is_digit(s.p[0]) && span_number(s, &at, number) && at == s.n;
}

/* Matches name at offset i; separators and case inside the name do not count. */
static size_t match_name(struct span s, size_t i, const char *name)
{
	while (*name) {
		if (i >= s.n)
			return SIZE_MAX;
		if (lower(s.p[i]) == *name)
			name++;
		else if (s.p[i] != '_' && s.p[i] != ' ' && s.p[i] != '-')
			return SIZE_MAX;
		i++;
	}
	return i;
}

static bool is_value_end(char c)
{
	return c == ',' || c == ']' || c == ')' || c == '}' || c == ';' || c == '"' || c == '\n' || span_is_space(c);
}

size_t span_field(struct span s, const char *name, size_t from, struct span *value)
{
	for (size_t i = from; i < s.n; i++) {
		size_t at, end;
		int separators = 0;

		if (lower(s.p[i]) != name[0] || (i && span_is_word(s.p[i - 1])))
			continue;
		at = match_name(s, i, name);
		if (at == SIZE_MAX)
			continue;
		while (at < s.n && separators < 4 &&
		       (s.p[at] == '=' || s.p[at] == ':' || s.p[at] == '[' || s.p[at] == '(' || s.p[at] == ' ')) {
			separators += s.p[at] != ' ';
			at++;
		}
		if (!separators)
			continue;
		for (end = at; end < s.n && !is_value_end(s.p[end]); end++)
			;
		*value = span_cut(s, at, end);
		return at;
	}
	return SIZE_MAX;
}

bool span_field_number(struct span s, const char *names, int64_t *number)
{
	for (; *names; names += strlen(names) + 1) {
		struct span value;
		size_t from = 0, at;

		while ((at = span_field(s, names, from, &value)) != SIZE_MAX) {
			size_t inside = 0;

			if (value.n && (span_is_digit(value.p[0]) || value.p[0] == '-') &&
			    span_number(value, &inside, number))
				return true;
			from = at;
		}
	}
	return false;
}

// SPDX-License-Identifier: Apache-2.0
/* The sieve of literals (literal_set.h). Needs util.h, and vectorscan where there is one. */
#include "analyzer/sources/literal_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"

#ifdef HAVE_HS
#include <hs.h>
#endif

struct literal_set {
	const char *const *literals;
	size_t count;
#ifdef HAVE_HS
	hs_database_t *database;
	hs_scratch_t *scratch;
#else
	uint16_t first[256][256]; /* by the first two bytes: index + 1 of the first literal */
	uint16_t *next;		  /* the next literal with the same two bytes */
#endif
};

struct scan {
	const char *bytes;
	size_t size;
	size_t done; /* up to here the line is known */
	struct line_hits *hits;
};

/* A literal ends at offset end: remember its line once. */
static void scan_hit(struct scan *scan, size_t end)
{
	const char *newline;
	size_t start;

	if (end <= scan->done && scan->hits->count)
		return;
	newline = memrchr(scan->bytes, '\n', end - 1);
	start = newline ? (size_t)(newline - scan->bytes) + 1 : 0;
	newline = memchr(scan->bytes + end, '\n', scan->size - end);
	scan->done = newline ? (size_t)(newline - scan->bytes) + 1 : scan->size;
	if (scan->hits->count == scan->hits->room) {
		scan->hits->room = scan->hits->room ? scan->hits->room * 2 : 1024;
		scan->hits->starts = xreallocarray(scan->hits->starts, scan->hits->room, sizeof(*scan->hits->starts));
	}
	scan->hits->starts[scan->hits->count++] = (uint32_t)start;
}

#ifdef HAVE_HS
static int on_match(unsigned int id, unsigned long long from, unsigned long long to, unsigned int flags, void *data)
{
	(void)id;
	(void)from;
	(void)flags;
	scan_hit(data, (size_t)to);
	return 0;
}

struct literal_set *literal_set_new(const char *const *literals)
{
	struct literal_set *set = xcalloc(1, sizeof(*set));
	hs_compile_error_t *error = NULL;
	unsigned int *flags, *ids;
	size_t *lengths;

	while (literals[set->count])
		set->count++;
	set->literals = literals;
	flags = xcalloc(set->count + 1, sizeof(*flags));
	ids = xcalloc(set->count + 1, sizeof(*ids));
	lengths = xcalloc(set->count + 1, sizeof(*lengths));
	for (size_t i = 0; i < set->count; i++) {
		lengths[i] = strlen(literals[i]);
		ids[i] = (unsigned int)i;
	}
	if (hs_compile_lit_multi(literals, flags, ids, lengths, (unsigned int)set->count, HS_MODE_BLOCK, NULL,
				 &set->database, &error) != HS_SUCCESS ||
	    hs_alloc_scratch(set->database, &set->scratch) != HS_SUCCESS) {
		hs_free_compile_error(error);
		literal_set_free(set);
		set = NULL;
	}
	free(flags);
	free(ids);
	free(lengths);
	return set;
}

void literal_set_free(struct literal_set *set)
{
	if (!set)
		return;
	hs_free_scratch(set->scratch);
	hs_free_database(set->database);
	free(set);
}

int literal_set_scan(struct literal_set *set, const char *bytes, size_t size, struct line_hits *hits)
{
	struct scan scan = { .bytes = bytes, .size = size, .hits = hits };

	hits->count = 0;
	if (!size)
		return 0;
	return hs_scan(set->database, bytes, (unsigned int)size, 0, set->scratch, on_match, &scan) == HS_SUCCESS ?
		       0 :
		       -EIO;
}
#else
struct literal_set *literal_set_new(const char *const *literals)
{
	struct literal_set *set = xcalloc(1, sizeof(*set));

	while (literals[set->count])
		set->count++;
	set->literals = literals;
	set->next = xcalloc(set->count + 1, sizeof(*set->next));
	for (size_t i = set->count; i-- > 0;) {
		const unsigned char *p = (const unsigned char *)literals[i];

		set->next[i] = set->first[p[0]][p[1]];
		set->first[p[0]][p[1]] = (uint16_t)(i + 1);
	}
	return set;
}

void literal_set_free(struct literal_set *set)
{
	if (!set)
		return;
	free(set->next);
	free(set);
}

int literal_set_scan(struct literal_set *set, const char *bytes, size_t size, struct line_hits *hits)
{
	struct scan scan = { .bytes = bytes, .size = size, .hits = hits };
	const unsigned char *p = (const unsigned char *)bytes;

	hits->count = 0;
	for (size_t i = 0; i + 1 < size; i++) {
		for (uint16_t id = set->first[p[i]][p[i + 1]]; id; id = set->next[id - 1]) {
			size_t length = strlen(set->literals[id - 1]);

			if (length > size - i || memcmp(bytes + i, set->literals[id - 1], length))
				continue;
			scan_hit(&scan, i + length);
			i = scan.done ? scan.done - 1 : i;
			break;
		}
	}
	return 0;
}
#endif

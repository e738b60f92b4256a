// SPDX-License-Identifier: Apache-2.0
/* The runtime's event texts in a heap (trace_ring.h). Uses libc. */
#include "probe/trace_ring.h"
#include "probe/memory.h"
#include "probe/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ENTRY	      128u
#define PAGE_LEAST    4096u
#define CHUNK	      (1u << 20)
#define ARENA_ALIGN   (64u << 20) /* where malloc's further arenas begin */
#define MAPPED_MAX    (8u << 20)  /* a block that malloc took from the kernel by itself */
#define MAPPED_LEAST  4		  /* entries in a row that make a ring outside the heap proper */
#define TEXTS_MAX     65536u
#define BEING_WRITTEN UINT64_MAX /* no time */
#define PAGE_PRESENT  (UINT64_C(1) << 63)

struct entry {
	uint64_t stamp;
	uint64_t length;
	char text[TRACE_TEXT];
};

_Static_assert(sizeof(struct entry) == ENTRY, "layout");

struct scan {
	int id;
	size_t page; /* bytes, at most CHUNK */
	int pagemap; /* -1: not readable, every page is taken for present */
	uint64_t deadline_ns;
	struct trace_texts *texts;
	size_t room;
	unsigned char *chunk; /* CHUNK + one page: an entry may straddle two chunks */
	uint64_t next_free;   /* end of the last ring: what lies before is done */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool entry_is_text(const struct entry *entry)
{
	static const char *const names[] = {
		"eventRecord:", "eventWait:", "eventReset:", "notifyWait:", "notifyRecord:", "notifyReset:",
		"CqReport:",	"TryReclyTask:", "SendWait:",
	};
	size_t i;

	if (entry->length != TRACE_TEXT || !entry->stamp)
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(entry->text, names[i], strlen(names[i])))
			return true;
	return false;
}

/* A slot of a ring that holds another kind of record: its size, and printable text. */
static bool entry_is_other(const struct entry *entry)
{
	return entry->length == TRACE_TEXT && entry->stamp && (unsigned char)entry->text[0] > ' ' &&
	       (unsigned char)entry->text[0] < 0x7f;
}

static bool entry_is_unused(const struct entry *entry)
{
	return entry->stamp == 0 && entry->length == 0;
}

static int texts_append(struct scan *scan, const struct entry *entry)
{
	struct trace_texts *texts = scan->texts;
	struct trace_text *text;
	size_t i;

	if (texts->count == scan->room) {
		size_t want = scan->room ? scan->room * 2 : 1024;
		struct trace_text *list;

		if (want > TEXTS_MAX)
			return 0;
		list = realloc(texts->list, want * sizeof(*list));
		if (!list)
			return -ENOMEM;
		texts->list = list;
		scan->room = want;
	}
	text = &texts->list[texts->count++];
	text->stamp = entry->stamp;
	text->ring = texts->rings;
	for (i = 0; i < TRACE_TEXT && (unsigned char)entry->text[i] >= ' ' && entry->text[i] != 0x7f; i++)
		text->text[i] = entry->text[i];
	text->text[i] = '\0';
	return 0;
}

/*
 * How many pages from address on are alike: in memory (present) or not; at most count.
 * Only what is present is read: nothing is ever faulted or swapped in for us.
 */
static size_t pages_alike(const struct scan *scan, uint64_t address, size_t count, bool *present)
{
	uint64_t pages[CHUNK / PAGE_LEAST + 1];
	size_t have, i;
	ssize_t got;

	*present = true;
	if (scan->pagemap < 0)
		return count;
	if (count > sizeof(pages) / sizeof(pages[0]))
		count = sizeof(pages) / sizeof(pages[0]);
	got = pread(scan->pagemap, pages, count * sizeof(pages[0]), (off_t)(address / scan->page * sizeof(pages[0])));
	have = got > 0 ? (size_t)got / sizeof(pages[0]) : 0;
	*present = have && (pages[0] & PAGE_PRESENT);
	for (i = 1; i < have && !!(pages[i] & PAGE_PRESENT) == *present; i++)
		;
	return have ? i : count;
}

/* An entry, if all of it is in memory. */
static bool entry_read(const struct scan *scan, uint64_t address, struct entry *entry)
{
	size_t pages = (address % scan->page + ENTRY + scan->page - 1) / scan->page;
	bool present;

	if (pages_alike(scan, address, pages, &present) < pages || !present)
		return false;
	return memory_read(scan->id, address, entry, ENTRY) == ENTRY;
}

/* Entries of the ring that goes through address: where it begins and how many there are. */
static size_t ring_measure(struct scan *scan, uint64_t address, const struct map *map, uint64_t *start, bool *wrapped)
{
	uint64_t at = address;
	struct entry entry;
	size_t count = 0;

	*wrapped = true;
	while (at - map->start >= ENTRY && entry_read(scan, at - ENTRY, &entry) &&
	       (entry_is_text(&entry) || entry_is_other(&entry)))
		at -= ENTRY;
	*start = at;
	while (count < TEXTS_MAX && map->end - at >= ENTRY && entry_read(scan, at, &entry)) {
		if (entry_is_unused(&entry))
			*wrapped = false;
		if (!entry_is_text(&entry) && !entry_is_other(&entry))
			break;
		count++;
		at += ENTRY;
	}
	return count;
}

/* Twice the same, or it was being written. */
static int ring_take(struct scan *scan, uint64_t start, size_t count, bool wrapped)
{
	size_t size = count * ENTRY, before = scan->texts->count, i;
	struct entry *first = malloc(size), *second = malloc(size);
	int err = first && second ? 0 : -ENOMEM;

	if (!err && (memory_read(scan->id, start, first, size) != (ssize_t)size ||
		     memory_read(scan->id, start, second, size) != (ssize_t)size))
		count = 0;
	for (i = 0; i < count && !err; i++) {
		/* newer before older: the ring has gone round, whatever follows it in memory */
		if (i && first[i].stamp < first[i - 1].stamp && first[i - 1].stamp != BEING_WRITTEN)
			wrapped = true;
		if (memcmp(&first[i], &second[i], ENTRY))
			scan->texts->changed++;
		else if (first[i].stamp == BEING_WRITTEN)
			scan->texts->changed++;
		else if (entry_is_text(&first[i]))
			err = texts_append(scan, &first[i]);
	}
	if (scan->texts->count > before) {
		scan->texts->rings++;
		scan->texts->wrapped |= wrapped;
	}
	free(first);
	free(second);
	return err;
}

static bool map_is_malloc_heap(const struct map *map)
{
	return map->kind == MAP_HEAP || (map->kind == MAP_ANONYMOUS_MEMORY && map->start % ARENA_ALIGN == 0);
}

/* A hit in the heap proper may be a ring of one; elsewhere (stale copies on stacks) only a row counts. */
static int hit(struct scan *scan, const struct map *map, uint64_t address)
{
	uint64_t start;
	bool wrapped;
	size_t count;

	if (address < scan->next_free)
		return 0;
	count = ring_measure(scan, address, map, &start, &wrapped);
	scan->next_free = start + count * ENTRY;
	if (count < MAPPED_LEAST && (!map_is_malloc_heap(map) || (count < 2 && wrapped)))
		return 0;
	return ring_take(scan, start, count, wrapped);
}

/* Looks for entries that begin in the chunk; size bytes of it are there. */
static int chunk_search(struct scan *scan, const struct map *map, uint64_t start, size_t size)
{
	size_t at;
	int err = 0;

	for (at = 0; at + ENTRY <= size && !err; at += 8) {
		uint64_t length;

		memcpy(&length, scan->chunk + at + 8, sizeof(length));
		if (length == TRACE_TEXT && entry_is_text((const struct entry *)(scan->chunk + at)))
			err = hit(scan, map, start + at);
	}
	return err;
}

static int present_scan(struct scan *scan, const struct map *map, uint64_t at, size_t length)
{
	ssize_t got = memory_read(scan->id, at, scan->chunk, length);

	if (got < 0)
		return got == -EFAULT ? 0 : (int)got;
	scan->texts->scanned += got;
	return chunk_search(scan, map, at, got);
}

static int map_scan(struct scan *scan, const struct map *map)
{
	uint64_t at = map->start;
	int err = 0;

	while (at < map->end && !err) {
		size_t left = (map->end - at) / scan->page, step = CHUNK / scan->page, pages;
		bool present;

		if (now_ns() > scan->deadline_ns) {
			scan->texts->cut_short = true;
			break;
		}
		/* one page more than a step: an entry across the border is seen whole */
		pages = pages_alike(scan, at, left < step + 1 ? left : step + 1, &present);
		if (present)
			err = present_scan(scan, map, at, pages * scan->page);
		if (pages == step + 1)
			pages--;
		at += pages * scan->page;
	}
	return err;
}

static bool map_is_scanned(const struct map *map, bool heap)
{
	if (!map->readable || !map->writable || map->shared || map->executable)
		return false;
	if (heap)
		return map_is_malloc_heap(map);
	return map->kind == MAP_ANONYMOUS_MEMORY && !map_is_malloc_heap(map) && map->end - map->start <= MAPPED_MAX;
}

static int compare_texts(const void *a, const void *b)
{
	const struct trace_text *x = a, *y = b;

	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	return (x->stamp > y->stamp) - (x->stamp < y->stamp);
}

int trace_texts_read(int id, const struct map_table *maps, int budget_ms, struct trace_texts *texts)
{
	struct scan scan = { .id = id, .texts = texts, .pagemap = -1, .page = (size_t)sysconf(_SC_PAGESIZE) };
	char path[64];
	size_t i;
	int err = 0, pass;

	memset(texts, 0, sizeof(*texts));
	scan.deadline_ns = now_ns() + (uint64_t)(budget_ms > 0 ? budget_ms : 100) * 1000000u;
	scan.chunk = malloc(CHUNK + scan.page);
	if (!scan.chunk)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%d/pagemap", id);
	scan.pagemap = open(path, O_RDONLY | O_CLOEXEC);
	for (pass = 0; pass < 2 && !err; pass++) /* the heap proper first, then blocks of their own */
		for (i = 0; i < maps->count && !err; i++) {
			scan.next_free = 0;
			if (map_is_scanned(&maps->list[i], pass == 0))
				err = map_scan(&scan, &maps->list[i]);
		}
	if (scan.pagemap >= 0)
		close(scan.pagemap);
	free(scan.chunk);
	if (err)
		trace_texts_clear(texts);
	else if (texts->count)
		qsort(texts->list, texts->count, sizeof(*texts->list), compare_texts);
	return err;
}

void trace_texts_clear(struct trace_texts *texts)
{
	free(texts->list);
	memset(texts, 0, sizeof(*texts));
}

// SPDX-License-Identifier: Apache-2.0
/* Event texts out of a heap (this program's, read by a child): whole rings in order, and nothing that only looks like one. */
#include "probe/trace_ring.h"
#include "tests/probe/check.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 1000

struct slot {
	uint64_t stamp, length;
	char text[112];
};

static struct slot *the_ring;

static void slot_write(struct slot *slot, uint64_t stamp, const char *text)
{
	memset(slot->text, 0, sizeof(slot->text));
	slot->length = 112;
	slot->stamp = stamp;
	memcpy(slot->text, text, strlen(text));
}

static void slot_number(struct slot *slot, uint64_t number)
{
	char text[100];

	snprintf(text, sizeof(text), "eventWait:devId=0,stmId=2,tskId=%lu,eventId=0", (unsigned long)number);
	slot_write(slot, 1000000 + number, text);
}

/* By a child: what reading leaves in the reader's own heap must not be found again. */
static void look(void (*check)(const struct trace_texts *texts))
{
	struct trace_texts texts;
	struct map_table maps;
	int status = -1;
	pid_t child;

	__asm__ volatile("" : : "r"(the_ring) : "memory"); /* what was written is read, by somebody else */
	fflush(stdout);
	child = fork();
	if (child == 0) {
		checks_failed = checks_passed = 0;
		CHECK(maps_read(getppid(), &maps) == 0);
		CHECK(trace_texts_read(getppid(), &maps, 2000, &texts) == 0);
		check(&texts);
		trace_texts_clear(&texts);
		maps_clear(&maps);
		_exit(checks_failed ? 1 : 0);
	}
	waitpid(child, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void none(const struct trace_texts *texts)
{
	CHECK(texts->count == 0 && texts->rings == 0 && texts->scanned > 0);
}

static void only_seven(const struct trace_texts *texts)
{
	CHECK(texts->count == 1 && texts->rings == 1 && !texts->wrapped);
	CHECK(texts->count && !strcmp(texts->list[0].text, "eventWait:devId=0,stmId=2,tskId=7,eventId=0"));
}

static void last_thousand(const struct trace_texts *texts)
{
	size_t i, wrong = 0;

	CHECK(texts->count == SLOTS - SLOTS / 10 && texts->rings == 1 && texts->wrapped);
	for (i = 1; i < texts->count; i++)
		wrong += texts->list[i].stamp <= texts->list[i - 1].stamp;
	CHECK(wrong == 0);
	CHECK(texts->count && texts->list[0].stamp == 1000000 + 701);
}

static void endless(const struct trace_texts *texts)
{
	CHECK(texts->count == 1 && strlen(texts->list[0].text) == TRACE_TEXT);
}

static void cut_at_control(const struct trace_texts *texts)
{
	CHECK(texts->count == 1 && !strcmp(texts->list[0].text, "eventWait:"));
}

static void being_written(const struct trace_texts *texts)
{
	CHECK(texts->count == 0 && texts->changed == 1);
}

static void test_one(struct slot *ring)
{
	slot_number(&ring[0], 7);
	look(only_seven);
}

/* 1,700 records in 1,000 slots: the last 1,000, oldest first; other kinds in between are passed over. */
static void test_wrapped(struct slot *ring)
{
	size_t i;

	for (i = 0; i < 1700; i++)
		slot_number(&ring[i % SLOTS], i);
	for (i = 0; i < SLOTS; i += 10)
		slot_write(&ring[i], ring[i].stamp, "somethingElse:x=1");
	look(last_thousand);
}

static void test_odd_entries(struct slot *ring)
{
	char long_text[sizeof(ring->text) + 1] = "eventWait:";

	memset(long_text + 10, 'e', sizeof(ring->text) - 10);
	memset(ring, 0, SLOTS * sizeof(*ring));
	slot_write(&ring[0], UINT64_MAX, "eventWait:devId=0");
	look(being_written);
	slot_write(&ring[0], 5, "eventWait:devId=0");
	ring[0].length = 111;
	look(none);
	slot_write(&ring[0], 5, "eventWaitX:devId=0");
	look(none);
	slot_write(&ring[0], 0, "eventWait:devId=0");
	look(none);
	slot_write(&ring[0], 9, long_text); /* no end anywhere */
	look(endless);
	slot_write(&ring[0], 5, "eventWait:\x1b[31mred");
	look(cut_at_control);
	memset(ring, 0, SLOTS * sizeof(*ring));
}

static int ready[2], go_on[2];

/* A copy that some call left on a thread's stack is no ring. */
static void *thread_with_copy(void *unused)
{
	volatile struct slot copy __attribute__((aligned(8)));
	char byte = 'x';

	slot_number((struct slot *)&copy, 3);
	if (write(ready[1], &byte, 1) != 1 || read(go_on[0], &byte, 1) != 1)
		abort();
	return copy.length == 112 ? unused : NULL;
}

static void test_stack_copy(void)
{
	pthread_t thread;
	char byte = 'x';

	CHECK(pipe(ready) == 0 && pipe(go_on) == 0);
	CHECK(pthread_create(&thread, NULL, thread_with_copy, NULL) == 0);
	CHECK(read(ready[0], &byte, 1) == 1);
	look(none);
	CHECK(write(go_on[1], &byte, 1) == 1);
	pthread_join(thread, NULL);
}

/* Pages that were never touched must stay so. */
static void test_untouched(void)
{
	size_t size = 64 << 20, pages = size / 4096, i, present = 0;
	char *area = mmap(NULL, size * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *arena = (char *)(((uintptr_t)area + size - 1) & ~(uintptr_t)(size - 1));
	unsigned char *seen = malloc(pages);

	munmap(area, arena - area); /* now a mapping begins where an arena would */
	madvise(arena, size, MADV_NOHUGEPAGE);
	arena[5 * 4096] = 1;
	look(none);
	CHECK(mincore(arena, size, seen) == 0);
	for (i = 0; i < pages; i++)
		present += seen[i] & 1;
	CHECK(present == 1);
	if (present != 1)
		fprintf(stderr, "%zu pages of %zu\n", present, pages);
	free(seen);
	munmap(arena, size);
}

int main(void)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	the_ring = calloc(SLOTS + 1, sizeof(*the_ring));
	if (!the_ring)
		return 2;
	look(none);
	test_one(the_ring);
	test_wrapped(the_ring);
	test_odd_entries(the_ring);
	test_stack_copy();
	test_untouched();
	free(the_ring);
	return checks_result();
}

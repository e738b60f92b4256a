// SPDX-License-Identifier: Apache-2.0
/*
 * The ring as a source: which entries are unfinished, what threads are doing, what is
 * not to be believed; and that no content of a snapshot does harm.
 */
#include "tests/analyzer/world.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/sources/ring.h"
#include "shm/ring_api.h"

enum { STREAMS = 3, OBJECTS = 4, THREADS = 3, ENTRIES = 64 };

/* One snapshot with room; nothing in it is of use until a test says so. */
struct ring {
	struct ring_snapshot snapshot;
	struct ring_stream streams[STREAMS];
	struct ring_object objects[OBJECTS];
	struct ring_context contexts[1];
	struct ring_thread threads[THREADS];
	struct ring_maker makers[THREADS];
	struct ring_queue queues[STREAMS];
	struct ring_entry entries[STREAMS][ENTRIES];
	char names[32];
};

static uint16_t api_number(const char *name)
{
	for (uint16_t i = 0; ring_api(i); i++)
		if (strcmp(ring_api(i)->name, name) == 0)
			return i;
	CHECK(false, "no %s in the table", name);
	return RING_API_NONE;
}

static void ring_init(struct ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	ring->snapshot.header.pid = 100;
	ring->snapshot.header.api_table = ring_api_table();
	ring->snapshot.header.counts.hal_tasks = 1;
	ring->snapshot.taken_mono = UINT64_C(100000000000);
	ring->snapshot.streams = ring->streams;
	ring->snapshot.stream_count = STREAMS;
	ring->snapshot.objects = ring->objects;
	ring->snapshot.object_count = OBJECTS;
	ring->snapshot.contexts = ring->contexts;
	ring->snapshot.context_count = 1;
	ring->snapshot.threads = ring->threads;
	ring->snapshot.makers = ring->makers;
	ring->snapshot.queues = ring->queues;
	ring->snapshot.names = ring->names;
	ring->snapshot.names_bytes = sizeof(ring->names);
	for (size_t i = 0; i < STREAMS; i++) {
		ring->streams[i].state = RING_OBJECT_LIVE;
		ring->streams[i].stream_id = (uint32_t)i + 2;
		ring->streams[i].sq_id = (uint32_t)i;
		ring->streams[i].last_task = RING_NONE;
		ring->streams[i].last_pos = RING_NONE;
		ring->streams[i].sq_head = RING_NONE;
		ring->streams[i].sq_depth = RING_NONE;
		ring->streams[i].executed_task = RING_NONE;
		ring->queues[i].entries = ring->entries[i];
	}
	for (size_t i = 0; i < OBJECTS; i++) {
		ring->objects[i].state = RING_OBJECT_LIVE;
		ring->objects[i].kind = RING_OBJECT_EVENT;
		ring->objects[i].made_by = RING_MADE_FLAG;
		ring->objects[i].create_flags = 1;
		ring->objects[i].id = (uint32_t)i;
	}
}

/* A submission that the driver took, at the next place of a queue of 32. */
static struct ring_entry *submit(struct ring *ring, size_t stream, enum ring_task_kind kind)
{
	struct ring_stream *record = &ring->streams[stream];
	struct ring_queue *queue = &ring->queues[stream];
	struct ring_entry *entry = &queue->entries[queue->count++];

	record->sq_depth = 32;
	record->last_pos = record->last_pos == RING_NONE ? 0 : (record->last_pos + 1) % record->sq_depth;
	record->last_task = record->last_task == RING_NONE ? 0 : record->last_task + 1;
	entry->tag = RING_TAG(record->claimed++, RING_ENTRY_COMMITTED);
	entry->api = RING_API_NONE;
	entry->kind = (uint8_t)kind;
	entry->flags = RING_ENTRY_CONFIRMED;
	entry->task = record->last_task;
	entry->pos = record->last_pos;
	entry->sqes = 1;
	entry->id = RING_NONE;
	return entry;
}

static void head_at(struct ring *ring, size_t stream, uint32_t pos)
{
	ring->streams[stream].sq_head = pos;
	ring->streams[stream].sq_head_mono = ring->snapshot.taken_mono - 1000;
}

static struct ring_thread *enter(struct ring *ring, uint32_t tid, const char *api, uint32_t stream)
{
	struct ring_thread *thread = &ring->threads[ring->snapshot.thread_count++];

	thread->tid = tid;
	thread->seq = 7;
	thread->api = api_number(api);
	thread->stream = stream;
	thread->timeout = -1;
	thread->upto = UINT64_MAX;
	thread->registered_mono = tid;
	return thread;
}

static void translate(const struct ring *first, const struct ring *last, struct model *model)
{
	struct ring_source source = {
		.first = first ? &first->snapshot : NULL,
		.last = &last->snapshot,
	};

	model_init(model);
	ring_to_model(&source, model);
}

static size_t unfinished(const struct ring *ring, size_t stream)
{
	struct model model;
	size_t count;

	translate(NULL, ring, &model);
	count = model.streams[stream].task_count;
	model_clear(&model);
	return count;
}

static void check_unfinished(void)
{
	static struct ring ring;

	ring_init(&ring);
	CHECK(unfinished(&ring, 0) == 0, "empty");
	for (int i = 0; i < 60; i++) /* once round the queue of 32 and most of a second time */
		submit(&ring, 0, RING_TASK_KERNEL);
	ring.streams[0].done = 50;
	CHECK(unfinished(&ring, 0) == 10, "by results: %zu", unfinished(&ring, 0));
	ring.streams[0].done = 0;
	head_at(&ring, 0, ring.streams[0].last_pos);
	CHECK(unfinished(&ring, 0) == 1, "head at the last: %zu", unfinished(&ring, 0));
	head_at(&ring, 0, (ring.streams[0].last_pos + 1) % 32);
	CHECK(unfinished(&ring, 0) == 0, "head behind the last: %zu", unfinished(&ring, 0));
	head_at(&ring, 0, (ring.streams[0].last_pos + 32 - 30) % 32);
	CHECK(unfinished(&ring, 0) == 31, "full but one: %zu", unfinished(&ring, 0));
	ring.streams[0].sq_head = RING_NONE;
	ring.streams[0].executed_task = 54;
	CHECK(unfinished(&ring, 0) == 5, "by the trace feed: %zu", unfinished(&ring, 0));
}

static void check_states(void)
{
	static struct ring ring;
	struct model model;

	ring_init(&ring);
	submit(&ring, 0, RING_TASK_KERNEL)->flags = RING_ENTRY_NO_TASK;
	submit(&ring, 0, RING_TASK_KERNEL)->tag = RING_TAG(1, RING_ENTRY_FAILED);
	submit(&ring, 0, RING_TASK_KERNEL)->flags = RING_ENTRY_CAPTURED;
	submit(&ring, 0, RING_TASK_KERNEL)->tag = RING_TAG(3, RING_ENTRY_CLAIMED);
	ring.entries[0][3].flags = 0;
	ring.entries[0][3].name = 1;
	strcpy(ring.names, "MatMul");
	translate(NULL, &ring, &model);
	CHECK(model.streams[0].task_count == 1, "%zu", model.streams[0].task_count);
	CHECK(model.streams[0].tasks[0].certainty == TASK_CLAIMED, "claimed");
	CHECK(model.streams[0].tasks[0].kernel && strcmp(model.streams[0].tasks[0].kernel, "MatMul") == 0,
	      "name");
	model_clear(&model);
}

/* A wait for an Ex event without a record makes no task; for a SYNC event it does. */
static void check_waits(void)
{
	static struct ring ring;
	struct ring_entry *entry;
	struct model model;

	ring_init(&ring);
	ring.objects[1].made_by = RING_MADE_EX;
	entry = submit(&ring, 0, RING_TASK_WAIT);
	entry->object = 2;
	entry->flags = 0;
	entry = submit(&ring, 0, RING_TASK_WAIT);
	entry->object = 1;
	entry->flags |= RING_ENTRY_ANY_RECORD;
	submit(&ring, 1, RING_TASK_RECORD)->object = 2;
	entry = submit(&ring, 0, RING_TASK_WAIT);
	entry->object = 2;
	entry->bound = RING_POINT(2, 0);
	entry = submit(&ring, 0, RING_TASK_WAIT);
	entry->object = 2;
	entry->object_gen = 5; /* of an event that was there before */
	entry->bound = RING_POINT(1000, 0);
	translate(NULL, &ring, &model);
	CHECK(model.streams[0].task_count == 3, "%zu", model.streams[0].task_count);
	CHECK(!model.streams[0].tasks[0].bound && model.streams[0].tasks[0].object == 0, "unbound");
	CHECK(model.streams[0].tasks[1].bound && model.streams[0].tasks[1].bound_stream == 1, "bound");
	CHECK(!model.streams[0].tasks[1].bound_done, "record is still to come");
	CHECK(model.streams[0].tasks[2].object == MODEL_NONE, "another generation");
	CHECK(model.streams[0].tasks[2].bound_done, "a stream that is not there");
	model_clear(&model);
	ring.streams[1].done = 1;
	translate(NULL, &ring, &model);
	CHECK(model.streams[0].tasks[1].bound_done, "record has run");
	model_clear(&model);
}

static void check_threads(void)
{
	static struct ring first, last;
	struct model model;

	ring_init(&last);
	enter(&last, 100, "aclrtSynchronizeStream", 1)->stall_seq = 7;
	last.threads[0].stall_since = last.snapshot.taken_mono - UINT64_C(2000000000);
	enter(&last, 101, "aclrtSynchronizeStreamWithTimeout", 2)->timeout = 500;
	last.threads[1].flags = RING_THREAD_TIMED;
	enter(&last, 102, "aclrtSynchronizeStream", 3);
	first = last;
	first.snapshot.threads = first.threads;
	first.threads[2].seq = 5; /* another call than the one of the second copy */
	translate(&first, &last, &model);
	CHECK(model.thread_count == 3, "%zu threads", model.thread_count);
	CHECK(model.threads[0].stable && model.threads[0].role == ROLE_SYNC_STREAM &&
		      model.threads[0].stream == 0,
	      "sync");
	CHECK(model.threads[0].timeout_ms == -1 && model.threads[0].blocked_s == 2, "for ever, %f",
	      model.threads[0].blocked_s);
	CHECK(model.threads[0].maker == MAKER_PROGRAM, "the main thread's maker");
	CHECK(model.threads[1].timeout_ms == 500 && model.threads[1].maker == MAKER_UNKNOWN, "timed");
	CHECK(model.threads[2].overlaps && !model.threads[2].stable, "overlap");
	model_clear(&model);
	/* Numbers of another table mean nothing. */
	last.snapshot.header.api_table++;
	translate(&first, &last, &model);
	CHECK(!model.threads[0].api && model.threads[0].role == ROLE_NONE, "another table");
	model_clear(&model);
}

static void check_facts(void)
{
	static struct ring ring;
	struct model model;

	ring_init(&ring);
	ring.snapshot.header.counts.lost_streams = 2;
	ring.snapshot.header.counts.lost_entries = 5;
	ring.snapshot.torn = 1;
	ring.streams[0].lost = 3;
	for (int i = 0; i < 4; i++)
		submit(&ring, 0, RING_TASK_KERNEL);
	ring.streams[0].done =
		2; /* entries that are there are finished: so are the older ones that were lost */
	translate(NULL, &ring, &model);
	CHECK(model.facts.lost == 2 + 1 + 2, "lost %llu", (unsigned long long)model.facts.lost);
	CHECK(model.streams[0].lost == 0, "stream lost %llu", (unsigned long long)model.streams[0].lost);
	model_clear(&model);
	ring.streams[0].done = 0;
	ring.queues[0].first_kept = 10;
	ring.streams[0].claimed = 14;
	translate(NULL, &ring, &model);
	CHECK(model.streams[0].lost == 10, "gap %llu", (unsigned long long)model.streams[0].lost);
	model_clear(&model);
}

/* What moved between the copies is not stuck. */
static void check_movement(void)
{
	static struct ring first, last;
	struct model model;

	ring_init(&last);
	submit(&last, 0, RING_TASK_KERNEL);
	submit(&last, 1, RING_TASK_KERNEL);
	first = last;
	first.snapshot.streams = first.streams;
	submit(&last, 0, RING_TASK_KERNEL);
	last.streams[1].done = 1;
	translate(&first, &last, &model);
	CHECK(!model.streams[0].moved && model.streams[0].fresh_seq == 1, "new task");
	CHECK(model.streams[1].moved, "moved");
	model_clear(&model);
}

static uint32_t noise(void)
{
	static uint32_t state = 12345;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void fill(void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((unsigned char *)bytes)[i] = (unsigned char)(noise() % 7 ? noise() % 4 : noise());
}

/* As the reader leaves it: references in range, tags ascending; all else is anybody's. */
static void check_hostile(void)
{
	static struct ring ring;
	struct report report;
	struct model model;

	for (int round = 0; round < 3000; round++) {
		ring_init(&ring);
		fill(ring.streams, sizeof(ring.streams));
		fill(ring.objects, sizeof(ring.objects));
		fill(ring.contexts, sizeof(ring.contexts));
		fill(ring.threads, sizeof(ring.threads));
		fill(ring.makers, sizeof(ring.makers));
		fill(ring.entries, sizeof(ring.entries));
		fill(ring.names, sizeof(ring.names) - 1);
		ring.snapshot.thread_count = ring.snapshot.maker_count = THREADS;
		for (size_t s = 0; s < STREAMS; s++) {
			uint64_t number = noise() % 1000;

			ring.queues[s].count = noise() % ENTRIES;
			for (size_t i = 0; i < ring.queues[s].count; i++) {
				number += 1 + noise() % 2;
				ring.entries[s][i].tag = RING_TAG(number, noise() % 5);
				if (noise() % 2)
					ring.entries[s][i].bound = RING_POINT(noise() % (STREAMS + 2),
									      number);
			}
		}
		translate(noise() % 2 ? &ring : NULL, &ring, &model);
		first_class(&model, 15, &report);
		for (size_t i = 0; i < report.count; i++)
			CHECK(report.verdicts[i].confidence != CONFIDENCE_PROVEN, "noise is proven");
		report_clear(&report);
		model_clear(&model);
	}
}

int main(void)
{
	check_unfinished();
	check_states();
	check_waits();
	check_threads();
	check_facts();
	check_movement();
	check_hostile();
	printf("%d failures\n", failures);
	return failures != 0;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * "Proven": each of its conditions violated alone makes it less, never silent, and
 * says so. The base cases are a wait without a record and a ring of two streams.
 */
#include "tests/analyzer/world.h"

#include <string.h>

static void base_wait(struct model *model)
{
	world_live(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_SYNC);
	add_task(model, 0, TASK_EVENT_WAIT, 0);
	sync_stream(model, 0, 0, 20);
}

static void base_ring(struct model *model)
{
	world_live(model);
	add_stream(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_SYNC);
	add_object(model, OBJECT_EVENT, MADE_EXTERNAL);
	add_task(model, 0, TASK_EVENT_WAIT, 0);
	add_task(model, 0, TASK_EVENT_RECORD, 1);
	add_task(model, 1, TASK_EVENT_WAIT, 1);
	add_task(model, 1, TASK_EVENT_RECORD, 0);
	sync_stream(model, 0, 0, 20);
	sync_stream(model, add_thread(model, 103, MAKER_UNKNOWN), 1, 20);
}

/* (1) edges */
static void no_hal(struct model *m)
{
	m->facts.hal_seen = false;
}
static void assumed(struct model *m)
{
	m->streams[0].tasks[0].certainty = TASK_ASSUMED;
}
static void unordered(struct model *m)
{
	m->streams[0].unordered = true;
}
static void dead(struct model *m)
{
	m->facts.live = false;
}
static void place_unknown(struct model *m)
{
	struct model_task first = m->streams[0].tasks[0];

	/* A kernel that may not have finished lies before the wait. */
	add_task(m, 0, TASK_KERNEL, MODEL_NONE);
	memmove(&m->streams[0].tasks[1], &m->streams[0].tasks[0],
		(m->streams[0].task_count - 1) * sizeof(first));
	m->streams[0].tasks[0] = first;
	m->streams[0].tasks[0].type = TASK_KERNEL;
	m->streams[0].tasks[0].object = MODEL_NONE;
	for (size_t i = 0; i < m->streams[0].task_count; i++)
		m->streams[0].tasks[i].seq = i;
	m->streams[0].head_known = false;
}
/* (2) releasers */
static void silent_thread(struct model *m)
{
	add_thread(m, 200, MAKER_PROGRAM);
}
static void unknown_thread(struct model *m)
{
	add_thread(m, 200, MAKER_UNKNOWN);
}
static void threads_incomplete(struct model *m)
{
	m->facts.threads_complete = false;
}
static void thread_elsewhere(struct model *m)
{
	size_t stream = add_stream(m);

	add_task(m, stream, TASK_KERNEL, MODEL_NONE); /* comes back when the kernel is done */
	sync_stream(m, add_thread(m, 200, MAKER_PROGRAM), stream, 1);
}
static void kind_unknown(struct model *m)
{
	m->objects[0].made_by = MADE_UNKNOWN;
}
/* (3) timed, exported, written by others */
static void timed_wait(struct model *m)
{
	m->streams[0].tasks[0].timed = true;
	m->streams[0].tasks[0].timeout_s = 60;
}
static void timed_thread(struct model *m)
{
	m->threads[0].timeout_ms = 30000;
}
static void timed_second_thread(struct model *m)
{
	size_t thread = add_thread(m, 200, MAKER_PROGRAM);

	sync_stream(m, thread, 0, 1);
	m->threads[thread].timeout_ms = 30000;
}
static void timeout_unknown(struct model *m)
{
	m->threads[0].timeout_ms = MODEL_UNKNOWN;
}
static void exported(struct model *m)
{
	m->objects[0].exported = true;
}
static void imported(struct model *m)
{
	m->objects[0].made_by = MADE_IPC;
}
static void device_writes(struct model *m)
{
	m->objects[0].device_writes = true;
}
static void aicpu(struct model *m)
{
	m->facts.device_writers = 1;
}
static void collective(struct model *m)
{
	m->facts.collectives = 1;
}
static void graph_running(struct model *m)
{
	add_task(m, add_stream(m), TASK_MODEL, MODEL_NONE);
}
/* (4) code without a thread of its own */
static void handler(struct model *m)
{
	m->facts.own_signal_handlers = true;
}
static void handlers_unknown(struct model *m)
{
	m->facts.signals_known = false;
}
static void callback(struct model *m)
{
	m->facts.callbacks = 1;
}
/* (5) */
static void overlapping_call(struct model *m)
{
	m->threads[1].overlaps = true;
}
/* (6) */
static void lost_record(struct model *m)
{
	m->facts.lost = 1;
}
static void lost_tasks(struct model *m)
{
	m->streams[0].lost = 1;
}
static void lost_on_another_stream(struct model *m)
{
	m->streams[add_stream(m)].lost = 1;
}
static void unattributed(struct model *m)
{
	m->facts.unattributed = 1;
}
static void past_unseen(struct model *m)
{
	m->facts.before_attach = true;
}
static void maybe(struct model *m)
{
	m->streams[0].tasks[0].certainty = TASK_MAYBE;
}
static void claimed(struct model *m)
{
	m->streams[0].tasks[0].certainty = TASK_CLAIMED;
}

static const struct violation {
	const char *name;
	void (*apply)(struct model *model);
} violations[] = {
#define V(function)                 \
	{                           \
#function, function \
	}
	V(no_hal),
	V(assumed),
	V(unordered),
	V(dead),
	V(place_unknown),
	V(silent_thread),
	V(unknown_thread),
	V(threads_incomplete),
	V(thread_elsewhere),
	V(kind_unknown),
	V(timed_wait),
	V(timed_thread),
	V(timed_second_thread),
	V(timeout_unknown),
	V(exported),
	V(imported),
	V(device_writes),
	V(aicpu),
	V(collective),
	V(graph_running),
	V(handler),
	V(handlers_unknown),
	V(callback),
	V(overlapping_call),
	V(lost_record),
	V(lost_tasks),
	V(lost_on_another_stream),
	V(unattributed),
	V(past_unseen),
	V(maybe),
	V(claimed),
#undef V
};

#define VIOLATIONS (sizeof(violations) / sizeof(violations[0]))

static void check(const char *base, void (*build)(struct model *model), const struct violation *violation)
{
	const struct verdict *verdict;
	struct report report;
	struct model model;

	build(&model);
	if (violation)
		violation->apply(&model);
	first_class(&model, 15, &report);
	CHECK(report.count == 1, "%s, %s: %zu verdicts", base, violation ? violation->name : "nothing",
	      report.count);
	if (!report.count)
		goto out;
	verdict = &report.verdicts[0];
	if (violation) {
		CHECK(verdict->confidence != CONFIDENCE_PROVEN, "%s, %s: proven", base, violation->name);
		CHECK(verdict->assume_count > 0, "%s, %s: does not say why", base, violation->name);
	} else {
		CHECK(verdict->confidence == CONFIDENCE_PROVEN, "%s: %s", base,
		      verdict->assume_count ? verdict->assumes[0] : "");
	}
out:
	report_clear(&report);
	model_clear(&model);
}

int main(void)
{
	check("wait", base_wait, NULL);
	check("ring", base_ring, NULL);
	for (size_t i = 0; i < VIOLATIONS; i++) {
		check("wait", base_wait, &violations[i]);
		check("ring", base_ring, &violations[i]);
	}
	printf("%zu conditions, %d failures\n", VIOLATIONS, failures);
	return failures != 0;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Every rule over the graph: what it must find, what looks like it but is not, and
 * that no other rule finds it in its place.
 */
#include "tests/analyzer/world.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/rules.h"
#include "analyzer/model/util.h"

#define NOTHING CLASS_COUNT

/* Builders: a model each. Stall limit 15 s; "young" is 1 s, "old" 20 s. */

static void never_recorded(struct model *model)
{
	world_live(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_SYNC);
	add_task(model, 0, TASK_EVENT_WAIT, 0);
	sync_stream(model, 0, 0, 1);
}

static void never_recorded_through_bound(struct model *model)
{
	never_recorded(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_EX);
	add_task(model, 0, TASK_EVENT_RECORD, 1);
	add_task(model, 1, TASK_EVENT_WAIT, 1);
	bind_last(model, 1, 0, 1);
	sync_stream(model, 0, 1, 1);
}

static void recorded_elsewhere(struct model *model)
{
	never_recorded(model);
	add_stream(model);
	add_task(model, 1, TASK_KERNEL, MODEL_NONE);
	add_task(model, 1, TASK_EVENT_RECORD, 0);
}

static void nobody_waits(struct model *model)
{
	never_recorded(model);
	model->threads[0].inside = false;
}

static void not_yet_unchanged(struct model *model)
{
	never_recorded(model);
	model->streams[0].fresh_seq = 0;
}

static void sync_before_the_wait(struct model *model)
{
	never_recorded(model);
	model->threads[0].upto = 0; /* the wait was submitted after the synchronize began */
}

static void skipped_wait(struct model *model)
{
	never_recorded(model);
	model->streams[0].head_known = false;
	model->streams[0].tasks[0].certainty = TASK_MAYBE;
}

static void bound_record_has_run(struct model *model)
{
	never_recorded(model);
	model->objects[0].made_by = MADE_EX;
	model->streams[0].tasks[0].bound = true;
	model->streams[0].tasks[0].bound_done = true;
}

static void log_never_recorded(struct model *model)
{
	world_log(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_UNKNOWN);
	add_task(model, 0, TASK_EVENT_WAIT, 0);
	model->streams[0].head_s = 30;
}

static void unseen_creation(struct model *model)
{
	never_recorded(model);
	model->objects[0].creation_unseen = true;
	model->threads[0].blocked_s = 20;
}

static void unseen_creation_young(struct model *model)
{
	unseen_creation(model);
	model->threads[0].blocked_s = 1;
}

static void record_lost(struct model *model)
{
	never_recorded(model);
	model->objects[0].records = 1; /* and none is queued: it has run */
	model->threads[0].blocked_s = 20;
}

static void record_lost_young(struct model *model)
{
	record_lost(model);
	model->threads[0].blocked_s = 1;
}

static void cycle(struct model *model)
{
	world_live(model);
	add_stream(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_SYNC);
	add_object(model, OBJECT_EVENT, MADE_SYNC);
	add_task(model, 0, TASK_EVENT_WAIT, 0);
	add_task(model, 0, TASK_EVENT_RECORD, 1);
	add_task(model, 1, TASK_EVENT_WAIT, 1);
	add_task(model, 1, TASK_EVENT_RECORD, 0);
	sync_stream(model, 0, 0, 1);
}

static void cycle_from_outside(struct model *model)
{
	cycle(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_EX);
	add_task(model, 0, TASK_EVENT_RECORD, 2);
	add_task(model, 2, TASK_EVENT_WAIT, 2);
	bind_last(model, 2, 0, 2);
	sync_stream(model, 0, 2, 1);
}

static void cycle_with_way_out(struct model *model)
{
	cycle(model);
	add_stream(model);
	add_task(model, 2, TASK_KERNEL, MODEL_NONE);
	add_task(model, 2, TASK_EVENT_RECORD, 1); /* any record releases a SYNC event's wait */
}

static void cycle_order_right(struct model *model)
{
	world_live(model);
	add_stream(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_SYNC);
	add_object(model, OBJECT_EVENT, MADE_SYNC);
	add_task(model, 0, TASK_KERNEL, MODEL_NONE);
	add_task(model, 0, TASK_EVENT_RECORD, 1);
	add_task(model, 0, TASK_EVENT_WAIT, 0);
	add_task(model, 1, TASK_EVENT_WAIT, 1);
	add_task(model, 1, TASK_EVENT_RECORD, 0);
	sync_stream(model, 0, 0, 1);
}

static void own_record_behind(struct model *model)
{
	never_recorded(model);
	add_task(model, 0, TASK_EVENT_RECORD, 0);
}

static void notify_cycle(struct model *model)
{
	cycle(model);
	for (size_t i = 0; i < 2; i++) {
		model->objects[i].kind = OBJECT_NOTIFY;
		model->objects[i].made_by = MADE_NOTIFY;
		model->streams[i].tasks[0].type = TASK_NOTIFY_WAIT;
		model->streams[i].tasks[1].type = TASK_NOTIFY_RECORD;
	}
}

static void record_blocked(struct model *model)
{
	recorded_elsewhere(model);
	model->streams[1].head_s = 20;
	model->threads[0].blocked_s = 20;
}

static void record_blocked_busy(struct model *model)
{
	record_blocked(model);
	model->streams[1].head_s = 2; /* the head moved a moment ago */
}

static void record_blocked_moved(struct model *model)
{
	record_blocked(model);
	model->streams[1].moved = true;
}

static void task_stuck(struct model *model)
{
	world_live(model);
	add_stream(model);
	add_task(model, 0, TASK_KERNEL, MODEL_NONE);
	model->streams[0].head_s = 20;
	sync_stream(model, 0, 0, 20);
}

static void task_young(struct model *model)
{
	task_stuck(model);
	model->streams[0].head_s = 1;
}

static void task_stuck_behind_notify(struct model *model)
{
	task_stuck(model);
	add_stream(model);
	add_object(model, OBJECT_NOTIFY, MADE_NOTIFY);
	add_task(model, 0, TASK_NOTIFY_RECORD, 0);
	add_task(model, 1, TASK_NOTIFY_WAIT, 0);
	sync_stream(model, 0, 1, 20);
}

static void submit_stuck(struct model *model)
{
	task_stuck(model);
	model->threads[0].role = ROLE_SUBMIT;
	model->threads[0].api = "aclrtMemcpyAsync";
}

static void submit_unexplained(struct model *model)
{
	submit_stuck(model);
	model->streams[0].task_count = 0; /* the queue is empty, and yet it does not return */
}

static void submit_young(struct model *model)
{
	submit_unexplained(model);
	model->threads[0].blocked_s = 1;
}

static void callback(struct model *model)
{
	task_stuck(model);
	model->streams[0].tasks[0].type = TASK_CALLBACK;
}

static void notify(struct model *model)
{
	never_recorded(model);
	model->objects[0].kind = OBJECT_NOTIFY;
	model->objects[0].made_by = MADE_NOTIFY;
	model->streams[0].tasks[0].type = TASK_NOTIFY_WAIT;
}

static void notify_one_record_two_waits(struct model *model)
{
	notify(model);
	add_stream(model);
	add_task(model, 1, TASK_NOTIFY_WAIT, 0);
	add_stream(model);
	add_task(model, 2, TASK_KERNEL, MODEL_NONE);
	add_task(model, 2, TASK_NOTIFY_RECORD, 0);
	sync_stream(model, 0, 1, 1);
	/* The record releases one of them; the other can only be told once it has run. */
	model->streams[2].task_count = 0;
	model->objects[0].records = 1;
	model->streams[0].task_count = 0;
}

static void notify_exported_young(struct model *model)
{
	notify(model);
	model->objects[0].exported = true;
}

static void notify_of_a_collective(struct model *model)
{
	notify_exported_young(model);
	model->objects[0].exported = false;
	model->objects[0].made_by_cann = true;
}

static void notify_seen_late(struct model *model)
{
	notify_of_a_collective(model);
	model->objects[0].made_by_cann = false;
	model->objects[0].creation_unseen = true;
}

static void timed_young(struct model *model)
{
	never_recorded(model);
	model->threads[0].timeout_ms = 3000;
	model->streams[0].tasks[0].timed = true;
	model->streams[0].tasks[0].timeout_s = 10;
}

static void notify_exported(struct model *model)
{
	notify_exported_young(model);
	model->threads[0].blocked_s = 20;
}

static void value(struct model *model)
{
	never_recorded(model);
	model->objects[0].kind = OBJECT_VALUE;
	model->objects[0].handle = 0x1000;
	model->streams[0].tasks[0].type = TASK_VALUE_WAIT;
	model->threads[0].blocked_s = 20;
}

static void value_written(struct model *model)
{
	value(model);
	add_stream(model);
	add_task(model, 1, TASK_KERNEL, MODEL_NONE);
	add_task(model, 1, TASK_VALUE_WRITE, 0);
	model->streams[1].head_s = 1;
}

static void sync_stuck(struct model *model)
{
	world_live(model);
	add_stream(model);
	sync_stream(model, 0, 0, 20);
}

static void sync_young(struct model *model)
{
	sync_stuck(model);
	model->threads[0].blocked_s = 1;
}

static const struct test {
	const char *name;
	void (*build)(struct model *model);
	enum verdict_class class;
	enum confidence confidence;
	int64_t stream, task, event; /* in the culprit; -1: not looked at */
} tests[] = {
	{ "never-recorded", never_recorded, CLASS_EVENT_NEVER_RECORDED, CONFIDENCE_PROVEN, 2, -1, 0 },
	{ "never-recorded, chain", never_recorded_through_bound, CLASS_EVENT_NEVER_RECORDED,
	  CONFIDENCE_PROVEN, 2, -1, 0 },
	{ "never-recorded in a log", log_never_recorded, CLASS_EVENT_NEVER_RECORDED, CONFIDENCE_LIKELY, 2, -1,
	  0 },
	{ "recorded elsewhere", recorded_elsewhere, NOTHING, 0, -1, -1, -1 },
	{ "nobody waits", nobody_waits, NOTHING, 0, -1, -1, -1 },
	{ "only in the second sample", not_yet_unchanged, NOTHING, 0, -1, -1, -1 },
	{ "synchronize before the wait", sync_before_the_wait, NOTHING, 0, -1, -1, -1 },
	{ "wait that may have been skipped", skipped_wait, NOTHING, 0, -1, -1, -1 },
	{ "bound record has run", bound_record_has_run, NOTHING, 0, -1, -1, -1 },
	{ "creation unseen", unseen_creation, CLASS_EVENT_WAIT_STUCK, CONFIDENCE_POSSIBLE, 2, -1, 0 },
	{ "creation unseen, young", unseen_creation_young, NOTHING, 0, -1, -1, -1 },
	{ "record lost", record_lost, CLASS_EVENT_RECORD_LOST, CONFIDENCE_LIKELY, 2, -1, 0 },
	{ "record lost, young", record_lost_young, NOTHING, 0, -1, -1, -1 },
	{ "cycle", cycle, CLASS_WAIT_CYCLE, CONFIDENCE_PROVEN, -1, -1, -1 },
	{ "cycle seen from outside", cycle_from_outside, CLASS_WAIT_CYCLE, CONFIDENCE_PROVEN, -1, -1, -1 },
	{ "cycle with a way out", cycle_with_way_out, NOTHING, 0, -1, -1, -1 },
	{ "no cycle: right order", cycle_order_right, NOTHING, 0, -1, -1, -1 },
	{ "own record behind the wait", own_record_behind, CLASS_WAIT_CYCLE, CONFIDENCE_PROVEN, -1, -1, -1 },
	{ "cycle of notifies", notify_cycle, CLASS_WAIT_CYCLE, CONFIDENCE_PROVEN, -1, -1, -1 },
	{ "record blocked", record_blocked, CLASS_EVENT_RECORD_BLOCKED, CONFIDENCE_LIKELY, 3, 10, 0 },
	{ "record blocked, head moves", record_blocked_busy, NOTHING, 0, -1, -1, -1 },
	{ "record blocked, moved between samples", record_blocked_moved, NOTHING, 0, -1, -1, -1 },
	{ "task stuck", task_stuck, CLASS_TASK_STUCK, CONFIDENCE_LIKELY, 2, 10, -1 },
	{ "task young", task_young, NOTHING, 0, -1, -1, -1 },
	{ "task stuck, a notify between", task_stuck_behind_notify, CLASS_TASK_STUCK, CONFIDENCE_LIKELY, 2,
	  10, -1 },
	{ "submit stuck", submit_stuck, CLASS_SUBMIT_STUCK, CONFIDENCE_LIKELY, 2, 10, -1 },
	{ "submit stuck, no reason seen", submit_unexplained, CLASS_SUBMIT_STUCK, CONFIDENCE_POSSIBLE, 2, -1,
	  -1 },
	{ "submit young", submit_young, NOTHING, 0, -1, -1, -1 },
	{ "callback", callback, CLASS_CALLBACK_NOT_SERVED, CONFIDENCE_LIKELY, 2, 10, -1 },
	{ "notify", notify, CLASS_NOTIFY_WAIT_STUCK, CONFIDENCE_PROVEN, 2, -1, -1 },
	{ "notify, its record used up", notify_one_record_two_waits, CLASS_NOTIFY_WAIT_STUCK,
	  CONFIDENCE_PROVEN, 3, -1, -1 },
	{ "notify, exported", notify_exported, CLASS_NOTIFY_WAIT_STUCK, CONFIDENCE_LIKELY, 2, -1, -1 },
	{ "notify, exported, young", notify_exported_young, NOTHING, 0, -1, -1, -1 },
	{ "notify, of a collective, young", notify_of_a_collective, NOTHING, 0, -1, -1, -1 },
	{ "notify, creation unseen, young", notify_seen_late, NOTHING, 0, -1, -1, -1 },
	{ "time limits, young", timed_young, CLASS_EVENT_NEVER_RECORDED, CONFIDENCE_LIKELY, 2, -1, 0 },
	{ "value", value, CLASS_VALUE_WAIT_STUCK, CONFIDENCE_LIKELY, 2, -1, -1 },
	{ "value is written", value_written, NOTHING, 0, -1, -1, -1 },
	{ "sync stuck", sync_stuck, CLASS_SYNC_STUCK, CONFIDENCE_POSSIBLE, 2, -1, -1 },
	{ "sync young", sync_young, NOTHING, 0, -1, -1, -1 },
};

#define TESTS (sizeof(tests) / sizeof(tests[0]))

static void check_field(const struct test *test, const struct verdict *verdict, enum field field,
			int64_t want)
{
	const struct value *value = fields_get(&verdict->culprit, field);

	if (want < 0)
		return;
	CHECK(value && value->type == VALUE_NUMBER && value->number == want, "%s: %s", test->name,
	      field_name(field));
}

static bool passes(const struct test *test, const struct rule *rules, size_t rule_count, bool loud)
{
	struct diagnose_options options = { .stall_s = 15 };
	enum verdict_class class;
	struct report report;
	struct model model;
	bool right;

	test->build(&model);
	report_init(&report, &model);
	diagnose_with(&model, &options, rules, rule_count, &report);
	class = report.count ? report.verdicts[0].class : NOTHING;
	right = class == test->class && report.count == (test->class != NOTHING);
	if (loud)
		CHECK(right, "%s: %s, %zu verdicts", test->name,
		      class == NOTHING ? "nothing" : verdict_class_name(class), report.count);
	if (loud && right && report.count) {
		const struct verdict *verdict = &report.verdicts[0];

		CHECK(verdict->confidence == test->confidence, "%s: %s%s%s", test->name,
		      confidence_name(verdict->confidence), verdict->assume_count ? ", assumes " : "",
		      verdict->assume_count ? verdict->assumes[0] : "");
		CHECK((verdict->confidence == CONFIDENCE_PROVEN) == (verdict->assume_count == 0),
		      "%s: assumes", test->name);
		CHECK(verdict->chain_count && verdict->next_count && verdict->summary, "%s: bare",
		      test->name);
		CHECK(report_exit_status(&report) == 10, "%s: exit status", test->name);
		check_field(test, verdict, FIELD_STREAM, test->stream);
		check_field(test, verdict, FIELD_TASK, test->task);
		check_field(test, verdict, FIELD_EVENT, test->event);
	}
	report_clear(&report);
	model_clear(&model);
	return right;
}

/* The rules over the graph. Others of the same classes read what logs say, and have tests of their own. */
static void (*const graph_rules[])(const struct diagnosis *diagnosis, struct report *report) = {
	rule_wait_cycle,       rule_event_never_recorded, rule_notify_wait_stuck,    rule_event_record_lost,
	rule_value_wait_stuck, rule_event_wait_stuck,	  rule_submit_stuck,	     rule_callback_not_served,
	rule_task_stuck,       rule_sync_stuck,		  rule_event_record_blocked,
};

/* Without any one of them something must go wrong. */
static void check_each_rule_matters(void)
{
	for (size_t out = 0; out < sizeof(graph_rules) / sizeof(graph_rules[0]); out++) {
		struct rule *rules = xcalloc(diagnose_rule_count, sizeof(*rules));
		size_t count = 0;
		bool all = true;

		for (size_t i = 0; i < diagnose_rule_count; i++)
			if (diagnose_rules[i].apply != graph_rules[out])
				rules[count++] = diagnose_rules[i];
		CHECK(count + 1 == diagnose_rule_count, "rule %zu is %zu times in the table", out,
		      diagnose_rule_count - count);
		for (size_t i = 0; i < TESTS; i++)
			all &= passes(&tests[i], rules, count, false);
		CHECK(!all, "rule %zu is not missed", out);
		free(rules);
	}
}

/* Two hangs that have nothing to do with each other: one verdict each, both proven. */
static void check_independent_hangs(void)
{
	struct report report;
	struct model model;
	size_t second;

	cycle(&model);
	second = add_stream(&model);
	add_object(&model, OBJECT_EVENT, MADE_SYNC);
	add_task(&model, second, TASK_EVENT_WAIT, 2);
	sync_stream(&model, add_thread(&model, 103, MAKER_PROGRAM), second, 1);
	first_class(&model, 15, &report);
	CHECK(report.count == 2, "%zu verdicts", report.count);
	for (size_t i = 0; i < report.count; i++)
		CHECK(report.verdicts[i].confidence == CONFIDENCE_PROVEN, "%s", report.verdicts[i].summary);
	report_clear(&report);
	model_clear(&model);
}

/* Several threads that wait for the same thing: still one. */
static void check_one_wait_one_verdict(void)
{
	struct report report;
	struct model model;

	never_recorded(&model);
	for (int64_t tid = 110; tid < 120; tid++)
		sync_stream(&model, add_thread(&model, tid, MAKER_PROGRAM), 0, 1);
	CHECK(first_class(&model, 15, &report) == CLASS_EVENT_NEVER_RECORDED, "class");
	CHECK(report.count == 1, "%zu verdicts", report.count);
	report_clear(&report);
	model_clear(&model);
}

/* A device synchronize waits for every stream of its context, and for no other. */
static void check_device_synchronize(void)
{
	struct report report;
	struct model model;

	never_recorded(&model);
	model_add_context(&model);
	model_add_context(&model);
	model.streams[0].context = 0;
	model.threads[0].role = ROLE_SYNC_DEVICE;
	model.threads[0].stream = MODEL_NONE;
	model.threads[0].context = 0;
	CHECK(first_class(&model, 15, &report) == CLASS_EVENT_NEVER_RECORDED, "same context");
	report_clear(&report);
	model.threads[0].context = 1;
	CHECK(first_class(&model, 15, &report) == NOTHING, "other context");
	report_clear(&report);
	model_clear(&model);
}

/* An event synchronize waits for the record it is bound to. */
static void check_event_synchronize(void)
{
	struct report report;
	struct model model;

	own_record_behind(&model);
	model.threads[0].role = ROLE_SYNC_EVENT;
	model.threads[0].stream = MODEL_NONE;
	model.threads[0].bound_stream = 0;
	model.threads[0].bound_task = 1;
	CHECK(first_class(&model, 15, &report) == CLASS_WAIT_CYCLE, "bound");
	report_clear(&report);
	model.threads[0].bound_stream = MODEL_NONE;
	CHECK(first_class(&model, 15, &report) == NOTHING, "finished");
	report_clear(&report);
	model_clear(&model);
}

int main(void)
{
	for (size_t i = 0; i < TESTS; i++)
		passes(&tests[i], diagnose_rules, diagnose_rule_count, true);
	check_each_rule_matters();
	check_independent_hangs();
	check_one_wait_one_verdict();
	check_device_synchronize();
	check_event_synchronize();
	printf("%zu cases, %d failures\n", TESTS, failures);
	return failures != 0;
}

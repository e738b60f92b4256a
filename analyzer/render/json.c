// SPDX-License-Identifier: Apache-2.0
/*
 * The report as JSON, schema cannwatch.report/1. A number that is not known is
 * absent. Texts that are not UTF-8 (file names, log lines) are made so.
 */
#include "analyzer/render/render.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/model/util.h"

#define TASKS_SHOWN 16 /* per stream: the head of the queue decides, its length is given */

/* Length of the valid UTF-8 sequence at text, 0 if there is none. */
static size_t utf8_length(const unsigned char *text)
{
	size_t length;
	uint32_t code;

	if (text[0] < 0x80)
		return 1;
	if ((text[0] & 0xe0) == 0xc0) {
		length = 2;
		code = text[0] & 0x1f;
	} else if ((text[0] & 0xf0) == 0xe0) {
		length = 3;
		code = text[0] & 0x0f;
	} else if ((text[0] & 0xf8) == 0xf0) {
		length = 4;
		code = text[0] & 0x07;
	} else {
		return 0;
	}
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < 0x80 || (length == 3 && code < 0x800) || (length == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return length;
}

static json_t *text_json(const char *bytes)
{
	const unsigned char *at = (const unsigned char *)bytes;
	struct text clean = { 0 };
	json_t *json;
	char *string;

	while (*at) {
		size_t length = utf8_length(at);

		if (length) {
			text_addn(&clean, (const char *)at, length);
			at += length;
		} else {
			text_add(&clean, "\xef\xbf\xbd"); /* the replacement character */
			at++;
		}
	}
	string = text_take(&clean);
	json = json_string(string);
	free(string);
	return json;
}

static void set_text(json_t *object, const char *key, const char *text)
{
	if (text)
		json_object_set_new(object, key, text_json(text));
}

static void set_number(json_t *object, const char *key, int64_t number)
{
	if (number != MODEL_UNKNOWN)
		json_object_set_new(object, key, json_integer(number));
}

static void set_seconds(json_t *object, const char *key, double seconds)
{
	if (seconds >= 0)
		json_object_set_new(object, key, json_real(seconds));
}

static void set_true(json_t *object, const char *key, bool truth)
{
	if (truth)
		json_object_set_new(object, key, json_true());
}

static void set_hex(json_t *object, const char *key, uint64_t value)
{
	char text[32];

	if (!value)
		return;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	json_object_set_new(object, key, json_string(text));
}

static void set_site(json_t *object, uint64_t site, const char *text)
{
	if (text)
		set_text(object, "site", text);
	else
		set_hex(object, "site", site);
}

static json_t *value_json(const struct value *value)
{
	json_t *list;

	switch (value->type) {
	case VALUE_NUMBER:
		return json_integer(value->number);
	case VALUE_TEXT:
		return text_json(value->text);
	case VALUE_BOOL:
		return json_boolean(value->number != 0);
	default:
		list = json_array();
		for (size_t i = 0; i < value->list_count; i++)
			json_array_append_new(list, json_integer(value->list[i]));
		return list;
	}
}

static json_t *fields_json(const struct fields *fields)
{
	json_t *object = json_object();

	for (size_t i = 0; i < fields->count; i++)
		json_object_set_new(object, field_name(fields->values[i].field),
				    value_json(&fields->values[i]));
	return object;
}

static json_t *texts_json(char *const *texts, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, text_json(texts[i]));
	return list;
}

static json_t *evidence_json(const struct verdict *verdict)
{
	json_t *list = json_array();

	for (size_t i = 0; i < verdict->evidence_count; i++) {
		const struct evidence *evidence = &verdict->evidence[i];
		json_t *object = json_object();

		set_text(object, "source", evidence->source);
		set_text(object, "file", evidence->file);
		if (evidence->line)
			json_object_set_new(object, "line", json_integer((json_int_t)evidence->line));
		set_text(object, "text", evidence->text);
		json_array_append_new(list, object);
	}
	return list;
}

/* What the tool did not see, for verdicts that rest on following a process. */
static json_t *coverage_json(const struct model *model)
{
	json_t *coverage = json_object();

	json_object_set_new(coverage, "lost_records", json_integer((json_int_t)model->facts.lost));
	if (model->facts.hal_tasks)
		json_object_set_new(coverage, "tasks", json_integer((json_int_t)model->facts.hal_tasks));
	if (model->facts.unattributed)
		json_object_set_new(coverage, "unattributed_tasks",
				    json_integer((json_int_t)model->facts.unattributed));
	json_object_set_new(coverage, "before_attach", json_boolean(model->facts.before_attach));
	json_object_set_new(coverage, "hal_seen", json_boolean(model->facts.hal_seen));
	return coverage;
}

static json_t *verdict_json(const struct verdict *verdict, const struct model *model)
{
	json_t *object = json_object();
	json_t *chain = json_array();

	set_text(object, "class", verdict_class_name(verdict->class));
	set_text(object, "kind", verdict_kind_name(verdict_class_kind(verdict->class)));
	set_text(object, "confidence", confidence_name(verdict->confidence));
	json_object_set_new(object, "assumes", texts_json(verdict->assumes, verdict->assume_count));
	set_text(object, "summary", verdict->summary ? verdict->summary : "");
	set_seconds(object, "blocked_s", verdict->blocked_s);
	set_seconds(object, "ends_in_s", verdict->ends_in_s);
	json_object_set_new(object, "culprit", fields_json(&verdict->culprit));
	for (size_t i = 0; i < verdict->chain_count; i++)
		json_array_append_new(chain, fields_json(&verdict->chain[i]));
	json_object_set_new(object, "chain", chain);
	json_object_set_new(object, "evidence", evidence_json(verdict));
	json_object_set_new(object, "next", texts_json(verdict->next, verdict->next_count));
	if (verdict->count > 1)
		json_object_set_new(object, "count", json_integer((json_int_t)verdict->count));
	set_text(object, "first_seen", verdict->first_seen);
	if (verdict->followers) {
		json_t *followers = json_object();

		json_object_set_new(followers, "count", json_integer((json_int_t)verdict->followers));
		set_text(followers, "first", verdict->followers_first);
		set_text(followers, "last", verdict->followers_last);
		json_object_set_new(object, "followers", followers);
	}
	if (model && (model->sources & (SOURCE_RING | SOURCE_BPF | SOURCE_STACKS)))
		json_object_set_new(object, "coverage", coverage_json(model));
	return object;
}

static json_t *verdicts_json(const struct verdict *verdicts, size_t count, const struct model *model)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, verdict_json(&verdicts[i], model));
	return list;
}

static json_t *rank_json(const struct model *model)
{
	json_t *rank = json_object();

	set_number(rank, "global", model->rank.global);
	set_number(rank, "local", model->rank.local);
	set_number(rank, "world", model->rank.world);
	set_text(rank, "source", model->rank.source ? model->rank.source : "unknown");
	return rank;
}

static json_t *sources_json(const struct model *model)
{
	json_t *list = json_array();

	for (uint32_t bit = 1; bit && bit <= model->sources; bit <<= 1)
		if (model->sources & bit)
			json_array_append_new(list, json_string(model_source_name(bit)));
	return list;
}

static void set_stream_id(json_t *object, const char *key, const struct model *model, size_t index)
{
	if (index < model->stream_count)
		set_number(object, key, model->streams[index].id);
}

/* id: the one to show, MODEL_UNKNOWN for the object's own. */
static void set_object_id(json_t *object, const struct model *model, size_t index, int64_t id)
{
	const struct model_object *target;

	if (index >= model->object_count)
		return;
	target = &model->objects[index];
	if (id == MODEL_UNKNOWN)
		id = target->id;
	switch (target->kind) {
	case OBJECT_EVENT:
		set_number(object, "event", id);
		break;
	case OBJECT_NOTIFY:
	case OBJECT_COUNT_NOTIFY:
		set_number(object, "notify", id);
		break;
	case OBJECT_VALUE:
		set_hex(object, "address", target->handle);
		break;
	default:
		break;
	}
}

/* The id may be known where the object is not. */
static void set_task_object(json_t *object, const struct model *model, const struct model_task *task)
{
	if (task->object < model->object_count)
		set_object_id(object, model, task->object, task->object_id);
	else if (task->type == TASK_EVENT_RECORD || task->type == TASK_EVENT_WAIT ||
		 task->type == TASK_EVENT_RESET)
		set_number(object, "event", task->object_id);
	else if (task->type == TASK_NOTIFY_RECORD || task->type == TASK_NOTIFY_WAIT)
		set_number(object, "notify", task->object_id);
}

static json_t *thread_json(const struct model *model, const struct model_thread *thread)
{
	static const char *const makers[] = {
		[MAKER_UNKNOWN] = "unknown",
		[MAKER_PROGRAM] = "program",
		[MAKER_CANN] = "cann",
		[MAKER_CANNWATCH] = "cannwatch",
	};
	json_t *object = json_object();

	set_number(object, "tid", thread->tid);
	set_text(object, "name", thread->name);
	set_text(object, "maker", makers[thread->maker]);
	set_text(object, "stack", thread->stack_text);
	set_text(object, "stack_reason", thread->stack_reason);
	if (!thread->inside)
		return object;
	set_text(object, "in", thread->api);
	set_stream_id(object, "stream", model, thread->stream);
	set_object_id(object, model, thread->object, MODEL_UNKNOWN);
	set_number(object, "timeout_ms", thread->timeout_ms);
	set_seconds(object, "blocked_s", thread->blocked_s);
	set_site(object, thread->site, thread->site_text);
	set_true(object, "overlaps", thread->overlaps);
	return object;
}

static json_t *task_json(const struct model *model, const struct model_task *task)
{
	static const char *const certainties[] = {
		[TASK_CONFIRMED] = "confirmed",
		[TASK_ASSUMED] = "assumed",
		[TASK_MAYBE] = "maybe",
		[TASK_CLAIMED] = "claimed",
	};
	json_t *object = json_object();

	set_number(object, "task", task->id);
	set_text(object, "type", task_type_name(task->type));
	set_text(object, "certainty", certainties[task->certainty]);
	set_task_object(object, model, task);
	set_text(object, "kernel", task->kernel);
	set_text(object, "api", task->api);
	set_number(object, "tid", task->tid);
	set_true(object, "bound", task->bound);
	if (task->bound && !task->bound_done)
		set_stream_id(object, "bound_stream", model, task->bound_stream);
	if (task->timed)
		set_number(object, "timeout_s", task->timeout_s);
	set_site(object, task->site, task->site_text);
	return object;
}

static json_t *stream_json(const struct model *model, const struct model_stream *stream)
{
	json_t *object = json_object();
	json_t *tasks = json_array();

	set_number(object, "stream", stream->id);
	set_number(object, "device", stream->device);
	set_true(object, "default", stream->is_default);
	set_true(object, "destroyed", !stream->alive);
	set_true(object, "capturing", stream->capturing);
	set_true(object, "window", stream->is_window);
	set_true(object, "unordered", stream->unordered);
	json_object_set_new(object, "head_known", json_boolean(stream->head_known));
	set_number(object, "head", stream->head_pos);
	set_seconds(object, "head_s", stream->head_s);
	if (stream->lost)
		json_object_set_new(object, "lost", json_integer((json_int_t)stream->lost));
	json_object_set_new(object, "unfinished", json_integer((json_int_t)stream->task_count));
	for (size_t i = 0; i < stream->task_count && i < TASKS_SHOWN; i++)
		json_array_append_new(tasks, task_json(model, &stream->tasks[i]));
	json_object_set_new(object, "tasks", tasks);
	set_site(object, stream->site, stream->site_text);
	return object;
}

static json_t *object_json(const struct model *model, size_t index)
{
	const struct model_object *target = &model->objects[index];
	json_t *object = json_object();

	set_object_id(object, model, index, MODEL_UNKNOWN);
	set_number(object, "device", target->device);
	set_text(object, "made_by", object_made_by_name(target->made_by));
	set_number(object, "records", target->records);
	set_number(object, "waits", target->waits);
	set_true(object, "destroyed", !target->alive);
	set_true(object, "exported", target->exported);
	set_true(object, "device_writes", target->device_writes);
	set_site(object, target->site, target->site_text);
	return object;
}

static json_t *objects_json(const struct model *model, enum object_kind first, enum object_kind last)
{
	json_t *list = json_array();

	for (size_t i = 0; i < model->object_count; i++)
		if (model->objects[i].kind >= first && model->objects[i].kind <= last)
			json_array_append_new(list, object_json(model, i));
	return list;
}

static void set_model(json_t *root, const struct model *model)
{
	json_t *threads = json_array();
	json_t *streams = json_array();

	for (size_t i = 0; i < model->thread_count; i++)
		json_array_append_new(threads, thread_json(model, &model->threads[i]));
	for (size_t i = 0; i < model->stream_count; i++)
		json_array_append_new(streams, stream_json(model, &model->streams[i]));
	json_object_set_new(root, "threads", threads);
	json_object_set_new(root, "streams", streams);
	json_object_set_new(root, "events", objects_json(model, OBJECT_EVENT, OBJECT_EVENT));
	json_object_set_new(root, "notifies", objects_json(model, OBJECT_NOTIFY, OBJECT_COUNT_NOTIFY));
	json_object_set_new(root, "communicators", objects_json(model, OBJECT_COMM, OBJECT_COMM));
}

static void set_generated(json_t *root)
{
	struct timespec now;
	struct tm date;
	char day[32], text[64];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &date);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &date);
	snprintf(text, sizeof(text), "%s.%06ldZ", day, now.tv_nsec / 1000);
	json_object_set_new(root, "generated", json_string(text));
}

static json_t *report_json(const struct report *report)
{
	static const struct model nothing = { .pid = MODEL_UNKNOWN,
					      .rank = { MODEL_UNKNOWN, MODEL_UNKNOWN, MODEL_UNKNOWN, NULL } };
	const struct model *model = report->model ? report->model : &nothing;
	json_t *root = json_object();

	json_object_set_new(root, "schema", json_string("cannwatch.report/1"));
	json_object_set_new(root, "tool", json_string("cannwatch " CANNWATCH_VERSION));
	set_generated(root);
	set_text(root, "host", model->host);
	set_number(root, "pid", model->pid);
	set_text(root, "command", model->command);
	json_object_set_new(root, "rank", rank_json(model));
	json_object_set_new(root, "sources", sources_json(model));
	json_object_set_new(root, "verdicts", verdicts_json(report->verdicts, report->count, report->model));
	if (report->recovered_count)
		json_object_set_new(root, "recovered",
				    verdicts_json(report->recovered, report->recovered_count, report->model));
	set_model(root, model);
	return root;
}

char *render_json_text(const struct report *report)
{
	json_t *root = report_json(report);
	char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));

	json_decref(root);
	return text;
}

int render_json(const struct report *report, FILE *out)
{
	char *text = render_json_text(report);
	int status = 0;

	if (!text)
		return -ENOMEM;
	if (fputs(text, out) < 0 || fputc('\n', out) == EOF)
		status = -EIO;
	free(text);
	return status;
}

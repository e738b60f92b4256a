// SPDX-License-Identifier: Apache-2.0
/*
 * Class table and setters of verdicts (verdict.h). The names are a contract:
 * add rows, never rename one. Uses util.h only.
 */
#include "analyzer/model/verdict.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"

static const struct class_row {
	const char *name;
	enum verdict_kind kind;
	const char *meaning;
} classes[CLASS_COUNT] = {
	[CLASS_TASK_STUCK] = { "task-stuck", KIND_HANG, "the head task of a stream does not finish" },
	[CLASS_EVENT_NEVER_RECORDED] = { "event-never-recorded", KIND_HANG,
					 "a stream or thread waits for an event that nobody has recorded" },
	[CLASS_EVENT_WAIT_STUCK] = { "event-wait-stuck", KIND_HANG,
				     "an event wait does not end and it is not known whether a record "
				     "exists" },
	[CLASS_EVENT_RECORD_LOST] = { "event-record-lost", KIND_HANG,
				      "the record of an event ran, or was reset, before its wait" },
	[CLASS_EVENT_RECORD_BLOCKED] = { "event-record-blocked", KIND_HANG,
					 "the record of an event sits behind a task that does not finish" },
	[CLASS_WAIT_CYCLE] = { "wait-cycle", KIND_HANG,
			       "streams, threads or ranks wait for each other in a ring" },
	[CLASS_NOTIFY_WAIT_STUCK] = { "notify-wait-stuck", KIND_HANG,
				      "a stream waits for a notify whose record did not come" },
	[CLASS_VALUE_WAIT_STUCK] = { "value-wait-stuck", KIND_HANG,
				     "a stream waits for a value in device memory that nobody writes" },
	[CLASS_PEER_STUCK] = { "peer-stuck", KIND_HANG,
			       "a rank reports that another one is alive but stuck" },
	[CLASS_COLLECTIVE_MISSING_RANK] = { "collective-missing-rank", KIND_HANG,
					    "some ranks wait in a collective that others never entered" },
	[CLASS_COLLECTIVE_MISMATCH] = { "collective-mismatch", KIND_HANG,
					"ranks are in different collectives on one communicator" },
	[CLASS_COLLECTIVE_STUCK] = { "collective-stuck", KIND_HANG,
				     "all ranks entered the same collective and none leaves" },
	[CLASS_SUBMIT_STUCK] = { "submit-stuck", KIND_HANG,
				 "a thread is stuck handing a task to the device" },
	[CLASS_CALLBACK_NOT_SERVED] = { "callback-not-served", KIND_HANG,
					"a host callback is queued but no subscribed thread serves it" },
	[CLASS_HOST_DEADLOCK] = { "host-deadlock", KIND_HANG, "host threads hold locks in a ring" },
	[CLASS_FORK_LOCK_ORPHANED] = { "fork-lock-orphaned", KIND_HANG,
				       "a forked child waits for a lock whose owner exists only in the "
				       "parent" },
	[CLASS_HOST_NOT_SUBMITTING] = { "host-not-submitting", KIND_HANG,
					"no thread is inside CANN: the program itself does not hand out "
					"work" },
	[CLASS_OP_COMPILE_STALLED] = { "op-compile-stalled", KIND_HANG,
				       "the compilation of an operator does not end" },
	[CLASS_SYNC_STUCK] = { "sync-stuck", KIND_HANG,
			       "a synchronize is blocked and nothing available says on what" },
	[CLASS_IDLE_WAIT] = { "idle-wait", KIND_IDLE,
			      "blocked as designed, waiting for work; nothing is wrong" },
	[CLASS_AICORE_ERROR] = { "aicore-error", KIND_FAULT,
				 "exception or time-out of an AI core or vector core" },
	[CLASS_AICPU_ERROR] = { "aicpu-error", KIND_FAULT, "exception or time-out of an AI CPU kernel" },
	[CLASS_TASK_FAILED] = { "task-failed", KIND_FAULT, "a task of an internal component failed" },
	[CLASS_SDMA_ERROR] = { "sdma-error", KIND_FAULT, "the copy engine failed" },
	[CLASS_HEARTBEAT_LOST] = { "heartbeat-lost", KIND_FAULT,
				   "the task scheduler or a rank stopped answering" },
	[CLASS_DEVICE_PANIC] = { "device-panic", KIND_FAULT, "fatal panic of the device's control CPU" },
	[CLASS_LINK_ERROR] = { "link-error", KIND_FAULT, "link set-up or network failure between ranks" },
	[CLASS_RESOURCE_EXHAUSTED] = { "resource-exhausted", KIND_FAULT,
				       "streams, events, queues, memory or the device ran out" },
	[CLASS_API_ERROR] = { "api-error", KIND_FAULT, "a call with wrong arguments or in a wrong order" },
	[CLASS_NO_CONTEXT] = { "no-context", KIND_FAULT, "no device context on the calling thread" },
	[CLASS_ERROR_CODE] = { "error-code", KIND_FAULT, "a documented CANN error code" },
	[CLASS_ENV_RACE] = { "env-race", KIND_FAULT, "crash between getenv and putenv" },
	[CLASS_CONFIG_ERROR] = { "config-error", KIND_FAULT, "a set-up that cannot work" },
	[CLASS_PROGRAM_ERROR] = { "program-error", KIND_FAULT, "the program's own error came first" },
	[CLASS_PROCESS_GONE] = { "process-gone", KIND_FAULT,
				 "a process vanished or was ended by the platform" },
	[CLASS_CRASH] = { "crash", KIND_FAULT, "the process died of a signal" },
	[CLASS_FORK_AFTER_INIT] = { "fork-after-init", KIND_MISUSE, "fork after the device was initialised" },
	[CLASS_WAIT_BEFORE_RECORD] = { "wait-before-record", KIND_MISUSE,
				       "a wait on an event without a record: silently no wait at all" },
	[CLASS_COLLECTIVE_UNORDERED] = { "collective-unordered", KIND_MISUSE,
					 "collectives of one communicator on streams that nothing orders" },
	[CLASS_SYNC_DURING_CAPTURE] = { "sync-during-capture", KIND_MISUSE,
					"an illegal call on a stream that is being captured" },
	[CLASS_USE_AFTER_DESTROY] = { "use-after-destroy", KIND_MISUSE,
				      "a stream, event or notify is used after it was destroyed" },
	[CLASS_DUMP_MISUSE] = { "dump-misuse", KIND_MISUSE,
				"dump interfaces in a wrong order or with wrong arguments" },
	[CLASS_SHIM_BYPASSED] = { "shim-bypassed", KIND_MISUSE,
				  "the preload library is loaded but calls do not reach it" },
	[CLASS_SLOW_STEP] = { "slow-step", KIND_SLOW, "a step takes longer than usual, still moving" },
	[CLASS_SLOW_RANK] = { "slow-rank", KIND_SLOW, "one rank is later than the others, still moving" },
	[CLASS_INSUFFICIENT_EVIDENCE] = { "insufficient-evidence", KIND_UNKNOWN,
					  "what was seen does not decide" },
};

static const char *const field_names[FIELD_END] = {
	[FIELD_RANK] = "rank",
	[FIELD_RANKS] = "ranks",
	[FIELD_PEER] = "peer",
	[FIELD_HOST] = "host",
	[FIELD_RESOURCE] = "resource",
	[FIELD_DEVICE] = "device",
	[FIELD_PID] = "pid",
	[FIELD_TID] = "tid",
	[FIELD_TIDS] = "tid", /* the same name, with a list */
	[FIELD_THREAD] = "thread",
	[FIELD_STREAM] = "stream",
	[FIELD_TASK] = "task",
	[FIELD_EVENT] = "event",
	[FIELD_NOTIFY] = "notify",
	[FIELD_KERNEL] = "kernel",
	[FIELD_API] = "api",
	[FIELD_ERROR_CODE] = "error_code",
	[FIELD_COMMUNICATOR] = "communicator",
	[FIELD_OP] = "op",
	[FIELD_LOCK] = "lock",
	[FIELD_PARENT_PID] = "parent_pid",
	[FIELD_FILE] = "file",
	[FIELD_NODE] = "node",
	[FIELD_NAME] = "name",
	[FIELD_IN] = "in",
	[FIELD_HEAD] = "head",
	[FIELD_TYPE] = "type",
	[FIELD_MADE_BY] = "made_by",
	[FIELD_BOUND] = "bound",
	[FIELD_SITE] = "site",
	[FIELD_TIMEOUT] = "timeout",
	[FIELD_COUNT] = "count",
	[FIELD_ADDRESS] = "address",
};

const char *verdict_class_name(enum verdict_class class)
{
	return class < CLASS_COUNT ? classes[class].name : "unknown";
}

const char *verdict_class_meaning(enum verdict_class class)
{
	return class < CLASS_COUNT ? classes[class].meaning : "";
}

enum verdict_kind verdict_class_kind(enum verdict_class class)
{
	return class < CLASS_COUNT ? classes[class].kind : KIND_UNKNOWN;
}

enum verdict_class verdict_class_find(const char *name)
{
	for (unsigned int i = 0; i < CLASS_COUNT; i++)
		if (strcmp(classes[i].name, name) == 0)
			return (enum verdict_class)i;
	return CLASS_COUNT;
}

const char *verdict_kind_name(enum verdict_kind kind)
{
	static const char *const names[] = {
		[KIND_HANG] = "hang", [KIND_FAULT] = "fault",	  [KIND_MISUSE] = "misuse",
		[KIND_SLOW] = "slow", [KIND_UNKNOWN] = "unknown", [KIND_IDLE] = "idle",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

const char *confidence_name(enum confidence confidence)
{
	switch (confidence) {
	case CONFIDENCE_PROVEN:
		return "proven";
	case CONFIDENCE_LIKELY:
		return "likely";
	default:
		return "possible";
	}
}

const char *field_name(enum field field)
{
	return field < FIELD_END ? field_names[field] : "unknown";
}

static void value_clear(struct value *value)
{
	free(value->text);
	free(value->list);
	value->text = NULL;
	value->list = NULL;
	value->list_count = 0;
}

/* The value of a field, emptied if it was there. */
static struct value *fields_slot(struct fields *fields, enum field field)
{
	struct value *value;

	for (size_t i = 0; i < fields->count; i++) {
		if (fields->values[i].field == field) {
			value_clear(&fields->values[i]);
			return &fields->values[i];
		}
	}
	value = array_add(&fields->values, &fields->count, sizeof(*value));
	value->field = field;
	return value;
}

void fields_set_number(struct fields *fields, enum field field, int64_t number)
{
	struct value *value;

	if (number == INT64_MIN) /* not known: absent, never a stand-in */
		return;
	value = fields_slot(fields, field);
	value->type = VALUE_NUMBER;
	value->number = number;
}

void fields_set_text(struct fields *fields, enum field field, const char *text)
{
	struct value *value;
	char *copy;

	if (!text)
		return;
	copy = xstrdup(text); /* text may be the old value itself */
	value = fields_slot(fields, field);
	value->type = VALUE_TEXT;
	value->text = copy;
}

void fields_set_bool(struct fields *fields, enum field field, bool truth)
{
	struct value *value = fields_slot(fields, field);

	value->type = VALUE_BOOL;
	value->number = truth;
}

void fields_add_to_list(struct fields *fields, enum field field, int64_t number)
{
	struct value *value = NULL;
	int64_t *slot;

	for (size_t i = 0; i < fields->count; i++)
		if (fields->values[i].field == field && fields->values[i].type == VALUE_LIST)
			value = &fields->values[i];
	if (!value) {
		value = fields_slot(fields, field);
		value->type = VALUE_LIST;
	}
	slot = array_add(&value->list, &value->list_count, sizeof(*slot));
	*slot = number;
}

const struct value *fields_get(const struct fields *fields, enum field field)
{
	for (size_t i = 0; i < fields->count; i++)
		if (fields->values[i].field == field)
			return &fields->values[i];
	return NULL;
}

void fields_clear(struct fields *fields)
{
	for (size_t i = 0; i < fields->count; i++)
		value_clear(&fields->values[i]);
	free(fields->values);
	fields->values = NULL;
	fields->count = 0;
}

void verdict_init(struct verdict *verdict, enum verdict_class class, enum confidence confidence)
{
	memset(verdict, 0, sizeof(*verdict));
	verdict->class = class;
	verdict->confidence = confidence;
	verdict->blocked_s = -1;
	verdict->ends_in_s = -1;
	verdict->count = 1;
}

static void texts_free(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

void verdict_clear(struct verdict *verdict)
{
	free(verdict->summary);
	fields_clear(&verdict->culprit);
	for (size_t i = 0; i < verdict->chain_count; i++)
		fields_clear(&verdict->chain[i]);
	free(verdict->chain);
	texts_free(verdict->assumes, verdict->assume_count);
	texts_free(verdict->next, verdict->next_count);
	for (size_t i = 0; i < verdict->evidence_count; i++) {
		free(verdict->evidence[i].file);
		free(verdict->evidence[i].text);
	}
	free(verdict->evidence);
	free(verdict->followers_first);
	free(verdict->followers_last);
	free(verdict->first_seen);
	memset(verdict, 0, sizeof(*verdict));
}

void verdict_summary(struct verdict *verdict, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	free(verdict->summary);
	verdict->summary = xvasprintf(format, args);
	va_end(args);
}

void verdict_assume(struct verdict *verdict, const char *format, ...)
{
	va_list args;
	char **slot = array_add(&verdict->assumes, &verdict->assume_count, sizeof(*slot));

	va_start(args, format);
	*slot = xvasprintf(format, args);
	va_end(args);
}

void verdict_next(struct verdict *verdict, const char *format, ...)
{
	va_list args;
	char **slot = array_add(&verdict->next, &verdict->next_count, sizeof(*slot));

	va_start(args, format);
	*slot = xvasprintf(format, args);
	va_end(args);
}

struct fields *verdict_chain_add(struct verdict *verdict, const char *kind)
{
	struct fields *node = array_add(&verdict->chain, &verdict->chain_count, sizeof(*node));

	fields_set_text(node, FIELD_NODE, kind);
	return node;
}

void verdict_evidence_add(struct verdict *verdict, const char *source, const char *file, uint64_t line,
			  const char *text)
{
	struct evidence *evidence = array_add(&verdict->evidence, &verdict->evidence_count,
					      sizeof(*evidence));

	evidence->source = source;
	evidence->file = xstrdup(file);
	evidence->line = line;
	evidence->text = xstrdup(text);
}

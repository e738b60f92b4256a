// SPDX-License-Identifier: Apache-2.0
/*
 * The verdict: what every source ends in. Class names, kinds, culprit fields and
 * confidence are the contract with users (docs/verdicts); names never change.
 * Uses util.h only; knows neither sources nor renderers.
 */
#ifndef CANNWATCH_MODEL_VERDICT_H
#define CANNWATCH_MODEL_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict_kind {
	KIND_HANG,
	KIND_FAULT,
	KIND_MISUSE,
	KIND_SLOW,
	KIND_UNKNOWN,
	KIND_IDLE,
};

/* Order is that of the reference page; verdict_class_name() gives the text. */
enum verdict_class {
	CLASS_TASK_STUCK,
	CLASS_EVENT_NEVER_RECORDED,
	CLASS_EVENT_WAIT_STUCK,
	CLASS_EVENT_RECORD_LOST,
	CLASS_EVENT_RECORD_BLOCKED,
	CLASS_WAIT_CYCLE,
	CLASS_NOTIFY_WAIT_STUCK,
	CLASS_VALUE_WAIT_STUCK,
	CLASS_PEER_STUCK,
	CLASS_COLLECTIVE_MISSING_RANK,
	CLASS_COLLECTIVE_MISMATCH,
	CLASS_COLLECTIVE_STUCK,
	CLASS_SUBMIT_STUCK,
	CLASS_CALLBACK_NOT_SERVED,
	CLASS_HOST_DEADLOCK,
	CLASS_FORK_LOCK_ORPHANED,
	CLASS_HOST_NOT_SUBMITTING,
	CLASS_OP_COMPILE_STALLED,
	CLASS_SYNC_STUCK,
	CLASS_IDLE_WAIT,
	CLASS_AICORE_ERROR,
	CLASS_AICPU_ERROR,
	CLASS_TASK_FAILED,
	CLASS_SDMA_ERROR,
	CLASS_HEARTBEAT_LOST,
	CLASS_DEVICE_PANIC,
	CLASS_LINK_ERROR,
	CLASS_RESOURCE_EXHAUSTED,
	CLASS_API_ERROR,
	CLASS_NO_CONTEXT,
	CLASS_ERROR_CODE,
	CLASS_ENV_RACE,
	CLASS_CONFIG_ERROR,
	CLASS_PROGRAM_ERROR,
	CLASS_PROCESS_GONE,
	CLASS_CRASH,
	CLASS_FORK_AFTER_INIT,
	CLASS_WAIT_BEFORE_RECORD,
	CLASS_COLLECTIVE_UNORDERED,
	CLASS_SYNC_DURING_CAPTURE,
	CLASS_USE_AFTER_DESTROY,
	CLASS_DUMP_MISUSE,
	CLASS_SHIM_BYPASSED,
	CLASS_SLOW_STEP,
	CLASS_SLOW_RANK,
	CLASS_INSUFFICIENT_EVIDENCE,
	CLASS_COUNT,
};

enum confidence {
	CONFIDENCE_POSSIBLE,
	CONFIDENCE_LIKELY,
	CONFIDENCE_PROVEN,
};

/* Fields of a culprit or of a chain node. The same names in JSON. */
enum field {
	FIELD_RANK, FIELD_RANKS, FIELD_PEER, FIELD_HOST, FIELD_RESOURCE, FIELD_DEVICE, FIELD_PID, FIELD_TID,
	FIELD_TIDS, FIELD_THREAD, FIELD_STREAM, FIELD_TASK, FIELD_EVENT, FIELD_NOTIFY, FIELD_KERNEL, FIELD_API,
	FIELD_ERROR_CODE, FIELD_COMMUNICATOR, FIELD_OP, FIELD_LOCK, FIELD_PARENT_PID, FIELD_FILE,
	/* chain nodes only */
	FIELD_NODE, FIELD_NAME, FIELD_IN, FIELD_HEAD, FIELD_TYPE, FIELD_MADE_BY, FIELD_BOUND, FIELD_SITE,
	FIELD_TIMEOUT, FIELD_COUNT, FIELD_ADDRESS,
	FIELD_END,
};

/* A field with its value: a text, a number, a truth value or a list of numbers. */
struct value {
	enum field field;
	enum { VALUE_NUMBER, VALUE_TEXT, VALUE_BOOL, VALUE_LIST } type;
	int64_t number;
	char *text;	/* VALUE_TEXT, owned */
	int64_t *list;	/* VALUE_LIST, owned */
	size_t list_count;
};

/* A set of fields in the order they were added; a field is there at most once. */
struct fields {
	struct value *values;
	size_t count;
};

/* Where a fact stands. source is a static name ("ring", "plog", ...). */
struct evidence {
	const char *source;
	char *file;	/* owned; NULL when there is none */
	uint64_t line;	/* 0: not a line */
	char *text;	/* owned, one line */
};

struct verdict {
	enum verdict_class class;
	enum confidence confidence;
	char *summary;		/* one line, owned */
	double blocked_s;	/* < 0: not known */
	double ends_in_s;	/* it ends by itself, by a time limit, in about so many seconds; < 0: not known to */
	struct fields culprit;
	struct fields *chain;	/* from the observer to the cause */
	size_t chain_count;
	char **assumes;		/* what was not excluded */
	size_t assume_count;
	char **next;		/* what to do, in order */
	size_t next_count;
	struct evidence *evidence;
	size_t evidence_count;
	uint64_t followers;	/* 0: none */
	char *followers_first;	/* time as the source wrote it, owned, may be NULL */
	char *followers_last;
	uint64_t count;		/* how often it was seen, at least 1 */
	char *first_seen;	/* time of the first, as the source wrote it; may be NULL */
};

const char *verdict_class_name(enum verdict_class class);
const char *verdict_class_meaning(enum verdict_class class); /* one line, for help and explain */
enum verdict_kind verdict_class_kind(enum verdict_class class);
/* CLASS_COUNT when there is no such class. */
enum verdict_class verdict_class_find(const char *name);
const char *verdict_kind_name(enum verdict_kind kind);
const char *confidence_name(enum confidence confidence);
const char *field_name(enum field field);

/*
 * All setters copy what they are given and abort the program on lack of memory
 * (util.h): an analyser without memory has nothing left to say.
 */
void fields_set_number(struct fields *fields, enum field field, int64_t number);
void fields_set_text(struct fields *fields, enum field field, const char *text); /* NULL: nothing is set */
void fields_set_bool(struct fields *fields, enum field field, bool value);
void fields_add_to_list(struct fields *fields, enum field field, int64_t number);
const struct value *fields_get(const struct fields *fields, enum field field); /* NULL: not there */
void fields_clear(struct fields *fields);

void verdict_init(struct verdict *verdict, enum verdict_class class, enum confidence confidence);
void verdict_clear(struct verdict *verdict);
void verdict_summary(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
void verdict_assume(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
void verdict_next(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a chain node whose FIELD_NODE is kind; valid until the next call. */
struct fields *verdict_chain_add(struct verdict *verdict, const char *kind);
void verdict_evidence_add(struct verdict *verdict, const char *source, const char *file, uint64_t line,
			  const char *text);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * The model: one process (or one log tree) as threads, streams with their
 * unfinished tasks, events and notifies, plus what log lines say happened. Every
 * source fills it, every rule reads it. Knows no source, no rule, no renderer.
 *
 * Numbers that are not known carry MODEL_UNKNOWN and never 0. Objects are
 * referred to by index into the model's arrays, MODEL_NONE for none.
 * Not thread safe. Memory: everything belongs to the model.
 */
#ifndef CANNWATCH_MODEL_H
#define CANNWATCH_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_UNKNOWN INT64_MIN
#define MODEL_NONE    SIZE_MAX

/* Where facts came from; a set of bits; names in model_source_name(). */
enum model_source {
	SOURCE_RING = 1 << 0,
	SOURCE_STACKS = 1 << 1,
	SOURCE_PLOG = 1 << 2,
	SOURCE_SCHEDULE_TRACER = 1 << 3,
	SOURCE_TRACE_RING = 1 << 4,
	SOURCE_SCREEN = 1 << 5,
	SOURCE_STACK_TEXT = 1 << 6,
	SOURCE_DEVICE_LOG = 1 << 7,
	SOURCE_COMPILE_TRACE = 1 << 8,
	SOURCE_PROC = 1 << 9,
	SOURCE_BPF = 1 << 10,
};

struct model_origin { /* where a fact stands, for evidence */
	uint32_t source; /* one bit of enum model_source */
	uint32_t file;	 /* index into model.files + 1, 0 none */
	uint64_t line;	 /* 0: not a line */
	char *text;	 /* one line; NULL none */
};

enum thread_maker {
	MAKER_UNKNOWN, /* treated as the program's own: it might act */
	MAKER_PROGRAM,
	MAKER_CANN,
	MAKER_CANNWATCH,
};

enum call_role { /* what a call does, from the API table */
	ROLE_NONE,
	ROLE_SYNC_STREAM,
	ROLE_SYNC_EVENT,
	ROLE_SYNC_DEVICE,
	ROLE_SYNC_OTHER, /* blocks behind streams: destroy, reset, free with sync, model execution */
	ROLE_SUBMIT,	 /* should return at once */
	ROLE_OTHER,
};

/* What a thread does outside of CANN, by its stack. */
enum thread_wait {
	WAIT_UNKNOWN, /* no stack, or none that is whole */
	WAIT_NONE,    /* it computes, or is in some other call */
	WAIT_REQUEST, /* accept, epoll, poll, a signal: as a server does; or it serves CANN's callbacks */
	WAIT_CHILD,   /* for a child process to end */
	WAIT_THREAD,  /* for another thread of the process: a condition, a join, a semaphore */
	WAIT_SHARED,  /* the same, in memory shared with other processes */
	WAIT_LOCK,    /* for a mutex or rwlock */
	WAIT_INPUT,   /* for bytes of a file, pipe or socket */
	WAIT_SLEEP,   /* for time to pass */
};

struct model_thread {
	int64_t tid;
	char *name;
	enum thread_maker maker;
	bool seen_by_shim;   /* made at least one call; else known from /proc only */
	bool inside;	     /* in a call now */
	bool stable;	     /* the same call over both samples */
	bool overlaps;	     /* entered or left a call while the samples were taken */
	const char *api;     /* static; NULL unknown or outside */
	enum call_role role;
	size_t stream;	     /* index, the stream it waits for or submits to */
	size_t object;	     /* index, the event it waits for */
	size_t context;	     /* index, for a device synchronize */
	uint64_t upto;	     /* tasks with a smaller seq must finish (stream synchronize) */
	size_t bound_task;   /* index into the bound stream's tasks ... */
	size_t bound_stream; /* ... the record an event synchronize is bound to; MODEL_NONE: finished or none */
	int64_t timeout_ms;  /* -1 for ever, MODEL_UNKNOWN */
	double blocked_s;    /* < 0 unknown */
	uint64_t site;	     /* return address of the call, 0 unknown */
	char *site_text;     /* file:line or module+offset, NULL unknown */
	/* By its stack. */
	bool any_stream;     /* it waits for some stream, its stack does not say for which */
	bool in_cann;	     /* a frame of a CANN library is on it */
	enum thread_wait wait;
	char *stack_text;    /* functions, innermost first, joined by " < "; NULL none seen */
	char *stack_reason;  /* why its stack is not whole; NULL: it is, or none was asked for */
};

enum task_type {
	TASK_OTHER,
	TASK_KERNEL,
	TASK_AICPU,
	TASK_COPY,
	TASK_EVENT_RECORD,
	TASK_EVENT_WAIT,
	TASK_EVENT_RESET,
	TASK_NOTIFY_RECORD,
	TASK_NOTIFY_WAIT,
	TASK_VALUE_WRITE,
	TASK_VALUE_WAIT,
	TASK_CALLBACK,
	TASK_MODEL,
	TASK_COLLECTIVE,
	TASK_PLACEHOLDER, /* a queue slot without work of its own */
};

/* Whether a submission really became a task of the device. */
enum task_certainty {
	TASK_CONFIRMED, /* the HAL, the trace feed or the device's own dump shows it */
	TASK_ASSUMED,	/* the call returned 0, nothing shows the task */
	TASK_MAYBE,	/* the runtime may have skipped it (wait on a reclaimed record) */
	TASK_CLAIMED,	/* its call has not returned */
};

struct model_task {
	uint64_t seq; /* order within the stream: entry number or queue position */
	int64_t id;   /* task id on the stream, MODEL_UNKNOWN */
	enum task_type type;
	enum task_certainty certainty;
	size_t object; /* event or notify, MODEL_NONE */
	int64_t object_id; /* the event or notify id in the task itself, MODEL_UNKNOWN: the object's */
	/* an event wait that is bound to one record: where that record is */
	bool bound;	       /* true: only that record releases it */
	bool bound_done;       /* the record is known to have executed */
	size_t bound_stream;   /* MODEL_NONE: no longer known */
	uint64_t bound_seq;
	bool timed;	       /* ends by itself */
	int64_t timeout_s;
	int64_t tid;	       /* who submitted it, MODEL_UNKNOWN */
	const char *api;       /* static, NULL unknown */
	char *kernel;	       /* NULL unknown */
	uint64_t site;
	char *site_text;
	struct model_origin origin;
};

struct model_stream {
	int64_t id;
	int64_t device;
	size_t context;
	uint64_t handle; /* 0 unknown */
	bool alive;	 /* false: destroyed */
	bool is_default;
	bool capturing;
	bool is_window;	 /* only a window of its queue is known (a device dump) */
	bool unordered;	 /* two threads submitted: order is not the runtime's */
	bool head_known; /* tasks[0] is what the device is executing */
	int64_t head_pos; /* queue position being executed, MODEL_UNKNOWN */
	double head_s;	 /* how long the head has not moved; < 0 unknown */
	double wait_limit_s; /* time-out in force for the head; < 0 none or unknown */
	uint64_t lost;	 /* unfinished tasks that may be missing */
	bool moved;	 /* something finished on it between the samples */
	uint64_t fresh_seq; /* tasks from here on were submitted between the samples; UINT64_MAX none */
	struct model_task *tasks; /* unfinished, in queue order */
	size_t task_count;
	struct model_task *past; /* finished ones that are still known, in order */
	size_t past_count;
	uint64_t site;	 /* where it was created */
	char *site_text;
};

enum object_kind {
	OBJECT_EVENT,
	OBJECT_NOTIFY,
	OBJECT_COUNT_NOTIFY,
	OBJECT_VALUE,
	OBJECT_COMM,
};

enum object_made_by { /* what a wait on it is bound to */
	MADE_UNKNOWN,
	MADE_PLAIN,    /* aclrtCreateEvent: bound */
	MADE_SYNC,     /* WithFlag SYNC: any record releases */
	MADE_EXTERNAL, /* WithFlag EXTERNAL: any record releases */
	MADE_EX,       /* ExWithFlag: bound */
	MADE_IPC,
	MADE_NOTIFY,
};

struct model_object {
	enum object_kind kind;
	enum object_made_by made_by;
	int64_t id;	 /* event or notify id, MODEL_UNKNOWN */
	int64_t device;
	uint64_t handle; /* 0 unknown */
	bool alive;
	bool exported;	 /* or imported: other processes may act on it */
	bool device_writes;
	int64_t records; /* submitted so far, MODEL_UNKNOWN */
	int64_t waits;
	bool creation_unseen;
	bool made_by_cann; /* by a call of a CANN library: a collective's, a graph's */
	uint64_t site;
	char *site_text;
};

struct model_context {
	int64_t device;
	bool primary;
	uint64_t handle;
};

/* What decides whether a relation may be called proven (verdicts.md). */
struct model_facts {
	bool live;	     /* a process was looked at, in two samples */
	bool threads_complete; /* every thread of the process is in the model, with its maker */
	bool signals_known;
	bool own_signal_handlers; /* a handler that no CANN library installed */
	uint64_t callbacks;	  /* of the program's own, registered or queued */
	uint64_t exports;
	uint64_t collectives;
	uint64_t device_writers; /* tasks that may write notifies or events themselves */
	uint64_t captures;
	uint64_t lost;		 /* records, slots or entries lost or torn */
	uint64_t unattributed;	 /* tasks of unknown origin */
	uint64_t hal_tasks;	 /* tasks seen at the driver's border */
	bool hal_seen;		 /* submissions are confirmed by the HAL */
	bool before_attach;	 /* there is a past that was not seen */
	double op_execute_limit_s; /* set by the program for its kernels; <= 0 none known */
	bool cann_loaded;	 /* the process has a CANN library loaded (stacks only) */
	bool events_complete;	 /* of that past every record, wait and reset of an event is known */
};

struct model_rank {
	int64_t global, local, world; /* MODEL_UNKNOWN */
	char *source;		      /* NULL unknown */
};

struct model {
	char *host;
	char *command;
	int64_t pid;
	struct model_rank rank;
	uint32_t sources; /* set of enum model_source */
	struct model_facts facts;
	char **files; /* names of what was read */
	size_t file_count;
	struct model_thread *threads;
	size_t thread_count;
	struct model_stream *streams;
	size_t stream_count;
	struct model_object *objects;
	size_t object_count;
	struct model_context *contexts;
	size_t context_count;
	struct observations *observations; /* what log lines say (observation.h), NULL none */
};

void model_init(struct model *model);
void model_clear(struct model *model);
/* Adders append a record with everything unknown; pointers are valid until the next add of that kind. */
struct model_thread *model_add_thread(struct model *model, int64_t tid);
struct model_stream *model_add_stream(struct model *model);
struct model_object *model_add_object(struct model *model, enum object_kind kind);
struct model_context *model_add_context(struct model *model);
struct model_task *model_add_task(struct model_stream *stream);
struct model_task *model_add_past(struct model_stream *stream);
/* Index + 1 of the file, added if new. */
uint32_t model_add_file(struct model *model, const char *name);
size_t model_find_thread(const struct model *model, int64_t tid);
size_t model_find_stream(const struct model *model, int64_t device, int64_t id);
size_t model_find_object(const struct model *model, enum object_kind kind, int64_t device, int64_t id);
const char *model_source_name(uint32_t bit);
const char *task_type_name(enum task_type type);
const char *object_made_by_name(enum object_made_by made_by); /* NULL unknown */

#endif

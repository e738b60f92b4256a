// SPDX-License-Identifier: Apache-2.0
/*
 * Observations: what single lines of logs, screens and stack listings say, in one
 * shape for all of them. A source writes them, rules read them; nothing here
 * judges. Strings are interned in the set and live as long as it does.
 *
 * Bounded: of observations that say the same (kind, process, code, operator) only
 * the earliest OBSERVATION_KEEP are kept, the rest is counted in the last of them.
 */
#ifndef CANNWATCH_MODEL_OBSERVATION_H
#define CANNWATCH_MODEL_OBSERVATION_H

#include "analyzer/model/model.h"

#define OBSERVATION_KEEP 12

enum log_level {
	LEVEL_NONE, /* the line says none: a screen */
	LEVEL_DEBUG,
	LEVEL_INFO,
	LEVEL_EVENT,
	LEVEL_WARNING,
	LEVEL_ERROR,
};

enum observation_kind {
	OBSERVED_NOTHING,
	/* device tasks that failed */
	OBSERVED_AICORE_FAULT,	/* with the kernel's name */
	OBSERVED_AICORE_ERROR,	/* without */
	OBSERVED_AICPU_FAULT,
	OBSERVED_AICPU_ERROR,
	OBSERVED_SDMA_ERROR,
	OBSERVED_TASK_FAILED,
	OBSERVED_MEMORY_FAULT,	/* HBM or memory error event of the driver */
	/* device */
	OBSERVED_DEVICE_LOST,	/* the host lost the device's heartbeat */
	OBSERVED_TS_EXCEPTION,	/* the device's black box: task scheduler heartbeat */
	OBSERVED_DEVICE_PANIC,
	OBSERVED_SCHEDULER_ERROR, /* task scheduler error without a cause */
	OBSERVED_TASK_TIMEOUT,	/* the device scheduler timed a task out */
	/* host calls */
	OBSERVED_RESOURCE_FAILED,
	OBSERVED_NO_CONTEXT,
	OBSERVED_API_ARGUMENT,	/* says what was wrong */
	OBSERVED_API_FAILED,	/* a call returned code */
	OBSERVED_ERROR_CODE,	/* a documented code, with nothing more specific */
	OBSERVED_CAPTURE_CALL,
	OBSERVED_DUMP_CALL,
	OBSERVED_DESTROYED_USE,
	OBSERVED_FORKED_DEVICE,
	OBSERVED_DEVICE_SET,
	OBSERVED_SYNC_TIMEOUT,
	OBSERVED_EVENT_TIMEOUT,
	OBSERVED_NOTIFY_TIMEOUT,
	OBSERVED_CONFIG_CONFLICT,
	/* collectives */
	OBSERVED_HCCL_TIMEOUT,	      /* the runtime timed out a collective's task */
	OBSERVED_COLLECTIVE_TIMEOUT,  /* HCCL's own report of the collective */
	OBSERVED_COLLECTIVE_WATCHDOG, /* torch_npu's report */
	OBSERVED_COLLECTIVE_CALL,     /* a Python frame of the collective that failed */
	OBSERVED_COLLECTIVE_ENTRY,    /* a rank entered it */
	OBSERVED_COLLECTIVE_PARAMETER,
	OBSERVED_COMM_ENTRY,
	OBSERVED_RANKS_MISSING,
	OBSERVED_RANKS_CONNECTED,
	OBSERVED_RANKS_NEEDED,
	OBSERVED_CLUSTER_LOST,
	OBSERVED_CLUSTER_STUCK,
	OBSERVED_CLUSTER_CQE,
	OBSERVED_CLUSTER_MISMATCH,
	OBSERVED_LINK_TIMEOUT,
	OBSERVED_LINK_DETECTED,
	OBSERVED_LINK_ROW,
	OBSERVED_LINK_ERROR,
	OBSERVED_WORLD,		/* how many ranks there are */
	/* settings */
	OBSERVED_TIMEOUT_SETTING,
	/* compilation */
	OBSERVED_COMPILE_STATUS,
	OBSERVED_COMPILE_FINISHED,
	OBSERVED_COMPILE_WAIT,
	OBSERVED_COMPILE_STATE,
	OBSERVED_HOST_WATCHDOG,
	/* program */
	OBSERVED_PROGRAM_EXCEPTION,
	OBSERVED_PROCESS_KILLED,
	OBSERVED_CRASH,
	OBSERVED_IDLE_NOTE,
	OBSERVED_STEP,
	OBSERVED_OTHER_ERROR,	/* an error line that no wording here knows */
	OBSERVED_FILE,		/* one per file that was read: rank, pid */
	OBSERVED_COUNT,
};

struct observation {
	enum observation_kind kind;
	enum log_level level;
	struct model_origin origin; /* text is interned */
	int64_t time_us;	/* of the wall clock as written, microseconds since 1970; MODEL_UNKNOWN */
	int64_t rank, pid, tid, device, stream, task, event, notify;
	int64_t code;		/* numeric return code */
	int64_t peer;		/* the other rank or device */
	int64_t number;		/* the kind's own: seconds, index, signal, ... */
	int64_t count;		/* the kind's own: elements, ranks, ... */
	const char *thread;	/* these are interned or NULL */
	const char *module;
	const char *code_text;	/* "EI0006" */
	const char *api;
	const char *kernel;
	const char *op;
	const char *communicator;
	const char *resource;
	const char *host;
	const char *peer_host;
	const char *detail;	/* the kind's own: data type, reason, exception, ... */
	const int64_t *list;	/* the kind's own: ranks */
	size_t list_count;
	bool is_cut;		/* the file ends within it: values may be cut short */
	uint64_t repeats;	/* further ones that were not kept */
	int64_t last_us;	/* time of the last of them */
};

/* One thread's stack out of a listing. */
enum stack_form {
	STACK_STACKCORE,
	STACK_GDB,
	STACK_PYTHON,
	STACK_FAULTHANDLER,
};

struct stack_frame {
	const char *function; /* demangled or not, NULL unknown */
	const char *place;    /* library or file, NULL unknown */
	uint32_t line;	      /* of the listing, relative to the stack's first line */
};

struct stack {
	enum stack_form form;
	struct model_origin origin; /* the thread's heading */
	int64_t rank, pid, tid;
	const char *name;
	int64_t signal;	     /* the process's crash reason, MODEL_UNKNOWN */
	bool crashed;	     /* this thread got the signal */
	uint64_t waits_for;  /* address of the lock it waits for, 0 none known */
	struct stack_frame *frames; /* innermost first */
	size_t frame_count;
};

struct lock_owner {
	uint64_t address;
	int64_t owner;
	struct model_origin origin;
};

struct observations {
	struct observation *items;
	size_t count;
	struct stack *stacks;
	size_t stack_count;
	struct lock_owner *locks;
	size_t lock_count;
	struct intern *interned;
	struct observation_bucket *buckets;
	size_t bucket_room, bucket_used;
	uint64_t dropped;
};

struct observations *observations_new(void);
void observations_free(struct observations *set);
/* A permanent copy of the text, the same pointer for the same text; NULL for an empty one. */
const char *observations_intern(struct observations *set, const char *bytes, size_t size);
const int64_t *observations_list(struct observations *set, const int64_t *numbers, size_t count);
/* Everything unknown. */
void observation_init(struct observation *o, enum observation_kind kind);
/* Copies *o (its strings must be interned already). */
void observations_add(struct observations *set, const struct observation *o);
/*
 * True when enough that say the same and are not later are kept already: *o was only
 * counted. Saves a flood of repeats the cost of their texts (origin, detail).
 */
bool observations_count_repeat(struct observations *set, const struct observation *o);
struct stack *observations_add_stack(struct observations *set);
void stack_add_frame(struct stack *stack, const char *function, const char *place, uint32_t line);
void observations_add_lock(struct observations *set, uint64_t address, int64_t owner,
			   const struct model_origin *origin);
/*
 * To be called once when everything was read: gives observations of a process that
 * is known to be a rank that rank, and orders all by time, then file and line.
 */
void observations_finish(struct observations *set, const struct model *model);

#endif

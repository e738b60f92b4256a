// SPDX-License-Identifier: Apache-2.0
/*
 * The ring: the shared-memory file in which libcannwatch.so keeps what the
 * program's streams and threads are doing. Written by preload/ only, read by
 * everyone else through ring_reader.h. Needs libc headers only.
 *
 * One file is RING_HEADER_PAGES header pages and a row of chunks. The header holds the
 * directory; a chunk holds an array of one kind of record and never moves.
 * Everything in the file is written by a process that may be killed between
 * any two stores, and may be forged: a reader trusts no index, count or offset.
 *
 * Numbers: little endian; times in nanoseconds of the clock that is named;
 * references to records are index + 1, so that 0 means "none".
 * Torn reads: a reader copies a record twice and takes it only if the words that
 * never repeat (a tag, a sequence, a generation) agree; see each record for what
 * its writer does in which order.
 * Growth: a reader of version N reads files of every version <= N with the same
 * RING_MAGIC; new fields go into reserved space and are 0 in older files.
 */
#ifndef CANNWATCH_SHM_RING_FORMAT_H
#define CANNWATCH_SHM_RING_FORMAT_H

#include <stdint.h>

#define RING_MAGIC	   UINT64_C(0x31474e4952574e43) /* "CNWRING1" */
#define RING_VERSION	   1u
#define RING_ENDIAN	   UINT32_C(0x01020304)
#define RING_PAGE	   4096u
#define RING_FILE_MAX	   (16u << 20) /* bytes; a writer may choose less */
#define RING_MAX_CHUNKS	   944u
#define RING_NONE	   UINT32_C(0xffffffff) /* an id or task that is not known */
#define RING_MAX_SIGNAL	   64
#define RING_SEGMENT_ENTRIES 255u /* entries in one queue chunk */

/* What a chunk holds. Sizes are fixed by kind (ring_chunk_bytes below). */
enum ring_chunk_kind {
	RING_CHUNK_NONE = 0,
	RING_CHUNK_THREADS = 1,	 /* struct ring_thread[RING_THREADS_PER_CHUNK] */
	RING_CHUNK_STREAMS = 2,	 /* struct ring_stream[RING_STREAMS_PER_CHUNK] */
	RING_CHUNK_OBJECTS = 3,	 /* struct ring_object[RING_OBJECTS_PER_CHUNK] */
	RING_CHUNK_CONTEXTS = 4, /* struct ring_context[RING_CONTEXTS_PER_CHUNK] */
	RING_CHUNK_MAKERS = 5,	 /* struct ring_maker[RING_MAKERS_PER_CHUNK] */
	RING_CHUNK_QUEUE = 6,	 /* struct ring_segment */
	RING_CHUNK_NAMES = 7,	 /* text, NUL-separated, append only */
	RING_CHUNK_KINDS = 8,
};

#define RING_THREADS_PER_CHUNK	64u  /*  8 KiB */
#define RING_STREAMS_PER_CHUNK	64u  /* 16 KiB */
#define RING_OBJECTS_PER_CHUNK	256u /* 16 KiB */
#define RING_CONTEXTS_PER_CHUNK 64u  /*  4 KiB */
#define RING_MAKERS_PER_CHUNK	128u /*  4 KiB */
#define RING_NAMES_BYTES	4096u

struct ring_chunk_ref {
	uint16_t kind;	/* enum ring_chunk_kind; stored last, with release */
	uint16_t number; /* how many chunks of this kind came before it */
	uint32_t page;	/* offset in the file, in RING_PAGE units */
	uint32_t pages; /* length, in RING_PAGE units */
	uint32_t used;	/* NAMES: bytes used; others: unused */
};

enum ring_state {
	RING_STATE_STARTING = 0,
	RING_STATE_LIVE = 1,
	RING_STATE_ENDED = 2, /* the process ended in order and the file was kept */
};

/*
 * Facts about the process that decide whether a finding may be called proven
 * (verdicts.md). Each only grows; stored with relaxed atomics.
 */
struct ring_counts {
	uint32_t lost_threads;	     /* calls on threads that got no slot */
	uint32_t lost_streams;	     /* streams that got no record */
	uint32_t lost_objects;	     /* events, notifies, ... that got no record */
	uint32_t lost_entries;	     /* unfinished queue entries overwritten or dropped */
	uint32_t lost_makers;	     /* threads whose maker got no record */
	uint32_t unattributed_tasks; /* tasks handed over at the HAL outside any call the shim saw */
	uint32_t callbacks;	     /* callbacks of the program's own registered, launched or subscribed */
	uint32_t exports;	     /* events and notifies exported, imported or opened */
	uint32_t collectives;	     /* Hccl* calls that put work on a stream */
	uint32_t aicpu_tasks;	     /* tasks of SQE type AI CPU handed over (may write notifies) */
	uint32_t captures;	     /* stream captures begun */
	uint32_t forks;		     /* forks seen */
	uint32_t unknown_threads;    /* threads made in a way the shim cannot see the maker of */
	uint32_t hal_tasks;	     /* SQEs seen at halSqTaskSend/halSqMsgSend; 0: no HAL confirmation exists */
	uint32_t atrace_records;     /* texts seen at AtraceSubmit */
	uint32_t api_calls;	     /* outermost calls seen (sampled: exact only when few) */
};

struct ring_header {
	uint64_t magic; /* stored last, with release: a file without it is not ready */
	uint32_t version;
	uint32_t endian;
	uint32_t header_bytes; /* RING_HEADER_PAGES * RING_PAGE */
	uint32_t state;	       /* enum ring_state */
	int32_t pid;	       /* in the pid namespace of the writer */
	int32_t shim_tid;      /* the watchdog's thread id, 0 before it runs */
	uint64_t pid_namespace; /* inode of /proc/self/ns/pid, 0 unknown */
	uint64_t start_ticks;  /* field 22 of /proc/self/stat, 0 unknown */
	uint8_t boot_id[16];   /* /proc/sys/kernel/random/boot_id, zeros unknown */
	uint64_t created_mono; /* CLOCK_MONOTONIC and CLOCK_REALTIME read together */
	uint64_t created_real;
	int32_t rank_global; /* -1 unknown (see rank_source) */
	int32_t rank_local;
	int32_t world_size;
	char rank_source[20]; /* "TORCHELASTIC", "OMPI", ...; empty unknown */
	char command[128];    /* argv joined by blanks, cut, NUL-terminated */
	uint64_t shim_base;   /* load address of libcannwatch.so */
	uint64_t beat_mono;   /* when the watchdog last looked, 0 never */
	uint32_t op_wait_timeout_s; /* aclrtSetOpWaitTimeout in force, 0 for ever */
	uint32_t stall_ms;	    /* CANNWATCH_STALL in force */
	uint32_t reports;	    /* reports made so far */
	uint32_t chunk_count;	    /* directory entries in use; stored with release */
	struct ring_counts counts;
	/* Handlers of the process as the watchdog last saw them; 0 default, 1 ignored. */
	uint64_t signals_mono; /* 0: never looked */
	uint64_t signal_handler[RING_MAX_SIGNAL + 1];
	uint32_t api_table; /* ring_api_table() of the writer: which table the api numbers are of */
	uint32_t op_execute_timeout_ms; /* aclrtSetOpExecuteTimeOut* in force, 0 never set */
	/* The rest, up to RING_DIRECTORY_OFFSET, is kept for later versions. */
};

/*
 * One thread that made a call. 128 bytes, two lines of its own.
 * seq is odd while the thread is inside its outermost call. The thread fills in
 * the other fields (except stall_*) while seq is even and then makes it odd with
 * release, so that an odd seq that did not change across a copy vouches for all
 * of them; while it is even only tid and flags mean anything.
 */
struct ring_thread {
	uint32_t seq;
	uint32_t tid;	     /* 0: slot free */
	uint16_t api;	     /* row in the API table (ring_api.h), RING_API_NONE outside */
	uint16_t depth;	     /* nested calls seen below the outermost one */
	uint32_t context;    /* ref to the thread's current context, 0 none */
	uint32_t stream;     /* ref: the stream argument, resolved */
	uint32_t object;     /* ref: the event, notify, ... argument */
	uint32_t object_gen; /* its generation then */
	int32_t timeout;     /* as given; unit and meaning by api (ms for synchronize), -1 for ever */
	uint32_t device;     /* current device, RING_NONE unknown */
	uint32_t flags;	     /* enum ring_thread_flags */
	uint64_t return_address;
	uint64_t stack_pointer; /* of the caller, at entry */
	uint64_t frame_pointer;
	uint64_t upto;	    /* synchronize: entries of the stream claimed when it was entered */
	uint64_t bound;	    /* synchronize event: the record it is bound to (RING_POINT) */
	uint64_t enter_ticks; /* time stamp of entry if switched on, else 0 */
	uint64_t registered_mono; /* when this thread took the slot */
	uint32_t stall_seq; /* written by the watchdog: seq that it saw not changing ... */
	uint32_t left_seq; /* watchdog: seq of a call whose frame is gone: left by a jump, not inside */
	uint64_t stall_since; /* ... since this time (CLOCK_MONOTONIC) */
	uint64_t reserved[2];
};

#define RING_API_NONE UINT16_C(0xffff)

enum ring_thread_flags {
	RING_THREAD_TIMED = 1 << 0,  /* the call it is in ends by itself */
	RING_THREAD_EXITED = 1 << 1, /* the thread has ended; the slot may be reused */
};

/*
 * A point in a stream: entry number seq of the stream record with this ref.
 * Entry numbers of a record never go back, not even when it is reused for
 * another stream (base_seq), so that a stale point is recognised.
 */
#define RING_POINT_SEQ_BITS   44
#define RING_POINT(ref, seq)  (((uint64_t)(ref) << RING_POINT_SEQ_BITS) | (seq))
#define RING_POINT_STREAM(p)  ((uint32_t)((p) >> RING_POINT_SEQ_BITS))
#define RING_POINT_SEQ(p)     ((p) & ((UINT64_C(1) << RING_POINT_SEQ_BITS) - 1))

enum ring_object_state {
	RING_OBJECT_FREE = 0,
	RING_OBJECT_LIVE = 1,
	RING_OBJECT_GONE = 2, /* destroyed, kept while something refers to it */
};

enum ring_stream_flags {
	RING_STREAM_DEFAULT = 1 << 0,	/* a context's default stream */
	RING_STREAM_CAPTURING = 1 << 1, /* its calls go to a graph, not to its queue */
	RING_STREAM_SEEN_LATE = 1 << 2, /* its creation was not seen */
	RING_STREAM_UNORDERED = 1 << 3, /* two threads submit: entry order is not queue order */
};

struct ring_stream { /* 256 bytes, four lines */
	/* line 0: identity; generation is odd while it changes */
	uint32_t generation;
	uint32_t state; /* enum ring_object_state */
	uint64_t handle; /* 0 for a default stream whose handle was never seen */
	uint32_t context; /* ref, 0 unknown */
	uint32_t device; /* RING_NONE unknown */
	uint32_t stream_id; /* as the runtime numbers it, RING_NONE until a task showed it */
	uint32_t sq_id;	   /* RING_NONE until a task showed it */
	uint32_t flags;	   /* enum ring_stream_flags */
	uint32_t create_flags;
	uint64_t create_site; /* return address of the creating call, 0 unknown */
	uint64_t base_seq; /* first entry number that belongs to this generation */
	uint64_t reserved0;
	/* line 1: submissions */
	uint64_t claimed;  /* entries begun: the next one gets this number */
	uint64_t sent;	   /* SQEs seen at the HAL for this stream */
	uint32_t last_task; /* full task id of the last SQE, RING_NONE none yet */
	uint32_t last_pos; /* queue position of the last SQE, RING_NONE unknown */
	uint32_t lost;	   /* entries overwritten while possibly unfinished */
	uint32_t owner_tid;
	uint64_t reserved1[4];
	/* line 2: progress */
	uint64_t done;	    /* entries with a smaller number are known to be finished */
	uint32_t sq_head;   /* last answer of the driver, RING_NONE none */
	uint32_t sq_depth;  /* entries in the queue, RING_NONE unknown */
	uint64_t sq_head_mono; /* when it was given, 0 never */
	uint64_t head_since; /* watchdog: since when the head has not moved, 0 unknown */
	uint64_t done_mono; /* when done last moved (by the watchdog's clock), 0 unknown */
	uint32_t executed_task; /* exeTaskId from the trace feed, RING_NONE unknown */
	uint32_t pad2;
	uint64_t reserved2[2];
	/* line 3: spare */
	uint64_t reserved3[8];
};

enum ring_object_kind {
	RING_OBJECT_EVENT = 1,
	RING_OBJECT_NOTIFY = 2,
	RING_OBJECT_COUNT_NOTIFY = 3,
	RING_OBJECT_VALUE = 4, /* handle is the device address */
	RING_OBJECT_COMM = 5,
	RING_OBJECT_FUNCTION = 7, /* a kernel's handle: create_flags is its name's offset in NAMES + 1 */
	RING_OBJECT_GRAPH = 6, /* captured: last_record is its first entry, create_flags how many there are */
};

enum ring_made_by { /* decides what a wait is bound to: cann-facts, section 2 */
	RING_MADE_UNKNOWN = 0,
	RING_MADE_PLAIN = 1, /* aclrtCreateEvent */
	RING_MADE_FLAG = 2,  /* aclrtCreateEventWithFlag */
	RING_MADE_EX = 3,    /* aclrtCreateEventExWithFlag */
	RING_MADE_IMPORT = 4, /* opened or imported from another process */
	RING_MADE_NOTIFY = 5,
};

enum ring_object_flags {
	RING_OBJECT_EXPORTED = 1 << 0,
	RING_OBJECT_DEVICE_WRITES = 1 << 1,
	RING_OBJECT_SEEN_LATE = 1 << 2, /* its creation was not seen */
	RING_OBJECT_RESET = 1 << 3,	/* a reset was submitted after the last record */
};

struct ring_object { /* 64 bytes */
	uint32_t generation; /* odd while identity changes */
	uint8_t kind;	     /* enum ring_object_kind */
	uint8_t state;	     /* enum ring_object_state */
	uint8_t made_by;     /* enum ring_made_by */
	uint8_t flags;	     /* enum ring_object_flags */
	uint64_t handle;
	uint32_t create_flags;
	uint32_t id;	     /* event or notify id of its last task, RING_NONE unknown */
	uint64_t last_record; /* RING_POINT of the latest record submitted, 0 none */
	uint32_t records;
	uint32_t waits; /* executed ones too, of graphs; GRAPH: waits and records among its entries */
	uint64_t create_site;
	uint32_t device;
	uint32_t context; /* ref */
	uint64_t reserved;
};

enum ring_entry_state {
	RING_ENTRY_EMPTY = 0,
	RING_ENTRY_CLAIMED = 1,	  /* the call is still inside, or died inside */
	RING_ENTRY_COMMITTED = 2, /* the call returned 0 */
	RING_ENTRY_FAILED = 3,	  /* the call returned an error: nothing was submitted */
};

enum ring_task_kind {
	RING_TASK_OTHER = 0,
	RING_TASK_KERNEL = 1,
	RING_TASK_COPY = 2,
	RING_TASK_RECORD = 3,
	RING_TASK_WAIT = 4,
	RING_TASK_RESET = 5,
	RING_TASK_NOTIFY_RECORD = 6,
	RING_TASK_NOTIFY_WAIT = 7,
	RING_TASK_VALUE_WRITE = 8,
	RING_TASK_VALUE_WAIT = 9,
	RING_TASK_CALLBACK = 10,
	RING_TASK_MODEL = 11,
	RING_TASK_COLLECTIVE = 12,
};

enum ring_entry_flags {
	RING_ENTRY_CONFIRMED = 1 << 0, /* the HAL took it: task, pos and count are the runtime's */
	RING_ENTRY_NO_TASK = 1 << 1,   /* the HAL is seen, and the call handed nothing to it */
	RING_ENTRY_TIMED = 1 << 2,     /* the task ends by itself after timeout_s */
	RING_ENTRY_CAPTURED = 1 << 3,  /* went into a graph */
	RING_ENTRY_ANY_RECORD = 1 << 4, /* unbound wait: any record releases it */
};

/*
 * One submission. tag = number << 8 | state. A writer that reuses the place stores
 * the new number with state EMPTY, then the rest, then state CLAIMED with release.
 * While CLAIMED, what the HAL tells is added, flags last; then the final state,
 * with release. A reader copies twice and takes an entry only if both copies agree.
 */
struct ring_entry { /* 64 bytes */
	uint64_t tag;
	uint16_t api;
	uint8_t kind;  /* enum ring_task_kind */
	uint8_t flags; /* enum ring_entry_flags */
	uint32_t tid;
	uint32_t task; /* full task id of the last SQE of this call, RING_NONE unknown */
	uint32_t pos;  /* its queue position, RING_NONE unknown */
	uint32_t sqes; /* SQEs this call handed over */
	uint32_t object; /* ref */
	uint32_t object_gen;
	uint32_t id;	 /* event or notify id in the SQE, RING_NONE none */
	uint64_t bound;	 /* waits: RING_POINT of the record it waits for, 0 none at that time */
	uint64_t return_address;
	uint32_t timeout_s; /* wait: seconds, 0 for ever */
	uint32_t name;	 /* kernels: offset in NAMES + 1, 0 unknown */
};

#define RING_TAG(number, state) (((uint64_t)(number) << 8) | (state))
#define RING_TAG_NUMBER(tag)	((tag) >> 8)
#define RING_TAG_STATE(tag)	((uint32_t)((tag) & 0xff))

struct ring_segment { /* 16 KiB: a piece of one stream's queue */
	uint32_t stream; /* ref, 0: free */
	uint32_t generation; /* of that stream */
	uint64_t first; /* number of entries[0] */
	uint64_t reserved[6];
	struct ring_entry entries[RING_SEGMENT_ENTRIES];
};

enum ring_context_flags {
	RING_CONTEXT_PRIMARY = 1 << 0,
};

struct ring_context { /* 64 bytes */
	uint32_t generation;
	uint32_t state;
	uint64_t handle; /* 0 for a primary context whose handle was never seen */
	uint32_t device;
	uint32_t flags;
	uint32_t default_stream; /* ref */
	uint32_t pad;
	uint64_t reserved[4];
};

/* Who made a thread: written by the new thread before its own code runs. */
struct ring_maker { /* 32 bytes */
	uint32_t tid; /* stored last; 0 free */
	uint32_t flags;
	uint64_t caller; /* return address of pthread_create */
	uint64_t routine; /* its start routine */
	uint64_t made_mono;
};

_Static_assert(sizeof(struct ring_chunk_ref) == 16, "layout");
_Static_assert(sizeof(struct ring_header) <= 1280, "layout");
_Static_assert(sizeof(struct ring_thread) == 128, "layout");
_Static_assert(sizeof(struct ring_stream) == 256, "layout");
_Static_assert(sizeof(struct ring_object) == 64, "layout");
_Static_assert(sizeof(struct ring_entry) == 64, "layout");
_Static_assert(sizeof(struct ring_segment) == 16384, "layout");
_Static_assert(sizeof(struct ring_context) == 64, "layout");
_Static_assert(sizeof(struct ring_maker) == 32, "layout");

/* The directory: struct ring_chunk_ref[RING_MAX_CHUNKS]. */
#define RING_DIRECTORY_OFFSET 1280u

#define RING_HEADER_PAGES 4u

_Static_assert(RING_DIRECTORY_OFFSET + RING_MAX_CHUNKS * 16u <= RING_HEADER_PAGES * RING_PAGE, "layout");

/* Bytes of a chunk of this kind, 0 for an unknown kind. */
static inline uint32_t ring_chunk_bytes(uint32_t kind)
{
	switch (kind) {
	case RING_CHUNK_THREADS:
		return RING_THREADS_PER_CHUNK * sizeof(struct ring_thread);
	case RING_CHUNK_STREAMS:
		return RING_STREAMS_PER_CHUNK * sizeof(struct ring_stream);
	case RING_CHUNK_OBJECTS:
		return RING_OBJECTS_PER_CHUNK * sizeof(struct ring_object);
	case RING_CHUNK_CONTEXTS:
		return RING_CONTEXTS_PER_CHUNK * sizeof(struct ring_context);
	case RING_CHUNK_MAKERS:
		return RING_MAKERS_PER_CHUNK * sizeof(struct ring_maker);
	case RING_CHUNK_QUEUE:
		return sizeof(struct ring_segment);
	case RING_CHUNK_NAMES:
		return RING_NAMES_BYTES;
	default:
		return 0;
	}
}

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Inside of libruntime.so. Lock order: rt_lock, then a stream's lock, then an
 * event's lock, then whatever the driver takes. No lock is held while a call
 * waits for the device or runs code of the program.
 *
 * Functions return 0 or a code of the ACL_ERROR_RT_* range; only the exported
 * rt* functions turn a code into the thread's last error and error text.
 */
#ifndef SIMULATOR_RUNTIME_RUNTIME_H
#define SIMULATOR_RUNTIME_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include "simulator/include/acl/acl.h"
#include "simulator/hal/hal.h"
#include "simulator/runtime/rt.h"

enum {
	EVENT_KIND_PLAIN,
	EVENT_KIND_FLAG,
	EVENT_KIND_EX,
	NO_ID = -1,
	DEFAULT_STREAM_ID = 0,
	RT_EVENT_SYNC = 1,
	RT_EVENT_EXTERNAL = 0x20,
};

/* ---- handles ------------------------------------------------------------------- */

/* First member of everything a handle points to. Memory of handles is never given back. */
struct object {
	_Atomic uint32_t alive;
	_Atomic uint32_t generation;
	struct object *next_free;
};

struct pool {
	size_t size; /* of one object */
	pthread_mutex_t lock;
	_Atomic(char *) chunks[20]; /* chunk i holds 64 << i objects */
	struct object *free;	    /* the last one given back comes first */
};

#define POOL(type)                                                      \
	{                                                               \
		sizeof(type), PTHREAD_MUTEX_INITIALIZER, { NULL }, NULL \
	}

/* Returns a zeroed object that is not alive yet, or NULL. */
void *pool_get(struct pool *pool);
void pool_put(struct pool *pool, void *object);
/* Whether the pointer is an object of the pool that is alive; any pointer may be asked about. */
bool pool_valid(struct pool *pool, const void *pointer);

/* ---- devices and contexts --------------------------------------------------------- */

struct stream;

struct context {
	struct object object;
	struct rt_device *device;
	bool primary;
	struct context *next; /* in its device, under rt_lock */
	struct stream *default_stream;
	struct stream *streams; /* under rt_lock */
	_Atomic int captures;	/* streams being captured */
	_Atomic int error;	/* of a task, not yet reported */
};

struct rt_device {
	uint32_t id; /* the driver's */
	bool started;
	int count; /* SetDevice less ResetDevice */
	struct context *primary;
	struct context *contexts; /* all of them, under rt_lock */
	struct context *hidden;	  /* holds the runtime's own stream */
	struct stream *control;	  /* stream 1: the runtime's own tasks */
	uint32_t sat_mode;
	_Atomic bool lost;     /* its heartbeat has stopped */
	uint32_t reserved_ids; /* 0 and 1 have been taken */
};

extern pthread_mutex_t rt_lock;
extern struct pool context_pool, stream_pool, event_pool, notify_pool, graph_pool;

uint32_t device_count(void);
struct rt_device *device_find(int32_t id);
int32_t device_user_id(const struct rt_device *d);
int device_start(struct rt_device *d);
int context_new(struct rt_device *d, bool primary, struct context **out);
int context_delete(struct context *c);
/* The context current on this thread, checked: 0 or 107002. */
int context_current(struct context **out);
void context_set(struct context *c);
/* Waits for the streams of the thread's current context; ms: -1 for ever. */
int context_synchronize(int32_t ms) FRAME("_ZN3cce7runtime7Context11SynchronizeEi");

/* ---- streams ------------------------------------------------------------------------ */

struct record;
struct event;
struct callback;
struct hidden;
struct graph;

struct task {
	uint32_t id;
	uint32_t thread; /* who submitted it */
	uint8_t type;
	bool waits;	       /* a wait on ev */
	bool asked;	       /* for a completion */
	struct record *record; /* what it makes or is bound to */
	struct event *ev;      /* kept from reuse while this is pending */
	struct callback *callback;
	void *memory; /* freed when the task has run */
};

struct stream {
	struct object object;
	struct context *context;
	struct stream *next; /* in its context */
	uint32_t id;
	uint32_t sq_id;
	uint32_t flags, priority;
	uint32_t failure_mode, overflow_switch, user_tag;
	pthread_mutex_t lock;
	bool lock_ready;
	bool closing;	    /* being destroyed: takes no more tasks */
	uint64_t next_task; /* next task id */
	_Atomic uint64_t submitted, finished;
	_Atomic uint64_t noticed_ns; /* when the recycle thread saw something to take note of */
	_Atomic uint32_t seen_head;
	_Atomic int error;		 /* of a task, not yet reported */
	_Atomic(struct hidden *) hidden; /* set while captured: where tasks go */
	_Atomic uint64_t report_thread;	 /* subscribed by SubscribeReport, 0: none */
	_Atomic uint64_t hostfunc_thread;
	struct task tasks[SIM_SQ_DEPTH];
};

enum { SUBMIT_UNCOUNTED = 1 }; /* does not show in the thread's last task id */

/* NULL means the default stream of the current context; other handles are checked. */
int stream_resolve(void *handle, struct stream **out);
/* As above, and the stream must belong to the current context (107003). */
int stream_resolve_own(void *handle, struct stream **out);
int stream_new(struct context *c, uint32_t priority, uint32_t flags, struct stream **out);
int stream_close(struct stream *s);
int stream_submit(struct stream *s, struct sim_sqe *sqe, struct task *task, int flags)
	FRAME("_ZN3cce7runtime6Engine10SubmitTaskEPNS0_15tagTaskInfoStruEPji");
/* Its steps, each a frame of its own. */
int submit_normal(struct stream *s, struct sim_sqe *sqe, struct task *task, uint32_t *id)
	FRAME("_ZN3cce7runtime6Engine16SubmitTaskNormalEPNS0_15tagTaskInfoStruEPj");
int submit_send(struct stream *s, struct sim_sqe *sqe, struct task *task, uint32_t *id)
	FRAME("_ZN3cce7runtime16DirectHwtsEngine10SubmitSendEPNS0_15tagTaskInfoStruEPj");
int send_task(struct stream *s, struct sim_sqe *sqe, struct task *task, uint32_t *id)
	FRAME("_ZN3cce7runtime6Engine8SendTaskEPNS0_15tagTaskInfoStruERtPj");
void sending_wait(void) FRAME("_ZN3cce7runtime16DirectHwtsEngine11SendingWaitEPNS0_6StreamERh");
/* Takes note of what the device has finished. */
void stream_reclaim(struct stream *s);
/* The recycle thread's turn: completions at once, the rest some time after it has run. */
void stream_recycle(struct stream *s);
bool stream_busy(struct stream *s);
int stream_take_error(struct stream *s);
/* Waits until everything submitted before has run; ms: -1 for ever. */
int stream_wait(struct stream *s, int32_t ms, int code)
	FRAME("_ZN3cce7runtime6Stream23SynchronizeExecutedTaskEjRK10mmTimespeci");
int stream_synchronize(struct stream *s, int32_t ms) FRAME("_ZN3cce7runtime6Stream11SynchronizeEbi");
int stream_synchronize_impl(struct stream *s, int32_t ms)
	FRAME("_ZN3cce7runtime6Stream15SynchronizeImplEjti");
int api_stream_synchronize(void *stm, int32_t ms)
	FRAME("_ZN3cce7runtime7ApiImpl17StreamSynchronizeEPNS0_6StreamEi");
void stream_control_task(struct rt_device *d, bool wait);
void task_complete(struct stream *s, struct task *t);

/* ---- waiting --------------------------------------------------------------------------- */

struct wait {
	uint64_t deadline_ns; /* 0: for ever */
};

uint64_t rt_now_ns(void);
void wait_begin(struct wait *w, int32_t ms);
bool wait_over(const struct wait *w);
/* One turn of a waiting loop: yields or naps, as CANNSIM_SYNC says. */
void wait_turn(uint64_t outstanding) FRAME("_ZN3cce7runtime6Stream20SynchronizeDelayTimeEtt");
bool wait_is_spinning(void);
/* Where devices run only while the host waits: before a query looks. */
void device_turn(void);

/* ---- events ------------------------------------------------------------------------------ */

/* One record of an event: what later waits and queries are bound to. */
struct record {
	_Atomic int refs;
	_Atomic int holders; /* of the id */
	_Atomic int32_t id;  /* NO_ID once given back */
	uint32_t device;
	bool owns_id;
	_Atomic bool done; /* has run, and the runtime has noticed */
	_Atomic bool reset;
	_Atomic uint64_t time_ns; /* written by the device */
	struct stream *stream;
	struct graph *graph;   /* of a captured record, compared only */
	struct hidden *hidden; /* where in the graph; NULL outside */
	uint64_t hidden_pos;
};

struct event {
	struct object object;
	int kind;
	uint32_t flags;
	int32_t id; /* fixed, or NO_ID */
	uint32_t device;
	pthread_mutex_t lock;
	bool lock_ready;
	struct record *latest;
	_Atomic int pending; /* tasks that refer to it */
	_Atomic int waits;   /* of them, waits */
	bool destroyed;
	bool captured; /* the latest record went into a capture that is open */
};

bool event_waitable(const struct event *e);
struct record *record_new(struct event *e, struct stream *s, int *err);
void record_get(struct record *r);
void record_put(struct record *r);
void record_hold(struct record *r);
void record_release_id(struct record *r);
struct record *event_latest(struct event *e);
int event_synchronize(struct event *e, int32_t ms) FRAME("_ZN3cce7runtime5Event11SynchronizeEi");
void event_set_latest(struct event *e, struct record *r);
void event_begin(struct event *e, bool waits);
void event_end(struct event *e, bool waits);
int event_id_alloc(uint32_t device, int32_t *id);
void event_id_free(uint32_t device, int32_t id);

struct notify {
	struct object object;
	uint32_t id;
	uint32_t device;
	uint32_t slot; /* of the driver, for one made by another process; 0: by this one */
	bool exported;
	bool imported;
};

/* ---- callbacks --------------------------------------------------------------------------------- */

struct callback {
	void (*function)(void *);
	void *data;
	bool kept; /* belongs to a graph: not freed when it has run */
};

/* ---- capture ------------------------------------------------------------------------------------- */

int capture_submit(struct stream *s, struct hidden *h, struct sim_sqe *sqe, struct task *task, int flags);
bool capture_active(const struct stream *s);
int capture_event_record(struct stream *s, struct event *e);
int capture_event_reset(struct stream *s, struct event *e);
int capture_event_wait(struct stream *s, struct event *e, uint32_t timeout);
/* An event whose latest record is in an open capture: draws the stream in. */
int capture_draw_in(struct stream *s, struct event *e, uint32_t timeout);
/* Whether a synchronous copy is forbidden on this thread now. */
bool capture_forbids_unsafe(void);

/* ---- errors, settings, logs --------------------------------------------------------------------------- */

/* What the logs call a code, or NULL; and its low part there. */
const char *code_text(int code);
unsigned code_inner(int code);
/* Notes the text code and message for the code that is about to be returned. */
int fail(int code, const char *ee, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* At the exported border: last error, error text, one log line. Returns code. */
int rt_done(int code, const char *function);
void last_task_set(uint32_t id);

bool version_is_master(void);
uint32_t op_wait_timeout(void);

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_EVENT };
void log_line(enum log_level level, const char *module, const char *file, int line, const char *function,
	      const char *format, ...) __attribute__((format(printf, 6, 7)));
static inline const char *base_name(const char *path)
{
	const char *slash = __builtin_strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#define rt_log(level, ...) log_line(level, "RUNTIME", base_name(__FILE__), __LINE__, __func__, __VA_ARGS__)

void failure_note(const struct stream *s, const struct sim_cqe *cqe, uint32_t thread);
void failures_tell(void);
/* Until those noted so far have been told; no lock held. */
void failures_wait(void);

/* ---- the event feed --------------------------------------------------------------------------------------
 */

void feed_start(struct rt_device *d);
/* The calling thread's id, remembered. */
int own_tid(void);
void feed_task(const struct stream *s, const struct sim_sqe *sqe, const struct task *t, uint32_t task_id);
void feed_completion(uint32_t device, const struct sim_cqe *cqe, uint32_t cq_id);

/* ---- the driver, through weak references
 * --------------------------------------------------------------------- */

bool driver_head(uint32_t device, uint32_t sq, uint32_t *head);
uint32_t driver_completions(uint32_t device, uint32_t cq, struct sim_cqe *to, uint32_t max);
int driver_id_alloc(uint32_t device, int type, uint32_t *id);
void driver_id_free(uint32_t device, int type, uint32_t id);
int driver_config(uint32_t device, uint32_t sq, int prop, uint32_t value);

void recycle_start(struct rt_device *d);
const char *task_name(int type);
int task_number(int type);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Inside of libascend_hal.so: devices, queues and their states. One lock
 * (hal_lock) guards everything here except the heads, which readers poll.
 */
#ifndef SIMULATOR_HAL_DEVICE_H
#define SIMULATOR_HAL_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "simulator/hal/hal.h"

enum sq_state {
	SQ_IDLE,    /* nothing to do, or not enabled */
	SQ_READY,   /* in its device's ready list */
	SQ_BUSY,    /* its head is being executed outside the lock */
	SQ_BLOCKED, /* its head waits */
};

struct sq_list {
	struct sq *first, *last;
};

struct sq {
	bool used;
	bool stopped; /* failed in stop-on-failure mode */
	bool stop_on_failure;
	bool granted;	    /* the wait at the head has been satisfied */
	bool expired;	    /* the deadline of the wait has passed */
	bool polled;	    /* the wait at the head must be looked at again and again */
	bool counted_fault; /* the fault for the head has been applied */
	bool delayed;	    /* it was a delay, which is now running or over */
	bool enabled;
	uint32_t device, id;
	uint32_t stream_id;
	uint32_t model; /* 0: none, else model id + 1 */
	uint32_t depth;
	enum sq_state state;
	struct sim_sqe *ring;
	_Atomic uint32_t head;
	uint32_t tail;		    /* atomic access not needed: under hal_lock */
	uint64_t deadline_ns;	    /* 0: none */
	uint64_t since_ns;	    /* when the head began to wait */
	struct sq *next;	    /* in a ready or waiter list */
	struct sq_list *waiting_on; /* the waiter list it is in, or NULL */
	struct sim_cqe *cqes;
	uint32_t cqe_head, cqe_tail;
};

struct flag { /* an event or a notify */
	bool set;
	struct sq_list waiters;
	_Atomic uint32_t *shared; /* an exported notify: the flag instead of `set` */
};

struct model {
	uint32_t running;	/* queues that have not come to their end */
	struct sq_list waiters; /* condition tasks that want to start it */
	uint32_t *events;	/* cleared when an execution starts */
	uint32_t event_count;
};

struct id_pool {
	uint32_t base, count;
	uint64_t *bits;	 /* set: taken */
	uint32_t lowest; /* no free id below */
};

struct device {
	uint32_t id;
	bool open;
	bool lost;	     /* stopped by a fault */
	uint64_t lost_at_ns; /* when it will be; 0: never */
	pthread_t thread;
	pthread_cond_t change;
	bool idle; /* the thread sleeps on change */
	struct sq_list ready;
	_Atomic(struct sq *) sqs[SIM_SQ_COUNT]; /* once set, never freed */
	struct id_pool ids[5];
	struct flag *events;
	struct flag *notifies;
	struct model *models;
	uint32_t timed;	 /* queues with a deadline */
	uint32_t polled; /* queues to be polled */
	char *dump;	 /* the queues when a wait last timed out, or NULL */
};

extern pthread_mutex_t hal_lock;
extern struct device hal_devices[SIM_MAX_DEVICES];

uint64_t hal_now_ns(void);

/* device.c */
struct device *hal_device(uint32_t id);
struct sq *device_sq(struct device *d, uint32_t sq_id);
void device_wake(struct device *d);

/* scheduler.c: all with hal_lock held */
void *device_main(void *data);
void sq_make_ready(struct sq *sq);
void model_queue_ended(struct device *d, struct sq *sq);
void sq_finish_head(struct sq *sq, uint32_t error);
void list_push(struct sq_list *list, struct sq *sq);
struct sq *list_pop(struct sq_list *list);
void list_remove(struct sq_list *list, struct sq *sq);
void wait_on(struct sq_list *list, struct sq *sq);
struct sq *wait_pop(struct sq_list *list);
void wait_leave(struct sq *sq);

/* execute.c: runs the head of a queue; hal_lock held, may be dropped and taken again */
void sq_execute_head(struct device *d, struct sq *sq);
/* Whether the polled wait at the head of a queue would end now. */
bool polled_wait_holds(struct device *d, const struct sim_sqe *sqe);

/* clock.c */
bool clock_seeded(void);
bool clock_is_virtual(void);
uint64_t clock_real_ns(void);
/* The rest with hal_lock held: whether devices may run now; a number from 0 to below - 1. */
bool clock_lets_run(void);
uint32_t clock_draw(uint32_t below);
/* scheduler.c: when a queue's wait ends by itself, UINT64_MAX for never */
uint64_t device_next_deadline(struct device *d);

/* share.c; hal_lock held */
void share_end(struct flag *f);
/* The flag of a notify opened by key, or NULL: the task is about one of this process. */
_Atomic uint32_t *shared_word(const struct sim_sqe *sqe);

/* worker.c */
void worker_run(struct sq *sq, const struct sim_sqe *sqe);

/* cq.c: hal_lock held */
void cq_push(struct sq *sq, const struct sim_sqe *sqe, uint32_t error);
void callback_push(struct device *d, struct sq *sq, const struct sim_sqe *sqe);

/* fault.c */
enum fault_action { FAULT_NONE, FAULT_HANG, FAULT_DELAY, FAULT_FAIL, FAULT_DROP };
struct fault {
	enum fault_action action;
	uint32_t value; /* ms or error code */
};
void fault_load(void);
struct fault fault_find(const struct sq *sq, const struct sim_sqe *sqe);
/* Whether the device dies, and how many ms after it was opened. */
bool fault_device_dead(uint32_t device, uint32_t *after_ms);
uint32_t fault_limit(const char *what, uint32_t usual);

/* dump.c: keeps the queues as they are, for halDumpScheduler; hal_lock held */
void dump_keep(struct device *d, const struct sq *sq, const struct sim_sqe *sqe);

/* memory.c */
uint64_t word_load(const void *from);
void word_store(void *to, const void *from, uint64_t size);
void memory_open(struct device *d);

#endif

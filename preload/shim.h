// SPDX-License-Identifier: Apache-2.0
/*
 * What the parts of libcannwatch.so share: the process-wide state, the thread's own
 * state and the settings. Everything here is private to the library; libc only.
 *
 * Rules for all of preload/: no allocation, no stdio, no lock held while anything of
 * the program's or CANN's runs; errno is as it was whenever a wrapper goes on to the
 * real function or returns.
 */
#ifndef CANNWATCH_PRELOAD_SHIM_H
#define CANNWATCH_PRELOAD_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#include "shm/ring_api.h"
#include "shm/ring_format.h"
#include "shm/ring_writer.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Numbers of the API table, in its order. */
enum shim_api {
#define API_CALL(family, role, name, ...) API_ID_##name,
#define API_VOID API_CALL
#define API_TEXT API_CALL
#define API_FEED API_CALL
#include "shm/api.def"
#undef API_CALL
#undef API_VOID
#undef API_TEXT
#undef API_FEED
	API_COUNT,
};

/* Arguments that are structures passed by value; only their size and class matter. */
struct api_triple {
	uint32_t x, y, z;
};
struct api_pair {
	int32_t a, b;
};
struct api_bytes64 {
	char bytes[64];
};

enum shim_state {
	SHIM_IDLE = 0, /* no device call so far: nothing exists */
	SHIM_STARTING = 1,
	SHIM_RUNNING = 2,
	SHIM_OFF = 3, /* switched off, or could not start: every call passes through */
};

enum on_hang { /* what happens after the report of a hang */
	ON_HANG_REPORT = 0, /* nothing more */
	ON_HANG_SIGNAL = 1, /* the program gets a signal */
	ON_HANG_EXEC = 2,   /* a command is run */
};

#define CONFIG_WARNINGS 4u

struct shim_config {
	uint64_t stall_ns; /* CANNWATCH_STALL */
	bool keep;	   /* CANNWATCH_KEEP=1 */
	uint8_t on_hang;   /* enum on_hang: CANNWATCH_ON_HANG */
	uint8_t on_hang_signal;
	char on_hang_command[1024];
	char warnings[CONFIG_WARNINGS][200]; /* to be said when the shim starts, not in every process */
	uint32_t warning_count;
	char helper[4096]; /* CANNWATCH_HELPER, empty: look beside the library */
	struct ring_identity identity;
	char rank_source[20];
};

struct shim {
	uint32_t state;	     /* enum shim_state, atomic */
	uint32_t generation; /* counts forks that this process descends from and noticed */
	uint32_t *guard;     /* 1; reads 0 in a forked child, whatever way it was forked */
	struct ring_writer ring;
	struct ring_counts early; /* counted before there was a ring */
	uint32_t early_op_wait_timeout, early_op_execute_timeout;
	uint32_t captures_open; /* streams that capture: tasks of others may go to hidden streams meanwhile */
	uint32_t hal_elsewhere; /* tasks came from a thread outside any call: who hands nothing over is not known */
	struct shim_config config;
};

extern struct shim shim;

/* The outermost call a thread is in, as far as it is needed when it returns. */
struct call {
	uint16_t api;
	uint8_t role; /* enum ring_role */
	bool late_stream; /* a record was made for a handle never seen before ... */
	bool late_object; /* ... and goes away again if the call fails */
	uint32_t stream, object; /* refs, 0 none */
	uint32_t object_gen;
	struct ring_entry *entry; /* NULL: the call submits nothing that is kept */
	uint64_t number;	  /* of the entry */
	uint64_t upto, bound;
	uint32_t name; /* of the kernel that is launched: see name.h */
	uint32_t sqes;	   /* handed over at the HAL so far, for any stream */
	uint32_t own_sqes; /* of those, for the entry's stream */
	uint32_t buffer; /* device synchronize: scratch buffer number + 1 */
	int32_t timeout;
	uint32_t thread_flags;
	uint64_t first[4]; /* the first arguments as numbers */
	uintptr_t cfa;
	uintptr_t return_address, frame_pointer;
};

/* One thread's own state. Initial-exec TLS: no call, no allocation to reach it. */
struct shim_thread {
	bool inside; /* call is valid */
	bool served; /* outer is valid: call runs in a callback below it */
	bool busy;   /* in the shim's own slow code, or a thread of the shim's */
	uint8_t cann_made; /* 0 not looked up, 1 no, 2 yes */
	uint32_t generation;
	uint32_t tid;
	uint32_t slot_index;
	uint32_t context; /* ref, 0 none */
	struct ring_thread *slot;
	struct call call;
	struct call outer;
};

extern __thread struct shim_thread shim_self __attribute__((tls_model("initial-exec")));

/* Is the shim at work in this very process? */
static inline bool shim_running(void)
{
	return likely(__atomic_load_n(&shim.state, __ATOMIC_ACQUIRE) == SHIM_RUNNING &&
		      __atomic_load_n(shim.guard, __ATOMIC_RELAXED) != 0);
}

/* Adds to one of struct ring_counts, whether or not there is a ring yet. */
#define shim_count(field, n)                                                                                 \
	__atomic_fetch_add(shim_running() ? &shim.ring.header->counts.field : &shim.early.field, (n),          \
			   __ATOMIC_RELAXED)

/* Makes the ring, the tables and the watchdog if they are wanted and not there. True: running now. */
bool shim_start(void);

/* In a forked child: forgets all that is the parent's. */
void shim_forget(void);

/* Reads the settings. Called once, by the constructor. False: switched off. */
bool config_read(struct shim_config *config);

/* Says, once, which settings were not understood and what is done instead. */
void config_warn(struct shim_config *config);

/* One line on stderr, cut at 500 bytes: "cannwatch: " text "\n". Safe anywhere. */
/*
 * Descriptor 2 as the program was started with, and whether it still is a place for
 * messages: a program that closed it may have opened a file of its data there.
 */
void stderr_remember(void);
bool stderr_is_usable(void);

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The formatting behind say: %s %u %llu %llx %c %% only. Returns the length. */
uint32_t text_format(char *to, uint32_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

uint64_t now_mono(void);   /* CLOCK_MONOTONIC in ns */
uint64_t now_coarse(void); /* the same clock, cheaper, a few ms late */

#endif

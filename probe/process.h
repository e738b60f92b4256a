// SPDX-License-Identifier: Apache-2.0
/*
 * What /proc tells of a live process and its threads: who, in which state, which
 * signals it handles. Nothing here stops, signals or attaches to the process.
 * Uses libc and probe/procfs.h.
 */
#ifndef CANNWATCH_PROBE_PROCESS_H
#define CANNWATCH_PROBE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROCESS_NAME_MAX 64

struct process_thread {
	int tid;
	char name[PROCESS_NAME_MAX]; /* as in comm, any bytes but NUL and newline; "" not known */
	char state;		     /* R S D T t Z X I ..., '?' not known */
	uint64_t start_ticks;	     /* clock ticks after boot: with tid it identifies the thread */
	uint64_t run_ns;	     /* time on a CPU (brought up to date at ticks and switches) */
	uint64_t wait_ns;	     /* time runnable but waiting for a CPU */
	uint64_t switches_in;	     /* times it was put on a CPU; exact at every moment */
	bool schedstat_known;	     /* run_ns, wait_ns and switches_in were there */
};

struct process_facts {
	int pid;	/* the thread group's id, even if a tid was given */
	int given;	/* what was asked for */
	int anchor;	/* a thread through which maps, memory and root can be reached: the leader, or,
			 * if the leader is a zombie, one that still lives; 0 if there is none */
	int parent;	/* 0: outside this pid namespace */
	int tracer;	/* 0 none */
	int namespace_pid; /* its own idea of its pid (innermost namespace); 0 not known */
	char state;	/* of the leader */
	uint32_t uid;	/* effective */
	uint64_t start_ticks;
	uint64_t signals_caught;  /* bit n - 1: signal n has a handler */
	uint64_t signals_ignored;
	int64_t thread_count;
	char name[PROCESS_NAME_MAX];
	char *command; /* arguments joined by blanks, control bytes shown as '?'; never NULL */
};

struct process_threads {
	struct process_thread *list; /* ascending tid */
	size_t count;
	bool complete; /* two listings in a row agreed: no thread came or went meanwhile */
};

/*
 * Facts of the process that pid, a process or thread id, belongs to. A zombie with
 * no live thread gives anchor 0 and is not an error. On success the caller frees
 * with process_facts_clear.
 */
int process_read(int pid, struct process_facts *facts);
void process_facts_clear(struct process_facts *facts);

/* All live threads; one that ends while being read is left out. Free with process_threads_clear. */
int process_threads_read(int pid, struct process_threads *threads);
void process_threads_clear(struct process_threads *threads);
/* Only their ids, ascending; the caller frees *tids. -ESRCH if there are none. */
int process_tids_read(int pid, int **tids, size_t *count);
/* Name, state and start of one thread; task_dir: open /proc/PID/task. -ESRCH if it has ended. */
int process_thread_stat(int task_dir, int tid, struct process_thread *thread);
/* One thread again; -ESRCH if it has ended. */
int process_thread_read(int pid, int tid, struct process_thread *thread);

/* True if the process still exists and is the one that facts were read from. */
bool process_is_same(const struct process_facts *facts);
/* A variable of the program's start environment; the caller frees; NULL if absent or not readable. */
char *process_variable(int pid, const char *name);

/* The parsers, for any bytes. */
int process_parse_stat(const char *text, struct process_thread *thread, int *parent);
int process_parse_schedstat(const char *text, struct process_thread *thread);

#endif

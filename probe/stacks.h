// SPDX-License-Identifier: Apache-2.0
/*
 * The native stacks of all threads of a live process, with as little touching as
 * will do. Uses everything in probe/; judges nothing.
 */
#ifndef CANNWATCH_PROBE_STACKS_H
#define CANNWATCH_PROBE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/maps.h"
#include "probe/module.h"
#include "probe/process.h"
#include "probe/symbol.h"

enum stack_method {
	STACK_NO_METHOD, /* no stack; see reason */
	STACK_BLOCKED,	 /* the thread slept; nothing was stopped */
	STACK_SLOT,	 /* from the registers it saved on entering a call; nothing was stopped */
	STACK_INTERRUPT, /* stopped for stack.pause_ns */
};

enum stack_quality {
	STACK_REFUSED, /* no frames that could be vouched for */
	STACK_PARTIAL, /* the frames are right, outer (or, for a slot, inner) ones are missing */
	STACK_FULL,
};

struct stack_frame {
	uint64_t pc;
	uint64_t cfa;			/* 0 not known */
	const struct module *module;	/* NULL: no file */
	const struct symbol *symbol;	/* never NULL; its raw may be */
	bool is_signal_frame;
	bool is_cann;
};

struct stack {
	struct process_thread thread;
	enum stack_method method;
	enum stack_quality quality;
	char reason[160]; /* why it is not full; "" if it is */
	long syscall;	  /* the system call it sleeps in, -1 none or not known */
	uint64_t pause_ns; /* STACK_INTERRUPT: how long it stood */
	struct stack_frame *frames; /* innermost first */
	size_t count;
};

/* Registers a thread saved on entering a call, as a ring's slot has them. */
struct stack_slot {
	int tid;
	uint64_t start_ticks;	/* of that thread, 0 not known: tid may have been reused */
	uint64_t return_address; /* in the caller */
	uint64_t stack_pointer; /* of the caller, after the return */
	uint64_t frame_pointer;
	/* true while the thread has not left that call since the slot was read */
	bool (*still)(const struct stack_slot *slot);
	void *owner; /* for still */
};

struct stacks_options {
	bool no_stop;	 /* never stop a thread */
	bool no_lines;	 /* do not read DWARF: names only */
	int deadline_ms; /* for one thread to stop; 0: 500 (it runs on while we wait) */
	const struct stack_slot *slots;
	size_t slot_count;
};

struct stacks {
	struct process_facts process;
	struct map_table maps;
	struct module_table modules;
	struct symbol_table symbols;
	struct stack *list; /* ascending tid */
	size_t count;
	bool complete; /* every thread there was is in the list */
	uint64_t elapsed_ns;
};

/*
 * -ESRCH no such process (or a zombie without threads), -EACCES, -ENOTSUP a 32-bit
 * process, -ENOMEM. One thread that cannot be read is no error. Free with stacks_clear.
 */
int stacks_read(int pid, const struct stacks_options *options, struct stacks *stacks);
void stacks_clear(struct stacks *stacks);
const char *stack_method_name(enum stack_method method);
const char *stack_quality_name(enum stack_quality quality);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * All stacks of a process (stacks.h). First every thread that can be read without
 * stopping it, then, if allowed, the rest one by one; names last, all together.
 */
#include "probe/stacks.h"
#include "probe/blocked.h"
#include "probe/image.h"
#include "probe/interrupt.h"
#include "probe/procfs.h"
#include "probe/unwind.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_MS   500
#define SLOT_COPY     (256u << 10)
#define BATCH	      256 /* threads copied before they are unwound: bounds memory and open files */
#define HELPERS	      3
#define THREADS_PER_HELPER 64

struct reader {
	struct stacks *stacks;
	const struct stacks_options *options;
	struct image_table images;
	struct unwinder *unwinder;
	int task_dir; /* /proc/PID/task */
};

const char *stack_method_name(enum stack_method method)
{
	static const char *const names[] = { "none", "blocked", "slot", "interrupt" };

	return names[method];
}

const char *stack_quality_name(enum stack_quality quality)
{
	static const char *const names[] = { "refused", "partial", "full" };

	return names[quality];
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((format(printf, 2, 3))) static void stack_refuse(struct stack *stack, const char *format, ...)
{
	va_list arguments;

	stack->quality = STACK_REFUSED;
	stack->method = STACK_NO_METHOD;
	va_start(arguments, format);
	vsnprintf(stack->reason, sizeof(stack->reason), format, arguments);
	va_end(arguments);
}

static void stack_judge(struct stack *stack, const struct unwind_stack *found, enum stack_method method)
{
	stack->method = method;
	if (found->end == UNWIND_OUTERMOST) {
		stack->quality = STACK_FULL;
		stack->reason[0] = '\0';
		return;
	}
	stack->quality = STACK_PARTIAL;
	snprintf(stack->reason, sizeof(stack->reason), "ends after frame %zu: %s", found->count - 1,
		 unwind_end_text(found->end));
}

/* Takes over the frames that were found. */
static int stack_take(struct stack *stack, const struct unwind_stack *found, enum stack_method method)
{
	struct stack_frame *frames = calloc(found->count, sizeof(*frames));
	size_t i;

	if (!frames)
		return -ENOMEM;
	for (i = 0; i < found->count; i++) {
		frames[i].pc = found->frames[i].pc;
		frames[i].cfa = found->frames[i].cfa;
		frames[i].module = found->frames[i].module;
		frames[i].is_signal_frame = found->frames[i].is_signal_frame;
		frames[i].is_cann = frames[i].module && frames[i].module->owner == MODULE_CANN;
	}
	free(stack->frames);
	stack->frames = frames;
	stack->count = found->count;
	stack_judge(stack, found, method);
	return 0;
}

static const char *error_reason(int err)
{
	switch (err) {
	case -EBUSY:
		return "it runs; its registers are only known when it is stopped";
	case -EACCES:
		return "not allowed: needs CAP_SYS_PTRACE, or the same user and no Yama restriction";
	case -ESRCH:
		return "it ended";
	case -ENODATA:
		return "this kernel does not count context switches (no schedstat)";
	case -ETIME:
		return "it did not stop in time (uninterruptible sleep in the kernel, or no free processor)";
	case -ENOTSUP:
		return "it runs 32-bit code";
	case -EFAULT:
		return "its stack memory could not be read";
	default:
		return strerror(-err);
	}
}

static int stack_unwind(struct reader *reader, struct stack *stack, const struct arch_registers *registers,
			bool exact, struct memory_copy *copy, enum stack_method method)
{
	struct unwind_stack found;
	int err;

	err = unwind_stack(reader->unwinder, registers, exact, copy, &found);
	if (!err && (stack->count < found.count || found.end == UNWIND_OUTERMOST))
		err = stack_take(stack, &found, method);
	free(found.frames);
	return err;
}

static int stack_from_sleep(struct reader *reader, struct stack *stack, struct blocked_thread *blocked, int err)
{
	if (err) {
		stack_refuse(stack, "%s", error_reason(err));
		return err == -ENOMEM ? err : 0;
	}
	stack->syscall = blocked->syscall;
	return stack_unwind(reader, stack, &blocked->registers, true, &blocked->copy, STACK_BLOCKED);
}

static const struct stack_slot *slot_find(const struct stacks_options *options, const struct process_thread *thread)
{
	size_t i;

	for (i = 0; i < options->slot_count; i++) {
		const struct stack_slot *slot = &options->slots[i];

		if (slot->tid == thread->tid && (!slot->start_ticks || slot->start_ticks == thread->start_ticks))
			return slot;
	}
	return NULL;
}

/* What lies above a call's own frame does not change while the thread is inside that call. */
static int stack_from_slot(struct reader *reader, struct stack *stack, const struct stack_slot *slot)
{
	struct memory_copy copy = { .count = 0 };
	struct arch_registers registers = { .known = 0 };
	const struct map *map = maps_find(&reader->stacks->maps, slot->stack_pointer);
	size_t size = SLOT_COPY;
	int err;

	if (!map || map->kind == MAP_DEVICE || !map->readable)
		return 0;
	if (map->end - slot->stack_pointer < size)
		size = map->end - slot->stack_pointer;
	err = memory_copy_add(&copy, stack->thread.tid, slot->stack_pointer, size);
	if (err || (slot->still && !slot->still(slot))) {
		memory_copy_clear(&copy);
		return err == -ENOMEM ? err : 0;
	}
	arch_set(&registers, ARCH_PC, slot->return_address);
	arch_set(&registers, ARCH_SP, slot->stack_pointer);
	arch_set(&registers, ARCH_FP, slot->frame_pointer);
	err = stack_unwind(reader, stack, &registers, false, &copy, STACK_SLOT);
	memory_copy_clear(&copy);
	if (!err && stack->method == STACK_SLOT && stack->quality == STACK_FULL) {
		stack->quality = STACK_PARTIAL;
		snprintf(stack->reason, sizeof(stack->reason), "begins at the call it is inside; what runs within is not known");
	}
	return err;
}

/* Copies of sleeping threads, taken by several workers: nearly all of it is time in the kernel. */
struct copying {
	const struct reader *reader;
	struct stack *stacks;
	struct blocked_thread blocked[BATCH];
	int err[BATCH];
	size_t count;
	atomic_size_t next;
};

static void *copying_run(void *argument)
{
	struct copying *copying = argument;
	int task_dir = copying->reader->task_dir;
	size_t i;

	while ((i = atomic_fetch_add(&copying->next, 1)) < copying->count) {
		struct process_thread *thread = &copying->stacks[i].thread;

		copying->err[i] = process_thread_stat(task_dir, thread->tid, thread);
		if (!copying->err[i])
			copying->err[i] = blocked_read(task_dir, thread->tid, &copying->reader->stacks->maps,
						       &copying->blocked[i]);
	}
	return NULL;
}

static void copying_fill(struct copying *copying)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t helpers[HELPERS];
	size_t wanted = copying->count / THREADS_PER_HELPER, started = 0;

	if (wanted > HELPERS)
		wanted = HELPERS;
	/* together they take half as much again from the processors: only where there are plenty */
	if (wanted > (size_t)(processors > 0 ? processors / 4 : 0))
		wanted = (size_t)(processors > 0 ? processors / 4 : 0);
	while (started < wanted && !pthread_create(&helpers[started], NULL, copying_run, copying))
		started++;
	copying_run(copying);
	while (started > 0)
		pthread_join(helpers[--started], NULL);
}

static int batch_unwind(struct reader *reader, struct copying *copying, struct stack *stacks)
{
	const struct stack_slot *slot;
	size_t i;
	int err = 0;

	for (i = 0; i < copying->count; i++) {
		if (!err)
			err = stack_from_sleep(reader, &stacks[i], &copying->blocked[i], copying->err[i]);
		if (!copying->err[i])
			blocked_clear(&copying->blocked[i]);
		if (err || stacks[i].quality != STACK_REFUSED)
			continue;
		slot = slot_find(reader->options, &stacks[i].thread);
		if (slot)
			err = stack_from_slot(reader, &stacks[i], slot);
	}
	return err;
}

static int stacks_read_untouched(struct reader *reader)
{
	struct stacks *stacks = reader->stacks;
	struct copying *copying = calloc(1, sizeof(*copying));
	size_t at;
	int err = 0;

	if (!copying)
		return -ENOMEM;
	copying->reader = reader;
	for (at = 0; at < stacks->count && !err; at += copying->count) {
		copying->stacks = &stacks->list[at];
		copying->count = stacks->count - at < BATCH ? stacks->count - at : BATCH;
		atomic_store(&copying->next, 0);
		copying_fill(copying);
		err = batch_unwind(reader, copying, &stacks->list[at]);
	}
	free(copying);
	return err;
}

/* Worth stopping: nothing is known, or more could be and the interruption does not show. */
static bool stack_wants_stop(const struct stack *stack)
{
	if (stack->thread.state == 'Z' || stack->thread.state == 'X' || stack->thread.state == 'D')
		return false;
	if (stack->quality == STACK_REFUSED)
		return true;
	return stack->method == STACK_BLOCKED && stack->quality == STACK_PARTIAL && stack->syscall >= 0 &&
	       interrupt_is_harmless(stack->syscall);
}

static int stack_from_interrupt(struct reader *reader, struct stack *stack, struct interrupt_job *job)
{
	if (job->err) {
		if (job->err == -EACCES && reader->stacks->process.tracer)
			stack_refuse(stack, "process %d traces it already (a debugger?)", reader->stacks->process.tracer);
		else if (stack->quality == STACK_REFUSED)
			stack_refuse(stack, "%s", error_reason(job->err));
		return 0;
	}
	stack->pause_ns += job->pause_ns;
	return stack_unwind(reader, stack, &job->registers, true, &job->copy, STACK_INTERRUPT);
}

/*
 * A handler on a stack of its own leads to memory that was not copied: remember where,
 * for a second and last stop. Returns how many jobs are left, moved to the front.
 */
static size_t jobs_keep_unfinished(const struct stacks *stacks, struct interrupt_job *jobs, size_t count)
{
	size_t i, k = 0, kept = 0;

	for (i = 0; i < count; i++) {
		uint64_t missing = jobs[i].err ? 0 : jobs[i].copy.missing;
		int tid = jobs[i].tid;

		memory_copy_clear(&jobs[i].copy);
		while (stacks->list[k].thread.tid != tid)
			k++;
		if (!missing || stacks->list[k].quality == STACK_FULL)
			continue;
		memset(&jobs[kept], 0, sizeof(jobs[kept]));
		jobs[kept].tid = tid;
		jobs[kept++].also = missing;
	}
	return kept;
}

static int jobs_run(struct reader *reader, struct interrupt_job *jobs, size_t count)
{
	int deadline = reader->options->deadline_ms ? reader->options->deadline_ms : DEADLINE_MS;
	struct stacks *stacks = reader->stacks;
	size_t i, next = 0;
	int err;

	err = interrupt_threads(jobs, count, &stacks->maps, deadline);
	for (i = 0; i < stacks->count && !err && next < count; i++)
		if (stacks->list[i].thread.tid == jobs[next].tid)
			err = stack_from_interrupt(reader, &stacks->list[i], &jobs[next++]);
	return err;
}

static int stacks_read_stopped(struct reader *reader)
{
	struct stacks *stacks = reader->stacks;
	struct interrupt_job *jobs;
	size_t i, count = 0;
	int err = 0, round;

	jobs = calloc(stacks->count, sizeof(*jobs));
	if (!jobs)
		return -ENOMEM;
	for (i = 0; i < stacks->count; i++)
		if (stack_wants_stop(&stacks->list[i]))
			jobs[count++].tid = stacks->list[i].thread.tid;
	for (round = 0; round < 2 && count && !err; round++) {
		err = jobs_run(reader, jobs, count);
		count = jobs_keep_unfinished(stacks, jobs, count);
	}
	free(jobs);
	return err;
}

/* The address by which a frame is named: inside the call, not behind it. */
static uint64_t frame_lookup(const struct stack *stack, size_t index)
{
	bool exact = (index == 0 && stack->method != STACK_SLOT) || stack->frames[index].is_signal_frame ||
		     (index > 0 && stack->frames[index - 1].is_signal_frame);

	return exact ? stack->frames[index].pc : stack->frames[index].pc - 1;
}

static int stacks_name(struct reader *reader)
{
	struct stacks *stacks = reader->stacks;
	size_t i, k, total = 0;
	uint64_t *addresses;
	int err;

	for (i = 0; i < stacks->count; i++)
		total += stacks->list[i].count;
	addresses = malloc((total + 1) * sizeof(*addresses));
	if (!addresses)
		return -ENOMEM;
	for (i = 0, total = 0; i < stacks->count; i++)
		for (k = 0; k < stacks->list[i].count; k++)
			addresses[total++] = frame_lookup(&stacks->list[i], k);
	err = symbols_resolve(&reader->images, addresses, total, !reader->options->no_lines, &stacks->symbols);
	for (i = 0, total = 0; i < stacks->count && !err; i++)
		for (k = 0; k < stacks->list[i].count; k++)
			stacks->list[i].frames[k].symbol = symbols_find(&stacks->symbols, addresses[total++]);
	free(addresses);
	return err;
}

/* 32-bit processes have other registers and other tables. */
static int process_check_class(int id)
{
	unsigned char ident[EI_NIDENT];
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* not readable: other reads will say why */
	got = read(fd, ident, sizeof(ident));
	close(fd);
	return got == EI_NIDENT && ident[EI_CLASS] == ELFCLASS32 ? -ENOTSUP : 0;
}

static int stacks_read_layout(struct stacks *stacks)
{
	int id = stacks->process.anchor;
	char **roots;
	int err;

	err = process_check_class(id);
	if (!err)
		err = maps_read(id, &stacks->maps);
	if (err)
		return err;
	roots = module_roots_read(id);
	err = modules_build(&stacks->maps, (const char *const *)roots, &stacks->modules);
	module_roots_free(roots);
	return err;
}

static int stacks_list_threads(struct stacks *stacks)
{
	size_t count, i;
	int *tids, err;

	err = process_tids_read(stacks->process.pid, &tids, &count);
	if (err)
		return err;
	stacks->list = calloc(count + 1, sizeof(*stacks->list));
	for (i = 0; stacks->list && i < count; i++) {
		stacks->list[i].thread.tid = tids[i];
		stacks->list[i].syscall = -1;
	}
	stacks->count = stacks->list ? count : 0;
	free(tids);
	return stacks->list ? 0 : -ENOMEM;
}

/* Leaves out the threads that ended before anything was read of them; looks whether others came. */
static int stacks_settle_threads(struct stacks *stacks)
{
	size_t count, i, kept = 0;
	int *tids, err;

	err = process_tids_read(stacks->process.pid, &tids, &count);
	if (err)
		return err;
	stacks->complete = count == stacks->count;
	for (i = 0; i < stacks->count; i++) {
		stacks->complete = stacks->complete && tids[i] == stacks->list[i].thread.tid;
		if (stacks->list[i].thread.start_ticks)
			stacks->list[kept++] = stacks->list[i];
	}
	stacks->count = kept;
	free(tids);
	return 0;
}

static int reader_open(struct reader *reader)
{
	struct stacks *stacks = reader->stacks;
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/task", stacks->process.pid);
	reader->task_dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (reader->task_dir < 0)
		return procfs_error(errno);
	err = images_open(&reader->images, stacks->process.anchor, &stacks->maps, &stacks->modules);
	if (err)
		return err;
	reader->unwinder = unwinder_open(&reader->images);
	return reader->unwinder ? 0 : -ENOMEM;
}

static void reader_close(struct reader *reader)
{
	unwinder_close(reader->unwinder);
	images_close(&reader->images);
	if (reader->task_dir >= 0)
		close(reader->task_dir);
}

int stacks_read(int pid, const struct stacks_options *options, struct stacks *stacks)
{
	struct reader reader = { .stacks = stacks, .options = options, .task_dir = -1 };
	uint64_t start = now_ns();
	int err;

	memset(stacks, 0, sizeof(*stacks));
	err = process_read(pid, &stacks->process);
	if (!err && !stacks->process.anchor)
		err = -ESRCH;
	if (!err)
		err = stacks_read_layout(stacks);
	if (!err)
		err = stacks_list_threads(stacks);
	if (!err)
		err = reader_open(&reader);
	if (!err)
		err = stacks_read_untouched(&reader);
	if (!err)
		err = stacks_settle_threads(stacks);
	if (!err && !options->no_stop)
		err = stacks_read_stopped(&reader);
	if (!err)
		err = stacks_name(&reader);
	reader_close(&reader);
	stacks->elapsed_ns = now_ns() - start;
	if (err)
		stacks_clear(stacks);
	return err;
}

void stacks_clear(struct stacks *stacks)
{
	size_t i;

	for (i = 0; i < stacks->count; i++)
		free(stacks->list[i].frames);
	free(stacks->list);
	symbols_clear(&stacks->symbols);
	modules_clear(&stacks->modules);
	maps_clear(&stacks->maps);
	process_facts_clear(&stacks->process);
	memset(stacks, 0, sizeof(*stacks));
}

// SPDX-License-Identifier: Apache-2.0
/* From stacks to threads of the model (stacks.h). Uses probe/, api_role and the model. */
#include "analyzer/sources/stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "analyzer/model/util.h"
#include "analyzer/sources/api_role.h"
#include "probe/memory.h"
#include "probe/procfs.h"
#include "probe/stacks.h"

#define CALLER_BYTES	 8192u /* of the caller's side that are compared */
#define SAVED_BYTES	 56u   /* the return address and six saved registers below it */
#define TEXT_FRAMES	 12
#define FUTEX_IS_PRIVATE 128u

#define NO_FRAME SIZE_MAX

struct call { /* of CANN, that a thread is in */
	const struct ring_api *row;
	enum call_role role;
	size_t frame; /* of the function that row names, NO_FRAME none */
	bool in_cann;
};

struct look { /* beside the stack, of one thread */
	struct call call;
	uint64_t caller_hash; /* of the caller's side of the stack, 0 not read */
	enum thread_wait wait;
};

struct stacks_sample {
	struct stacks stacks;
	struct look *looks; /* as many as stacks */
};

/* The calls. */

static bool frame_is_api(const struct stack_frame *frame, const struct ring_api **row)
{
	*row = frame->is_cann && frame->symbol->raw ? api_find(frame->symbol->raw) : NULL;
	return *row != NULL;
}

static bool role_decides(enum call_role role)
{
	return role != ROLE_NONE && role != ROLE_OTHER;
}

/* The outermost call that has a role says what the thread is in; else the outermost one. */
static void call_by_boundary(const struct stack *stack, struct call *call)
{
	for (size_t i = stack->count; i-- > 0;) {
		const struct ring_api *row;

		call->in_cann |= stack->frames[i].is_cann;
		if (role_decides(call->role) || !frame_is_api(&stack->frames[i], &row))
			continue;
		if (call->row && !role_decides(api_role(row)))
			continue;
		call->row = row;
		call->role = api_role(row);
		call->frame = i;
	}
}

/* Where the boundary does not tell: the runtime's own functions, the innermost first. */
static void call_by_inner_names(const struct stack *stack, struct call *call)
{
	for (size_t i = 0; i < stack->count && !role_decides(call->role); i++)
		if (stack->frames[i].is_cann && stack->frames[i].symbol->raw)
			call->role = api_inner_role(stack->frames[i].symbol->raw);
	if (!role_decides(call->role))
		call->role = ROLE_OTHER;
}

static void call_find(const struct stack *stack, struct call *call)
{
	*call = (struct call){ .role = ROLE_NONE, .frame = NO_FRAME };
	call_by_boundary(stack, call);
	if (call->in_cann)
		call_by_inner_names(stack, call);
}

/* The outermost frame of CANN that the caller's frames lie behind. */
static size_t call_border(const struct stack *stack, const struct call *call)
{
	size_t border = call->frame;

	for (size_t i = 0; border == NO_FRAME && i < stack->count; i++)
		if (stack->frames[stack->count - 1 - i].is_cann)
			border = stack->count - 1 - i;
	return border;
}

/* Waits outside of CANN. */

static const struct {
	const char *name;
	enum thread_wait wait;
} wait_names[] = {
	{ "accept", WAIT_REQUEST },
	{ "accept4", WAIT_REQUEST },
	{ "epoll_wait", WAIT_REQUEST },
	{ "epoll_pwait", WAIT_REQUEST },
	{ "epoll_pwait2", WAIT_REQUEST },
	{ "poll", WAIT_REQUEST },
	{ "ppoll", WAIT_REQUEST },
	{ "select", WAIT_REQUEST },
	{ "pselect", WAIT_REQUEST },
	{ "sigwait", WAIT_REQUEST },
	{ "sigwaitinfo", WAIT_REQUEST },
	{ "sigtimedwait", WAIT_REQUEST },
	{ "sigsuspend", WAIT_REQUEST },
	{ "pause", WAIT_REQUEST },
	{ "wait", WAIT_CHILD },
	{ "wait3", WAIT_CHILD },
	{ "wait4", WAIT_CHILD },
	{ "waitpid", WAIT_CHILD },
	{ "waitid", WAIT_CHILD },
	{ "pthread_cond_wait", WAIT_THREAD },
	{ "pthread_cond_timedwait", WAIT_THREAD },
	{ "pthread_cond_clockwait", WAIT_THREAD },
	{ "pthread_join", WAIT_THREAD },
	{ "pthread_timedjoin_np", WAIT_THREAD },
	{ "pthread_clockjoin_ex", WAIT_THREAD },
	{ "pthread_clockjoin_np", WAIT_THREAD },
	{ "pthread_barrier_wait", WAIT_THREAD },
	{ "sem_wait", WAIT_THREAD },
	{ "sem_timedwait", WAIT_THREAD },
	{ "sem_clockwait", WAIT_THREAD },
	{ "new_sem_wait", WAIT_THREAD },
	{ "pthread_mutex_lock", WAIT_LOCK },
	{ "pthread_mutex_timedlock", WAIT_LOCK },
	{ "pthread_rwlock_rdlock", WAIT_LOCK },
	{ "pthread_rwlock_wrlock", WAIT_LOCK },
	{ "lll_lock_wait", WAIT_LOCK },
	{ "lll_lock_wait_private", WAIT_LOCK },
	{ "flock", WAIT_LOCK },
	{ "read", WAIT_INPUT },
	{ "readv", WAIT_INPUT },
	{ "pread", WAIT_INPUT },
	{ "pread64", WAIT_INPUT },
	{ "recv", WAIT_INPUT },
	{ "recvfrom", WAIT_INPUT },
	{ "recvmsg", WAIT_INPUT },
	{ "recvmmsg", WAIT_INPUT },
	{ "eventfd_read", WAIT_INPUT },
	{ "connect", WAIT_INPUT },
	{ "nanosleep", WAIT_SLEEP },
	{ "clock_nanosleep", WAIT_SLEEP },
};

/* The C library's names come with underscores before and versions behind. */
static enum thread_wait wait_of_name(const char *name)
{
	size_t length;

	name += strspn(name, "_");
	if (strncmp(name, "GI_", 3) == 0)
		name += 3 + strspn(name + 3, "_");
	if (strncmp(name, "libc_", 5) == 0)
		name += 5;
	length = strcspn(name, "@.");
	for (size_t i = 0; i < sizeof(wait_names) / sizeof(wait_names[0]); i++)
		if (strlen(wait_names[i].name) == length && strncmp(name, wait_names[i].name, length) == 0)
			return wait_names[i].wait;
	return WAIT_NONE;
}

/* The first arguments of the system call that a thread sleeps in. */
static bool syscall_arguments(int pid, int tid, long number, uint64_t arguments[2])
{
	unsigned long long one, two;
	char path[64], text[256];
	long now;
	FILE *file;
	bool done;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	done = fgets(text, sizeof(text), file) && sscanf(text, "%ld 0x%llx 0x%llx", &now, &one, &two) == 3 &&
	       now == number;
	fclose(file);
	if (done) {
		arguments[0] = one;
		arguments[1] = two;
	}
	return done;
}

/* What the arguments tell about a wait: poll without descriptors sleeps, a shared futex is woken from
 * anywhere. */
static enum thread_wait wait_refine(const struct stacks *stacks, const struct stack *stack,
				    enum thread_wait wait, const char *name)
{
	uint64_t argument[2];

	if (stack->syscall < 0 || (wait != WAIT_REQUEST && wait != WAIT_THREAD) ||
	    !syscall_arguments(stacks->process.pid, stack->thread.tid, stack->syscall, argument))
		return wait;
	switch (stack->syscall) {
#ifdef SYS_poll
	case SYS_poll:
#endif
	case SYS_ppoll:
		return argument[1] ? wait : WAIT_SLEEP;
#ifdef SYS_select
	case SYS_select:
#endif
	case SYS_pselect6:
		return argument[0] ? wait : WAIT_SLEEP;
	case SYS_futex: /* a join waits on the kernel's word for the thread, which is never private */
		return (argument[1] & FUTEX_IS_PRIVATE) || strstr(name, "join") ? wait : WAIT_SHARED;
	default:
		return wait;
	}
}

static enum thread_wait wait_find(const struct stacks *stacks, const struct stack *stack)
{
	if (!stack->count)
		return WAIT_UNKNOWN;
	for (size_t i = 0; i < stack->count && i < 6; i++) {
		const char *name = stack->frames[i].symbol->raw;
		enum thread_wait wait = name ? wait_of_name(name) : WAIT_NONE;

		if (wait != WAIT_NONE)
			return wait_refine(stacks, stack, wait, name);
	}
	if (stack->syscall == SYS_futex)
		return wait_refine(stacks, stack, WAIT_THREAD, "");
	return WAIT_NONE;
}

/* Samples. */

/*
 * What the caller keeps on its stack and in registers that were saved for it stays as
 * it is while a call has not returned; a loop that calls again and again changes it.
 */
static uint64_t hash_caller(const struct stacks *stacks, const struct stack *stack, const struct call *call)
{
	size_t border = call_border(stack, call);
	unsigned char bytes[SAVED_BYTES + CALLER_BYTES];
	uint64_t hash = 0xcbf29ce484222325u, from, size;
	ssize_t got;

	if (border == NO_FRAME || border >= stack->count || stack->frames[border].cfa < SAVED_BYTES)
		return 0;
	from = stack->frames[border].cfa - SAVED_BYTES;
	if (border && from < stack->frames[border - 1].cfa) /* what lies below is the callee's */
		from = stack->frames[border - 1].cfa;
	size = stack->frames[border].cfa + CALLER_BYTES - from;
	if (size > sizeof(bytes)) /* another stack: a signal's */
		return 0;
	got = memory_read(stacks->process.anchor, from, bytes, size);
	if (got <= 0)
		return 0;
	for (ssize_t i = 0; i < got; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3u;
	return hash ? hash : 1;
}

int stacks_sample_take(int pid, bool no_stop, struct stacks_sample **sample)
{
	struct stacks_options options = { .no_stop = no_stop };
	struct stacks_sample *new = xcalloc(1, sizeof(*new));
	int status = stacks_read(pid, &options, &new->stacks);

	if (status) {
		free(new);
		return status;
	}
	new->looks = xcalloc(new->stacks.count, sizeof(*new->looks));
	for (size_t i = 0; i < new->stacks.count; i++) {
		const struct stack *stack = &new->stacks.list[i];
		struct look *look = &new->looks[i];

		call_find(stack, &look->call);
		if (look->call.in_cann)
			look->caller_hash = hash_caller(&new->stacks, stack, &look->call);
		else
			look->wait = wait_find(&new->stacks, stack);
	}
	*sample = new;
	return 0;
}

void stacks_sample_free(struct stacks_sample *sample)
{
	if (!sample)
		return;
	stacks_clear(&sample->stacks);
	free(sample->looks);
	free(sample);
}

/* The model. */

static bool is_system_module(const struct module *module)
{
	static const char *const names[] = { "libc.so", "libc-",   "libpthread", "libstdc++", "ld-linux",
					     "ld-2",	"libasan", "libtsan",	 "libubsan",  NULL };

	for (size_t i = 0; names[i]; i++)
		if (strncmp(module->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* CANN's own threads have names; without a whole stack nothing else tells. */
static bool has_helper_name(const struct stack *stack)
{
	static const char *const names[] = { "PlogFlush",  "AtraceMonitor", "MONITOR_",
					     "REPORT_RAS", "RT_RECYCLE_",   NULL };

	for (size_t i = 0; names[i]; i++)
		if (strncmp(stack->thread.name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The thread was made by whoever owns the function it began in. */
static enum thread_maker maker_of(const struct stack *stack)
{
	if (stack->quality != STACK_FULL)
		return has_helper_name(stack) ? MAKER_CANN : MAKER_UNKNOWN;
	for (size_t i = stack->count; i-- > 0;) {
		const struct module *module = stack->frames[i].module;

		if (!module || is_system_module(module))
			continue;
		switch (module->owner) {
		case MODULE_CANN:
			return MAKER_CANN;
		case MODULE_CANNWATCH:
			return MAKER_CANNWATCH;
		default:
			return MAKER_PROGRAM;
		}
	}
	return MAKER_UNKNOWN;
}

/* Functions innermost first: what a reader wants to see of a stack in one line. */
static char *stack_line(const struct stack *stack)
{
	struct text text = { 0 };
	size_t shown = 0, i;

	for (i = 0; i < stack->count && shown < TEXT_FRAMES; i++) {
		const struct stack_frame *frame = &stack->frames[i];
		const char *name = frame->symbol->name;

		if (shown++)
			text_add(&text, " < ");
		if (name)
			text_addn(&text, name, strcspn(name, "("));
		else
			text_addf(&text, "?? in %s", frame->module ? frame->module->name : "no file");
	}
	if (i < stack->count)
		text_add(&text, " < ...");
	return text.length ? text_take(&text) : NULL;
}

/* file:line where there is debug information, else function, else module with offset. */
static char *site_line(const struct stack_frame *frame)
{
	const struct symbol *symbol = frame->symbol;

	if (symbol->file && symbol->line > 0)
		return xasprintf("%s:%d", symbol->file, symbol->line);
	if (symbol->name)
		return xasprintf("%s+0x%llx", symbol->name, (unsigned long long)(frame->pc - symbol->start));
	if (frame->module)
		return xasprintf(
			"%s+0x%llx", frame->module->name,
			(unsigned long long)(frame->pc - frame->module->start + frame->module->first_offset));
	return NULL;
}

static size_t stack_before(const struct stacks_sample *first, const struct process_thread *thread)
{
	size_t low = 0, high = first->stacks.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (first->stacks.list[middle].thread.tid < thread->tid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < first->stacks.count && first->stacks.list[low].thread.tid == thread->tid &&
	    first->stacks.list[low].thread.start_ticks == thread->start_ticks)
		return low;
	return NO_FRAME;
}

/* From the outer end: how many frames are the same ones. */
static size_t frames_shared(const struct stack *one, const struct stack *other)
{
	size_t i = 0;

	while (i < one->count && i < other->count &&
	       one->frames[one->count - 1 - i].pc == other->frames[other->count - 1 - i].pc &&
	       one->frames[one->count - 1 - i].cfa == other->frames[other->count - 1 - i].cfa)
		i++;
	return i;
}

/* Inside CANN: the same call. A stuck call may spin, so the frames within it do not count. */
static bool same_call(const struct stack *before, const struct look *then, const struct stack *stack,
		      const struct look *now)
{
	size_t border = call_border(stack, &now->call);

	return then->call.in_cann && then->call.row == now->call.row && then->call.role == now->call.role &&
	       border < stack->count && frames_shared(before, stack) >= stack->count - border - 1 &&
	       before->count - call_border(before, &then->call) == stack->count - border &&
	       stack->frames[border].cfa == before->frames[call_border(before, &then->call)].cfa &&
	       then->caller_hash == now->caller_hash && now->caller_hash;
}

/* Outside: the same place; of a thread that runs, all but the innermost frame. */
static bool same_place(const struct stack *before, const struct stack *stack)
{
	size_t shared = frames_shared(before, stack);

	if (!stack->count || !before->count)
		return false;
	if (stack->method == STACK_BLOCKED && before->method == STACK_BLOCKED)
		return shared == stack->count && shared == before->count;
	return shared + 1 >= stack->count && shared + 1 >= before->count;
}

static void set_stable(const struct stacks_sample *first, const struct stack *stack, const struct look *look,
		       double apart_s, struct model_thread *thread)
{
	size_t index = stack_before(first, &stack->thread);
	const struct stack *before;

	if (index == NO_FRAME) {
		thread->overlaps = true;
		return;
	}
	before = &first->stacks.list[index];
	if (look->call.in_cann)
		thread->stable = same_call(before, &first->looks[index], stack, look);
	else
		thread->stable = !first->looks[index].call.in_cann && same_place(before, stack);
	thread->overlaps = !thread->stable && (look->call.in_cann || first->looks[index].call.in_cann);
	if (thread->stable)
		thread->blocked_s = apart_s;
}

static void set_call(const struct stack *stack, const struct look *look, struct model_thread *thread)
{
	size_t border = call_border(stack, &look->call);

	thread->inside = true;
	thread->role = look->call.role;
	thread->api = look->call.row ? look->call.row->name : NULL;
	thread->any_stream = true;
	thread->upto = UINT64_MAX;
	if (look->call.row && look->call.row->role == RING_ROLE_CALLBACK_SERVE)
		thread->wait = WAIT_REQUEST;
	if (look->call.row && look->call.row->timeout_arg < 0)
		thread->timeout_ms = -1;
	if (border + 1 < stack->count) {
		thread->site = stack->frames[border + 1].pc;
		thread->site_text = site_line(&stack->frames[border + 1]);
	}
}

static void set_thread(const struct stacks_sample *first, const struct stacks_sample *last, size_t index,
		       double apart_s, struct model_thread *thread)
{
	const struct stack *stack = &last->stacks.list[index];
	const struct look *look = &last->looks[index];

	if (thread->maker == MAKER_UNKNOWN)
		thread->maker = maker_of(stack);
	thread->in_cann = look->call.in_cann;
	thread->stack_text = stack_line(stack);
	if (stack->quality != STACK_FULL)
		thread->stack_reason = xstrdup(stack->reason[0] ? stack->reason : "not whole");
	if (thread->maker == MAKER_CANN || thread->maker == MAKER_CANNWATCH)
		return;
	thread->wait = look->wait;
	set_stable(first, stack, look, apart_s, thread);
	if (look->call.in_cann)
		set_call(stack, look, thread);
}

void stacks_to_model(const struct stacks_sample *first, const struct stacks_sample *last, double apart_s,
		     struct model *model)
{
	model->sources |= SOURCE_STACKS;
	for (size_t i = 0; i < last->stacks.modules.count; i++)
		model->facts.cann_loaded |= last->stacks.modules.list[i].owner == MODULE_CANN;
	for (size_t i = 0; i < last->stacks.count; i++) {
		size_t index = model_find_thread(model, last->stacks.list[i].thread.tid);

		if (index != MODEL_NONE)
			set_thread(first, last, i, apart_s, &model->threads[index]);
	}
	/* One that came meanwhile has no stack: nothing may be said of all threads. */
	for (size_t i = 0; i < model->thread_count; i++)
		if (!model->threads[i].stack_text && !model->threads[i].stack_reason)
			model->threads[i].stack_reason = xstrdup("it came while the stacks were read");
}

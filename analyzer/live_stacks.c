// SPDX-License-Identifier: Apache-2.0
/*
 * Two looks at a live process that nobody prepared (live.h): its stacks, and the event
 * texts that the runtime keeps in its memory. Uses sources/ and probe/.
 */
#include "analyzer/live.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyzer/sources/ask_runtime.h"
#include "analyzer/sources/process.h"
#include "analyzer/sources/stacks.h"
#include "analyzer/sources/trace_heap.h"
#include "probe/trace_ring.h"

#define APART_MS 300
#define ASK_MS	 3000 /* for the runtime to write its trace */

struct look {
	struct stacks_sample *stacks;
	struct trace_texts texts;
	struct timespec taken;
};

static double seconds_between(const struct timespec *from, const struct timespec *to)
{
	return (double)(to->tv_sec - from->tv_sec) + (double)(to->tv_nsec - from->tv_nsec) / 1e9;
}

/* Without texts the stacks still tell something. */
static void read_texts(const struct process_source *process, struct trace_texts *texts)
{
	if (process->has_modules && trace_texts_read(process->facts.anchor, &process->maps, 0, texts))
		memset(texts, 0, sizeof(*texts));
}

/* before: the texts are read first, so that whatever is new in the other look came between the stacks. */
static int look_take(const struct live_request *request, const struct process_source *process, bool before,
		     struct look *look)
{
	int status;

	memset(look, 0, sizeof(*look));
	if (before)
		read_texts(process, &look->texts);
	status = stacks_sample_take(process->facts.pid, request->no_stop, &look->stacks);
	clock_gettime(CLOCK_MONOTONIC, &look->taken);
	if (!before)
		read_texts(process, &look->texts);
	return status;
}

static void look_clear(struct look *look)
{
	stacks_sample_free(look->stacks);
	trace_texts_clear(&look->texts);
}

static void explain(int status, int pid, char *error, size_t size)
{
	switch (status) {
	case -ESRCH:
		snprintf(error, size, "there is no process %d (ended, or a zombie)", pid);
		return;
	case -EACCES:
	case -EPERM:
		snprintf(error, size,
			 "not permitted to read the stacks of process %d: run as its user or as root; in a "
			 "container start it with --cap-add=SYS_PTRACE (cannwatch doctor %d says more)",
			 pid, pid);
		return;
	case -ENOSYS:
		snprintf(error, size,
			 "process %d has no handler for signal 35 (no CANN trace library, or "
			 "ASCEND_COREDUMP_SIGNAL=none): it would die of it, so it was not sent",
			 pid);
		return;
	case -ENOTSUP:
		snprintf(error, size, "process %d is a 32-bit one: only 64-bit ones can be read", pid);
		return;
	default:
		snprintf(error, size, "the stacks of process %d cannot be read: %s", pid, strerror(-status));
	}
}

static void pause_ms(unsigned int milliseconds)
{
	struct timespec rest = { milliseconds / 1000, (long)(milliseconds % 1000) * 1000000 };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

/* The runtime's own file, where it tells more than what was found in the heap. */
static int ask(const struct process_source *process, struct look *last)
{
	struct trace_texts texts;
	int status = runtime_ask(&process->facts, ASK_MS, &texts);

	if (status) /* EOPNOTSUPP is ENOTSUP here, which means something else to us */
		return status == -EOPNOTSUPP ? -ENOSYS : status;
	if (texts.count > last->texts.count) {
		trace_texts_clear(&last->texts);
		last->texts = texts;
	} else {
		trace_texts_clear(&texts);
	}
	return 0;
}

int live_observe_stacks(const struct live_request *request, struct model *model, struct live_result *result,
			char *error, size_t size)
{
	struct look first = { 0 }, last = { 0 };
	struct process_source process;
	int status = process_source_open(&process, request->pid);

	if (status) {
		explain(status, request->pid, error, size);
		return status;
	}
	status = look_take(request, &process, true, &first);
	if (!status) {
		pause_ms(request->apart_ms ? request->apart_ms : APART_MS);
		status = look_take(request, &process, false, &last);
	}
	if (!status && request->ask_runtime)
		status = ask(&process, &last);
	if (status) {
		explain(status, request->pid, error, size);
	} else {
		result->by_stacks = true;
		process_to_model(&process, model);
		stacks_to_model(first.stacks, last.stacks, seconds_between(&first.taken, &last.taken), model);
		trace_heap_to_model(&first.texts, &last.texts, model);
		process_signals_to_model(&process, NULL, 0, model);
	}
	look_clear(&first);
	look_clear(&last);
	process_source_close(&process);
	return status;
}

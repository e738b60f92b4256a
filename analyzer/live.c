// SPDX-License-Identifier: Apache-2.0
/* Two samples of a live process, joined into a model (live.h). Uses sources/, shm/ and probe/. */
#include "analyzer/live.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyzer/sources/process.h"
#include "analyzer/sources/ring.h"

#define APART_MS 300

struct samples {
	struct ring_snapshot first, last;
	bool has_first, has_last;
};

static int open_ring(const struct live_request *request, struct ring_reader **reader, char *error,
		     size_t size)
{
	char path[PATH_MAX];
	int status;

	if (request->ring_fd >= 0) {
		*reader = ring_reader_open_fd(request->ring_fd, error, size);
		return *reader ? 0 : -errno;
	}
	if (request->ring_path) {
		*reader = ring_reader_open(request->ring_path, error, size);
		return *reader ? 0 : -errno;
	}
	status = ring_find(request->pid, path, sizeof(path));
	switch (status) {
	case 0:
		break;
	case -ESRCH:
		snprintf(error, size, "there is no process %d", request->pid);
		return status;
	case -EACCES:
	case -EPERM:
		snprintf(error, size,
			 "not permitted to look at process %d: run as its user, or as root with "
			 "CAP_SYS_PTRACE",
			 request->pid);
		return -EACCES;
	case -ENOENT:
		snprintf(error, size,
			 "process %d has no ring: it runs without libcannwatch.so; start it with "
			 "'cannwatch run' or LD_PRELOAD=libcannwatch.so",
			 request->pid);
		return status;
	default:
		snprintf(error, size, "cannot find the ring of process %d: %s", request->pid,
			 strerror(-status));
		return status;
	}
	*reader = ring_reader_open(path, error, size);
	return *reader ? 0 : -errno;
}

static void pause_ms(unsigned int milliseconds)
{
	struct timespec rest = { milliseconds / 1000, (long)(milliseconds % 1000) * 1000000 };

	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

static int take_samples(const struct live_request *request, struct ring_reader *reader, bool live,
			struct samples *samples)
{
	int status;

	if (live) {
		status = ring_reader_snapshot(reader, &samples->first);
		if (status)
			return status;
		samples->has_first = true;
		pause_ms(request->apart_ms ? request->apart_ms : APART_MS);
	}
	status = ring_reader_snapshot(reader, &samples->last);
	if (status)
		return status;
	samples->has_last = true;
	return 0;
}

static void free_samples(struct samples *samples)
{
	if (samples->has_first)
		ring_snapshot_free(&samples->first);
	if (samples->has_last)
		ring_snapshot_free(&samples->last);
}

/* A ring names its process by start time as well: a number alone may have been given to another one. */
static bool is_ring_of(const struct ring_header *header, const struct process_facts *facts)
{
	if (header->pid != facts->pid && header->pid != facts->namespace_pid)
		return false;
	return !header->start_ticks || !facts->start_ticks || header->start_ticks == facts->start_ticks;
}

/*
 * Threads of another pid namespace have other numbers there: then only those of the
 * ring are known, and which of them are all is not.
 */
static bool same_numbers(const struct ring_header *header, const struct process_facts *facts)
{
	return header->pid == facts->pid;
}

static void join(struct samples *samples, struct process_source *process, struct model *model)
{
	const struct ring_header *header = &samples->last.header;
	bool live = process && is_ring_of(header, &process->facts);
	bool numbers = live && same_numbers(header, &process->facts);
	struct ring_source ring = {
		.first = samples->has_first ? &samples->first : NULL,
		.last = &samples->last,
		.live = numbers,
		.owner = live ? process_owner : NULL,
		.context = process,
	};

	if (numbers)
		process_to_model(process, model);
	ring_to_model(&ring, model);
	if (!live)
		return;
	model->facts.live = process_is_same(&process->facts);
	process_signals_to_model(process, header->signals_mono ? header->signal_handler : NULL,
				 RING_MAX_SIGNAL + 1, model);
	process_name_sites(process, model);
}

int live_observe(const struct live_request *request, struct model *model, struct live_result *result,
		 char *error, size_t size)
{
	struct samples samples = { .has_first = false };
	struct process_source process;
	struct ring_reader *reader;
	bool live;
	int status;

	error[0] = '\0';
	memset(result, 0, sizeof(*result));
	status = open_ring(request, &reader, error, size);
	/* Another user's folder of rings may be closed to us while the process is not. */
	if ((status == -ENOENT || status == -EACCES) && request->pid > 0 && request->ring_fd < 0 &&
	    !request->ring_path)
		return live_observe_stacks(request, model, result, error, size);
	if (status)
		return status;
	live = request->pid > 0 && process_source_open(&process, request->pid) == 0;
	status = take_samples(request, reader, live, &samples);
	if (status) {
		snprintf(error, size, "the ring cannot be read: %s", strerror(-status));
	} else {
		join(&samples, live ? &process : NULL, model);
		result->stall_ms = samples.last.header.stall_ms;
		result->reports = samples.last.header.reports;
	}
	if (live)
		process_source_close(&process);
	free_samples(&samples);
	ring_reader_close(reader);
	return status;
}

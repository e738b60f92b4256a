// SPDX-License-Identifier: Apache-2.0
/*
 * What the target must not notice: no call returns EINTR, no thread stays stopped,
 * also when the prober is killed at any moment. Arguments: waits, switching;
 * CANNWATCH_TEST_KILLS sets the number of kills (with CANNWATCH_TEST_FULL 200).
 */
#include "probe/interrupt.h"
#include "probe/stacks.h"
#include "tests/probe/check.h"
#include "tests/probe/target.h"

#include <poll.h>
#include <string.h>

static bool output_waiting(struct target *target, int wait_ms)
{
	struct pollfd poller = { .fd = fileno(target->out), .events = POLLIN };

	return poll(&poller, 1, wait_ms) == 1;
}

/* Until every thread sleeps, several times in a row: on a loaded machine they take long to get to their waits. */
static void threads_settle(int pid)
{
	int quiet = 0, i;
	size_t k;

	for (i = 0; i < 1000 && quiet < 5; i++) {
		struct process_threads threads;
		bool asleep = true;

		usleep(20000);
		if (process_threads_read(pid, &threads))
			return;
		for (k = 0; k < threads.count; k++)
			asleep = asleep && threads.list[k].state == 'S';
		process_threads_clear(&threads);
		quiet = asleep ? quiet + 1 : 0;
	}
}

static void test_no_eintr(const char *path, bool no_stop)
{
	const char *arguments[] = { path, NULL };
	struct stacks_options options = { .no_stop = no_stop, .no_lines = true };
	struct target target;
	struct stacks stacks;
	char line[64] = "";
	int i;
	size_t k;

	if (target_start(&target, arguments) || !fgets(line, sizeof(line), target.out)) {
		CHECK(!"target starts");
		return;
	}
	threads_settle(target.pid);
	for (i = 0; i < checks_rounds("CANNWATCH_TEST_LOOKS", 100); i++) {
		CHECK(stacks_read(target.pid, &options, &stacks) == 0);
		for (k = 0; k < stacks.count; k++)
			CHECK(stacks.list[k].quality == STACK_FULL && stacks.list[k].method == STACK_BLOCKED);
		stacks_clear(&stacks);
	}
	CHECK(!output_waiting(&target, 50));
	target_end(&target);
}

/* The same target does notice being stopped: else the test above would prove nothing. */
static void test_eintr_is_seen(const char *path)
{
	const char *arguments[] = { path, NULL };
	struct interrupt_job job = { 0 };
	struct process_threads threads;
	struct target target;
	struct map_table maps;
	char line[64] = "";

	if (target_start(&target, arguments) || !fgets(line, sizeof(line), target.out)) {
		CHECK(!"target starts");
		return;
	}
	threads_settle(target.pid);
	CHECK(process_threads_read(target.pid, &threads) == 0 && threads.count == 5);
	CHECK(maps_read(target.pid, &maps) == 0);
	job.tid = threads.list[1].tid;
	CHECK(interrupt_threads(&job, 1, &maps, 10000) == 0 && job.err == 0 && job.pause_ns > 0);
	memory_copy_clear(&job.copy);
	CHECK(output_waiting(&target, 10000));
	maps_clear(&maps);
	process_threads_clear(&threads);
	target_end(&target);
}

static void prober_run(int pid, const struct process_threads *threads)
{
	struct map_table maps;
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (maps_read(pid, &maps))
		_exit(1);
	for (;;)
		for (i = 0; i < threads->count; i++) {
			struct interrupt_job job = { .tid = threads->list[i].tid };

			interrupt_threads(&job, 1, &maps, 1000);
			memory_copy_clear(&job.copy);
		}
}

static int tracer_of(int pid, int tid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (file)
		fclose(file);
	return tracer;
}

static bool any_traced(int pid, const struct process_threads *threads)
{
	size_t i;

	for (i = 0; i < threads->count; i++)
		if (tracer_of(pid, threads->list[i].tid))
			return true;
	return false;
}

static bool any_stopped(int pid, const struct process_threads *threads)
{
	struct process_thread thread;
	size_t i;

	for (i = 0; i < threads->count; i++)
		if (process_thread_read(pid, threads->list[i].tid, &thread) || strchr("TtZX", thread.state))
			return true;
	return false;
}

static void test_killed_prober(const char *path)
{
	const char *arguments[] = { path, "6", "r", NULL };
	int kills = checks_rounds("CANNWATCH_TEST_KILLS", 200), while_traced = 0, stopped = 0, i;
	struct process_threads threads;
	struct target target;
	char line[64];

	if (target_start(&target, arguments) || !fgets(line, sizeof(line), target.out)) {
		CHECK(!"target starts");
		return;
	}
	CHECK(process_threads_read(target.pid, &threads) == 0 && threads.count == 7);
	/* on until enough of them fell into a stop, however the machine is loaded */
	for (i = 0; i < kills || (while_traced * 4 < kills && i < 10 * kills); i++) {
		pid_t prober = fork();

		if (prober == 0)
			prober_run(target.pid, &threads);
		if (prober < 0)
			break;
		usleep(1000 + rand() % 10000);
		while_traced += any_traced(target.pid, &threads);
		kill(prober, SIGKILL);
		waitpid(prober, NULL, 0);
		stopped += any_stopped(target.pid, &threads) || any_traced(target.pid, &threads);
	}
	printf("%d kills, %d seen while a thread was traced, %d left a thread stopped\n", i, while_traced, stopped);
	CHECK(i >= kills && stopped == 0 && while_traced * 4 >= kills);
	process_threads_clear(&threads);
	target_end(&target);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	test_no_eintr(argv[1], true);
	test_no_eintr(argv[1], false);
	test_eintr_is_seen(argv[1]);
	test_killed_prober(argv[2]);
	return checks_result();
}

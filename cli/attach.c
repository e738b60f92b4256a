// SPDX-License-Identifier: Apache-2.0
/*
 * cannwatch attach PID: why is this process stuck? Two samples, no stop. With
 * --from-shim it is the helper that libcannwatch.so starts when it finds something.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/live.h"
#include "analyzer/model/util.h"
#include "analyzer/render/render.h"
#include "analyzer/render/report_file.h"
#include "cli/command.h"

/* Asked by a user: seconds after which a task that does not finish is worth naming. */
#define ASKED_STALL_S 3.0
/* What has ended needs no long look, and its program may be about to end. */
#define RECOVERY_APART_MS 100

enum {
	KEY_FROM_SHIM = 256,
	KEY_RING_FD,
	KEY_REPORT_NUMBER,
	KEY_RECOVERED,
	KEY_RING,
	KEY_NO_STOP,
	KEY_ASK_RUNTIME,
};

struct arguments {
	int pid; /* 0 not given */
	bool json;
	bool from_shim;
	bool no_stop;
	bool ask_runtime;
	int ring_fd;
	const char *ring;
	unsigned int report_number;
	unsigned int recovered; /* 0: not asked */
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "the report as JSON (schema cannwatch.report/1)", 0 },
	{ "ring", KEY_RING, "FILE", 0, "the ring of a process that is gone, instead of a PID", 0 },
	{ "no-stop", KEY_NO_STOP, NULL, 0, "never stop a thread, not even for microseconds, to read its stack", 0 },
	{ "ask-runtime", KEY_ASK_RUNTIME, NULL, 0,
	  "send signal 35, on which the CANN runtime writes its event trace, if it has a handler for it", 0 },
	{ "from-shim", KEY_FROM_SHIM, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "ring-fd", KEY_RING_FD, "FD", OPTION_HIDDEN, NULL, 0 },
	{ "report-number", KEY_REPORT_NUMBER, "N", OPTION_HIDDEN, NULL, 0 },
	{ "recovered", KEY_RECOVERED, "N", OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

/* A whole number from low to INT_MAX, or an error of usage. */
static int number(struct argp_state *state, const char *text, const char *what, long low)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < low || value > INT_MAX)
		argp_error(state, "'%s' is not %s", text, what);
	return (int)value;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'j':
		arguments->json = true;
		return 0;
	case KEY_FROM_SHIM:
		arguments->from_shim = true;
		return 0;
	case KEY_NO_STOP:
		arguments->no_stop = true;
		return 0;
	case KEY_ASK_RUNTIME:
		arguments->ask_runtime = true;
		return 0;
	case KEY_RING_FD:
		arguments->ring_fd = number(state, argument, "a descriptor", 0);
		return 0;
	case KEY_RING:
		arguments->ring = argument;
		return 0;
	case KEY_REPORT_NUMBER:
		arguments->report_number = (unsigned int)number(state, argument, "a report number", 1);
		return 0;
	case KEY_RECOVERED:
		arguments->recovered = (unsigned int)number(state, argument, "a report number", 1);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->pid)
			argp_error(state, "one PID at a time");
		arguments->pid = number(state, argument, "a process id", 1);
		return 0;
	case ARGP_KEY_END:
		if (!arguments->pid && !arguments->ring)
			argp_error(state, "no PID");
		if (arguments->pid && arguments->ring)
			argp_error(state, "a PID or a ring, not both");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = parse,
	.args_doc = "PID\n--ring FILE",
	.doc = "Tells why a process is stuck, now.\v"
	       "Knows most of a process that runs with libcannwatch.so (LD_PRELOAD, or cannwatch run): nothing of "
	       "it is stopped. Of any other it reads the stacks, and what the CANN runtime remembers of its events; "
	       "a thread that runs stands still for well under a millisecond, unless --no-stop is given. Takes "
	       "0.3 s.\n\n"
	       "Examples:\n"
	       "  cannwatch attach 4242\n"
	       "  cannwatch attach --json $(pgrep -f train.py) | jq .verdicts[0].summary\n"
	       "  cannwatch attach --ring /dev/shm/cannwatch-0/4242-*.ring    (it was killed)\n\n"
	       "Exit status: 0 nothing stuck, 10 a hang or fault, 11 not decided, 1 could not look, 2 wrong "
	       "usage.",
};

/* What a user who asked about a process that is fine wants to know. */
static void put_calm(const struct model *model)
{
	size_t tasks = 0, inside = 0;

	for (size_t s = 0; s < model->stream_count; s++)
		tasks += model->streams[s].task_count;
	for (size_t i = 0; i < model->thread_count; i++)
		inside += model->threads[i].inside;
	printf("cannwatch: nothing is stuck in process %lld: %zu threads (%zu inside CANN), %zu streams, "
	       "%zu tasks not known to be finished\n",
	       (long long)model->pid, model->thread_count, inside, model->stream_count, tasks);
	for (size_t i = 0; i < model->thread_count; i++) {
		const struct model_thread *thread = &model->threads[i];

		if (thread->inside && thread->stable && thread->blocked_s >= 0)
			printf("  thread %lld %s is in %s for %.1f s\n", (long long)thread->tid,
			       thread->name ? thread->name : "", thread->api ? thread->api : "a call",
			       thread->blocked_s);
	}
}

static int answer(const struct report *report, bool json)
{
	struct render_options render;
	int status;

	if (json) {
		status = render_json(report, stdout);
	} else {
		render_options_for(&render, stdout);
		status = render_text(report, stdout, &render);
		if (!report->count)
			put_calm(report->model);
	}
	if (status || fflush(stdout)) {
		fprintf(stderr, "cannwatch attach: the report cannot be written: %s\n",
			strerror(status ? -status : errno));
		return EXIT_FAILED;
	}
	return report_exit_status(report);
}

/* In one piece: other ranks write to the same terminal. */
static void put_on_stderr(const struct report *report)
{
	int64_t rank = report->model->rank.global;
	char *prefix = rank == MODEL_UNKNOWN ? NULL : xasprintf("[rank %lld] ", (long long)rank);
	struct render_options render;
	char *bytes = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&bytes, &length);

	if (memory) {
		render_options_for(&render, stderr);
		render.prefix = prefix;
		render_text(report, memory, &render);
		fclose(memory);
		fwrite(bytes, 1, length, stderr);
		fflush(stderr);
		free(bytes);
	}
	free(prefix);
}

static void name_files(const struct arguments *arguments, unsigned int report_number, char *host, size_t size,
		       struct report_file *file)
{
	const char *directory = getenv("CANNWATCH_DIR");

	if (gethostname(host, size))
		strcpy(host, "unknown");
	host[size - 1] = '\0';
	file->directory = directory && *directory ? directory : NULL;
	file->host = host;
	file->pid = arguments->pid;
	file->number = report_number;
}

static int report_for_shim(const struct arguments *arguments, struct report *report)
{
	struct report_file file;
	char host[256];
	int status;

	name_files(arguments, arguments->report_number, host, sizeof(host), &file);
	report_file_drop_known(&file, report);
	if (!report->count)
		return EXIT_DONE;
	put_on_stderr(report);
	status = report_file_write(&file, report);
	if (status && arguments->report_number == 1) /* said once */
		fprintf(stderr, "cannwatch: no report file in %s: %s; CANNWATCH_DIR names another place\n",
			file.directory ? file.directory : "the current directory", strerror(-status));
	return report_exit_status(report);
}

static int recover(const struct arguments *arguments, const struct report *now)
{
	struct report_recovery recovery;
	struct report_file file;
	struct text line = { 0 };
	char host[256];

	name_files(arguments, arguments->recovered, host, sizeof(host), &file);
	report_file_recover(&file, now, &recovery); /* without the file the line is all there is */
	if (!recovery.already) {
		if (recovery.rank != MODEL_UNKNOWN)
			text_addf(&line, "[rank %lld] ", (long long)recovery.rank);
		text_add(&line, "cannwatch: recovered");
		if (recovery.after_s >= 0)
			text_addf(&line, " after %.1f s", recovery.after_s);
		if (recovery.summary)
			text_addf(&line, ": %s", recovery.summary);
		else
			text_addf(&line, ": the hang of report %u has ended", arguments->recovered);
		fprintf(stderr, "%s\n", line.bytes);
	}
	text_clear(&line);
	free(recovery.summary);
	return EXIT_DONE;
}

int command_attach(int argc, char **argv)
{
	struct arguments arguments = { .ring_fd = -1, .report_number = 1 };
	struct diagnose_options diagnose_options = { .stall_s = ASKED_STALL_S };
	struct live_request request;
	struct live_result result;
	struct report report;
	struct model model;
	char error[256];
	int status;

	argp_parse(&parser, argc, argv, 0, NULL, &arguments);
	request = (struct live_request){ .pid = arguments.pid,
					 .ring_fd = arguments.ring_fd,
					 .ring_path = arguments.ring,
					 .no_stop = arguments.no_stop,
					 .ask_runtime = arguments.ask_runtime,
					 .apart_ms = arguments.recovered ? RECOVERY_APART_MS : 0 };
	model_init(&model);
	if (live_observe(&request, &model, &result, error, sizeof(error))) {
		model_clear(&model);
		if (arguments.recovered) /* the program may be gone already */
			return recover(&arguments, NULL);
		fprintf(stderr, "cannwatch attach: %s\n", error);
		return EXIT_FAILED;
	}
	if (result.by_stacks) /* how long is not known; the user says that it hangs */
		diagnose_options.stall_s = 0;
	if (arguments.from_shim)
		diagnose_options.stall_s = result.stall_ms / 1000.0;
	report_init(&report, &model);
	diagnose_with(&model, &diagnose_options, diagnose_rules, diagnose_rule_count, &report);
	if (arguments.recovered)
		status = recover(&arguments, model.facts.live ? &report : NULL);
	else
		status = arguments.from_shim ? report_for_shim(&arguments, &report)
					     : answer(&report, arguments.json);
	report_clear(&report);
	model_clear(&model);
	return status;
}

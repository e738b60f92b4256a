// SPDX-License-Identifier: Apache-2.0
/* cannwatch logs PATH...: what the files that are left say. Reads only. */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/render/render.h"
#include "analyzer/sources/recognise.h"
#include "cli/command.h"

struct arguments {
	bool json;
	bool quiet;
	char **paths;
	size_t count;
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "the report as JSON (schema cannwatch.report/1)", 0 },
	{ "quiet", 'q', NULL, 0, "no progress on the terminal", 0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	(void)argument;
	switch (key) {
	case 'j':
		arguments->json = true;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case ARGP_KEY_ARGS:
		arguments->paths = state->argv + state->next;
		arguments->count = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no PATH; '-' is standard input");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = parse,
	.args_doc = "PATH...",
	.doc = "Tells from log files what went wrong first.\v"
	       "PATH is a file, a folder with everything below it, an archive or compressed file, or '-'. Known are\n"
	       "plog and device logs, exported device logs, schedule_tracer dumps, stack listings (asys, gdb, py-spy,\n"
	       "faulthandler) and what was on the screen; each is recognised by what is in it, not by its name.",
};

struct terminal {
	struct log_progress progress;
	struct timespec shown;
	bool drawn;
};

/* At most ten times a second, on a terminal only. */
static void show_progress(struct log_progress *progress, const char *name)
{
	struct terminal *terminal = (struct terminal *)progress;
	struct timespec now;

	(void)name;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_sec - terminal->shown.tv_sec) * 1000 + (now.tv_nsec - terminal->shown.tv_nsec) / 1000000 < 100)
		return;
	terminal->shown = now;
	terminal->drawn = true;
	fprintf(stderr, "\rreading: %llu files, %llu MB", (unsigned long long)progress->files,
		(unsigned long long)(progress->bytes >> 20));
}

static int show_report(const struct report *report, bool json)
{
	struct render_options render;
	int rc;

	if (json) {
		rc = render_json(report, stdout);
	} else {
		render_options_for(&render, stdout);
		rc = render_text(report, stdout, &render);
	}
	if (rc || fflush(stdout)) {
		fprintf(stderr, "cannwatch logs: the report cannot be written: %s\n", strerror(rc ? -rc : errno));
		return EXIT_FAILED;
	}
	return report_exit_status(report);
}

static void put_failure(const struct log_progress *progress, int rc)
{
	if (progress->first_error)
		fprintf(stderr, "cannwatch logs: nothing could be read: %s\n", progress->first_error);
	else if (rc == -ENODATA)
		fprintf(stderr, "cannwatch logs: nothing to read: no text in any of the files\n");
	else
		fprintf(stderr, "cannwatch logs: %s\n", strerror(-rc));
}

int command_logs(int argc, char **argv)
{
	struct arguments arguments = { .json = false };
	struct terminal terminal = { .drawn = false };
	struct report report;
	struct model model;
	int status = EXIT_FAILED, rc;

	argp_parse(&parser, argc, argv, 0, NULL, &arguments);
	if (!arguments.quiet && isatty(STDERR_FILENO))
		terminal.progress.file = show_progress;
	model_init(&model);
	rc = recognise_paths(&model, arguments.paths, arguments.count, &terminal.progress);
	if (terminal.drawn)
		fputs("\r\033[K", stderr);
	if (rc) {
		put_failure(&terminal.progress, rc);
		goto out;
	}
	if (terminal.progress.unreadable)
		fprintf(stderr, "cannwatch logs: %llu could not be read, the first: %s\n",
			(unsigned long long)terminal.progress.unreadable, terminal.progress.first_error);
	report_init(&report, &model);
	diagnose(&model, &report);
	if (!report.count && !arguments.json)
		printf("cannwatch: nothing wrong found in %llu file%s%s\n", (unsigned long long)terminal.progress.files,
		       terminal.progress.files == 1 ? "" : "s",
		       model.sources ? "" : "; no line in it tells of a fault or a wait in CANN: is it all there is?");
	status = show_report(&report, arguments.json);
	report_clear(&report);
out:
	free(terminal.progress.first_error);
	model_clear(&model);
	return status;
}

// SPDX-License-Identifier: Apache-2.0
/* cannwatch stacks PID: the native stacks of all threads. Parses options and prints. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "probe/stacks_render.h"

struct arguments {
	int pid;
	bool json;
	long repeat;
	long interval_ms;
	struct stacks_options options;
};

enum { KEY_NO_STOP = 256, KEY_JSON, KEY_REPEAT, KEY_INTERVAL, KEY_NO_LINES };

static const struct argp_option options[] = {
	{ "no-stop", KEY_NO_STOP, NULL, 0, "never stop a thread, not even for microseconds", 0 },
	{ "no-lines", KEY_NO_LINES, NULL, 0, "names only, no source lines", 0 },
	{ "json", KEY_JSON, NULL, 0, "one JSON object per sample (schema cannwatch.stacks/1)", 0 },
	{ "repeat", KEY_REPEAT, "N", 0, "take N samples (default 1)", 0 },
	{ "interval", KEY_INTERVAL, "MS", 0, "milliseconds between samples (default 1000)", 0 },
	{ 0 },
};

static long number_or_fail(const char *text, long low, long high, const char *what, struct argp_state *state)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < low || value > high)
		argp_error(state, "%s must be a number from %ld to %ld, not '%s'", what, low, high, text);
	return value;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case KEY_NO_STOP:
		arguments->options.no_stop = true;
		return 0;
	case KEY_NO_LINES:
		arguments->options.no_lines = true;
		return 0;
	case KEY_JSON:
		arguments->json = true;
		return 0;
	case KEY_REPEAT:
		arguments->repeat = number_or_fail(text, 1, 1000000, "N", state);
		return 0;
	case KEY_INTERVAL:
		arguments->interval_ms = number_or_fail(text, 0, 86400000, "MS", state);
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->pid)
			argp_usage(state);
		arguments->pid = (int)number_or_fail(text, 1, 0x7fffffff, "PID", state);
		return 0;
	case ARGP_KEY_END:
		if (!arguments->pid)
			argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *failure_text(int err)
{
	switch (err) {
	case -ESRCH:
		return "no such process here (ended, a zombie, or in another pid namespace: use the host's pid)";
	case -EACCES:
		return "not allowed: run as the same user or as root; in a container start it with --cap-add=SYS_PTRACE";
	case -ENOTSUP:
		return "it is a 32-bit process; only 64-bit ones can be read";
	default:
		return strerror(-err);
	}
}

static int put_json(const struct stacks *stacks, const struct stacks *previous)
{
	json_t *object = stacks_render_json(stacks, previous);

	if (!object)
		return -ENOMEM;
	json_dumpf(object, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(object);
	return 0;
}

static int put_sample(const struct arguments *arguments, const struct stacks *stacks, const struct stacks *previous)
{
	int err = 0;

	if (arguments->json)
		err = put_json(stacks, previous);
	else
		stacks_render_text(stacks, previous, stdout);
	if (fflush(stdout) && !err)
		err = -EIO;
	return err;
}

static int put_samples(const struct arguments *arguments)
{
	struct timespec pause = { .tv_sec = arguments->interval_ms / 1000,
				  .tv_nsec = arguments->interval_ms % 1000 * 1000000 };
	struct stacks samples[2];
	bool have_previous = false;
	int err = 0;
	long i;

	for (i = 0; i < arguments->repeat && !err; i++) {
		struct stacks *now = &samples[i & 1], *previous = &samples[(i & 1) ^ 1];

		if (i)
			nanosleep(&pause, NULL);
		err = stacks_read(arguments->pid, &arguments->options, now);
		if (!err)
			err = put_sample(arguments, now, have_previous ? previous : NULL);
		if (have_previous)
			stacks_clear(previous);
		have_previous = !err;
		if (err)
			break;
	}
	if (have_previous)
		stacks_clear(&samples[(i - 1) & 1]);
	return err;
}

int command_stacks(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "PID",
		"Prints the native stack of every thread of a process, without stopping a thread that can be read "
		"while it sleeps. Others stand for well under a millisecond, one at a time.",
		NULL, NULL, NULL,
	};
	struct arguments arguments = { .repeat = 1, .interval_ms = 1000 };
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	err = put_samples(&arguments);
	if (!err)
		return EXIT_DONE;
	fprintf(stderr, "cannwatch stacks: %d: %s\n", arguments.pid, failure_text(err));
	return EXIT_FAILED;
}

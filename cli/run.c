// SPDX-License-Identifier: Apache-2.0
/*
 * cannwatch run -- PROGRAM: starts a program with libcannwatch.so. It becomes the
 * program (exec), so that status, signals and terminal are the program's own.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/model/util.h"
#include "cli/command.h"

#define LIBRARY "libcannwatch.so"

enum {
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

struct arguments {
	char **program;
};

static const struct argp_option options[] = {
	{ "stall", 's', "SECONDS", 0, "how long a task may take before it counts as stuck (15)", 0 },
	{ "dir", 'd', "DIR", 0, "where report files go (the program's current directory)", 0 },
	{ "helper", 'H', "PATH", 0, "the cannwatch that makes the reports (this one)", 0 },
	{ 0 },
};

/* Options are nothing but environment variables with a name that is easier to remember. */
static void set(const char *variable, const char *value)
{
	if (setenv(variable, value, 1)) {
		fprintf(stderr, "cannwatch run: %s: %s\n", variable, strerror(errno));
		exit(EXIT_FAILED);
	}
}

static void set_stall(struct argp_state *state, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0 && seconds <= 1e6))
		argp_error(state, "'%s' is not a number of seconds", text);
	set("CANNWATCH_STALL", text);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 's':
		set_stall(state, argument);
		return 0;
	case 'd':
		set("CANNWATCH_DIR", argument);
		return 0;
	case 'H':
		set("CANNWATCH_HELPER", argument);
		return 0;
	case ARGP_KEY_ARG: /* the program; what follows is its own */
		arguments->program = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (!arguments->program)
			argp_error(state, "no program");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = parse,
	.args_doc = "[--] PROGRAM [ARGUMENT...]",
	.doc = "Runs a program so that it is followed and speaks up when it hangs.\v"
	       "The same as LD_PRELOAD=" LIBRARY
	       " PROGRAM, with the library that belongs to this command.\n\n"
	       "Examples:\n"
	       "  cannwatch run -- python3 train.py\n"
	       "  cannwatch run --stall 60 --dir /var/log/hangs -- ./train --epochs 3\n\n"
	       "Exit status: the program's own; 127 not found, 126 not executable, 1 no library, 2 wrong "
	       "usage.",
};

/* The library of this build or installation: beside the command's folder. Owned by the caller, NULL none. */
static char *find_library(const char *self)
{
	static const char *const places[] = {
		"../preload/" LIBRARY,
		"../" CANNWATCH_LIBDIR "/" LIBRARY,
		"../lib/" LIBRARY,
		"../lib64/" LIBRARY,
	};
	const char *slash = strrchr(self, '/');

	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		char *path = xasprintf("%.*s/%s", (int)(slash - self), self, places[i]);
		char *real = realpath(path, NULL);

		free(path);
		if (real)
			return real;
	}
	return NULL;
}

/* Sanitizers insist on being the first library of all. */
static bool is_sanitizer(const char *path, size_t length)
{
	static const char *const names[] = { "libasan", "libtsan", "libubsan", "liblsan", "libclang_rt." };
	const char *name = path;

	for (size_t i = 0; i < length; i++)
		if (path[i] == '/')
			name = path + i + 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Before what is there already, but behind a sanitizer. */
static void preload(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	size_t first;
	char *list;

	if (!old || !*old) {
		set("LD_PRELOAD", library);
		return;
	}
	first = strcspn(old, ": ");
	if (is_sanitizer(old, first))
		list = xasprintf("%.*s:%s%s%s", (int)first, old, library, old[first] ? ":" : "",
				 old[first] ? old + first + 1 : "");
	else
		list = xasprintf("%s:%s", library, old);
	set("LD_PRELOAD", list);
	free(list);
}

static int run_program(char **program)
{
	int error;

	execvp(program[0], program);
	error = errno;
	fprintf(stderr, "cannwatch run: %s: %s\n", program[0], strerror(error));
	return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

int command_run(int argc, char **argv)
{
	struct arguments arguments = { NULL };
	char self[PATH_MAX];
	char *library;
	ssize_t length;

	argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &arguments);
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[length > 0 ? length : 0] = '\0';
	library = find_library(self);
	if (!library) {
		fprintf(stderr, "cannwatch run: %s is not where it belongs, beside %s\n", LIBRARY, self);
		return EXIT_FAILED;
	}
	if (strpbrk(library, ": ")) { /* the loader would take it for two */
		fprintf(stderr, "cannwatch run: %s: no blank or colon may be in the path\n", library);
		return EXIT_FAILED;
	}
	if (!getenv("CANNWATCH_HELPER"))
		set("CANNWATCH_HELPER", self);
	preload(library);
	free(library);
	return run_program(arguments.program);
}

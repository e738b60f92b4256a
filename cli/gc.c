// SPDX-License-Identifier: Apache-2.0
/* cannwatch gc: removes the rings that dead processes left. Parses options and prints. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "shm/ring_sweep.h"

enum { KEY_ALL = 'a', KEY_DRY = 'n' };

static const struct argp_option options[] = {
	{ "all", KEY_ALL, NULL, 0, "the rings of every user, not only your own", 0 },
	{ "dry-run", KEY_DRY, NULL, 0, "remove nothing, say what would be", 0 },
	{ 0 },
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct ring_sweep_options *sweep = state->input;

	switch (key) {
	case KEY_ALL:
		sweep->everybody = true;
		return 0;
	case KEY_DRY:
		sweep->dry = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "takes no argument, not '%s'", text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.options = options,
	.parser = parse,
	.doc = "Removes the shared-memory files of processes that are gone.\v"
	       "A process that crashed or was killed leaves its ring, so that it can still be read "
	       "(cannwatch attach --ring FILE). Only rings of this pid namespace are removed: of others it cannot be "
	       "told whether their process lives.\n\n"
	       "Exit status: 0 done, 1 could not look, 2 wrong usage.",
};

static void put_path(void *context, const char *path, int pid)
{
	const struct ring_sweep_options *sweep = context;

	printf("%s %s (process %d is gone)\n", sweep->dry ? "would remove" : "removed", path, pid);
}

int command_gc(int argc, char **argv)
{
	struct ring_sweep_options sweep = { .told = put_path, .context = &sweep };
	struct ring_sweep_result result;
	int status;

	argp_parse(&parser, argc, argv, 0, NULL, &sweep);
	status = ring_sweep(&sweep, &result);
	if (status && status != -ENOENT) {
		fprintf(stderr, "cannwatch gc: cannot look for rings: %s\n", strerror(-status));
		return EXIT_FAILED;
	}
	printf("%zu removed (%llu KiB), %zu in use, %zu of other pid namespaces, %zu not readable\n", result.removed,
	       (unsigned long long)(result.bytes / 1024), result.living, result.elsewhere, result.unread);
	return EXIT_DONE;
}

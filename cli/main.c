// SPDX-License-Identifier: Apache-2.0
/* cannwatch: finds the sub-command and hands over. No logic of its own. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"
#include "cli/command.h"

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "attach", "why a process is stuck now", command_attach },
	{ "run", "start a program that is followed and speaks up when it hangs", command_run },
	{ "explain", "what an error code or a verdict's class means, and what to do", command_explain },
	{ "logs", "the first cause, from log files, stack listings or a pasted screen", command_logs },
	{ "stacks", "the native stack of every thread of a process, without stopping what sleeps", command_stacks },
	{ "gc", "remove the shared-memory files that dead processes left", command_gc },
	{ "doctor", "what this machine and user allow, and what would help", command_doctor },
	{ NULL, NULL, NULL },
};

const char *argp_program_version = "cannwatch " CANNWATCH_VERSION;
error_t argp_err_exit_status = EXIT_USAGE;

static void put_help(FILE *out)
{
	fputs("Usage: cannwatch COMMAND [OPTION...] [ARGUMENT...]\n"
	      "Tells why a program on an Ascend NPU hangs, while it hangs.\n\nCommands:\n",
	      out);
	for (const struct command *command = commands; command->name; command++)
		fprintf(out, "  %-10s %s\n", command->name, command->summary);
	fputs("  version    the version of cannwatch\n"
	      "  help       this text, or help for a command\n\n"
	      "Examples:\n"
	      "  LD_PRELOAD=libcannwatch.so ./train    follow a program from its start; it speaks up by itself\n"
	      "  cannwatch attach 4242                 ask about a process that is stuck now\n"
	      "  cannwatch logs ~/ascend/log           only the log files are left\n\n"
	      "Exit status of analysing commands: 0 nothing wrong found, 10 a hang or fault, 11 only misuse,\n"
	      "slow or not decided, 1 could not do the work, 2 wrong usage.\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (strcmp(command->name, name) == 0)
			return command;
	return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	argv[0] = xasprintf("cannwatch %s", command->name);
	return command->run(argc, argv);
}

static int help(int argc, char **argv)
{
	static char help_option[] = "--help";
	char *arguments[] = { NULL, help_option, NULL };
	const struct command *command;

	if (argc < 2) {
		put_help(stdout);
		return EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command) {
		fprintf(stderr, "cannwatch: no command '%s'; 'cannwatch help' lists them\n", argv[1]);
		return EXIT_USAGE;
	}
	return run_command(command, 2, arguments);
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		put_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		put_help(stdout);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0) {
		if (argc > 2) {
			fprintf(stderr, "cannwatch: 'version' takes no arguments\n");
			return EXIT_USAGE;
		}
		printf("%s\n", argp_program_version);
		return EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command) {
		fprintf(stderr, "cannwatch: no command '%s'; 'cannwatch help' lists them\n", argv[1]);
		return EXIT_USAGE;
	}
	return run_command(command, argc - 1, argv + 1);
}

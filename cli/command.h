// SPDX-License-Identifier: Apache-2.0
/*
 * The sub-commands: one file each, table in main.c. A command parses its own
 * arguments (argv[0] is "cannwatch NAME") and returns the exit status of the
 * process: 0, 10, 11 as analysing commands define it, 1 could not do its work,
 * 2 wrong usage.
 */
#ifndef CANNWATCH_CLI_COMMAND_H
#define CANNWATCH_CLI_COMMAND_H

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
};

int command_attach(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_gc(int argc, char **argv);
int command_logs(int argc, char **argv);
int command_run(int argc, char **argv);
int command_stacks(int argc, char **argv);

#endif

// SPDX-License-Identifier: Apache-2.0
/* cannwatch doctor [PID]: what can be done here, and what would help. Parses options and prints. */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "probe/doctor.h"

struct arguments {
	int pid;
	bool json;
};

enum { KEY_JSON = 256 };

static const struct argp_option options[] = {
	{ "json", KEY_JSON, NULL, 0, "as JSON (schema cannwatch.doctor/1)", 0 },
	{ 0 },
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	char *end;
	long pid;

	switch (key) {
	case KEY_JSON:
		arguments->json = true;
		return 0;
	case ARGP_KEY_ARG:
		pid = strtol(text, &end, 10);
		if (arguments->pid || end == text || *end || pid < 1 || pid > 0x7fffffff)
			argp_error(state, "PID must be one positive number, not '%s'", text);
		arguments->pid = (int)pid;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void put_text(const struct doctor_check *checks, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		printf("%-8s %-20s %s\n", doctor_state_name(checks[i].state), checks[i].name, checks[i].found);
		if (checks[i].remedy[0])
			printf("%-8s %-20s -> %s\n", "", "", checks[i].remedy);
	}
}

static void put_json(int pid, const struct doctor_check *checks, size_t count)
{
	json_t *object = json_object(), *list = json_array();
	size_t i;

	for (i = 0; i < count; i++) {
		json_t *item = json_object();

		json_object_set_new(item, "name", json_string(checks[i].name));
		json_object_set_new(item, "state", json_string(doctor_state_name(checks[i].state)));
		json_object_set_new(item, "found", json_string(checks[i].found));
		if (checks[i].remedy[0])
			json_object_set_new(item, "remedy", json_string(checks[i].remedy));
		json_array_append_new(list, item);
	}
	json_object_set_new(object, "schema", json_string("cannwatch.doctor/1"));
	if (pid)
		json_object_set_new(object, "pid", json_integer(pid));
	json_object_set_new(object, "checks", list);
	json_dumpf(object, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(object);
}

int command_doctor(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "[PID]",
		"Tells what this machine, this user and, with PID, this process allow, and what would help. "
		"Exit status 0 if stacks and reports can be had, 1 if not.",
		NULL, NULL, NULL,
	};
	struct doctor_check checks[DOCTOR_MAX_CHECKS];
	struct arguments arguments = { 0 };
	size_t count, i;
	int err, result = EXIT_DONE;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	err = doctor_examine(arguments.pid, checks, &count);
	if (err) {
		fprintf(stderr, "cannwatch doctor: %d: %s\n", arguments.pid,
			err == -ESRCH ? "no such process here (in another pid namespace? use the host's pid)" : strerror(-err));
		return EXIT_FAILED;
	}
	if (arguments.json)
		put_json(arguments.pid, checks, count);
	else
		put_text(checks, count);
	for (i = 0; i < count; i++)
		if (checks[i].state == DOCTOR_BAD)
			result = EXIT_FAILED;
	return result;
}

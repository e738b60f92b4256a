// SPDX-License-Identifier: Apache-2.0
/* cannwatch explain CODE|CLASS: what a code or a class of verdicts means. Reads nothing. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/codes/error_code.h"
#include "analyzer/model/verdict.h"
#include "cli/command.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
	char ***names = state->input;

	(void)argument;
	switch (key) {
	case ARGP_KEY_ARGS:
		*names = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no CODE or CLASS");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp parser = {
	.parser = parse,
	.args_doc = "CODE|CLASS...",
	.doc = "Tells what an error code (507046, 0x7BC86, EI0006) or a class of verdicts (wait-cycle) means.\v"
	       "\"classes\" lists all classes, \"codes\" all codes.",
};

static void put_class(enum verdict_class class)
{
	printf("%s (%s): %s\n", verdict_class_name(class), verdict_kind_name(verdict_class_kind(class)),
	       verdict_class_meaning(class));
}

static void put_code(const struct error_code *code)
{
	printf("%s", code->code);
	if (code->name)
		printf(" %s", code->name);
	printf(": %s\n  what to do: %s\n", code->meaning, code->remedy);
	if (code->class != CLASS_COUNT)
		printf("  alone it gives the verdict %s\n", verdict_class_name(code->class));
}

static int list(const char *what)
{
	if (!strcmp(what, "classes"))
		for (int class = 0; class < CLASS_COUNT; class++)
			put_class((enum verdict_class)class);
	else
		for (size_t i = 0; i < error_code_count; i++)
			printf("%s %s: %s\n", error_codes[i].code, error_codes[i].name ? error_codes[i].name : "",
			       error_codes[i].meaning);
	return EXIT_DONE;
}

/* Upper case, and hexadecimal numbers as decimal ones. */
static const struct error_code *find_code(const char *name)
{
	char code[32];
	size_t length = strlen(name);

	if (length >= sizeof(code))
		return NULL;
	for (size_t i = 0; i <= length; i++)
		code[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 32) : name[i];
	if (code[0] == '0' && code[1] == 'X')
		return error_code_find_number((int64_t)strtoll(name, NULL, 16));
	return error_code_find(code);
}

static int explain(const char *name)
{
	const struct error_code *code = find_code(name);
	enum verdict_class class = verdict_class_find(name);

	if (class != CLASS_COUNT) {
		put_class(class);
		return EXIT_DONE;
	}
	if (code) {
		put_code(code);
		return EXIT_DONE;
	}
	if (strlen(name) == 6 && (name[0] == 'E' || name[0] == 'e') && name[2] == '9') {
		printf("%s: an internal code. It says only that something else failed: the first error before it counts.\n", name);
		return EXIT_DONE;
	}
	fprintf(stderr, "cannwatch explain: neither a code nor a class that is known here: '%s'\n", name);
	return EXIT_FAILED;
}

int command_explain(int argc, char **argv)
{
	char **names = NULL;
	int status = EXIT_DONE;

	argp_parse(&parser, argc, argv, 0, NULL, &names);
	for (; names && *names; names++) {
		int one = !strcmp(*names, "classes") || !strcmp(*names, "codes") ? list(*names) : explain(*names);

		if (one != EXIT_DONE)
			status = one;
	}
	return status;
}

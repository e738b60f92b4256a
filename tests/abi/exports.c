// SPDX-License-Identifier: Apache-2.0
/*
 * Compares what libascendcl.so exports with the API table: every acl function
 * of a 9.1 toolkit is there, none that came later is (with MASTER_DEF: those
 * are there too); those that are not modelled answer 207000.
 * usage: exports LIBRARY API_TABLE REST_DEF [MASTER_DEF]
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 9, LINE = 4096, MAX_REST = 512, NAME = 96, NOT_SUPPORTED = 207000 };

static char rest[MAX_REST][NAME];
static char rest_kind[MAX_REST][NAME];
static int rest_count;

static int read_rest(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[LINE];

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file) && rest_count < MAX_REST)
		if (sscanf(line, "MASTER_REST(%95[^)])", rest[rest_count]) == 1)
			strcpy(rest_kind[rest_count++], "");
		else if (sscanf(line, "REST%90[A-Z_](%95[^)])", rest_kind[rest_count], rest[rest_count]) == 2)
			rest_count++;
		else if (sscanf(line, "REST(%95[^)])", rest[rest_count]) == 1)
			strcpy(rest_kind[rest_count++], "");
	fclose(file);
	return 0;
}

static int rest_find(const char *name)
{
	for (int i = 0; i < rest_count; i++)
		if (strcmp(rest[i], name) == 0)
			return i;
	return -1;
}

static int split(char *line, char **columns)
{
	int n = 0;

	line[strcspn(line, "\n")] = '\0';
	while (line && n < COLUMNS) {
		columns[n++] = line;
		line = strchr(line, '\t');
		if (line)
			*line++ = '\0';
	}
	return n;
}

static bool answers_not_supported(void *address)
{
	int (*function)(void);

	memcpy(&function, &address, sizeof(function));
	return function() == NOT_SUPPORTED;
}

struct counts {
	int modelled, with_role, unsupported, role_unsupported, absent, wrong;
};

static void check_row(void *library, char **column, bool master, struct counts *n)
{
	const char *name = column[2], *since = column[8];
	bool later = !master && (strcmp(since, "9.2") == 0 || strcmp(since, "mid-2026") == 0);
	bool role = strcmp(column[1], "-") != 0;
	void *address = dlsym(library, name);
	int at = rest_find(name);

	if (later != (address == NULL)) {
		printf("%s (since %s) is %s\n", name, since, address ? "there" : "missing");
		n->wrong++;
	} else if (later) {
		n->absent++;
	} else if (at < 0) {
		n->modelled++;
		n->with_role += role;
	} else {
		n->unsupported++;
		n->role_unsupported += role;
		if (rest_kind[at][0] == '\0' && !answers_not_supported(address)) {
			printf("%s does not answer %d\n", name, NOT_SUPPORTED);
			n->wrong++;
		}
	}
}

int main(int argc, char **argv)
{
	struct counts n = { 0 };
	char line[LINE];
	char *column[COLUMNS];
	void *library;
	FILE *table;

	if (argc < 4 || argc > 5 || read_rest(argv[3]) != 0 || (argc == 5 && read_rest(argv[4]) != 0))
		return 2;
	library = dlopen(argv[1], RTLD_NOW);
	table = fopen(argv[2], "re");
	if (!library || !table)
		return 2;
	while (fgets(line, sizeof(line), table))
		if (split(line, column) == COLUMNS && strcmp(column[0], "acl") == 0)
			check_row(library, column, argc == 5, &n);
	fclose(table);
	printf("modelled=%d (with a role %d) unsupported=%d (with a role %d) absent=%d wrong=%d\n",
	       n.modelled, n.with_role, n.unsupported, n.role_unsupported, n.absent, n.wrong);
	return n.wrong || n.modelled == 0 || (n.absent == 0) != (argc == 5) ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * How many rt rows with a role libruntime.so exports, and that none it exports
 * came after the version it answers like. usage: rt LIBRARY API_TABLE LEAST
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, INVALID_HANDLE = 107017 };

int main(int argc, char **argv)
{
	char line[LINE], role[64], name[96];
	int there = 0, rows = 0;
	int (*destroy)(void *);
	void *library, *address;
	FILE *table;

	if (argc != 4)
		return 2;
	library = dlopen(argv[1], RTLD_NOW);
	table = fopen(argv[2], "re");
	if (!library || !table)
		return 2;
	while (fgets(line, sizeof(line), table)) {
		if (sscanf(line, "rt\t%63[^\t]\t%95[^\t]", role, name) != 2)
			continue;
		rows++;
		there += dlsym(library, name) != NULL;
		if (dlsym(library, name) && strstr(line, "\t9.2\n")) {
			printf("%s came later\n", name);
			return 1;
		}
	}
	fclose(table);
	printf("rt rows=%d exported=%d\n", rows, there);
	/* one of the further names does what the usual one does: no such event */
	address = dlsym(library, "rtsEventDestroy");
	if (!address)
		return 1;
	memcpy(&destroy, &address, sizeof(destroy));
	return there >= atoi(argv[3]) && destroy(&rows) == INVALID_HANDLE ? 0 : 1;
}

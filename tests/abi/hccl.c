// SPDX-License-Identifier: Apache-2.0
/* Every hccl row of the API table is exported; HcclBarrier answers that it is not supported. usage: hccl LIBRARY API_TABLE */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 4096, NOT_SUPPORTED = 5 };

int main(int argc, char **argv)
{
	char line[LINE], name[96], result[64];
	int found = 0, missing = 0;
	int (*barrier)(void *, void *);
	void *library, *address;
	FILE *table;

	if (argc != 3)
		return 2;
	library = dlopen(argv[1], RTLD_NOW);
	table = fopen(argv[2], "re");
	if (!library || !table) {
		fprintf(stderr, "%s\n", library ? argv[2] : dlerror());
		return 2;
	}
	while (fgets(line, sizeof(line), table)) {
		if (sscanf(line, "hccl\t%*s\t%95[^\t]\t%63[^\t]", name, result) != 2)
			continue;
		found++;
		if (dlsym(library, name))
			continue;
		printf("%s is missing\n", name);
		missing++;
	}
	fclose(table);
	printf("found=%d missing=%d\n", found - missing, missing);
	address = dlsym(library, "HcclBarrier");
	if (!address || missing || found == 0)
		return 1;
	memcpy(&barrier, &address, sizeof(barrier));
	return barrier(NULL, NULL) == NOT_SUPPORTED ? 0 : 1;
}

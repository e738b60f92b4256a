// SPDX-License-Identifier: Apache-2.0
/*
 * The usual way with libunwind, for comparison: stop every thread by ptrace, walk
 * all stacks while they stand (with names, or without: stacks_peer PID bare), let
 * them go.
 */
#include <dirent.h>
#include <libunwind-ptrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static void walk(unw_addr_space_t space, int tid, int bare)
{
	void *info = _UPT_create(tid);
	unw_cursor_t cursor;

	if (!info)
		return;
	printf("thread %d\n", tid);
	if (!unw_init_remote(&cursor, space, info)) {
		do {
			unw_word_t pc = 0, offset = 0;
			char name[256] = "??";

			unw_get_reg(&cursor, UNW_REG_IP, &pc);
			if (!bare)
				unw_get_proc_name(&cursor, name, sizeof(name), &offset);
			printf("  %lx %s+0x%lx\n", (unsigned long)pc, name, (unsigned long)offset);
		} while (unw_step(&cursor) > 0);
	}
	_UPT_destroy(info);
}

int main(int argc, char **argv)
{
	unw_addr_space_t space = unw_create_addr_space(&_UPT_accessors, 0);
	int tids[4096], count = 0, i;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", argc > 1 ? atoi(argv[1]) : 0);
	dir = opendir(path);
	if (!dir)
		return 1;
	unw_set_caching_policy(space, UNW_CACHE_GLOBAL);
	while (count < 4096 && (entry = readdir(dir)))
		if (atoi(entry->d_name) && !ptrace(PTRACE_SEIZE, atoi(entry->d_name), NULL, NULL))
			tids[count++] = atoi(entry->d_name);
	for (i = 0; i < count; i++)
		ptrace(PTRACE_INTERRUPT, tids[i], NULL, NULL);
	for (i = 0; i < count; i++)
		waitpid(tids[i], NULL, __WALL);
	for (i = 0; i < count; i++)
		walk(space, tids[i], argc > 2);
	for (i = 0; i < count; i++)
		ptrace(PTRACE_DETACH, tids[i], NULL, NULL);
	return 0;
}

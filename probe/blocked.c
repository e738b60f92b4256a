// SPDX-License-Identifier: Apache-2.0
/* Sleeping threads, not stopped (blocked.h). Uses libc. */
#include "probe/blocked.h"
#include "probe/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_COPY 4096
#define NEXT_COPY  (64u << 10)
#define TRIES	   3

int blocked_parse_syscall(const char *text, long *number, uint64_t *sp, uint64_t *pc)
{
	uint64_t field[8];
	char *end;
	int count, i;

	if (!strncmp(text, "running", 7))
		return -EBUSY;
	*number = strtol(text, &end, 10);
	if (end == text)
		return -EINVAL;
	count = *number == -1 ? 2 : 8; /* the arguments come first, inside a system call */
	for (i = 0; i < count; i++) {
		text = end;
		field[i] = strtoull(text, &end, 16);
		if (end == text)
			return -EINVAL;
	}
	*sp = field[count - 2];
	*pc = field[count - 1];
	return 0;
}

static int switches_read(const struct blocked_thread *blocked, uint64_t *switches)
{
	struct process_thread thread = { 0 };
	char name[64], text[128];
	int err;

	snprintf(name, sizeof(name), "%d/schedstat", blocked->tid);
	err = procfs_read_at(blocked->task_dir, name, text, sizeof(text));
	if (err < 0)
		return err;
	err = process_parse_schedstat(text, &thread);
	if (err || !thread.schedstat_known)
		return -ENODATA;
	*switches = thread.switches_in;
	return 0;
}

static int witness_check(const struct blocked_thread *blocked)
{
	uint64_t switches;
	int err = switches_read(blocked, &switches);

	if (err)
		return err;
	return switches == blocked->switches_in ? 0 : -EBUSY;
}

static int copy_piece(struct blocked_thread *blocked, uint64_t address, size_t size)
{
	const struct map *map = maps_find(blocked->maps, address);

	/* a stack that grew after maps was read is in no mapping that we know: try a little */
	if (!map)
		size = size < FIRST_COPY ? size : FIRST_COPY;
	else if (map->kind == MAP_DEVICE || !map->readable)
		return -EFAULT;
	else if (map->end - address < size)
		size = map->end - address;
	return memory_copy_add(&blocked->copy, blocked->tid, address, size);
}

static int copy_more(struct memory_copy *copy, uint64_t address, void *context)
{
	struct blocked_thread *blocked = context;
	int err = copy_piece(blocked, address & ~(uint64_t)7, NEXT_COPY);

	return err ? err : witness_check(blocked);
}

static int read_once(struct blocked_thread *blocked)
{
	char name[64], text[256];
	uint64_t sp, pc;
	int err;

	snprintf(name, sizeof(name), "%d/syscall", blocked->tid);
	err = procfs_read_at(blocked->task_dir, name, text, sizeof(text));
	if (err < 0)
		return err;
	err = blocked_parse_syscall(text, &blocked->syscall, &sp, &pc);
	if (err)
		return err;
	arch_set(&blocked->registers, ARCH_SP, sp);
	arch_set(&blocked->registers, ARCH_PC, pc);
	err = copy_piece(blocked, sp, FIRST_COPY);
	return err ? err : witness_check(blocked);
}

int blocked_read(int task_dir, const struct process_thread *thread, const struct map_table *maps,
		 struct blocked_thread *blocked)
{
	int err = -EBUSY, i;

	memset(blocked, 0, sizeof(*blocked));
	blocked->task_dir = task_dir;
	blocked->tid = thread->tid;
	blocked->maps = maps;
	blocked->syscall = -1;
	if (!thread->schedstat_known)
		return -ENODATA;
	blocked->switches_in = thread->switches_in;
	for (i = 0; i < TRIES && err == -EBUSY; i++) {
		memory_copy_clear(&blocked->copy);
		err = i ? switches_read(blocked, &blocked->switches_in) : 0;
		if (!err)
			err = read_once(blocked);
	}
	if (err) {
		memory_copy_clear(&blocked->copy);
		return err;
	}
	blocked->copy.more = copy_more;
	blocked->copy.context = blocked;
	return 0;
}

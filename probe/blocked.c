// SPDX-License-Identifier: Apache-2.0
/* Sleeping threads, not stopped (blocked.h). Uses libc. */
#include "probe/blocked.h"
#include "probe/process.h"
#include "probe/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_COPY 16384
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
	char text[128];
	ssize_t got;
	int err;

	got = pread(blocked->schedstat, text, sizeof(text) - 1, 0);
	if (got <= 0)
		return got ? procfs_error(errno) : -ESRCH;
	text[got] = '\0';
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

static int read_once(int task_dir, struct blocked_thread *blocked)
{
	char name[64], text[256];
	uint64_t sp, pc;
	int err;

	snprintf(name, sizeof(name), "%d/syscall", blocked->tid);
	err = procfs_read_at(task_dir, name, text, sizeof(text));
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

void blocked_clear(struct blocked_thread *blocked)
{
	memory_copy_clear(&blocked->copy);
	if (blocked->schedstat >= 0)
		close(blocked->schedstat);
	blocked->schedstat = -1;
}

int blocked_read(int task_dir, int tid, const struct map_table *maps, struct blocked_thread *blocked)
{
	char name[64];
	int err = -EBUSY, i;

	memset(blocked, 0, sizeof(*blocked));
	blocked->tid = tid;
	blocked->maps = maps;
	blocked->syscall = -1;
	snprintf(name, sizeof(name), "%d/schedstat", tid);
	blocked->schedstat = openat(task_dir, name, O_RDONLY | O_CLOEXEC);
	if (blocked->schedstat < 0)
		return procfs_error(errno);
	for (i = 0; i < TRIES && err == -EBUSY; i++) {
		memory_copy_clear(&blocked->copy);
		err = switches_read(blocked, &blocked->switches_in);
		if (!err)
			err = read_once(task_dir, blocked);
	}
	if (err) {
		blocked_clear(blocked);
		return err;
	}
	blocked->copy.more = copy_more;
	blocked->copy.context = blocked;
	return 0;
}

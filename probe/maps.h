// SPDX-License-Identifier: Apache-2.0
/*
 * The memory map of a process, from /proc/PID/maps. Uses libc and probe/procfs.h.
 */
#ifndef CANNWATCH_PROBE_MAPS_H
#define CANNWATCH_PROBE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum map_kind {
	MAP_ANONYMOUS_MEMORY, /* no name */
	MAP_FILE,	      /* a file, "/dev/shm/..." and memfds included */
	MAP_DEVICE,	      /* below /dev other than /dev/shm, /dev/zero: never to be read */
	MAP_HEAP,	      /* [heap] */
	MAP_STACK,	      /* [stack] */
	MAP_VDSO,	      /* [vdso] */
	MAP_SPECIAL,	      /* any other name in brackets, "anon_inode:..." */
};

struct map {
	uint64_t start, end; /* start < end */
	uint64_t offset;     /* in the file, bytes */
	uint64_t inode;	     /* 0 none */
	uint32_t device_major, device_minor;
	enum map_kind kind;
	bool readable, writable, executable, shared;
	bool deleted; /* the file is gone or was replaced (path is without the mark) */
	char *path;   /* "" if it has none; in the target's mount namespace */
};

struct map_table {
	struct map *list; /* ascending, not overlapping */
	size_t count;
	size_t damaged; /* lines that could not be read and were left out */
};

/* id: a thread that still has memory (process_facts.anchor). An empty map is -ESRCH. */
int maps_read(int id, struct map_table *table);
/* From text of maps, any bytes. */
int maps_parse(const char *text, size_t size, struct map_table *table);
void maps_clear(struct map_table *table);
/* The mapping that holds address, or NULL. */
const struct map *maps_find(const struct map_table *table, uint64_t address);

#endif

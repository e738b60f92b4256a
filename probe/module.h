// SPDX-License-Identifier: Apache-2.0
/*
 * The executable and libraries of a process, and which of them are CANN's own.
 * Uses libc and probe/maps.h.
 */
#ifndef CANNWATCH_PROBE_MODULE_H
#define CANNWATCH_PROBE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/maps.h"

enum module_owner {
	MODULE_PROGRAM,	  /* the program's own, or anybody else's: no claim */
	MODULE_CANN,	  /* part of a CANN installation */
	MODULE_CANNWATCH, /* our preload library */
};

struct module {
	const char *path; /* belongs to the map table */
	const char *name; /* last component of path; "[vdso]" */
	enum module_owner owner;
	bool deleted;
	bool is_vdso;
	uint64_t start, end;   /* from the first to the last mapping of this load */
	uint64_t first_offset; /* file offset of the mapping at start (0 for a whole load) */
	uint64_t inode;
	uint32_t device_major, device_minor;
	size_t first_map; /* index into the table it was made from */
};

struct module_table {
	struct module *list; /* ascending start; only loads with executable code */
	size_t count;
};

/*
 * Modules of a map table, which must outlive them. roots: absolute folders of
 * further CANN installations, NULL-terminated, may be NULL.
 */
int modules_build(const struct map_table *maps, const char *const *roots, struct module_table *modules);
void modules_clear(struct module_table *modules);
/* The module whose load holds address (gaps included), or NULL. */
const struct module *modules_find(const struct module_table *modules, uint64_t address);
enum module_owner module_owner_of(const char *path, const char *const *roots);

/*
 * The install folders that a process's environment names (ASCEND_HOME_PATH, ...),
 * NULL-terminated; ones too general to mean anything (/usr, /home/x) are left out.
 * Never fails: an unreadable environment gives an empty list, NULL if out of memory.
 */
char **module_roots_read(int id);
void module_roots_free(char **roots);

#endif

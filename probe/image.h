// SPDX-License-Identifier: Apache-2.0
/*
 * The ELF image behind each module of a process, opened when first needed: by
 * map_files, by the process's own root, or, when the file is gone, replaced or out
 * of reach, rebuilt from its memory. Uses libelf and probe/{module,memory}.h.
 */
#ifndef CANNWATCH_PROBE_IMAGE_H
#define CANNWATCH_PROBE_IMAGE_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>

#include "probe/module.h"

enum image_from {
	IMAGE_UNOPENED,
	IMAGE_FAILED,
	IMAGE_MAP_FILES,
	IMAGE_ROOT,
	IMAGE_MEMORY, /* no sections: unwind tables and dynamic symbols only */
};

struct image {
	const struct module *module;
	int id; /* a thread through which files are reached */
	enum image_from from;
	int fd;
	Elf *elf;     /* NULL if it could not be opened */
	void *memory; /* what elf lies in, for IMAGE_MEMORY */
	size_t memory_size;
	uint64_t bias; /* run-time address = address in the file + bias */
	Dwarf_CFI *eh_cfi;
	bool debug_tried, dwarf_tried;
	Elf *mini;     /* symbols unpacked from .gnu_debugdata */
	void *mini_memory;
	int debug_fd;
	Elf *debug_elf; /* separate debug file */
	Dwarf *dwarf;	/* of elf or debug_elf */
};

struct image_table {
	int id; /* a thread through which memory and files are reached */
	const struct map_table *maps;
	const struct module_table *modules;
	struct image *list; /* as many as modules */
	/* What reading lines may cost; 0 no limit. Names are had in any case. */
	uint64_t lines_size;	    /* bytes of a file with DWARF: larger ones are left out */
	uint64_t lines_deadline_ns; /* CLOCK_MONOTONIC: no further file's lines are begun after it */
};

int images_open(struct image_table *images, int id, const struct map_table *maps,
		const struct module_table *modules);
void images_close(struct image_table *images);
/* The image, opened; elf is NULL when nothing could be had. module belongs to the table. */
struct image *image_get(struct image_table *images, const struct module *module);

#endif

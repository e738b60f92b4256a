// SPDX-License-Identifier: Apache-2.0
/*
 * Names, source lines and inlined calls of code addresses. All addresses of a
 * process are resolved together, each table being read once. Uses libelf, libdw,
 * image.h and debugfile.h.
 */
#ifndef CANNWATCH_PROBE_SYMBOL_H
#define CANNWATCH_PROBE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/image.h"

struct symbol_inline { /* a call that the compiler expanded in place */
	char *name;
	char *file; /* where the expanded code is; NULL not known */
	int line;   /* 0 not known */
};

struct symbol {
	uint64_t address; /* what was asked for */
	const struct module *module;
	char *raw;  /* as in the table; NULL not known: no nearest name is ever guessed */
	char *name; /* readable; NULL when raw is */
	uint64_t start; /* of the symbol, run-time address */
	char *file; /* NULL not known */
	int line;
	struct symbol_inline *inlines; /* innermost first; file and line above are those of the function itself */
	size_t inline_count;
	/* the best candidate so far, while tables are read */
	uint64_t best_size;
	int best_rank;
};

struct symbol_table {
	struct symbol *list; /* ascending address, no duplicates */
	size_t count;
};

/* addresses in any order, duplicates allowed; lines: read DWARF too. Free with symbols_clear. */
int symbols_resolve(struct image_table *images, const uint64_t *addresses, size_t count, bool lines,
		    struct symbol_table *table);
const struct symbol *symbols_find(const struct symbol_table *table, uint64_t address);
void symbols_clear(struct symbol_table *table);

#endif

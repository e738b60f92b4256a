// SPDX-License-Identifier: Apache-2.0
/* Source lines and inlined calls from DWARF. Uses libdw. */
#ifndef CANNWATCH_PROBE_LINE_H
#define CANNWATCH_PROBE_LINE_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

struct symbol;

/* Fills file, line and inlines of each symbol that DWARF covers. -ENOMEM or 0. */
int lines_resolve(Dwarf *dwarf, uint64_t bias, struct symbol *symbols, size_t count);

#endif

// SPDX-License-Identifier: Apache-2.0
/* Lines and inlined calls (line.h). Uses libdw, demangle.h. */
#include "probe/line.h"
#include "probe/demangle.h"
#include "probe/symbol.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INLINE_MAX 32

/* The compile unit of an address, also where nobody wrote .debug_aranges. */
static bool unit_find(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;

	if (dwarf_addrdie(dwarf, address, unit))
		return true;
	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, unit, NULL) == 0)
		if (dwarf_haspc(unit, address) == 1)
			return true;
	return false;
}

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute)) {
		name = dwarf_formstring(&attribute);
		if (name)
			return name;
	}
	return dwarf_diename(die);
}

/* File and line of the call that was expanded here: that is where the frame around it stands. */
static void call_site(Dwarf_Die *unit, Dwarf_Die *die, char **file, int *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word value;
	size_t count;

	*file = NULL;
	*line = 0;
	if (dwarf_attr(die, DW_AT_call_line, &attribute) && !dwarf_formudata(&attribute, &value))
		*line = (int)value;
	if (dwarf_attr(die, DW_AT_call_file, &attribute) && !dwarf_formudata(&attribute, &value) &&
	    !dwarf_getsrcfiles(unit, &files, &count))
		*file = copy_text(dwarf_filesrc(files, value, NULL, NULL));
}

/* The innermost scope of an address and what is around it in the code (not in the source). */
static int scopes_read(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
	Dwarf_Die *innermost = NULL;
	int count = dwarf_getscopes(unit, address, &innermost);

	if (count > 0)
		count = dwarf_getscopes_die(&innermost[0], scopes);
	free(innermost);
	return count;
}

/*
 * Scopes run from the innermost outwards up to the function. Each expanded call
 * hands the place where it stands to the frame around it.
 */
static int inlines_read(Dwarf_Die *unit, uint64_t address, struct symbol *symbol)
{
	Dwarf_Die *scopes = NULL;
	char *file = symbol->file;
	int line = symbol->line, count, i;

	count = scopes_read(unit, address, &scopes);
	for (i = 0; i < count && symbol->inline_count < INLINE_MAX; i++) {
		struct symbol_inline *grown, *item;
		const char *name;

		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		name = die_name(&scopes[i]);
		grown = realloc(symbol->inlines, (symbol->inline_count + 1) * sizeof(*grown));
		if (!grown)
			break;
		symbol->inlines = grown;
		item = &grown[symbol->inline_count++];
		item->name = demangle_name(name ? name : "??");
		item->file = file;
		item->line = line;
		call_site(unit, &scopes[i], &file, &line);
	}
	symbol->file = file;
	symbol->line = line;
	free(scopes);
	return 0;
}

static int line_read(Dwarf *dwarf, uint64_t bias, struct symbol *symbol)
{
	uint64_t address = symbol->address - bias;
	Dwarf_Line *line;
	Dwarf_Die unit;

	if (!unit_find(dwarf, address, &unit))
		return 0;
	line = dwarf_getsrc_die(&unit, address);
	if (line) {
		symbol->file = copy_text(dwarf_linesrc(line, NULL, NULL));
		dwarf_lineno(line, &symbol->line);
	}
	return inlines_read(&unit, address, symbol);
}

int lines_resolve(Dwarf *dwarf, uint64_t bias, struct symbol *symbols, size_t count)
{
	size_t i;
	int err = 0;

	for (i = 0; i < count && !err; i++)
		err = line_read(dwarf, bias, &symbols[i]);
	return err;
}

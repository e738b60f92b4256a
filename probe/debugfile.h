// SPDX-License-Identifier: Apache-2.0
/*
 * What is known about an image beyond its loaded part: DWARF of its own or from a
 * separate debug file (by build id, else by .gnu_debuglink and its checksum), and
 * the symbols packed into .gnu_debugdata. No network. Uses libdw, liblzma, image.h.
 */
#ifndef CANNWATCH_PROBE_DEBUGFILE_H
#define CANNWATCH_PROBE_DEBUGFILE_H

#include "probe/image.h"

/* Finds the separate debug file (image->debug_elf) if one is needed and there; a second call does nothing. */
void debugfile_load(struct image *image);
/* Fills image->dwarf from the image or its debug file; costly where that is compressed. */
void debugfile_load_dwarf(struct image *image);
/* Fills image->mini if the image carries .gnu_debugdata. */
void debugfile_load_mini(struct image *image);
/* A section by name, NULL if absent; used for symbol tables too. */
Elf_Scn *elf_find_section(Elf *elf, const char *name);

#endif

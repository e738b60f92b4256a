// SPDX-License-Identifier: Apache-2.0
/*
 * Texts in the ring: names of kernels and operators, each kept once. A number stands for
 * a text: its offset among the names + 1, as in ring_entry.name; 0 none.
 */
#ifndef CANNWATCH_PRELOAD_NAME_H
#define CANNWATCH_PRELOAD_NAME_H

#include <stdint.h>

/*
 * The number of this text (cut at 127 bytes), which is added if it is new. 0: NULL, empty,
 * or no room. Any thread; takes the tables' lock for a new text only.
 */
uint32_t name_number(const char *text);

void name_forget(void); /* in a forked child: the ring is gone */

#endif

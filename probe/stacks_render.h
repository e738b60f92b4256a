// SPDX-License-Identifier: Apache-2.0
/* Stacks as text and as JSON. Uses jansson, stacks.h. Text of the target is made printable. */
#ifndef CANNWATCH_PROBE_STACKS_RENDER_H
#define CANNWATCH_PROBE_STACKS_RENDER_H

#include <jansson.h>
#include <stdio.h>

#include "probe/stacks.h"

/* previous: an earlier sample of the same process, to mark what did not change; or NULL. */
void stacks_render_text(const struct stacks *stacks, const struct stacks *previous, FILE *out);
/* Schema cannwatch.stacks/1. NULL out of memory. */
json_t *stacks_render_json(const struct stacks *stacks, const struct stacks *previous);
/* True if the thread was seen in previous with the same frames and has not run in between. */
bool stack_is_unchanged(const struct stack *stack, const struct stacks *previous);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * What a call of the API table does to the thread that makes it. Pure functions, for
 * sources; uses shm/ring_api.h and the model's roles.
 */
#ifndef CANNWATCH_SOURCES_API_ROLE_H
#define CANNWATCH_SOURCES_API_ROLE_H

#include "analyzer/model/model.h"
#include "shm/ring_api.h"

enum call_role api_role(const struct ring_api *row);
/*
 * The row of a function as it shows on a stack: by its exported name, with or without
 * the "Impl" that the bodies behind the public names carry. NULL if it has none.
 */
const struct ring_api *api_find(const char *symbol);
/*
 * By names of the runtime's own functions (mangled or not), where a stack still has
 * them: ROLE_SUBMIT on the way to hand a task over, ROLE_SYNC_OTHER in a synchronize,
 * ROLE_NONE for any other name.
 */
enum call_role api_inner_role(const char *symbol);

#endif

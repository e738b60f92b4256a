// SPDX-License-Identifier: Apache-2.0
/* The API table as data: see ring_api.h. */
#include "shm/ring_api.h"

#include <stddef.h>

#define API_CALL(family, role, name, ret, params, args, first, stream, object, timeout, si, oi, ti, since) \
	{ #name, RING_FAMILY_##family, RING_ROLE_##role, si, oi, ti },
#define API_VOID API_CALL
#define API_TEXT API_CALL
#define API_FEED API_CALL

static const struct ring_api rows[] = {
#include "shm/api.def"
};

const struct ring_api *ring_api(uint16_t api)
{
	return api < sizeof(rows) / sizeof(rows[0]) ? &rows[api] : NULL;
}

uint32_t ring_api_table(void)
{
	uint32_t hash = 2166136261u;
	const char *c;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (c = rows[i].name; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 16777619u;
	return hash;
}

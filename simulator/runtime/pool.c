// SPDX-License-Identifier: Apache-2.0
/*
 * Memory behind handles. Handles come back soon after destroy, as the real
 * runtime's do, and a stale or foreign pointer can be told from a live one
 * without reading it: it must lie in a chunk, at an object's place.
 */
#include <stdlib.h>
#include <string.h>
#include "simulator/runtime/runtime.h"

enum { FIRST_CHUNK = 64, CHUNKS = 20 };

static size_t chunk_bytes(const struct pool *pool, int chunk)
{
	return pool->size * ((size_t)FIRST_CHUNK << chunk);
}

static int pool_grow(struct pool *pool)
{
	int chunk = 0;
	char *p;

	while (chunk < CHUNKS && atomic_load(&pool->chunks[chunk]))
		chunk++;
	if (chunk == CHUNKS)
		return -1;
	p = calloc((size_t)FIRST_CHUNK << chunk, pool->size);
	if (!p)
		return -1;
	for (size_t i = (size_t)FIRST_CHUNK << chunk; i-- > 0;) {
		struct object *o = (struct object *)(p + i * pool->size);

		o->next_free = pool->free;
		pool->free = o;
	}
	atomic_store(&pool->chunks[chunk], p);
	return 0;
}

void *pool_get(struct pool *pool)
{
	struct object *o = NULL;

	pthread_mutex_lock(&pool->lock);
	if (pool->free || pool_grow(pool) == 0) {
		o = pool->free;
		pool->free = o->next_free;
	}
	pthread_mutex_unlock(&pool->lock);
	if (o)
		atomic_fetch_add(&o->generation, 1);
	return o;
}

void pool_put(struct pool *pool, void *object)
{
	struct object *o = object;

	atomic_store(&o->alive, 0);
	pthread_mutex_lock(&pool->lock);
	o->next_free = pool->free;
	pool->free = o;
	pthread_mutex_unlock(&pool->lock);
}

bool pool_valid(struct pool *pool, const void *pointer)
{
	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		uintptr_t base = (uintptr_t)atomic_load(&pool->chunks[chunk]);
		uintptr_t at = (uintptr_t)pointer;

		if (!base)
			return false;
		if (at < base || at >= base + chunk_bytes(pool, chunk))
			continue;
		return (at - base) % pool->size == 0 && atomic_load(&((const struct object *)pointer)->alive);
	}
	return false;
}

// SPDX-License-Identifier: Apache-2.0
/* Names in the ring, found again by a hash of their bytes: see name.h. */
#include "preload/name.h"
#include "preload/shim.h"
#include "preload/state.h"

#include <string.h>

#define SLOTS	    8192u /* a power of two */
#define PROBES	    16u
#define CHUNKS_MOST 64u /* 256 KiB of names */
#define NAME_MOST   127u

struct slot {
	uint64_t hash; /* stored last, with release; 0 free */
	uint32_t number;
};

static struct slot slots[SLOTS];
static char *chunk; /* the one that is being filled */
static uint32_t chunk_number, chunk_used;

static uint64_t text_hash(const char *text, uint32_t *length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	uint32_t i;

	for (i = 0; text[i] && i < NAME_MOST; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	*length = i;
	return hash ? hash : 1;
}

/* Two texts with one 64-bit hash would be one name: not worth a comparison. */
static struct slot *slot_find(uint64_t hash)
{
	uint32_t i;

	for (i = 0; i < PROBES; i++) {
		struct slot *slot = &slots[(hash + i) % SLOTS];
		uint64_t found = __atomic_load_n(&slot->hash, __ATOMIC_ACQUIRE);

		if (found == hash || found == 0)
			return slot;
	}
	return NULL;
}

/* With the lock held. A name does not cross from one chunk into the next. */
static uint32_t text_store(const char *text, uint32_t length)
{
	uint32_t at;

	if (!chunk || chunk_used + length + 1 > RING_NAMES_BYTES) {
		if (chunk && chunk_number + 1 >= CHUNKS_MOST)
			return 0;
		chunk = ring_writer_chunk(&shim.ring, RING_CHUNK_NAMES, &chunk_number);
		chunk_used = 0;
		if (!chunk)
			return 0;
	}
	at = chunk_used;
	memcpy(chunk + at, text, length); /* the chunk is zeroed: the end is there */
	chunk_used += length + 1;
	return chunk_number * RING_NAMES_BYTES + at + 1;
}

uint32_t name_number(const char *text)
{
	uint32_t length, number = 0;
	struct slot *slot;
	uint64_t hash;

	if (!text || !*text)
		return 0;
	hash = text_hash(text, &length);
	slot = slot_find(hash);
	if (!slot)
		return 0;
	if (likely(__atomic_load_n(&slot->hash, __ATOMIC_ACQUIRE) == hash))
		return slot->number;
	if (!state_lock())
		return 0;
	slot = slot_find(hash); /* somebody may have been first */
	if (slot && slot->hash == 0) {
		slot->number = text_store(text, length);
		if (slot->number)
			__atomic_store_n(&slot->hash, hash, __ATOMIC_RELEASE);
	}
	if (slot && slot->hash == hash)
		number = slot->number;
	state_unlock();
	return number;
}

void name_forget(void)
{
	memset(slots, 0, sizeof(slots));
	chunk = NULL;
	chunk_number = chunk_used = 0;
}

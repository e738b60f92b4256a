// SPDX-License-Identifier: Apache-2.0
/* The set of observations: storage, interning, order. Needs model.h and util.h. */
#include "analyzer/model/observation.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"

#define INTERN_CHUNK (64 * 1024)
#define STACKS_MAX   20000
#define FRAMES_MAX   256

struct intern_chunk {
	struct intern_chunk *next;
	size_t used, room;
	char bytes[];
};

struct intern {
	struct intern_chunk *chunks;
	const char **slots;
	size_t room, used;
};

struct observation_bucket {
	uint64_t key; /* 0 free */
	uint32_t kept;
	uint32_t latest; /* index of the item with the latest time */
	uint32_t items[OBSERVATION_KEEP];
};

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ p[i]) * 1099511628211ull;
	return hash ^ hash >> 29;
}

static void *intern_alloc(struct intern *in, size_t size)
{
	struct intern_chunk *chunk = in->chunks;
	void *place;

	size = (size + 7) & ~(size_t)7;
	if (!chunk || chunk->room - chunk->used < size) {
		size_t room = size > INTERN_CHUNK ? size : INTERN_CHUNK;

		chunk = xmalloc(sizeof(*chunk) + room);
		chunk->next = in->chunks;
		chunk->used = 0;
		chunk->room = room;
		in->chunks = chunk;
	}
	place = chunk->bytes + chunk->used;
	chunk->used += size;
	return place;
}

static void intern_grow(struct intern *in)
{
	const char **old = in->slots;
	size_t old_room = in->room;

	in->room = old_room ? old_room * 2 : 1024;
	in->slots = xcalloc(in->room, sizeof(*in->slots));
	for (size_t i = 0; i < old_room; i++) {
		size_t at;

		if (!old[i])
			continue;
		at = hash_bytes(1469598103934665603ull, old[i], strlen(old[i])) & (in->room - 1);
		while (in->slots[at])
			at = (at + 1) & (in->room - 1);
		in->slots[at] = old[i];
	}
	free(old);
}

struct observations *observations_new(void)
{
	struct observations *set = xcalloc(1, sizeof(*set));

	set->interned = xcalloc(1, sizeof(*set->interned));
	return set;
}

void observations_free(struct observations *set)
{
	struct intern_chunk *chunk, *next;

	if (!set)
		return;
	for (size_t i = 0; i < set->stack_count; i++)
		free(set->stacks[i].frames);
	for (chunk = set->interned->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(set->interned->slots);
	free(set->interned);
	free(set->items);
	free(set->stacks);
	free(set->locks);
	free(set->buckets);
	free(set);
}

const char *observations_intern(struct observations *set, const char *bytes, size_t size)
{
	struct intern *in = set->interned;
	const char *nul = size ? memchr(bytes, 0, size) : NULL;
	size_t at;
	char *copy;

	if (nul)
		size = (size_t)(nul - bytes);
	if (!size)
		return NULL;
	if (in->used * 2 >= in->room)
		intern_grow(in);
	at = hash_bytes(1469598103934665603ull, bytes, size) & (in->room - 1);
	for (; in->slots[at]; at = (at + 1) & (in->room - 1))
		if (!strncmp(in->slots[at], bytes, size) && !in->slots[at][size])
			return in->slots[at];
	copy = intern_alloc(in, size + 1);
	memcpy(copy, bytes, size);
	copy[size] = 0;
	in->slots[at] = copy;
	in->used++;
	return copy;
}

const int64_t *observations_list(struct observations *set, const int64_t *numbers, size_t count)
{
	int64_t *copy;

	if (!count)
		return NULL;
	copy = intern_alloc(set->interned, count * sizeof(*copy));
	memcpy(copy, numbers, count * sizeof(*copy));
	return copy;
}

void observation_init(struct observation *o, enum observation_kind kind)
{
	memset(o, 0, sizeof(*o));
	o->kind = kind;
	o->time_us = o->rank = o->pid = o->tid = o->device = MODEL_UNKNOWN;
	o->stream = o->task = o->event = o->notify = MODEL_UNKNOWN;
	o->code = o->peer = o->number = o->count = o->last_us = MODEL_UNKNOWN;
}

/* What makes two observations "the same again". */
static uint64_t observation_key(const struct observation *o)
{
	uint64_t hash = 1469598103934665603ull;

	hash = hash_bytes(hash, &o->kind, sizeof(o->kind));
	hash = hash_bytes(hash, &o->rank, sizeof(o->rank));
	hash = hash_bytes(hash, &o->pid, sizeof(o->pid));
	hash = hash_bytes(hash, &o->code, sizeof(o->code));
	hash = hash_bytes(hash, &o->code_text, sizeof(o->code_text));
	hash = hash_bytes(hash, &o->op, sizeof(o->op));
	hash = hash_bytes(hash, &o->communicator, sizeof(o->communicator));
	if (o->rank == MODEL_UNKNOWN && o->pid == MODEL_UNKNOWN)
		hash = hash_bytes(hash, &o->origin.file, sizeof(o->origin.file));
	return hash ? hash : 1;
}

static struct observation_bucket *bucket_find(struct observations *set, uint64_t key)
{
	size_t at = key & (set->bucket_room - 1);

	while (set->buckets[at].key && set->buckets[at].key != key)
		at = (at + 1) & (set->bucket_room - 1);
	return &set->buckets[at];
}

static void buckets_grow(struct observations *set)
{
	struct observation_bucket *old = set->buckets;
	size_t old_room = set->bucket_room;

	set->bucket_room = old_room ? old_room * 2 : 256;
	set->buckets = xcalloc(set->bucket_room, sizeof(*set->buckets));
	for (size_t i = 0; i < old_room; i++)
		if (old[i].key)
			*bucket_find(set, old[i].key) = old[i];
	free(old);
}

static bool is_later(const struct observation *a, const struct observation *b)
{
	if (a->time_us == MODEL_UNKNOWN || b->time_us == MODEL_UNKNOWN)
		return b->time_us != MODEL_UNKNOWN && a->time_us == MODEL_UNKNOWN;
	return a->time_us > b->time_us;
}

static void bucket_rank_latest(struct observations *set, struct observation_bucket *bucket)
{
	bucket->latest = 0;
	for (uint32_t i = 1; i < bucket->kept; i++)
		if (!is_later(&set->items[bucket->items[bucket->latest]], &set->items[bucket->items[i]]))
			bucket->latest = i;
}

/* The bucket is full: the earliest stay, the first of them counts the rest. */
static void bucket_replace(struct observations *set, struct observation_bucket *bucket, const struct observation *o)
{
	struct observation *latest = &set->items[bucket->items[bucket->latest]];
	struct observation *first = &set->items[bucket->items[0]];
	int64_t dropped = is_later(latest, o) ? latest->time_us : o->time_us;
	uint64_t repeats = first->repeats + 1;
	int64_t last = first->last_us;

	if (last == MODEL_UNKNOWN || (dropped != MODEL_UNKNOWN && dropped > last))
		last = dropped;
	if (is_later(latest, o)) {
		*latest = *o;
		latest->repeats = 0;
		latest->last_us = MODEL_UNKNOWN;
		bucket_rank_latest(set, bucket);
	}
	first->repeats = repeats;
	first->last_us = last;
	set->dropped++;
}

/* Those that are evidence by their sequence, not by their presence, are all kept. */
static bool is_history(enum observation_kind kind)
{
	return kind == OBSERVED_FILE || kind == OBSERVED_RANKS_CONNECTED;
}

void observations_add(struct observations *set, const struct observation *o)
{
	struct observation_bucket *bucket;

	if (!is_history(o->kind)) {
		if (set->bucket_used * 2 >= set->bucket_room)
			buckets_grow(set);
		bucket = bucket_find(set, observation_key(o));
		if (!bucket->key) {
			bucket->key = observation_key(o);
			set->bucket_used++;
		}
		if (bucket->kept == OBSERVATION_KEEP) {
			bucket_replace(set, bucket, o);
			return;
		}
		bucket->items[bucket->kept++] = (uint32_t)set->count;
		*(struct observation *)array_add(&set->items, &set->count, sizeof(*o)) = *o;
		bucket_rank_latest(set, bucket);
		return;
	}
	*(struct observation *)array_add(&set->items, &set->count, sizeof(*o)) = *o;
}

bool observations_count_repeat(struct observations *set, const struct observation *o)
{
	struct observation_bucket *bucket;

	if (!set->bucket_room || is_history(o->kind))
		return false;
	bucket = bucket_find(set, observation_key(o));
	if (!bucket->key || bucket->kept < OBSERVATION_KEEP || is_later(&set->items[bucket->items[bucket->latest]], o))
		return false;
	bucket_replace(set, bucket, o);
	return true;
}

struct stack *observations_add_stack(struct observations *set)
{
	struct stack *stack;

	if (set->stack_count >= STACKS_MAX) {
		set->dropped++;
		return NULL;
	}
	stack = array_add(&set->stacks, &set->stack_count, sizeof(*stack));
	stack->rank = stack->pid = stack->tid = stack->signal = MODEL_UNKNOWN;
	return stack;
}

void stack_add_frame(struct stack *stack, const char *function, const char *place, uint32_t line)
{
	struct stack_frame *frame;

	if (stack->frame_count >= FRAMES_MAX)
		return;
	frame = array_add(&stack->frames, &stack->frame_count, sizeof(*frame));
	frame->function = function;
	frame->place = place;
	frame->line = line;
}

void observations_add_lock(struct observations *set, uint64_t address, int64_t owner,
			   const struct model_origin *origin)
{
	struct lock_owner *lock;

	if (set->lock_count >= STACKS_MAX)
		return;
	lock = array_add(&set->locks, &set->lock_count, sizeof(*lock));
	lock->address = address;
	lock->owner = owner;
	lock->origin = *origin;
}

struct pid_rank {
	int64_t pid, rank;
};

static int compare_pid(const void *a, const void *b)
{
	const struct pid_rank *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Process ids of one tree that belong to one rank only. */
static size_t collect_ranks(const struct observations *set, struct pid_rank *map)
{
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct observation *o = &set->items[i];

		if (o->pid != MODEL_UNKNOWN && o->rank != MODEL_UNKNOWN)
			map[count++] = (struct pid_rank){ o->pid, o->rank };
	}
	qsort(map, count, sizeof(*map), compare_pid);
	for (size_t i = 0; i < count;) {
		size_t j = i;
		bool one = true;

		for (; j < count && map[j].pid == map[i].pid; j++)
			one &= map[j].rank == map[i].rank;
		if (one)
			map[kept++] = map[i];
		i = j;
	}
	return kept;
}

static int64_t rank_of_pid(const struct pid_rank *map, size_t count, int64_t pid)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (map[mid].pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low < count && map[low].pid == pid ? map[low].rank : MODEL_UNKNOWN;
}

static int compare_items(const void *a, const void *b)
{
	const struct observation *x = a, *y = b;

	if (x->time_us != y->time_us)
		return x->time_us < y->time_us ? -1 : 1;
	if (x->origin.file != y->origin.file)
		return x->origin.file < y->origin.file ? -1 : 1;
	return (x->origin.line > y->origin.line) - (x->origin.line < y->origin.line);
}

void observations_finish(struct observations *set, const struct model *model)
{
	struct pid_rank *map = xcalloc(set->count + 1, sizeof(*map));
	size_t count = collect_ranks(set, map);

	(void)model;
	for (size_t i = 0; i < set->count; i++) {
		struct observation *o = &set->items[i];

		if (o->rank == MODEL_UNKNOWN && o->pid != MODEL_UNKNOWN)
			o->rank = rank_of_pid(map, count, o->pid);
	}
	for (size_t i = 0; i < set->stack_count; i++)
		if (set->stacks[i].rank == MODEL_UNKNOWN && set->stacks[i].pid != MODEL_UNKNOWN)
			set->stacks[i].rank = rank_of_pid(map, count, set->stacks[i].pid);
	free(map);
	if (set->count)
		qsort(set->items, set->count, sizeof(*set->items), compare_items);
	free(set->buckets); /* indexes are no longer right */
	set->buckets = NULL;
	set->bucket_room = set->bucket_used = 0;
}

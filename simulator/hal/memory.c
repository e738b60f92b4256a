// SPDX-License-Identifier: Apache-2.0
/*
 * Device memory: one reserved range per device, backed by the host on first
 * touch, so that every address can be told apart from host memory. Freed
 * ranges stay mapped: a late copy into freed memory harms nobody else's heap.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "simulator/hal/device.h"

#define DEVICE_BYTES (64ull << 30)
#define SYSTEM_BYTES (4ull << 30) /* what the device keeps for itself */

enum { ALIGNMENT = 512, PAGE = 4096 };

struct block {
	struct block *next; /* by address */
	uint64_t offset, size;
};

struct arena {
	char *base;
	uint64_t size, used;
	struct block *blocks;
};

struct host_block {
	struct host_block *next;
	void *address;
};

static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static struct arena arenas[SIM_MAX_DEVICES];
static struct host_block *host_blocks;

/* A file of its own, so that nobody takes device memory for the program's heap. */
static void *map_range(const char *name, uint64_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (fd >= 0)
		close(fd);
	return p;
}

void memory_open(struct device *d)
{
	struct arena *a = &arenas[d->id];
	char name[] = "davinci0";

	name[7] = (char)('0' + d->id);
	/* where address space is limited, a smaller range must do */
	for (uint64_t size = DEVICE_BYTES; size >= (1ull << 30); size /= 4) {
		void *p = map_range(name, size);

		if (p == MAP_FAILED)
			continue;
		madvise(p, size, MADV_DONTDUMP);
		a->base = p;
		a->size = size;
		return;
	}
}

static struct block **find_gap(struct arena *a, uint64_t size, uint64_t *offset)
{
	struct block **at = &a->blocks;
	uint64_t end = 0;

	while (*at && (*at)->offset - end < size) {
		end = (*at)->offset + (*at)->size;
		at = &(*at)->next;
	}
	*offset = end;
	return end + size <= a->size ? at : NULL;
}

drvError_t halMemAlloc(void **address, uint64_t size, uint32_t devId)
{
	drvError_t err = DRV_ERROR_OUT_OF_MEMORY;
	struct block **at, *b;
	struct arena *a;
	uint64_t offset;
	uint64_t limit = fault_limit("memory-mb", UINT32_MAX) * (1ull << 20);

	if (!hal_device(devId) || !address || size == 0 || size > DEVICE_BYTES)
		return DRV_ERROR_INVALID_VALUE;
	size = (size + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
	b = malloc(sizeof(*b));
	if (!b)
		return DRV_ERROR_OUT_OF_MEMORY;
	pthread_mutex_lock(&memory_lock);
	a = &arenas[devId];
	if (a->used + size > DEVICE_BYTES - SYSTEM_BYTES || a->used + size > limit)
		goto out;
	at = find_gap(a, size, &offset);
	if (!at)
		goto out;
	*b = (struct block){ *at, offset, size };
	*at = b;
	b = NULL;
	a->used += size;
	*address = a->base + offset;
	err = DRV_ERROR_NONE;
out:
	pthread_mutex_unlock(&memory_lock);
	free(b);
	return err;
}

static struct arena *arena_of(const void *address, uint32_t *id)
{
	for (uint32_t i = 0; i < SIM_MAX_DEVICES; i++) {
		struct arena *a = &arenas[i];

		if (a->base && (const char *)address >= a->base &&
		    (const char *)address < a->base + a->size) {
			if (id)
				*id = i;
			return a;
		}
	}
	return NULL;
}

static struct block *arena_take(struct arena *a, const void *address)
{
	struct block **at = &a->blocks;
	struct block *b;

	while (*at && a->base + (*at)->offset != (const char *)address)
		at = &(*at)->next;
	b = *at;
	if (b) {
		*at = b->next;
		a->used -= b->size;
	}
	return b;
}

drvError_t halMemFree(void *address)
{
	struct arena *a = arena_of(address, NULL);
	struct block *b = NULL;

	if (!a)
		return halHostMemFree(address);
	pthread_mutex_lock(&memory_lock);
	b = arena_take(a, address);
	if (b && b->size >= (1u << 20)) {
		uint64_t first = (b->offset + PAGE - 1) & ~(uint64_t)(PAGE - 1);
		uint64_t last = (b->offset + b->size) & ~(uint64_t)(PAGE - 1);

		if (last > first)
			madvise(a->base + first, last - first, MADV_REMOVE);
	}
	pthread_mutex_unlock(&memory_lock);
	free(b);
	return b ? DRV_ERROR_NONE : DRV_ERROR_INVALID_VALUE;
}

drvError_t halHostMemAlloc(void **address, uint64_t size)
{
	struct host_block *b = malloc(sizeof(*b));
	void *p = NULL;

	if (!b || posix_memalign(&p, 64, size) != 0) {
		free(b);
		return DRV_ERROR_OUT_OF_MEMORY;
	}
	memset(p, 0, size);
	pthread_mutex_lock(&memory_lock);
	*b = (struct host_block){ host_blocks, p };
	host_blocks = b;
	pthread_mutex_unlock(&memory_lock);
	*address = p;
	return DRV_ERROR_NONE;
}

drvError_t halHostMemFree(void *address)
{
	struct host_block **at, *b;

	pthread_mutex_lock(&memory_lock);
	at = &host_blocks;
	while (*at && (*at)->address != address)
		at = &(*at)->next;
	b = *at;
	if (b)
		*at = b->next;
	pthread_mutex_unlock(&memory_lock);
	if (!b)
		return DRV_ERROR_INVALID_VALUE;
	free(b->address);
	free(b);
	return DRV_ERROR_NONE;
}

enum sim_memory drvMemGetAttribute(const void *address, uint32_t *devId)
{
	enum sim_memory where = SIM_MEM_UNKNOWN;

	if (arena_of(address, devId))
		return SIM_MEM_DEVICE;
	pthread_mutex_lock(&memory_lock);
	for (struct host_block *b = host_blocks; b; b = b->next)
		if (b->address == address)
			where = SIM_MEM_HOST;
	pthread_mutex_unlock(&memory_lock);
	return where;
}

drvError_t halMemGetInfo(uint32_t devId, struct sim_memory_info *info)
{
	if (!hal_device(devId) || !info)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&memory_lock);
	info->total = DEVICE_BYTES;
	info->free = DEVICE_BYTES - SYSTEM_BYTES - arenas[devId].used;
	pthread_mutex_unlock(&memory_lock);
	return DRV_ERROR_NONE;
}

/*
 * A word of device memory is written and read at once, as by the hardware:
 * kernels, value waits and the host may look at it at the same time.
 */
uint64_t word_load(const void *from)
{
	uint64_t value;

	if ((uintptr_t)from % sizeof(value) == 0)
		return __atomic_load_n((const uint64_t *)from, __ATOMIC_ACQUIRE);
	memcpy(&value, from, sizeof(value));
	return value;
}

void word_store(void *to, const void *from, uint64_t size)
{
	uint64_t eight;
	uint32_t four;

	if (size == sizeof(eight) && (uintptr_t)to % sizeof(eight) == 0) {
		memcpy(&eight, from, sizeof(eight));
		__atomic_store_n((uint64_t *)to, eight, __ATOMIC_RELEASE);
	} else if (size == sizeof(four) && (uintptr_t)to % sizeof(four) == 0) {
		memcpy(&four, from, sizeof(four));
		__atomic_store_n((uint32_t *)to, four, __ATOMIC_RELEASE);
	} else {
		memmove(to, from, size);
	}
}

drvError_t drvMemcpy(void *to, const void *from, uint64_t size)
{
	word_store(to, from, size);
	return DRV_ERROR_NONE;
}

drvError_t drvMemsetD8(void *to, uint8_t value, uint64_t size)
{
	uint64_t word;

	memset(&word, value, sizeof(word));
	if (size <= sizeof(word))
		word_store(to, &word, size);
	else
		memset(to, value, size);
	return DRV_ERROR_NONE;
}

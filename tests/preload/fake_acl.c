// SPDX-License-Identifier: Apache-2.0
/*
 * A library with every function that the shim wraps; each notes its arguments and
 * answers what the test wants. Not a simulator: nothing happens.
 */
#include "tests/preload/fake.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

struct api_triple {
	uint32_t x, y, z;
};
struct api_pair {
	int32_t a, b;
};
struct api_bytes64 {
	char bytes[64];
};

__thread struct fake fake; /* each thread its own */

static void fake_enter(const char *name)
{
	fake.errno_seen = errno;
	fake.name = name;
	fake.calls++;
}

static void fake_argument(int index, const void *value, size_t size)
{
	memcpy(fake.arguments[index], value, size);
}

/* Creators write a handle where their first argument points. */
static void fake_create(void)
{
	static uintptr_t handle = 0x1000000;
	void **place;

	if (!fake.handles || !strstr(fake.name, "Create"))
		return;
	memcpy(&place, fake.arguments[0], sizeof(place));
	*place = (void *)__atomic_add_fetch(&handle, 64, __ATOMIC_RELAXED);
}

static intptr_t fake_leave(void)
{
	struct timespec pause = { fake.block_ms / 1000, fake.block_ms % 1000 * 1000000L };

	fake_create();
	if (fake.inside)
		fake.inside(fake.name);
	if (fake.block_ms && !strcmp(fake.name, "aclrtSynchronizeStream"))
		while (nanosleep(&pause, &pause))
			;
	errno = fake.errno_set;
	return fake.answer;
}

#include "fake.inc"

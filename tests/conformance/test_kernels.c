// SPDX-License-Identifier: Apache-2.0
/* Kernels for semantics.c. */
#include <stdint.h>
#include <unistd.h>

#define KERNEL __attribute__((visibility("default")))

struct kernel_args {
	uint32_t *at;
	uint32_t value;
};

KERNEL void add(uint32_t num_blocks, void *data);
KERNEL void wait_for(uint32_t num_blocks, void *data);

/* *at += value, once per block */
KERNEL void add(uint32_t num_blocks, void *data)
{
	const struct kernel_args *a = data;

	for (uint32_t i = 0; i < num_blocks; i++)
		*a->at += a->value;
}

/* Runs until *at is value. */
KERNEL void wait_for(uint32_t num_blocks, void *data)
{
	const struct kernel_args *a = data;

	while (__atomic_load_n(a->at, __ATOMIC_ACQUIRE) != a->value)
		usleep(1000);
}

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
KERNEL void add_table(uint32_t num_blocks, void *data);
KERNEL void model_main(uint32_t num_blocks, void *data);
KERNEL extern uint32_t table[4];

uint32_t table[4];

/* *at += the sum of the table */
KERNEL void add_table(uint32_t num_blocks, void *data)
{
	const struct kernel_args *a = data;

	for (int i = 0; i < 4; i++)
		*a->at += table[i];
}

/* The entry of this library as a model: leaves a trace in the table. */
KERNEL void model_main(uint32_t num_blocks, void *data)
{
	table[3] += 1000;
}

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

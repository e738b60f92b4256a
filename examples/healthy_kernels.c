// SPDX-License-Identifier: Apache-2.0
/*
 * Kernels of the `healthy` example. For the simulator a kernel library is a
 * shared object, a kernel an exported function of it that a device thread runs.
 */
#include <stdint.h>

struct add_args {
	uint32_t *numbers;
	uint32_t count;
	uint32_t value;
};

void add_to_all(uint32_t num_blocks, void *data);

__attribute__((visibility("default"))) void add_to_all(uint32_t num_blocks, void *data)
{
	const struct add_args *args = data;

	(void)num_blocks;
	for (uint32_t i = 0; i < args->count; i++)
		args->numbers[i] += args->value;
}

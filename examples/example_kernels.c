// SPDX-License-Identifier: Apache-2.0
/* Kernels of the examples: one that never ends, and one that takes as long as it is told. */
#include <errno.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

void never_ends(uint32_t num_blocks, void *data);
void takes_its_time(uint32_t num_blocks, void *data);

__attribute__((visibility("default"))) void never_ends(uint32_t num_blocks, void *data)
{
	(void)num_blocks;
	(void)data;
	for (;;)
		pause();
}

__attribute__((visibility("default"))) void takes_its_time(uint32_t num_blocks, void *data)
{
	uint32_t milliseconds = *(const uint32_t *)data;
	struct timespec rest = { milliseconds / 1000, (long)(milliseconds % 1000) * 1000000 };

	(void)num_blocks;
	while (nanosleep(&rest, &rest) && errno == EINTR)
		;
}

// SPDX-License-Identifier: Apache-2.0
/* libFuzzer target: any bytes as a ring. meson makes fuzz_ring where the compiler is clang. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shm/ring_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ring_snapshot snapshot;
	struct ring_reader *reader;
	uint64_t magic = RING_MAGIC;
	char error[200];
	int fd = memfd_create("fuzz_ring", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		goto out;
	/* The magic is no secret: do not make the fuzzer guess it. */
	if (size >= sizeof(magic) && pwrite(fd, &magic, sizeof(magic), 0) != sizeof(magic))
		goto out;
	reader = ring_reader_open_fd(fd, error, sizeof(error));
	if (reader) {
		if (ring_reader_snapshot(reader, &snapshot) == 0)
			ring_snapshot_free(&snapshot);
		ring_reader_close(reader);
	}
out:
	if (fd >= 0)
		close(fd);
	return 0;
}

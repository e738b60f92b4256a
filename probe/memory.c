// SPDX-License-Identifier: Apache-2.0
/* Another process's memory (memory.h). Uses libc. */
#include "probe/memory.h"
#include "probe/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

ssize_t memory_read(int id, uint64_t address, void *to, size_t size)
{
	struct iovec local = { .iov_base = to, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };
	ssize_t got;

	if (address + size < address)
		return -EFAULT;
	got = process_vm_readv(id, &local, 1, &remote, 1, 0);
	return got < 0 ? procfs_error(errno) : got;
}

int memory_copy_add(struct memory_copy *copy, int id, uint64_t address, size_t size)
{
	unsigned char *data;
	ssize_t got;

	if (copy->count == MEMORY_COPY_PIECES)
		return -ENOBUFS;
	data = malloc(size);
	if (!data)
		return -ENOMEM;
	got = memory_read(id, address, data, size);
	if (got <= 0) {
		free(data);
		return got < 0 ? (int)got : -EFAULT;
	}
	copy->piece[copy->count].start = address;
	copy->piece[copy->count].size = got;
	copy->piece[copy->count].data = data;
	copy->count++;
	return 0;
}

static const unsigned char *copy_find(const struct memory_copy *copy, uint64_t address, size_t size)
{
	size_t i;

	for (i = copy->count; i-- > 0;) {
		uint64_t at = address - copy->piece[i].start;

		if (address >= copy->piece[i].start && copy->piece[i].size >= size &&
		    at <= copy->piece[i].size - size)
			return copy->piece[i].data + at;
	}
	return NULL;
}

int memory_copy_bytes(struct memory_copy *copy, uint64_t address, void *to, size_t size)
{
	const unsigned char *from = copy_find(copy, address, size);
	int err;

	if (!from) {
		copy->missing = address;
		if (!copy->more)
			return -ENODATA;
		err = copy->more(copy, address, copy->context);
		if (err)
			return err;
		from = copy_find(copy, address, size);
		if (!from)
			return -EFAULT;
		copy->missing = 0;
	}
	memcpy(to, from, size);
	return 0;
}

int memory_copy_word(struct memory_copy *copy, uint64_t address, uint64_t *word)
{
	return memory_copy_bytes(copy, address, word, sizeof(*word));
}

void memory_copy_clear(struct memory_copy *copy)
{
	size_t i;

	for (i = 0; i < copy->count; i++)
		free(copy->piece[i].data);
	copy->count = 0;
}

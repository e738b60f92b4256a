// SPDX-License-Identifier: Apache-2.0
/*
 * Copies of another process's memory, by process_vm_readv only. Uses libc.
 */
#ifndef CANNWATCH_PROBE_MEMORY_H
#define CANNWATCH_PROBE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes read, which may be fewer than asked for (up to a hole), or -errno if none. */
ssize_t memory_read(int id, uint64_t address, void *to, size_t size);

#define MEMORY_COPY_PIECES 64

/*
 * Pieces of a thread's stack as they were at one moment. more, if set, is called
 * when an address outside all pieces is needed; it returns 0 after adding a piece
 * that is known to be of the same moment, else -errno.
 */
struct memory_copy {
	struct {
		uint64_t start;
		size_t size;
		unsigned char *data;
	} piece[MEMORY_COPY_PIECES];
	size_t count;
	uint64_t missing; /* the last address that was asked for and not there, 0 none */
	int (*more)(struct memory_copy *copy, uint64_t address, void *context);
	void *context;
};

/* Reads size bytes or less at address into a new piece. */
int memory_copy_add(struct memory_copy *copy, int id, uint64_t address, size_t size);
int memory_copy_word(struct memory_copy *copy, uint64_t address, uint64_t *word);
int memory_copy_bytes(struct memory_copy *copy, uint64_t address, void *to, size_t size);
void memory_copy_clear(struct memory_copy *copy);

#endif

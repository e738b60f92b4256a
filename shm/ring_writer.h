// SPDX-License-Identifier: Apache-2.0
/*
 * Creates a ring (ring_format.h) and hands out its chunks. Used by preload/ only,
 * inside a program that must never notice: needs libc only, allocates nothing,
 * takes no lock, prints nothing. What is inside the records is the caller's affair.
 */
#ifndef CANNWATCH_SHM_RING_WRITER_H
#define CANNWATCH_SHM_RING_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shm/ring_format.h"

#define RING_PATH_MAX 96

/* What only the program's start knows. Texts are cut to what the header holds. */
struct ring_identity {
	int32_t rank_global; /* -1 unknown, also for the next two */
	int32_t rank_local;
	int32_t world_size;
	const char *rank_source; /* NULL unknown */
	uint64_t shim_base;
	uint32_t stall_ms;
	uint32_t api_table;
};

struct ring_writer {
	struct ring_header *header; /* NULL: no ring */
	size_t limit;		    /* bytes mapped and at most used */
	int fd;
	uint64_t device, inode; /* of the file: the program may close or reuse fd */
	uint64_t end;		/* bytes handed out, atomic */
	uint64_t reserved;	/* bytes the file system promised, atomic */
	uint32_t directory;	/* directory entries handed out, atomic */
	uint32_t kinds[RING_CHUNK_KINDS]; /* chunks handed out by kind, atomic */
	uint32_t full;			  /* the file system or the limit said no, atomic */
	char path[RING_PATH_MAX];	  /* empty: a memfd */
	/* Where the chunks of the kinds that hold records are, by number; NULL not there. */
	void *chunks[RING_CHUNK_KINDS][RING_MAX_CHUNKS];
};

/*
 * Creates and maps the ring: /dev/shm/cannwatch-<uid>/<pid>-<64 random bits>.ring,
 * or a memfd where that directory is not to be trusted or nearly full. The header
 * is filled in; its state is STARTING until ring_writer_publish. At most one thread
 * may be in here. Returns 0 or -errno with nothing left behind.
 */
int ring_writer_open(struct ring_writer *writer, const struct ring_identity *identity);

/* Makes the ring valid for readers: stores the magic last. */
void ring_writer_publish(struct ring_writer *writer);

/*
 * Adds a zeroed chunk of this kind. Any thread, lock-free; makes a system call when
 * the file must grow. Returns its address and, in number, how many of its kind came
 * before; or NULL when the ring is full, and then always from then on.
 */
void *ring_writer_chunk(struct ring_writer *writer, enum ring_chunk_kind kind, uint32_t *number);

/* The record of this kind with this index, NULL if its chunk is not there. */
static inline void *ring_writer_record(const struct ring_writer *writer, enum ring_chunk_kind kind,
				       uint32_t per_chunk, uint32_t size, uint32_t index)
{
	uint32_t number = index / per_chunk;
	unsigned char *chunk;

	if (number >= RING_MAX_CHUNKS)
		return NULL;
	chunk = __atomic_load_n(&writer->chunks[kind][number], __ATOMIC_ACQUIRE);
	return chunk ? chunk + (size_t)(index % per_chunk) * size : NULL;
}

/*
 * A descriptor of the ring that is certainly the ring: the one it was made with, or
 * a new one when the program closed or reused that. -1 if there is none.
 * Any thread.
 */
int ring_writer_fd(struct ring_writer *writer);

/*
 * Ends the ring in order: state ENDED, and the file removed unless keep. The mapping
 * stays, since other threads may still write.
 */
void ring_writer_end(struct ring_writer *writer, bool keep);

/* Forgets the ring without touching the file: for the child of a fork. */
void ring_writer_forget(struct ring_writer *writer);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Reads a ring (ring_format.h) that another process writes, or wrote, or forged.
 * Needs libc only. Not thread safe: one reader per thread.
 */
#ifndef CANNWATCH_SHM_RING_READER_H
#define CANNWATCH_SHM_RING_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "shm/ring_format.h"

struct ring_reader;

/*
 * A consistent copy. Every array is the snapshot's own; refs in the records are
 * checked: a ref that is not 0 is <= the count of its array, or was set to 0 and
 * counted in dropped.
 */
struct ring_snapshot {
	struct ring_header header; /* texts NUL-terminated */
	uint64_t taken_mono;	   /* CLOCK_MONOTONIC before the copy began */
	struct ring_thread *threads; /* only slots with a tid */
	size_t thread_count;
	struct ring_stream *streams; /* index = ref - 1; state FREE where unused */
	size_t stream_count;
	struct ring_object *objects; /* index = ref - 1; state FREE where unused */
	size_t object_count;
	struct ring_context *contexts; /* index = ref - 1 */
	size_t context_count;
	struct ring_maker *makers;
	size_t maker_count;
	struct ring_queue *queues; /* one per stream, same index */
	char *names;		   /* NUL-terminated pool */
	size_t names_bytes;
	uint32_t torn;	  /* records that changed while they were copied, left out */
	uint32_t dropped; /* records that made no sense, left out */
};

/* The entries of one stream that are still there, ascending by number. */
struct ring_queue {
	struct ring_entry *entries;
	size_t count;
	uint64_t first_kept; /* number of the oldest entry that could still be read */
};

/*
 * Finds the ring of a live process: $XDG-independent, through
 * /dev/shm/cannwatch-<uid>/, /proc/PID/root/dev/shm/... (containers) and
 * /proc/PID/fd (memfd). Writes the path into path. Returns 0 or -errno:
 * -ENOENT there is none, -EACCES not allowed to look, -ESRCH no such process.
 */
int ring_find(pid_t pid, char *path, size_t size);

/*
 * Opens a ring by path or by descriptor (which stays the caller's).
 * On failure returns NULL with errno set and one line for the user in error:
 * ENOENT, EACCES, EBADMSG (not a ring: magic, endian), EPROTO (newer version),
 * ENODATA (truncated), EAGAIN (being created).
 */
struct ring_reader *ring_reader_open(const char *path, char *error, size_t size);
struct ring_reader *ring_reader_open_fd(int fd, char *error, size_t size);
void ring_reader_close(struct ring_reader *reader);

/*
 * Copies what is there now. Survives any content and a file that shrinks while
 * it is read (reads by pread, never by mapping). Memory is bounded by the file.
 * Returns 0 or -errno; the snapshot must be freed after success only.
 */
int ring_reader_snapshot(struct ring_reader *reader, struct ring_snapshot *snapshot);
void ring_snapshot_free(struct ring_snapshot *snapshot);

#endif

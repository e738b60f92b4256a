// SPDX-License-Identifier: Apache-2.0
/* See sample.h. */
#include "tests/shm/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sample_open(struct ring_writer *writer)
{
	struct ring_identity identity = {
		.rank_global = 3, .rank_local = 1, .world_size = 8, .rank_source = "OMPI", .stall_ms = 15000,
	};

	if (ring_writer_open(writer, &identity))
		abort();
}

void sample_entry(struct ring_segment *segment, uint32_t stream, uint64_t number)
{
	struct ring_entry *entry = &segment->entries[number - segment->first];

	__atomic_store_n(&entry->tag, RING_TAG(number, RING_ENTRY_EMPTY), __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	entry->api = (uint16_t)(number % 100);
	entry->kind = (uint8_t)(number % (RING_TASK_COLLECTIVE + 1));
	entry->flags = 0;
	entry->tid = (uint32_t)number;
	entry->task = (uint32_t)(number * 3);
	entry->pos = (uint32_t)(number * 5);
	entry->sqes = 1;
	entry->object = (uint32_t)(number % 3);
	entry->object_gen = (uint32_t)number;
	entry->id = (uint32_t)(number * 7);
	entry->bound = RING_POINT(stream, number);
	entry->return_address = number * 11;
	entry->timeout_s = (uint32_t)(number * 13);
	entry->name = 0;
	__atomic_store_n(&entry->tag, RING_TAG(number, RING_ENTRY_CLAIMED), __ATOMIC_RELEASE);
}

int sample_entry_is_whole(const struct ring_entry *entry, uint32_t stream)
{
	uint64_t number = RING_TAG_NUMBER(entry->tag);

	return entry->tid == (uint32_t)number && entry->task == (uint32_t)(number * 3) &&
	       entry->pos == (uint32_t)(number * 5) && entry->object_gen == (uint32_t)number &&
	       entry->id == (uint32_t)(number * 7) && entry->bound == RING_POINT(stream, number) &&
	       entry->return_address == number * 11 && entry->timeout_s == (uint32_t)(number * 13) &&
	       entry->kind == number % (RING_TASK_COLLECTIVE + 1);
}

static void fill_records(struct ring_writer *writer)
{
	struct ring_thread *threads;
	struct ring_stream *streams;
	struct ring_object *objects;
	struct ring_context *contexts;
	struct ring_maker *makers;
	uint32_t number, i;

	threads = ring_writer_chunk(writer, RING_CHUNK_THREADS, &number);
	streams = ring_writer_chunk(writer, RING_CHUNK_STREAMS, &number);
	objects = ring_writer_chunk(writer, RING_CHUNK_OBJECTS, &number);
	contexts = ring_writer_chunk(writer, RING_CHUNK_CONTEXTS, &number);
	makers = ring_writer_chunk(writer, RING_CHUNK_MAKERS, &number);
	if (!threads || !streams || !objects || !contexts || !makers)
		abort();
	threads[0] = (struct ring_thread){ .tid = 100, .seq = 7, .api = 5, .context = 1, .stream = 2, .object = 1,
					   .bound = RING_POINT(2, 4), .timeout = -1 };
	threads[2] = (struct ring_thread){ .tid = 102, .seq = 8, .api = RING_API_NONE };
	contexts[0] = (struct ring_context){ .generation = 2, .state = RING_OBJECT_LIVE, .default_stream = 1 };
	makers[5] = (struct ring_maker){ .tid = 102, .caller = 0x1234 };
	for (i = 0; i < SAMPLE_STREAMS; i++)
		streams[i] = (struct ring_stream){ .generation = 2, .state = RING_OBJECT_LIVE, .context = 1,
						   .stream_id = i + 2, .claimed = SAMPLE_ENTRIES };
	for (i = 0; i < 2; i++)
		objects[i] = (struct ring_object){ .generation = 2, .kind = RING_OBJECT_EVENT,
						   .state = RING_OBJECT_LIVE, .id = i, .last_record = RING_POINT(1, i) };
}

void sample_fill(struct ring_writer *writer)
{
	struct ring_segment *segment = NULL;
	uint32_t stream, number;
	uint64_t entry;

	fill_records(writer);
	for (stream = 1; stream <= SAMPLE_STREAMS; stream++) {
		for (entry = 0; entry < SAMPLE_ENTRIES; entry++) {
			if (entry % RING_SEGMENT_ENTRIES == 0) {
				segment = ring_writer_chunk(writer, RING_CHUNK_QUEUE, &number);
				if (!segment)
					abort();
				segment->first = entry;
				segment->generation = 2;
				segment->stream = stream;
			}
			sample_entry(segment, stream, entry);
		}
	}
	ring_writer_publish(writer);
}

int sample_read(const char *path)
{
	struct ring_snapshot snapshot;
	struct ring_reader *reader;
	char error[200];
	int status;

	reader = ring_reader_open(path, error, sizeof(error));
	if (!reader)
		return -errno;
	status = ring_reader_snapshot(reader, &snapshot);
	if (status == 0)
		ring_snapshot_free(&snapshot);
	ring_reader_close(reader);
	return status;
}

unsigned char *sample_bytes(const struct ring_writer *writer, size_t *size)
{
	unsigned char *bytes;

	*size = (size_t)writer->end;
	bytes = malloc(*size);
	if (!bytes)
		abort();
	memcpy(bytes, writer->header, *size);
	return bytes;
}

void sample_write(const char *path, const unsigned char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
}

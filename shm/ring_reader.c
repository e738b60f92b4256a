// SPDX-License-Identifier: Apache-2.0
/*
 * Copies a ring out of a file that somebody else writes, or has forged: by pread
 * only, every offset, count and reference checked, every record taken only if two
 * copies of it agree (ring_format.h says what its writer promises). libc only.
 */
#include "shm/ring_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEADER_MAX   (16u * RING_PAGE) /* a later version may have a longer one: refused anyway */
#define RETRIES	     4
#define ROUNDS	     8
#define ENTRIES_LAST (UINT64_C(1) << RING_POINT_SEQ_BITS)

struct ring_reader {
	int fd;
	bool own; /* fd is ours to close */
};

/* One kind's array while it is being put together. */
struct array {
	unsigned char *records;
	size_t count; /* records, chunks that are missing included */
};

struct copier {
	int fd;
	struct ring_snapshot *out;
	struct ring_chunk_ref *directory;
	uint32_t directory_max;
	uint32_t chunk_count;
	uint32_t header_bytes;
	struct array arrays[RING_CHUNK_KINDS];
	struct ring_segment *segments;
	size_t segment_count;
	size_t segment_room;
	unsigned char seen[RING_CHUNK_KINDS][RING_MAX_CHUNKS]; /* by number */
	unsigned char done[RING_MAX_CHUNKS];		       /* by place in the directory */
	unsigned char twice[2][sizeof(struct ring_segment)];
};

/* Reads exactly size bytes. Returns 0, -ENODATA when the file ends before, or -errno. */
static int read_at(int fd, void *to, size_t size, uint64_t offset)
{
	size_t have = 0;
	ssize_t got;

	while (have < size) {
		got = pread(fd, (char *)to + have, size - have, (off_t)(offset + have));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -ENODATA;
		have += (size_t)got;
	}
	return 0;
}

static struct ring_reader *reader_fail(int number, const char *why, char *error, size_t size)
{
	if (error && size)
		snprintf(error, size, "%s", why);
	errno = number;
	return NULL;
}

static const char *header_check(int fd, struct ring_header *header, int *number)
{
	int status = read_at(fd, header, sizeof(*header), 0);

	*number = EBADMSG;
	if (status == -ENODATA) {
		*number = ENODATA;
		return "the ring is truncated: it ends within its header";
	}
	if (status) {
		*number = -status;
		return "the ring cannot be read";
	}
	if (header->magic == 0 && header->version && header->version <= RING_VERSION &&
	    header->endian == RING_ENDIAN) {
		*number = EAGAIN;
		return "the ring is just being created";
	}
	if (header->magic != RING_MAGIC)
		return "this is not a ring of cannwatch";
	if (header->endian != RING_ENDIAN)
		return "the ring was written on a machine of the other byte order";
	if (header->version > RING_VERSION) {
		*number = EPROTO;
		return "the ring was written by a newer cannwatch: use that version to read it";
	}
	if (header->version == 0 || header->header_bytes % RING_PAGE || header->header_bytes > HEADER_MAX ||
	    header->header_bytes < RING_PAGE || header->pid <= 0 || header->state > RING_STATE_ENDED)
		return "the header of the ring makes no sense";
	*number = 0;
	return NULL;
}

static struct ring_reader *reader_new(int fd, bool own, char *error, size_t size)
{
	struct ring_reader *reader;
	struct ring_header header;
	struct stat stat;
	const char *why;
	int number;

	if (fstat(fd, &stat))
		return reader_fail(errno, "the ring cannot be looked at", error, size);
	if (!S_ISREG(stat.st_mode))
		return reader_fail(EBADMSG, "this is not a ring of cannwatch: not a regular file", error,
				   size);
	why = header_check(fd, &header, &number);
	if (!why && stat.st_size < (off_t)header.header_bytes) {
		why = "the ring is truncated: it ends within its header";
		number = ENODATA;
	}
	if (why)
		return reader_fail(number, why, error, size);
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return reader_fail(ENOMEM, "out of memory", error, size);
	reader->fd = fd;
	reader->own = own;
	return reader;
}

struct ring_reader *ring_reader_open(const char *path, char *error, size_t size)
{
	struct ring_reader *reader;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int saved;

	if (fd < 0) {
		saved = errno;
		if (error && size)
			snprintf(error, size, "%s: %s", path, strerror(saved));
		errno = saved;
		return NULL;
	}
	reader = reader_new(fd, true, error, size);
	if (!reader) {
		saved = errno;
		close(fd);
		errno = saved;
	}
	return reader;
}

struct ring_reader *ring_reader_open_fd(int fd, char *error, size_t size)
{
	return reader_new(fd, false, error, size);
}

void ring_reader_close(struct ring_reader *reader)
{
	if (!reader)
		return;
	if (reader->own)
		close(reader->fd);
	free(reader);
}

/* ---- directory ---- */

static int directory_read(struct copier *copier)
{
	struct ring_header header;
	const char *why;
	int number;

	why = header_check(copier->fd, &header, &number);
	if (why)
		return -number;
	if (copier->header_bytes == 0)
		copier->header_bytes = header.header_bytes;
	copier->directory_max = 0;
	if (copier->header_bytes > RING_DIRECTORY_OFFSET)
		copier->directory_max = (copier->header_bytes - RING_DIRECTORY_OFFSET) / sizeof(struct ring_chunk_ref);
	if (copier->directory_max > RING_MAX_CHUNKS)
		copier->directory_max = RING_MAX_CHUNKS;
	copier->chunk_count = header.chunk_count;
	if (copier->chunk_count > copier->directory_max) {
		copier->out->dropped++;
		copier->chunk_count = copier->directory_max;
	}
	header.command[sizeof(header.command) - 1] = '\0';
	header.rank_source[sizeof(header.rank_source) - 1] = '\0';
	copier->out->header = header;
	return read_at(copier->fd, copier->directory, copier->chunk_count * sizeof(*copier->directory),
		       RING_DIRECTORY_OFFSET);
}

static size_t record_size(uint32_t kind)
{
	switch (kind) {
	case RING_CHUNK_THREADS:
		return sizeof(struct ring_thread);
	case RING_CHUNK_STREAMS:
		return sizeof(struct ring_stream);
	case RING_CHUNK_OBJECTS:
		return sizeof(struct ring_object);
	case RING_CHUNK_CONTEXTS:
		return sizeof(struct ring_context);
	case RING_CHUNK_MAKERS:
		return sizeof(struct ring_maker);
	case RING_CHUNK_NAMES:
		return 1;
	default:
		return 0;
	}
}

/* ---- one record ---- */

/*
 * Does a pair of copies of this record, one taken wholly after the other, show one
 * state? Identity fields must agree and be stable; counters may have moved on.
 */
static bool record_agrees(uint32_t kind, const void *first, const void *second)
{
	switch (kind) {
	case RING_CHUNK_THREADS: {
		const struct ring_thread *a = first, *b = second;

		return a->tid == b->tid && a->seq == b->seq;
	}
	case RING_CHUNK_STREAMS: {
		const struct ring_stream *a = first, *b = second;

		return a->generation == b->generation && !(a->generation & 1);
	}
	case RING_CHUNK_OBJECTS: {
		const struct ring_object *a = first, *b = second;

		return a->generation == b->generation && !(a->generation & 1);
	}
	case RING_CHUNK_CONTEXTS: {
		const struct ring_context *a = first, *b = second;

		return a->generation == b->generation && !(a->generation & 1);
	}
	case RING_CHUNK_MAKERS:
		return memcmp(first, second, sizeof(struct ring_maker)) == 0;
	default:
		return true;
	}
}

/* Takes one record into to, trying again while it changes. Left zeroed (free) if it never settles. */
static void record_take(struct copier *copier, uint32_t kind, size_t size, uint64_t offset,
			const unsigned char *first, const unsigned char *second, unsigned char *to)
{
	unsigned char a[sizeof(struct ring_stream)], b[sizeof(struct ring_stream)];
	int tries;

	if (record_agrees(kind, first, second)) {
		memcpy(to, second, size);
		return;
	}
	memcpy(b, second, size);
	for (tries = 0; tries < RETRIES; tries++) {
		memcpy(a, b, size);
		if (read_at(copier->fd, b, size, offset))
			break;
		if (record_agrees(kind, a, b)) {
			memcpy(to, b, size);
			return;
		}
	}
	if (kind == RING_CHUNK_THREADS) {
		/* It changes all the time: the thread is between calls as much as in one. */
		struct ring_thread *thread = (struct ring_thread *)to;

		memcpy(to, b, size);
		thread->seq = (thread->seq + 1) & ~1u;
		thread->api = RING_API_NONE;
		return;
	}
	copier->out->torn++;
}

/* ---- chunks ---- */

static int array_grow(struct array *array, size_t count, size_t size)
{
	unsigned char *records;

	if (count <= array->count)
		return 0;
	records = realloc(array->records, count * size + 1);
	if (!records)
		return -ENOMEM;
	memset(records + array->count * size, 0, (count - array->count) * size + 1);
	array->records = records;
	array->count = count;
	return 0;
}

static int records_copy(struct copier *copier, const struct ring_chunk_ref *ref)
{
	size_t bytes = ring_chunk_bytes(ref->kind), size = record_size(ref->kind);
	size_t count = bytes / size, i;
	uint64_t offset = (uint64_t)ref->page * RING_PAGE;
	struct array *array = &copier->arrays[ref->kind];
	unsigned char *to;
	int error;

	if (read_at(copier->fd, copier->twice[0], bytes, offset) ||
	    read_at(copier->fd, copier->twice[1], bytes, offset)) {
		copier->out->dropped++;
		return 0;
	}
	error = array_grow(array, (ref->number + 1u) * count, size);
	if (error)
		return error;
	to = array->records + ref->number * count * size;
	if (ref->kind == RING_CHUNK_NAMES) {
		memcpy(to, copier->twice[1], bytes);
		return 0;
	}
	for (i = 0; i < count; i++)
		record_take(copier, ref->kind, size, offset + i * size, copier->twice[0] + i * size,
			    copier->twice[1] + i * size, to + i * size);
	return 0;
}

static bool entry_take(struct copier *copier, const struct ring_entry *first, const struct ring_entry *second,
		       uint64_t offset, struct ring_entry *to)
{
	struct ring_entry a, b = *second;
	int tries;

	if (memcmp(first, second, sizeof(*first)) == 0) {
		*to = *second;
		return true;
	}
	for (tries = 0; tries < RETRIES; tries++) {
		a = b;
		if (read_at(copier->fd, &b, sizeof(b), offset))
			break;
		if (memcmp(&a, &b, sizeof(a)) == 0) {
			*to = b;
			return true;
		}
	}
	copier->out->torn++;
	return false;
}

/* A segment whose head changed while it was copied was being reused: its old entries are gone. */
static bool segment_head_agrees(const struct ring_segment *a, const struct ring_segment *b)
{
	return a->stream == b->stream && a->generation == b->generation && a->first == b->first;
}

static int segment_copy(struct copier *copier, const struct ring_chunk_ref *ref)
{
	const struct ring_segment *a = (const struct ring_segment *)copier->twice[0];
	const struct ring_segment *b = (const struct ring_segment *)copier->twice[1];
	uint64_t offset = (uint64_t)ref->page * RING_PAGE;
	struct ring_segment *segment;
	unsigned int i;

	if (read_at(copier->fd, copier->twice[0], sizeof(*a), offset) ||
	    read_at(copier->fd, copier->twice[1], sizeof(*b), offset)) {
		copier->out->dropped++;
		return 0;
	}
	if (!segment_head_agrees(a, b)) {
		copier->out->torn++;
		return 0;
	}
	if (b->stream == 0)
		return 0;
	if (b->first >= ENTRIES_LAST - RING_SEGMENT_ENTRIES) {
		copier->out->dropped++;
		return 0;
	}
	if (copier->segment_count == copier->segment_room) {
		size_t room = copier->segment_room ? copier->segment_room * 2 : 16;

		segment = realloc(copier->segments, room * sizeof(*segment));
		if (!segment)
			return -ENOMEM;
		copier->segments = segment;
		copier->segment_room = room;
	}
	segment = &copier->segments[copier->segment_count++];
	memset(segment, 0, sizeof(*segment));
	segment->stream = b->stream;
	segment->generation = b->generation;
	segment->first = b->first;
	for (i = 0; i < RING_SEGMENT_ENTRIES; i++) {
		uint64_t place = offset + offsetof(struct ring_segment, entries) + i * sizeof(struct ring_entry);

		if (!entry_take(copier, &a->entries[i], &b->entries[i], place, &segment->entries[i]))
			memset(&segment->entries[i], 0, sizeof(segment->entries[i]));
	}
	return 0;
}

static bool ref_is_sound(const struct copier *copier, const struct ring_chunk_ref *ref)
{
	uint32_t bytes = ring_chunk_bytes(ref->kind);

	if (!bytes || ref->pages != bytes / RING_PAGE || ref->number >= RING_MAX_CHUNKS)
		return false;
	if (ref->page < copier->header_bytes / RING_PAGE)
		return false;
	return (uint64_t)ref->page + ref->pages <= RING_FILE_MAX / RING_PAGE;
}

/* Copies the chunks of the kinds that are chosen and were not copied before. */
static int chunks_copy(struct copier *copier, bool referring)
{
	uint32_t i;
	int error;

	for (i = 0; i < copier->chunk_count; i++) {
		const struct ring_chunk_ref *ref = &copier->directory[i];
		bool refers = ref->kind == RING_CHUNK_QUEUE || ref->kind == RING_CHUNK_THREADS;

		if (copier->done[i] || ref->kind == RING_CHUNK_NONE || refers != referring)
			continue;
		copier->done[i] = 1;
		if (!ref_is_sound(copier, ref) || copier->seen[ref->kind][ref->number]) {
			copier->out->dropped++;
			continue;
		}
		copier->seen[ref->kind][ref->number] = 1;
		error = ref->kind == RING_CHUNK_QUEUE ? segment_copy(copier, ref) : records_copy(copier, ref);
		if (error)
			return error;
	}
	return 0;
}

/*
 * What refers (threads, queue entries) is copied before what is referred to, and the
 * directory is read again after that: so a reference never points at something that
 * was there but was not copied.
 */
static int ring_copy(struct copier *copier)
{
	uint32_t before;
	int round, error;

	error = directory_read(copier);
	if (error)
		return error;
	for (round = 0; round < ROUNDS; round++) {
		before = copier->chunk_count;
		error = chunks_copy(copier, round == 0);
		if (!error && round == 0)
			error = directory_read(copier);
		if (!error)
			error = chunks_copy(copier, false);
		if (!error)
			error = directory_read(copier);
		if (error || copier->chunk_count == before)
			return error;
	}
	return 0;
}

/* ---- references ---- */

static void ref_check(struct ring_snapshot *out, uint32_t *ref, size_t count)
{
	if (*ref <= count)
		return;
	*ref = 0;
	out->dropped++;
}

static void point_check(struct ring_snapshot *out, uint64_t *point)
{
	if (RING_POINT_STREAM(*point) <= out->stream_count)
		return;
	*point = 0;
	out->dropped++;
}

static void threads_check(struct ring_snapshot *out)
{
	size_t i, kept = 0;

	for (i = 0; i < out->thread_count; i++) {
		struct ring_thread *thread = &out->threads[i];

		if (thread->tid == 0)
			continue;
		ref_check(out, &thread->context, out->context_count);
		ref_check(out, &thread->stream, out->stream_count);
		ref_check(out, &thread->object, out->object_count);
		point_check(out, &thread->bound);
		out->threads[kept++] = *thread;
	}
	out->thread_count = kept;
}

static void records_check(struct ring_snapshot *out)
{
	size_t i, kept = 0;

	for (i = 0; i < out->stream_count; i++) {
		struct ring_stream *stream = &out->streams[i];

		if (stream->state > RING_OBJECT_GONE) {
			memset(stream, 0, sizeof(*stream));
			out->dropped++;
		}
		ref_check(out, &stream->context, out->context_count);
	}
	for (i = 0; i < out->object_count; i++) {
		struct ring_object *object = &out->objects[i];

		if (object->state > RING_OBJECT_GONE || object->kind > RING_OBJECT_FUNCTION ||
		    object->made_by > RING_MADE_NOTIFY) {
			memset(object, 0, sizeof(*object));
			out->dropped++;
		}
		ref_check(out, &object->context, out->context_count);
		point_check(out, &object->last_record);
	}
	for (i = 0; i < out->context_count; i++) {
		struct ring_context *context = &out->contexts[i];

		if (context->state > RING_OBJECT_GONE) {
			memset(context, 0, sizeof(*context));
			out->dropped++;
		}
		ref_check(out, &context->default_stream, out->stream_count);
	}
	for (i = 0; i < out->maker_count; i++)
		if (out->makers[i].tid)
			out->makers[kept++] = out->makers[i];
	out->maker_count = kept;
}

/* ---- queues ---- */

static int segment_compare(const void *left, const void *right)
{
	const struct ring_segment *a = *(const struct ring_segment *const *)left;
	const struct ring_segment *b = *(const struct ring_segment *const *)right;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void entry_check(struct ring_snapshot *out, struct ring_entry *entry)
{
	ref_check(out, &entry->object, out->object_count);
	point_check(out, &entry->bound);
	if (entry->name > out->names_bytes) {
		entry->name = 0;
		out->dropped++;
	}
}

/* Appends the sound entries of one segment to its stream's queue, which has room. */
static void segment_append(struct ring_snapshot *out, struct ring_queue *queue, const struct ring_segment *segment)
{
	uint64_t next = 0;
	unsigned int i;

	if (queue->count)
		next = RING_TAG_NUMBER(queue->entries[queue->count - 1].tag) + 1;
	for (i = 0; i < RING_SEGMENT_ENTRIES; i++) {
		struct ring_entry entry = segment->entries[i];
		uint64_t number = RING_TAG_NUMBER(entry.tag);
		uint32_t state = RING_TAG_STATE(entry.tag);

		if (state == RING_ENTRY_EMPTY)
			continue;
		if (number != segment->first + i) {
			/* An earlier use of this place, or one that began while it was copied. */
			out->torn += number > segment->first + i;
			continue;
		}
		if (number < next || state > RING_ENTRY_FAILED || entry.kind > RING_TASK_COLLECTIVE) {
			out->dropped++;
			continue;
		}
		entry_check(out, &entry);
		queue->entries[queue->count++] = entry;
	}
}

/* May a segment belong to the stream it names as that stream is now? */
static bool segment_is_current(const struct ring_snapshot *out, const struct ring_segment *segment)
{
	const struct ring_stream *stream;

	if (segment->stream > out->stream_count)
		return false;
	stream = &out->streams[segment->stream - 1];
	return stream->state != RING_OBJECT_FREE && stream->generation == segment->generation &&
	       segment->first + RING_SEGMENT_ENTRIES > stream->base_seq;
}

/* Gives one stream the segments from, from + 1, ... count of them. */
static int queue_fill(struct ring_snapshot *out, struct ring_segment **from, size_t count)
{
	struct ring_queue *queue = &out->queues[from[0]->stream - 1];
	size_t i;

	queue->entries = malloc(count * RING_SEGMENT_ENTRIES * sizeof(*queue->entries));
	if (!queue->entries)
		return -ENOMEM;
	queue->first_kept = from[0]->first;
	for (i = 0; i < count; i++)
		segment_append(out, queue, from[i]);
	return 0;
}

static int queues_make(struct copier *copier)
{
	struct ring_snapshot *out = copier->out;
	struct ring_segment **order;
	size_t i, run, count = 0;
	int error = 0;

	out->queues = calloc(out->stream_count + 1, sizeof(*out->queues));
	order = malloc((copier->segment_count + 1) * sizeof(struct ring_segment *));
	if (!out->queues || !order) {
		free(order);
		return -ENOMEM;
	}
	for (i = 0; i < out->stream_count; i++)
		out->queues[i].first_kept = out->streams[i].claimed;
	for (i = 0; i < copier->segment_count; i++) {
		if (copier->segments[i].stream > out->stream_count)
			out->dropped++;
		else if (segment_is_current(out, &copier->segments[i]))
			order[count++] = &copier->segments[i];
	}
	qsort(order, count, sizeof(*order), segment_compare);
	for (i = 0; i < count && !error; i += run) {
		for (run = 1; i + run < count && order[i + run]->stream == order[i]->stream; run++)
			;
		error = queue_fill(out, order + i, run);
	}
	free(order);
	return error;
}

/* ---- snapshot ---- */

static uint64_t now_mono(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Hands the arrays over to the snapshot, so that one function frees them. */
static int arrays_hand_over(struct copier *copier)
{
	struct ring_snapshot *out = copier->out;
	int kind;

	/* Nobody should have to ask whether an empty array is NULL. */
	for (kind = RING_CHUNK_THREADS; kind < RING_CHUNK_KINDS; kind++)
		if (!copier->arrays[kind].records) {
			copier->arrays[kind].records = calloc(1, sizeof(struct ring_stream));
			if (!copier->arrays[kind].records)
				return -ENOMEM;
		}
	out->threads = (struct ring_thread *)copier->arrays[RING_CHUNK_THREADS].records;
	out->thread_count = copier->arrays[RING_CHUNK_THREADS].count;
	out->streams = (struct ring_stream *)copier->arrays[RING_CHUNK_STREAMS].records;
	out->stream_count = copier->arrays[RING_CHUNK_STREAMS].count;
	out->objects = (struct ring_object *)copier->arrays[RING_CHUNK_OBJECTS].records;
	out->object_count = copier->arrays[RING_CHUNK_OBJECTS].count;
	out->contexts = (struct ring_context *)copier->arrays[RING_CHUNK_CONTEXTS].records;
	out->context_count = copier->arrays[RING_CHUNK_CONTEXTS].count;
	out->makers = (struct ring_maker *)copier->arrays[RING_CHUNK_MAKERS].records;
	out->maker_count = copier->arrays[RING_CHUNK_MAKERS].count;
	out->names = (char *)copier->arrays[RING_CHUNK_NAMES].records;
	out->names_bytes = copier->arrays[RING_CHUNK_NAMES].count;
	free(copier->arrays[RING_CHUNK_QUEUE].records);
	memset(copier->arrays, 0, sizeof(copier->arrays));
	return 0;
}

static void copier_free(struct copier *copier)
{
	int kind;

	for (kind = 0; kind < RING_CHUNK_KINDS; kind++)
		free(copier->arrays[kind].records);
	free(copier->segments);
	free(copier->directory);
	free(copier);
}

int ring_reader_snapshot(struct ring_reader *reader, struct ring_snapshot *snapshot)
{
	struct copier *copier = calloc(1, sizeof(*copier));
	int error = -ENOMEM;

	memset(snapshot, 0, sizeof(*snapshot));
	if (!copier)
		return -ENOMEM;
	copier->fd = reader->fd;
	copier->out = snapshot;
	copier->directory = calloc(RING_MAX_CHUNKS, sizeof(*copier->directory));
	if (!copier->directory)
		goto out;
	snapshot->taken_mono = now_mono();
	error = ring_copy(copier);
	if (!error)
		error = arrays_hand_over(copier);
	if (error)
		goto out;
	records_check(snapshot);
	threads_check(snapshot);
	error = queues_make(copier);
out:
	copier_free(copier);
	if (error)
		ring_snapshot_free(snapshot);
	return error;
}

void ring_snapshot_free(struct ring_snapshot *snapshot)
{
	size_t i;

	for (i = 0; snapshot->queues && i < snapshot->stream_count; i++)
		free(snapshot->queues[i].entries);
	free(snapshot->queues);
	free(snapshot->threads);
	free(snapshot->streams);
	free(snapshot->objects);
	free(snapshot->contexts);
	free(snapshot->makers);
	free(snapshot->names);
	memset(snapshot, 0, sizeof(*snapshot));
}

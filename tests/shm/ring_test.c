// SPDX-License-Identifier: Apache-2.0
/* Writer and reader agree; cut, changed, foreign and shrinking files are survived. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/shm/check.h"
#include "tests/shm/sample.h"

#define MUTANTS	  20000 /* with CANNWATCH_TEST_FULL; else fewer */
#define SNAPSHOTS 10000
#define WRITERS	  4

static struct ring_writer writer;
static char scratch[128];

/* How often: all of it with CANNWATCH_TEST_FULL, else a tenth, a fortieth where a sanitizer makes all slow. */
static int rounds(int full)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	const int part = 40;
#else
	const int part = 10;
#endif

	return getenv("CANNWATCH_TEST_FULL") ? full : full / part;
}

static void test_round_trip(void)
{
	struct ring_snapshot s;
	struct ring_reader *reader;
	char error[200], found[256];
	struct stat status;
	size_t i;

	reader = ring_reader_open(writer.path, error, sizeof(error));
	CHECK(reader != NULL);
	CHECK(ring_reader_snapshot(reader, &s) == 0);
	CHECK(s.header.pid == getpid() && s.header.rank_global == 3 && s.header.world_size == 8);
	CHECK(!strcmp(s.header.rank_source, "OMPI") && s.header.state == RING_STATE_LIVE);
	CHECK(strstr(s.header.command, "ring_test") != NULL);
	CHECK(s.header.start_ticks && s.header.created_mono && s.header.pid_namespace);
	CHECK(s.torn == 0 && s.dropped == 0);
	CHECK(s.thread_count == 2 && s.threads[0].tid == 100 && s.threads[1].tid == 102);
	CHECK(s.threads[0].seq == 7 && s.threads[0].stream == 2 && s.threads[0].bound == RING_POINT(2, 4));
	CHECK(s.maker_count == 1 && s.makers[0].tid == 102 && s.makers[0].caller == 0x1234);
	CHECK(s.stream_count == RING_STREAMS_PER_CHUNK && s.streams[SAMPLE_STREAMS].state == RING_OBJECT_FREE);
	CHECK(s.object_count == RING_OBJECTS_PER_CHUNK && s.objects[1].id == 1);
	CHECK(s.contexts[0].default_stream == 1);
	for (i = 0; i < SAMPLE_STREAMS; i++) {
		CHECK(s.queues[i].count == SAMPLE_ENTRIES && s.queues[i].first_kept == 0);
		CHECK(sample_entry_is_whole(&s.queues[i].entries[SAMPLE_ENTRIES - 1], (uint32_t)i + 1));
	}
	ring_snapshot_free(&s);
	ring_reader_close(reader);
	CHECK(ring_find(getpid(), found, sizeof(found)) == 0 && !strcmp(found, writer.path));
	CHECK(stat(writer.path, &status) == 0 && (status.st_mode & 07777) == 0600);
}

/* At every page and around every edge of the header; a file that is whole is read whole. */
static void test_truncation(const unsigned char *bytes, size_t size)
{
	size_t length, step = getenv("CANNWATCH_TEST_FULL") ? 1 : 7;

	for (length = 0; length <= size; length += length < 2048 ? step : 509) {
		sample_write(scratch, bytes, length);
		if (length < RING_HEADER_PAGES * RING_PAGE)
			CHECK(sample_read(scratch) == -ENODATA);
		else
			CHECK(sample_read(scratch) == 0);
	}
}

static uint64_t random_state = 42;

static uint32_t random_next(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33);
}

static void mutate(unsigned char *bytes, size_t size)
{
	uint32_t count = 1 + random_next() % 32, i;

	for (i = 0; i < count; i++) {
		/* Half of the changes where they hurt most: header and directory. */
		size_t at = random_next() % (random_next() & 1 ? 2048 : size);

		switch (random_next() % 3) {
		case 0:
			bytes[at] = (unsigned char)random_next();
			break;
		case 1:
			bytes[at] = 0xff;
			break;
		default:
			bytes[at] ^= (unsigned char)(1u << random_next() % 8);
		}
	}
}

/* Whatever the reader makes of a changed file, its references must hold. */
static void check_references(const struct ring_snapshot *s)
{
	size_t i, j;

	for (i = 0; i < s->thread_count; i++)
		CHECK(s->threads[i].stream <= s->stream_count && s->threads[i].object <= s->object_count &&
		      s->threads[i].context <= s->context_count &&
		      RING_POINT_STREAM(s->threads[i].bound) <= s->stream_count);
	for (i = 0; i < s->stream_count; i++) {
		CHECK(s->streams[i].context <= s->context_count);
		for (j = 0; j < s->queues[i].count; j++) {
			const struct ring_entry *e = &s->queues[i].entries[j];

			CHECK(e->object <= s->object_count && RING_POINT_STREAM(e->bound) <= s->stream_count);
			CHECK(e->kind <= RING_TASK_COLLECTIVE);
			CHECK(j == 0 || RING_TAG_NUMBER(e->tag) > RING_TAG_NUMBER(e[-1].tag));
		}
	}
	for (i = 0; i < s->context_count; i++)
		CHECK(s->contexts[i].default_stream <= s->stream_count);
	CHECK(memchr(s->header.command, 0, sizeof(s->header.command)) != NULL);
}

static void test_mutants(const unsigned char *bytes, size_t size)
{
	unsigned char *copy = malloc(size);
	int fd = open(scratch, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int i, read = 0;
	char error[200];

	for (i = 0; i < rounds(MUTANTS); i++) {
		struct ring_snapshot s;
		struct ring_reader *reader;

		memcpy(copy, bytes, size);
		mutate(copy, size);
		CHECK(pwrite(fd, copy, size, 0) == (ssize_t)size);
		reader = ring_reader_open_fd(fd, error, sizeof(error));
		if (!reader)
			continue;
		if (ring_reader_snapshot(reader, &s) == 0) {
			read++;
			check_references(&s);
			ring_snapshot_free(&s);
		}
		ring_reader_close(reader);
	}
	/* Most changes leave something to read: losing all for one bad byte would be wrong. */
	CHECK(read > rounds(MUTANTS) / 2);
	close(fd);
	free(copy);
}

static void test_random_bytes(void)
{
	unsigned char bytes[32768];
	int i;
	size_t j;

	for (i = 0; i < 300; i++) {
		struct ring_header header = { .magic = RING_MAGIC, .version = 1, .endian = RING_ENDIAN,
					      .header_bytes = RING_HEADER_PAGES * RING_PAGE, .chunk_count = 944 };

		for (j = 0; j < sizeof(bytes); j++)
			bytes[j] = (unsigned char)random_next();
		sample_write(scratch, bytes, sizeof(bytes));
		CHECK(sample_read(scratch) == -EBADMSG);
		memcpy(bytes, &header, 64);
		header.chunk_count = random_next();
		memcpy(bytes + offsetof(struct ring_header, chunk_count), &header.chunk_count, 4);
		sample_write(scratch, bytes, sizeof(bytes));
		CHECK(sample_read(scratch) <= 0);
	}
}

static void test_versions(const unsigned char *bytes, size_t size)
{
	unsigned char *copy = malloc(size);
	struct ring_header *header = (struct ring_header *)copy;

	memcpy(copy, bytes, size);
	header->version = RING_VERSION + 1;
	sample_write(scratch, copy, size);
	CHECK(sample_read(scratch) == -EPROTO);
	header->version = RING_VERSION;
	header->magic = 0;
	sample_write(scratch, copy, size);
	CHECK(sample_read(scratch) == -EAGAIN);
	header->magic = RING_MAGIC;
	header->endian = UINT32_C(0x04030201);
	sample_write(scratch, copy, size);
	CHECK(sample_read(scratch) == -EBADMSG);
	CHECK(sample_read("/nonexistent/ring") == -ENOENT);
	CHECK(sample_read("/tmp") < 0);
	CHECK(sample_read("/dev/zero") == -EBADMSG);
	free(copy);
}

static volatile int stop;

static void *shrinker(void *data)
{
	int fd = *(int *)data;

	while (!stop) {
		CHECK(ftruncate(fd, 20000) == 0);
		CHECK(ftruncate(fd, 0) == 0);
		CHECK(pwrite(fd, writer.header, (size_t)writer.end, 0) == (ssize_t)writer.end);
	}
	return NULL;
}

static void test_shrinking(void)
{
	int fd = open(scratch, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), i;
	pthread_t thread;

	stop = 0;
	pthread_create(&thread, NULL, shrinker, &fd);
	for (i = 0; i < rounds(3000); i++)
		CHECK(sample_read(scratch) <= 0);
	stop = 1;
	pthread_join(thread, NULL);
	close(fd);
}

/* ---- a ring that four threads write into ---- */

struct busy {
	uint32_t stream;
	struct ring_segment *segments[2];
	struct ring_thread *slot;
};

static void *busy_writer(void *data)
{
	struct busy *busy = data;
	uint64_t number;

	for (number = 0; !stop; number++) {
		struct ring_segment *segment = busy->segments[number / RING_SEGMENT_ENTRIES % 2];

		if (number % RING_SEGMENT_ENTRIES == 0) {
			__atomic_store_n(&segment->stream, 0, __ATOMIC_RELAXED);
			__atomic_thread_fence(__ATOMIC_RELEASE);
			__atomic_store_n(&segment->first, number, __ATOMIC_RELEASE);
			__atomic_store_n(&segment->stream, busy->stream, __ATOMIC_RELEASE);
		}
		sample_entry(segment, busy->stream, number);
		busy->slot->upto = number;
		busy->slot->timeout = (int32_t)(number * 3);
		__atomic_store_n(&busy->slot->seq, busy->slot->seq + 1, __ATOMIC_RELEASE);
		__atomic_store_n(&busy->slot->seq, busy->slot->seq + 1, __ATOMIC_RELEASE);
		__atomic_thread_fence(__ATOMIC_RELEASE);
	}
	return NULL;
}

static uint64_t check_busy(const struct ring_snapshot *s)
{
	uint64_t accepted = 0;
	size_t i, j;

	for (i = 0; i < WRITERS; i++)
		for (j = 0; j < s->queues[i].count; j++, accepted++)
			CHECK(sample_entry_is_whole(&s->queues[i].entries[j], (uint32_t)i + 1));
	for (i = 0; i < s->thread_count; i++)
		CHECK(!(s->threads[i].seq & 1) || s->threads[i].timeout == (int32_t)(s->threads[i].upto * 3));
	return accepted;
}

static void busy_prepare(struct ring_writer *ring, struct busy *busy)
{
	struct ring_thread *threads;
	struct ring_stream *streams;
	struct ring_object *objects;
	uint32_t number, i;

	sample_open(ring);
	threads = ring_writer_chunk(ring, RING_CHUNK_THREADS, &number);
	streams = ring_writer_chunk(ring, RING_CHUNK_STREAMS, &number);
	objects = ring_writer_chunk(ring, RING_CHUNK_OBJECTS, &number);
	CHECK(threads && streams && objects);
	for (i = 0; i < WRITERS; i++) {
		threads[i].tid = i + 1;
		streams[i].generation = 2;
		streams[i].state = RING_OBJECT_LIVE;
		busy[i].stream = i + 1;
		busy[i].slot = &threads[i];
		busy[i].segments[0] = ring_writer_chunk(ring, RING_CHUNK_QUEUE, &number);
		busy[i].segments[1] = ring_writer_chunk(ring, RING_CHUNK_QUEUE, &number);
		busy[i].segments[0]->generation = busy[i].segments[1]->generation = 2;
	}
	ring_writer_publish(ring);
}

static void test_concurrent(void)
{
	static struct ring_writer ring;
	struct busy busy[WRITERS];
	pthread_t threads[WRITERS];
	struct ring_reader *reader;
	struct ring_snapshot s;
	uint64_t accepted = 0;
	char error[200];
	int i;

	busy_prepare(&ring, busy);
	stop = 0;
	for (i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, busy_writer, &busy[i]);
	reader = ring_reader_open(ring.path, error, sizeof(error));
	CHECK(reader != NULL);
	for (i = 0; i < rounds(SNAPSHOTS); i++) {
		CHECK(ring_reader_snapshot(reader, &s) == 0);
		accepted += check_busy(&s);
		CHECK(s.dropped == 0);
		ring_snapshot_free(&s);
	}
	stop = 1;
	for (i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	CHECK(accepted > (uint64_t)rounds(SNAPSHOTS));
	printf("concurrent: %d snapshots, %llu entries accepted\n", rounds(SNAPSHOTS), (unsigned long long)accepted);
	ring_reader_close(reader);
	ring_writer_end(&ring, false);
	CHECK(access(ring.path, F_OK) != 0);
}

/* The program may close our descriptor or put another file in its place. */
static void test_descriptor(void)
{
	static struct ring_writer ring;
	uint32_t number;
	struct stat status;
	int fd, other;

	sample_open(&ring);
	fd = ring.fd;
	other = open(scratch, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(dup2(other, fd) == fd);
	for (number = 0; number < 40;)
		CHECK(ring_writer_chunk(&ring, RING_CHUNK_QUEUE, &number) && ++number);
	CHECK(fstat(other, &status) == 0 && status.st_size == 0);
	CHECK(ring.fd != fd && fcntl(fd, F_GETFD) >= 0);
	close(other);
	close(fd);
	ring_writer_forget(&ring);
}

int main(void)
{
	unsigned char *bytes;
	size_t size;

	snprintf(scratch, sizeof(scratch), "/tmp/ring_test.%d", (int)getpid());
	sample_open(&writer);
	CHECK(sample_read(writer.path) == -EAGAIN);
	sample_fill(&writer);
	test_round_trip();
	bytes = sample_bytes(&writer, &size);
	test_truncation(bytes, size);
	test_mutants(bytes, size);
	test_random_bytes();
	test_versions(bytes, size);
	test_shrinking();
	test_descriptor();
	test_concurrent();
	ring_writer_end(&writer, false);
	unlink(scratch);
	free(bytes);
	CHECK_DONE();
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Creates a ring and hands out its chunks: see ring_writer.h for the rules.
 * System calls through libc only; no malloc, no stdio, no lock.
 */
#include "shm/ring_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RESERVE_STEP  (256u << 10) /* bytes asked of the file system at a time */
#define LIMIT_LEAST   (512u << 10) /* less than this is not worth a file */
#define FD_LOW	      200	   /* keep clear of the numbers a program expects */
#define INTERRUPTS    64	   /* tries against EINTR */

/* By number: the functions of these names are in libc only since glibc 2.33. */
static int descriptor_stat(int fd, struct stat *to)
{
	return (int)syscall(SYS_fstat, fd, to);
}

static int path_stat(const char *path, struct stat *to)
{
	return (int)syscall(SYS_newfstatat, AT_FDCWD, path, to, 0);
}

/* Text without stdio: each appends at most what fits and keeps the NUL. */
static size_t text_add(char *to, size_t size, size_t at, const char *text)
{
	while (*text && at + 1 < size)
		to[at++] = *text++;
	to[at] = '\0';
	return at;
}

static size_t text_add_number(char *to, size_t size, size_t at, uint64_t value, unsigned int base,
			      unsigned int width)
{
	char digits[24];
	unsigned int n = sizeof(digits);

	digits[--n] = '\0';
	do {
		digits[--n] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value && n);
	while (sizeof(digits) - 1 - n < width && n)
		digits[--n] = '0';
	return text_add(to, size, at, digits + n);
}

/* Reads a small file whole. Returns its length or -errno; always NUL-terminated. */
static ssize_t file_read(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t got;

	to[0] = '\0';
	if (fd < 0)
		return -errno;
	while (have + 1 < size) {
		got = read(fd, to + have, size - 1 - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	close(fd);
	to[have] = '\0';
	return (ssize_t)have;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Start time of this process: field 22, counted after the name's last parenthesis. */
static uint64_t start_ticks(void)
{
	char text[1024], *at;
	uint64_t value = 0;
	int field;

	if (file_read("/proc/self/stat", text, sizeof(text)) <= 0)
		return 0;
	at = strrchr(text, ')');
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return 0;
	for (at++; *at >= '0' && *at <= '9'; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	return value;
}

static void boot_id(uint8_t id[16])
{
	char text[64];
	unsigned int i, n = 0;

	memset(id, 0, 16);
	if (file_read("/proc/sys/kernel/random/boot_id", text, sizeof(text)) <= 0)
		return;
	for (i = 0; text[i] && n < 32; i++) {
		unsigned int c = (unsigned char)text[i], digit;

		if (c >= '0' && c <= '9')
			digit = c - '0';
		else if (c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;
		else
			continue;
		id[n / 2] = (uint8_t)(id[n / 2] << 4 | digit);
		n++;
	}
}

static void command_line(char *to, size_t size)
{
	ssize_t n = file_read("/proc/self/cmdline", to, size);
	ssize_t i;

	/* Arguments are NUL-separated: blanks between them, none at the end. */
	while (n > 0 && to[n - 1] == '\0')
		n--;
	for (i = 0; i < n; i++)
		if ((unsigned char)to[i] < ' ' || to[i] == 0x7f)
			to[i] = ' ';
}

static void header_fill(struct ring_header *header, const struct ring_identity *identity)
{
	struct stat namespace;

	header->version = RING_VERSION;
	header->endian = RING_ENDIAN;
	header->header_bytes = RING_HEADER_PAGES * RING_PAGE;
	header->state = RING_STATE_STARTING;
	header->pid = getpid();
	if (path_stat("/proc/self/ns/pid", &namespace) == 0)
		header->pid_namespace = namespace.st_ino;
	header->start_ticks = start_ticks();
	boot_id(header->boot_id);
	header->created_mono = clock_ns(CLOCK_MONOTONIC);
	header->created_real = clock_ns(CLOCK_REALTIME);
	header->rank_global = identity->rank_global;
	header->rank_local = identity->rank_local;
	header->world_size = identity->world_size;
	if (identity->rank_source)
		text_add(header->rank_source, sizeof(header->rank_source), 0, identity->rank_source);
	command_line(header->command, sizeof(header->command));
	header->shim_base = identity->shim_base;
	header->stall_ms = identity->stall_ms;
	header->api_table = identity->api_table;
}

/*
 * Opens /dev/shm/cannwatch-<uid>, making it if need be, and trusts it only if it is
 * a directory of ours that nobody else can write to. Returns a descriptor or -errno.
 */
static int directory_open(char *path, size_t size)
{
	struct stat stat;
	size_t at;
	int fd;

	at = text_add(path, size, 0, "/dev/shm/cannwatch-");
	text_add_number(path, size, at, geteuid(), 10, 0);
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (descriptor_stat(fd, &stat) || stat.st_uid != geteuid() || (stat.st_mode & 0077)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* What a ring in this directory may use: at most an eighth of what is free. */
static size_t directory_limit(int fd)
{
	struct statvfs space;
	uint64_t limit;

	if (fstatvfs(fd, &space))
		return 0;
	limit = (uint64_t)space.f_bavail * space.f_frsize / 8;
	if (limit > RING_FILE_MAX)
		limit = RING_FILE_MAX;
	return (size_t)(limit & ~(uint64_t)(RING_PAGE - 1));
}

static uint64_t random_bits(void)
{
	uint64_t bits = 0;

	/* Never waits: without entropy the clock and O_EXCL keep the name unique. */
	if (getrandom(&bits, sizeof(bits), GRND_NONBLOCK) != sizeof(bits))
		bits ^= clock_ns(CLOCK_MONOTONIC) * UINT64_C(0x9e3779b97f4a7c15);
	return bits;
}

static int file_open(struct ring_writer *writer)
{
	char name[64];
	size_t at;
	int directory, fd, tries;

	directory = directory_open(writer->path, sizeof(writer->path));
	if (directory < 0) {
		writer->path[0] = '\0';
		return directory;
	}
	writer->limit = directory_limit(directory);
	fd = -ENOSPC;
	for (tries = 0; writer->limit >= LIMIT_LEAST && tries < 8; tries++) {
		at = text_add_number(name, sizeof(name), 0, (uint64_t)getpid(), 10, 0);
		at = text_add(name, sizeof(name), at, "-");
		at = text_add_number(name, sizeof(name), at, random_bits(), 16, 16);
		text_add(name, sizeof(name), at, ".ring");
		fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST) {
			fd = fd < 0 ? -errno : fd;
			break;
		}
		fd = -EEXIST;
	}
	close(directory);
	if (fd < 0) {
		writer->path[0] = '\0';
		return fd;
	}
	at = text_add(writer->path, sizeof(writer->path), strlen(writer->path), "/");
	text_add(writer->path, sizeof(writer->path), at, name);
	return fd;
}

/* For where there is no usable /dev/shm: found by readers through /proc/PID/fd. */
static int memory_open(struct ring_writer *writer)
{
	int fd = (int)syscall(SYS_memfd_create, "cannwatch.ring", 1u /* MFD_CLOEXEC */);

	writer->path[0] = '\0';
	writer->limit = RING_FILE_MAX;
	return fd < 0 ? -errno : fd;
}

/* Moves the descriptor away from the low numbers a program counts on. */
static int descriptor_lift(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, FD_LOW);

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static int file_reserve(int fd, uint64_t from, uint64_t bytes)
{
	int tries;

	for (tries = 0; tries < INTERRUPTS; tries++) {
		if (fallocate(fd, 0, (off_t)from, (off_t)bytes) == 0)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
	return -EINTR;
}

static void writer_close(struct ring_writer *writer)
{
	if (writer->header)
		munmap(writer->header, writer->limit);
	if (writer->path[0])
		unlink(writer->path);
	if (writer->fd >= 0)
		close(writer->fd);
	memset(writer, 0, sizeof(*writer));
	writer->fd = -1;
}

/* Maps what fd holds and reserves the header. writer->limit is set. */
static int writer_map(struct ring_writer *writer, int fd)
{
	uint64_t first = RING_HEADER_PAGES * RING_PAGE;
	struct stat stat;
	void *base;
	int error;

	writer->fd = descriptor_lift(fd);
	if (descriptor_stat(writer->fd, &stat))
		return -errno;
	writer->device = stat.st_dev;
	writer->inode = stat.st_ino;
	error = file_reserve(writer->fd, 0, first);
	if (error)
		return error;
	/*
	 * The whole limit in one mapping, so that it never moves; pages beyond the file
	 * are not touched. Under a tight RLIMIT_AS, less.
	 */
	for (;;) {
		base = mmap(NULL, writer->limit, PROT_READ | PROT_WRITE, MAP_SHARED, writer->fd, 0);
		if (base != MAP_FAILED)
			break;
		if (writer->limit / 2 < LIMIT_LEAST)
			return -errno;
		writer->limit = writer->limit / 2 & ~(size_t)(RING_PAGE - 1);
	}
	writer->header = base;
	writer->end = first;
	writer->reserved = first;
	return 0;
}

int ring_writer_open(struct ring_writer *writer, const struct ring_identity *identity)
{
	int fd, error;

	memset(writer, 0, sizeof(*writer));
	writer->fd = -1;
	fd = file_open(writer);
	error = fd < 0 ? fd : writer_map(writer, fd);
	if (error < 0) {
		writer_close(writer);
		fd = memory_open(writer);
		error = fd < 0 ? fd : writer_map(writer, fd);
	}
	if (error < 0) {
		writer_close(writer);
		return error;
	}
	header_fill(writer->header, identity);
	return 0;
}

void ring_writer_publish(struct ring_writer *writer)
{
	__atomic_store_n(&writer->header->state, RING_STATE_LIVE, __ATOMIC_RELAXED);
	__atomic_store_n(&writer->header->magic, RING_MAGIC, __ATOMIC_RELEASE);
}

static bool descriptor_is_ring(const struct ring_writer *writer, int fd)
{
	struct stat stat;

	return fd >= 0 && descriptor_stat(fd, &stat) == 0 && stat.st_dev == writer->device &&
	       stat.st_ino == writer->inode;
}

int ring_writer_fd(struct ring_writer *writer)
{
	int old = __atomic_load_n(&writer->fd, __ATOMIC_RELAXED);
	int fd;

	if (descriptor_is_ring(writer, old))
		return old;
	if (!writer->path[0])
		return -1;
	fd = open(writer->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!descriptor_is_ring(writer, fd)) {
		close(fd);
		return -1;
	}
	fd = descriptor_lift(fd);
	if (__atomic_compare_exchange_n(&writer->fd, &old, fd, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return fd;
	close(fd);
	return descriptor_is_ring(writer, old) ? old : -1;
}

/* Makes sure that the file system has promised everything up to end. */
static bool writer_reserve(struct ring_writer *writer, uint64_t end)
{
	uint64_t have = __atomic_load_n(&writer->reserved, __ATOMIC_ACQUIRE);
	uint64_t want = end;
	int fd;

	if (end <= have)
		return true;
	fd = ring_writer_fd(writer);
	if (fd < 0)
		return false;
	if (have + RESERVE_STEP > want)
		want = have + RESERVE_STEP;
	if (want > writer->limit)
		want = writer->limit;
	/* Two threads may ask for the same bytes: reserving twice is harmless. */
	if (file_reserve(fd, have, want - have)) {
		want = end;
		if (file_reserve(fd, have, want - have))
			return false;
	}
	while (have < want && !__atomic_compare_exchange_n(&writer->reserved, &have, want, false,
							   __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
		;
	return true;
}

static struct ring_chunk_ref *writer_directory(struct ring_writer *writer)
{
	return (struct ring_chunk_ref *)((unsigned char *)writer->header + RING_DIRECTORY_OFFSET);
}

static bool writer_claim(struct ring_writer *writer, uint32_t bytes, uint64_t *offset)
{
	uint64_t at = __atomic_load_n(&writer->end, __ATOMIC_RELAXED);

	do {
		if (at + bytes > writer->limit)
			return false;
	} while (!__atomic_compare_exchange_n(&writer->end, &at, at + bytes, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	*offset = at;
	return writer_reserve(writer, at + bytes);
}

/* Enters the chunk in the directory; the kind goes last, so that readers see all of it or nothing. */
static bool writer_enter(struct ring_writer *writer, enum ring_chunk_kind kind, uint32_t number,
			 uint64_t offset, uint32_t bytes)
{
	uint32_t index = __atomic_fetch_add(&writer->directory, 1, __ATOMIC_RELAXED);
	struct ring_chunk_ref *ref = writer_directory(writer) + index;
	uint32_t count;

	if (index >= RING_MAX_CHUNKS)
		return false;
	ref->number = (uint16_t)number;
	ref->page = (uint32_t)(offset / RING_PAGE);
	ref->pages = bytes / RING_PAGE;
	__atomic_store_n(&ref->kind, (uint16_t)kind, __ATOMIC_RELEASE);
	count = __atomic_load_n(&writer->header->chunk_count, __ATOMIC_RELAXED);
	while (count < index + 1 &&
	       !__atomic_compare_exchange_n(&writer->header->chunk_count, &count, index + 1, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return true;
}

void *ring_writer_chunk(struct ring_writer *writer, enum ring_chunk_kind kind, uint32_t *number)
{
	uint32_t bytes = ring_chunk_bytes(kind);
	int saved = errno;
	uint64_t offset;
	void *chunk;

	if (!writer->header || !bytes || __atomic_load_n(&writer->full, __ATOMIC_RELAXED))
		return NULL;
	if (!writer_claim(writer, bytes, &offset))
		goto full;
	*number = __atomic_fetch_add(&writer->kinds[kind], 1, __ATOMIC_RELAXED);
	if (*number >= RING_MAX_CHUNKS || !writer_enter(writer, kind, *number, offset, bytes))
		goto full;
	chunk = (unsigned char *)writer->header + offset;
	__atomic_store_n(&writer->chunks[kind][*number], chunk, __ATOMIC_RELEASE);
	errno = saved;
	return chunk;
full:
	__atomic_store_n(&writer->full, 1, __ATOMIC_RELAXED);
	errno = saved;
	return NULL;
}

void ring_writer_end(struct ring_writer *writer, bool keep)
{
	if (!writer->header)
		return;
	__atomic_store_n(&writer->header->state, RING_STATE_ENDED, __ATOMIC_RELEASE);
	if (!keep && writer->path[0])
		unlink(writer->path);
}

void ring_writer_forget(struct ring_writer *writer)
{
	int fd = writer->fd;

	if (descriptor_is_ring(writer, fd))
		close(fd);
	if (writer->header)
		munmap(writer->header, writer->limit);
	memset(writer, 0, sizeof(*writer));
	writer->fd = -1;
}

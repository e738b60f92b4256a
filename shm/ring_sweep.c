// SPDX-License-Identifier: Apache-2.0
/* Which rings are nobody's any more: see ring_sweep.h. */
#include "shm/ring_sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm/ring_format.h"

struct sweep {
	const struct ring_sweep_options *options;
	struct ring_sweep_result *result;
	uint64_t pid_namespace; /* ours */
	char boot_id[40];
};

enum fate { FATE_REMOVE, FATE_LIVING, FATE_ELSEWHERE, FATE_UNREAD };

static bool file_read(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, to, size - 1);
	close(fd);
	to[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* Field 22 of stat, after the name's last parenthesis; 0 unknown. */
static uint64_t start_ticks_of(int pid)
{
	char path[64], text[1024], *at;
	int field;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (!file_read(path, text, sizeof(text)))
		return 0;
	at = strrchr(text, ')');
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

static bool process_is_gone(const struct ring_header *header)
{
	uint64_t ticks;

	if (kill(header->pid, 0) == -1 && errno == ESRCH)
		return true;
	ticks = start_ticks_of(header->pid);
	return ticks && header->start_ticks && ticks != header->start_ticks;
}

static bool same_boot(const struct sweep *sweep, const struct ring_header *header)
{
	static const uint8_t unknown[16];
	char text[33] = "", own[33] = "";
	size_t i, n = 0;

	if (!memcmp(header->boot_id, unknown, sizeof(unknown)))
		return true;
	for (i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", header->boot_id[i]);
	for (i = 0; sweep->boot_id[i] && n < 32; i++)
		if (sweep->boot_id[i] != '-' && sweep->boot_id[i] != '\n')
			own[n++] = sweep->boot_id[i];
	return n < 32 || !strcmp(text, own);
}

static enum fate ring_judge(const struct sweep *sweep, const struct ring_header *header)
{
	if (header->magic != RING_MAGIC || header->endian != RING_ENDIAN || header->pid <= 0)
		return FATE_UNREAD;
	if (!header->pid_namespace || header->pid_namespace != sweep->pid_namespace)
		return FATE_ELSEWHERE;
	if (!same_boot(sweep, header))
		return FATE_REMOVE;
	return process_is_gone(header) ? FATE_REMOVE : FATE_LIVING;
}

static enum fate ring_look(const struct sweep *sweep, int directory, const char *name, struct ring_header *header,
			   uint64_t *bytes)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	enum fate fate = FATE_UNREAD;
	struct stat stat;

	if (fd < 0)
		return FATE_UNREAD;
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) &&
	    pread(fd, header, sizeof(*header), 0) == (ssize_t)sizeof(*header)) {
		*bytes = (uint64_t)stat.st_blocks * 512;
		fate = ring_judge(sweep, header);
	}
	close(fd);
	return fate;
}

static void ring_decide(struct sweep *sweep, int directory, const char *path, const char *name)
{
	struct ring_header header;
	char whole[PATH_MAX];
	uint64_t bytes = 0;

	switch (ring_look(sweep, directory, name, &header, &bytes)) {
	case FATE_LIVING:
		sweep->result->living++;
		return;
	case FATE_ELSEWHERE:
		sweep->result->elsewhere++;
		return;
	case FATE_UNREAD:
		sweep->result->unread++;
		return;
	case FATE_REMOVE:
		break;
	}
	if (!sweep->options->dry && unlinkat(directory, name, 0)) {
		sweep->result->unread++;
		return;
	}
	sweep->result->removed++;
	sweep->result->bytes += bytes;
	if (sweep->options->told && snprintf(whole, sizeof(whole), "%s/%s", path, name) < (int)sizeof(whole))
		sweep->options->told(sweep->options->context, whole, header.pid);
}

static bool is_ring_name(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && !strcmp(name + length - 5, ".ring");
}

static int directory_sweep(struct sweep *sweep, const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct dirent *item;
	DIR *list;

	if (fd < 0)
		return -errno;
	list = fdopendir(fd);
	if (!list) {
		close(fd);
		return -ENOMEM;
	}
	while ((item = readdir(list)))
		if (is_ring_name(item->d_name))
			ring_decide(sweep, dirfd(list), path, item->d_name);
	closedir(list);
	return 0;
}

static int everybody_sweep(struct sweep *sweep, const char *root)
{
	DIR *list = opendir(root);
	char path[PATH_MAX];
	struct dirent *item;

	if (!list)
		return -errno;
	while ((item = readdir(list)))
		if (!strncmp(item->d_name, "cannwatch-", 10) &&
		    snprintf(path, sizeof(path), "%s/%s", root, item->d_name) < (int)sizeof(path))
			directory_sweep(sweep, path);
	closedir(list);
	return 0;
}

int ring_sweep(const struct ring_sweep_options *options, struct ring_sweep_result *result)
{
	struct sweep sweep = { .options = options, .result = result };
	const char *root = options->root ? options->root : "/dev/shm";
	char path[PATH_MAX];
	struct stat stat_;

	memset(result, 0, sizeof(*result));
	if (stat("/proc/self/ns/pid", &stat_))
		return -errno;
	sweep.pid_namespace = stat_.st_ino;
	file_read("/proc/sys/kernel/random/boot_id", sweep.boot_id, sizeof(sweep.boot_id));
	if (options->everybody)
		return everybody_sweep(&sweep, root);
	if (snprintf(path, sizeof(path), "%s/cannwatch-%u", root, (unsigned int)geteuid()) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return directory_sweep(&sweep, path);
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the ring of a live process, also one in a container: by name in /dev/shm as
 * this or that process sees it, then among its descriptors. Reads /proc; libc only.
 */
#include "shm/ring_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct target {
	pid_t pid;
	long inner_pid; /* as it sees itself */
	unsigned long uid;
	unsigned long long start_ticks;
	char *best; /* where the newest ring found so far is written */
	size_t size;
	uint64_t best_created;
	bool denied;
};

static int file_text(pid_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, to, size - 1);
	close(fd);
	if (got < 0)
		return -ESRCH;
	to[got] = '\0';
	return 0;
}

/* The last number on the line that begins with key. */
static bool status_last(const char *text, const char *key, unsigned long *value)
{
	const char *at = strstr(text, key);
	bool found = false;
	char *end;

	if (!at)
		return false;
	for (at += strlen(key); *at && *at != '\n'; at = end) {
		unsigned long number = strtoul(at, &end, 10);

		if (end == at)
			break;
		*value = number;
		found = true;
	}
	return found;
}

static int target_look(struct target *target)
{
	char text[8192], *at;
	unsigned long inner;
	unsigned int real, effective;
	int error, field;

	error = file_text(target->pid, "status", text, sizeof(text));
	if (error)
		return error == -ENOENT ? -ESRCH : error;
	target->inner_pid = target->pid;
	if (status_last(text, "\nNSpid:", &inner))
		target->inner_pid = (long)inner;
	at = strstr(text, "\nUid:");
	if (at && sscanf(at + 5, "%u %u", &real, &effective) == 2)
		target->uid = effective;
	if (file_text(target->pid, "stat", text, sizeof(text)))
		return -ESRCH;
	at = strrchr(text, ')');
	for (field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	target->start_ticks = at ? strtoull(at + 1, NULL, 10) : 0;
	return 0;
}

/* Keeps this file if it is a ring of the target and newer than what was found before. */
static void candidate_weigh(struct target *target, const char *path)
{
	struct ring_header header;
	struct stat stat;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t got;

	if (fd < 0) {
		target->denied |= errno == EACCES || errno == EPERM;
		return;
	}
	got = fstat(fd, &stat) || !S_ISREG(stat.st_mode) ? -1 : pread(fd, &header, sizeof(header), 0);
	close(fd);
	if (got != (ssize_t)sizeof(header) || (header.magic != RING_MAGIC && header.magic != 0))
		return;
	if (header.endian != RING_ENDIAN || header.pid != target->inner_pid)
		return;
	if (header.start_ticks && target->start_ticks && header.start_ticks != target->start_ticks)
		return;
	/* An exec keeps pid and start time: the newest file is the program's. */
	if (target->best[0] && header.created_mono <= target->best_created)
		return;
	if (strlen(path) >= target->size)
		return;
	strcpy(target->best, path);
	target->best_created = header.created_mono;
}

static void directory_search(struct target *target, const char *directory)
{
	char path[PATH_MAX], prefix[32];
	struct dirent *item;
	DIR *list = opendir(directory);
	size_t length;

	if (!list) {
		target->denied |= errno == EACCES || errno == EPERM;
		return;
	}
	snprintf(prefix, sizeof(prefix), "%ld-", target->inner_pid);
	length = strlen(prefix);
	while ((item = readdir(list))) {
		if (strncmp(item->d_name, prefix, length))
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", directory, item->d_name) < sizeof(path))
			candidate_weigh(target, path);
	}
	closedir(list);
}

/* /dev/shm as the process sees it; user namespaces show it under another uid. */
static void root_search(struct target *target)
{
	char base[64], path[PATH_MAX];
	struct dirent *item;
	DIR *list;

	snprintf(base, sizeof(base), "/proc/%d/root/dev/shm", (int)target->pid);
	list = opendir(base);
	if (!list) {
		target->denied |= errno == EACCES || errno == EPERM;
		return;
	}
	while ((item = readdir(list))) {
		if (strncmp(item->d_name, "cannwatch-", 10))
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", base, item->d_name) < sizeof(path))
			directory_search(target, path);
	}
	closedir(list);
}

static void descriptors_search(struct target *target)
{
	char base[64], path[PATH_MAX], link[PATH_MAX];
	struct dirent *item;
	DIR *list;
	ssize_t got;

	snprintf(base, sizeof(base), "/proc/%d/fd", (int)target->pid);
	list = opendir(base);
	if (!list) {
		target->denied |= errno == EACCES || errno == EPERM;
		return;
	}
	while ((item = readdir(list))) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", base, item->d_name) >= sizeof(path))
			continue;
		got = readlink(path, link, sizeof(link) - 1);
		if (got <= 0)
			continue;
		link[got] = '\0';
		if (!strncmp(link, "/memfd:cannwatch.ring", 21) || strstr(link, "/cannwatch-"))
			candidate_weigh(target, path);
	}
	closedir(list);
}

int ring_find(pid_t pid, char *path, size_t size)
{
	struct target target = { .pid = pid, .best = path, .size = size };
	char directory[64];
	int error;

	if (!size)
		return -EINVAL;
	path[0] = '\0';
	error = target_look(&target);
	if (error)
		return error;
	snprintf(directory, sizeof(directory), "/dev/shm/cannwatch-%lu", target.uid);
	directory_search(&target, directory);
	if (!path[0])
		root_search(&target);
	if (!path[0])
		descriptors_search(&target);
	if (path[0])
		return 0;
	return target.denied ? -EACCES : -ENOENT;
}

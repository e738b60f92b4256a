// SPDX-License-Identifier: Apache-2.0
/* Reading /proc (procfs.h). Uses libc only. */
#include "probe/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BYTES 16384

int procfs_error(int error)
{
	switch (error) {
	case ENOENT: /* the directory of a process that has ended */
	case ESRCH:
		return -ESRCH;
	case EPERM:
	case EACCES:
		return -EACCES;
	default:
		return -error;
	}
}

void procfs_text_free(struct procfs_text *text)
{
	free(text->data);
	text->data = NULL;
	text->size = 0;
}

static int text_reserve(struct procfs_text *text, size_t *room, size_t limit)
{
	size_t want = *room ? *room * 2 : FIRST_BYTES;
	char *data;

	if (text->size + 1 < *room)
		return 0;
	if (text->size >= limit)
		return -EFBIG;
	data = realloc(text->data, want);
	if (!data)
		return -ENOMEM;
	text->data = data;
	*room = want;
	return 0;
}

static int text_read_fd(int fd, size_t limit, struct procfs_text *text)
{
	size_t room = 0;
	ssize_t got;
	int err;

	for (;;) {
		err = text_reserve(text, &room, limit);
		if (err)
			return err;
		got = read(fd, text->data + text->size, room - text->size - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return procfs_error(errno);
		if (got == 0)
			break;
		text->size += got;
	}
	text->data[text->size] = '\0';
	return 0;
}

int procfs_read(int pid, const char *name, size_t limit, struct procfs_text *text)
{
	char path[128];
	int fd, err;

	text->data = NULL;
	text->size = 0;
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return procfs_error(errno);
	err = text_read_fd(fd, limit, text);
	close(fd);
	if (err)
		procfs_text_free(text);
	return err;
}

int procfs_read_at(int dirfd, const char *name, char *buffer, size_t size)
{
	ssize_t got;
	int fd;

	fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return procfs_error(errno);
	do
		got = read(fd, buffer, size - 1);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		got = procfs_error(errno);
	close(fd);
	buffer[got > 0 ? got : 0] = '\0';
	return (int)got;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Reading /proc: whole files into memory, with one meaning for each error. Uses
 * libc only. Never follows what it reads.
 *
 * Errors everywhere in probe/: 0 or -errno; -ESRCH when the process or thread has
 * ended meanwhile, -EACCES when this user may not look.
 */
#ifndef CANNWATCH_PROBE_PROCFS_H
#define CANNWATCH_PROBE_PROCFS_H

#include <stddef.h>

struct procfs_text {
	char *data; /* always NUL-terminated after a successful read; free with procfs_text_free */
	size_t size; /* bytes without that NUL; may contain NULs */
};

/* Reads /proc/<pid>/<name>, at most limit bytes (more is -EFBIG). The caller frees text. */
int procfs_read(int pid, const char *name, size_t limit, struct procfs_text *text);
/* Reads a small file of /proc below dirfd by a single read, NUL-terminated; returns its length or -errno. */
int procfs_read_at(int dirfd, const char *name, char *buffer, size_t size);
void procfs_text_free(struct procfs_text *text);
/* The same error in the words of this library (ENOENT below /proc/PID is ESRCH, ...). */
int procfs_error(int error);

#endif

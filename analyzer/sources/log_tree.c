// SPDX-License-Identifier: Apache-2.0
/* Directories, files and archives (log_tree.h). Needs libarchive and util.h. */
#include "analyzer/sources/log_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/model/util.h"

#ifdef HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

#define DIRECTORY_DEPTH 64
#define ARCHIVE_DEPTH	3
#define PEEK		(64 * 1024)

/* A byte source whose first bytes were looked at already. */
struct peeked {
	struct byte_source base;
	struct byte_source *below;
	char *bytes;
	size_t at, size;
	bool at_end;
};

struct fd_source {
	struct byte_source base;
	int fd;
};

static ssize_t fd_read(struct byte_source *source, char *bytes, size_t size)
{
	struct fd_source *self = (struct fd_source *)source;
	ssize_t got;

	do {
		got = read(self->fd, bytes, size);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static ssize_t peeked_read(struct byte_source *source, char *bytes, size_t size)
{
	struct peeked *self = (struct peeked *)source;
	size_t left = self->size - self->at;

	if (!left)
		return self->at_end ? 0 : self->below->read(self->below, bytes, size);
	if (size > left)
		size = left;
	memcpy(bytes, self->bytes + self->at, size);
	self->at += size;
	return (ssize_t)size;
}

static int peek(struct peeked *self, struct byte_source *below)
{
	self->base.read = peeked_read;
	self->below = below;
	self->bytes = xmalloc(PEEK);
	while (self->size < PEEK && !self->at_end) {
		ssize_t got = below->read(below, self->bytes + self->size, PEEK - self->size);

		if (got < 0 && !self->size)
			return (int)got;
		if (got <= 0)
			self->at_end = true;
		else
			self->size += (size_t)got;
		if (self->size >= 4096)
			break;
	}
	return 0;
}

/* Machine code, images, tensors: no text, and often large. */
static bool is_binary(const struct peeked *p)
{
	size_t looked = p->size < 4096 ? p->size : 4096, odd = 0, zero = 0;

	if (looked >= 4 && !memcmp(p->bytes, "\177ELF", 4))
		return true;
	for (size_t i = 0; i < looked; i++) {
		unsigned char c = (unsigned char)p->bytes[i];

		zero += c == 0;
		odd += c < 32 && c != '\n' && c != '\r' && c != '\t' && c != 27 && c != 0;
	}
	/* A hole of zeros is what a rotated log begins with. */
	return odd > looked / 8 || (zero > looked / 4 && zero + looked / 64 < looked);
}

static void read_bytes(struct log_visitor *visitor, const char *name, struct byte_source *below, int depth);

#ifdef HAVE_ARCHIVE
static bool is_archive(const struct peeked *p)
{
	static const struct {
		size_t at;
		const char *magic;
		size_t size;
	} magics[] = {
		{ 0, "\037\213", 2 },	      { 0, "\050\265\057\375", 4 }, { 0, "\3757zXZ", 5 },
		{ 0, "BZh", 3 },	      { 0, "PK\003\004", 4 },	    { 0, "\004\042\115\030", 4 },
		{ 257, "ustar", 5 },
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (p->size >= magics[i].at + magics[i].size &&
		    !memcmp(p->bytes + magics[i].at, magics[i].magic, magics[i].size))
			return true;
	return false;
}

struct archive_input {
	struct byte_source *bytes;
	char buffer[PEEK];
};

struct member_source {
	struct byte_source base;
	struct archive *archive;
};

static la_ssize_t archive_input_read(struct archive *archive, void *data, const void **bytes)
{
	struct archive_input *input = data;
	ssize_t got = input->bytes->read(input->bytes, input->buffer, sizeof(input->buffer));

	(void)archive;
	*bytes = input->buffer;
	return got < 0 ? 0 : got;
}

static ssize_t member_read(struct byte_source *source, char *bytes, size_t size)
{
	struct member_source *self = (struct member_source *)source;
	la_ssize_t got = archive_read_data(self->archive, bytes, size);

	return got < 0 ? -EIO : (ssize_t)got;
}

static void read_members(struct log_visitor *visitor, const char *name, struct archive *archive, int depth)
{
	struct archive_entry *entry;
	int rc;

	while ((rc = archive_read_next_header(archive, &entry)) == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		struct member_source member = { { member_read }, archive };
		const char *path = archive_entry_pathname(entry);
		bool is_raw = archive_format(archive) == ARCHIVE_FORMAT_RAW;
		char *full;

		if (!is_raw && archive_entry_filetype(entry) != AE_IFREG)
			continue;
		full = is_raw || !path ? xstrdup(name) : xasprintf("%s:%s", name, path);
		read_bytes(visitor, full, &member.base, depth + 1);
		free(full);
	}
	if (rc != ARCHIVE_EOF)
		visitor->failed(visitor, name, -EIO);
}

static void read_archive(struct log_visitor *visitor, const char *name, struct peeked *bytes, int depth)
{
	struct archive_input *input = xcalloc(1, sizeof(*input));
	struct archive *archive = archive_read_new();

	input->bytes = &bytes->base;
	if (!archive) {
		visitor->failed(visitor, name, -ENOMEM);
		free(input);
		return;
	}
	archive_read_support_filter_all(archive);
	archive_read_support_format_tar(archive);
	archive_read_support_format_zip_streamable(archive);
	archive_read_support_format_raw(archive);
	if (archive_read_open(archive, input, NULL, archive_input_read, NULL) == ARCHIVE_OK)
		read_members(visitor, name, archive, depth);
	else
		visitor->failed(visitor, name, -EIO);
	archive_read_free(archive);
	free(input);
}
#endif

static void read_bytes(struct log_visitor *visitor, const char *name, struct byte_source *below, int depth)
{
	struct peeked bytes = { .at = 0 };
	int rc = peek(&bytes, below);

	if (rc)
		visitor->failed(visitor, name, rc);
#ifdef HAVE_ARCHIVE
	else if (depth < ARCHIVE_DEPTH && is_archive(&bytes))
		read_archive(visitor, name, &bytes, depth);
#endif
	else if (!is_binary(&bytes))
		visitor->text(visitor, name, &bytes.base);
	free(bytes.bytes);
}

static void read_fd(struct log_visitor *visitor, const char *name, int fd)
{
	struct fd_source source = { { fd_read }, fd };

	read_bytes(visitor, name, &source.base, 0);
}

/* name lies in the directory at; takes no symbolic link there. */
static void walk_at(int at, const char *entry, const char *name, struct log_visitor *visitor, int depth);

static int no_dots(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

/* Takes fd over. */
static void walk_directory(int fd, const char *name, struct log_visitor *visitor, int depth)
{
	struct dirent **entries = NULL;
	int count = depth < DIRECTORY_DEPTH ? scandirat(fd, ".", &entries, no_dots, alphasort) : -1;

	if (count < 0)
		visitor->failed(visitor, name, depth < DIRECTORY_DEPTH ? -errno : -ELOOP);
	for (int i = 0; i < count; i++) {
		const char *slash = name[0] && name[strlen(name) - 1] == '/' ? "" : "/";
		char *full = xasprintf("%s%s%s", name, slash, entries[i]->d_name);

		walk_at(fd, entries[i]->d_name, full, visitor, depth + 1);
		free(full);
		free(entries[i]);
	}
	free(entries);
	close(fd);
}

static void walk_fd(int fd, const char *name, struct log_visitor *visitor, int depth)
{
	struct stat st;

	if (fstat(fd, &st)) {
		visitor->failed(visitor, name, -errno);
		close(fd);
	} else if (S_ISDIR(st.st_mode)) {
		walk_directory(fd, name, visitor, depth);
	} else {
		/* Given by the user: whatever it is. Met on the way: files only. */
		if (S_ISREG(st.st_mode) || !depth)
			read_fd(visitor, name, fd);
		close(fd);
	}
}

static void walk_at(int at, const char *entry, const char *name, struct log_visitor *visitor, int depth)
{
	/* Not blocking: a named pipe in a log folder must not hold us up. */
	int fd = openat(at, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0)
		walk_fd(fd, name, visitor, depth);
	else if (errno != ELOOP && errno != ENXIO)
		visitor->failed(visitor, name, -errno);
}

int log_tree_walk(const char *path, struct log_visitor *visitor)
{
	int fd;

	if (!strcmp(path, "-")) {
		read_fd(visitor, "-", STDIN_FILENO);
		return 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	walk_fd(fd, path, visitor, 0);
	return 0;
}

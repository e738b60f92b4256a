// SPDX-License-Identifier: Apache-2.0
/* DWARF, separate debug files, packed symbols (debugfile.h). Uses libdw, liblzma. */
#include "probe/debugfile.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libgen.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MINI_MAX	(64u << 20) /* of unpacked symbols */
#define MINI_MEMORY_MAX (128u << 20)
#define PATH_BYTES	4200
#define ID_MAX		64

Elf_Scn *elf_find_section(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *text;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		text = elf_strptr(elf, names, header.sh_name);
		if (text && !strcmp(text, name))
			return section;
	}
	return NULL;
}

static uint32_t crc32_update(uint32_t crc, const unsigned char *data, size_t size)
{
	static uint32_t table[256];
	uint32_t i, bit;

	if (!table[1])
		for (i = 0; i < 256; i++) {
			uint32_t value = i;

			for (bit = 0; bit < 8; bit++)
				value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
			table[i] = value;
		}
	crc = ~crc;
	while (size--)
		crc = table[(crc ^ *data++) & 0xff] ^ crc >> 8;
	return ~crc;
}

static bool file_has_crc(int fd, uint32_t want)
{
	unsigned char buffer[65536];
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		crc = crc32_update(crc, buffer, got);
		at += got;
	}
	return got == 0 && crc == want;
}

static size_t build_id_of(Elf *elf, unsigned char id[ID_MAX])
{
	const void *bits;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bits);

	if (size <= 0 || size > ID_MAX)
		return 0;
	memcpy(id, bits, size);
	return size;
}

struct debug_key { /* what makes a debug file the right one */
	unsigned char id[ID_MAX];
	size_t id_size;
	const char *link; /* file name, NULL none */
	uint32_t crc;
};

static bool debug_try(struct image *image, const struct debug_key *key, const char *path)
{
	unsigned char id[ID_MAX];
	struct stat facts;
	Elf *elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	if (fstat(fd, &facts) || !S_ISREG(facts.st_mode))
		goto close_fd;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		goto end_elf;
	if (key->id_size ? build_id_of(elf, id) != key->id_size || memcmp(id, key->id, key->id_size) :
			   !file_has_crc(fd, key->crc))
		goto end_elf;
	image->debug_elf = elf;
	image->debug_fd = fd;
	return true;
end_elf:
	elf_end(elf);
close_fd:
	close(fd);
	return false;
}

static bool debug_try_id(struct image *image, const struct debug_key *key, const char *root)
{
	char path[PATH_BYTES];
	size_t i, used;

	if (key->id_size < 2)
		return false;
	used = snprintf(path, sizeof(path), "%s/usr/lib/debug/.build-id/%02x/", root, key->id[0]);
	for (i = 1; i < key->id_size; i++)
		used += snprintf(path + used, sizeof(path) - used, "%02x", key->id[i]);
	snprintf(path + used, sizeof(path) - used, ".debug");
	return debug_try(image, key, path);
}

static bool debug_try_link(struct image *image, const struct debug_key *key, const char *root)
{
	static const char *const places[] = { "%s%s/%s", "%s%s/.debug/%s", "%s/usr/lib/debug%s/%s" };
	char folder[PATH_BYTES / 2], path[PATH_BYTES];
	const char *slash = strrchr(image->module->path, '/');
	size_t i;

	if (!key->link || !*key->link || strchr(key->link, '/') || !slash)
		return false;
	snprintf(folder, sizeof(folder), "%.*s", (int)(slash - image->module->path), image->module->path);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int length;

		/* the formats are the constants above */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		length = snprintf(path, sizeof(path), places[i], root, folder, key->link);
#pragma GCC diagnostic pop
		if (length < (int)sizeof(path) && debug_try(image, key, path))
			return true;
	}
	return false;
}

static void debug_find(struct image *image, int id)
{
	struct debug_key key = { .id_size = 0 };
	char root[64];
	GElf_Word crc = 0;

	key.id_size = build_id_of(image->elf, key.id);
	key.link = dwelf_elf_gnu_debuglink(image->elf, &crc);
	key.crc = crc;
	snprintf(root, sizeof(root), "/proc/%d/root", id);
	if (debug_try_id(image, &key, root) || debug_try_id(image, &key, ""))
		return;
	if (!debug_try_link(image, &key, root))
		debug_try_link(image, &key, "");
}

static bool elf_has_dwarf(Elf *elf)
{
	return elf_find_section(elf, ".debug_info") || elf_find_section(elf, ".debug_frame") ||
	       elf_find_section(elf, ".zdebug_info");
}

void debugfile_load(struct image *image)
{
	if (image->debug_tried || !image->elf)
		return;
	image->debug_tried = true;
	if (image->from != IMAGE_MEMORY && !elf_has_dwarf(image->elf))
		debug_find(image, image->id);
}

void debugfile_load_dwarf(struct image *image)
{
	Elf *elf;

	if (image->dwarf_tried || !image->elf)
		return;
	image->dwarf_tried = true;
	debugfile_load(image);
	elf = image->debug_elf ? image->debug_elf : image->elf;
	if (elf_has_dwarf(elf))
		image->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
}

/* Unpacks one xz stream of unknown length. */
static void *unpack(const void *data, size_t size, size_t *unpacked)
{
	uint64_t memory = MINI_MEMORY_MAX;
	size_t room = size * 4 + 65536, in, out;
	unsigned char *to = NULL, *grown;
	lzma_ret result;

	for (; room <= MINI_MAX; room *= 2) {
		grown = realloc(to, room);
		if (!grown)
			break;
		to = grown;
		in = out = 0;
		result = lzma_stream_buffer_decode(&memory, 0, NULL, data, &in, size, to, &out, room);
		if (result == LZMA_OK) {
			*unpacked = out;
			return to;
		}
		if (result != LZMA_BUF_ERROR)
			break;
	}
	free(to);
	return NULL;
}

void debugfile_load_mini(struct image *image)
{
	Elf_Scn *section;
	Elf_Data *data;
	size_t size;

	if (image->mini_memory || !image->elf)
		return;
	section = elf_find_section(image->elf, ".gnu_debugdata");
	data = section ? elf_rawdata(section, NULL) : NULL;
	if (!data || !data->d_size)
		return;
	image->mini_memory = unpack(data->d_buf, data->d_size, &size);
	if (image->mini_memory)
		image->mini = elf_memory(image->mini_memory, size);
}

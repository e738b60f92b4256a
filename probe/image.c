// SPDX-License-Identifier: Apache-2.0
/* ELF images of modules (image.h). Uses libelf, memory.h and module.h. */
#include "probe/image.h"
#include "probe/arch.h"
#include "probe/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE		  4096u
#define REBUILD_MAX	  (64u << 20) /* of a library rebuilt from memory */
#define REBUILD_VDSO_MAX (1u << 20)

int images_open(struct image_table *images, int id, const struct map_table *maps,
		const struct module_table *modules)
{
	size_t i;

	memset(images, 0, sizeof(*images));
	elf_version(EV_CURRENT);
	images->list = calloc(modules->count + 1, sizeof(*images->list));
	if (!images->list)
		return -ENOMEM;
	images->id = id;
	images->maps = maps;
	images->modules = modules;
	for (i = 0; i < modules->count; i++) {
		images->list[i].module = &modules->list[i];
		images->list[i].id = id;
		images->list[i].fd = -1;
		images->list[i].debug_fd = -1;
	}
	return 0;
}

static void image_close(struct image *image)
{
	if (image->dwarf)
		dwarf_end(image->dwarf);
	if (image->eh_cfi)
		dwarf_cfi_end(image->eh_cfi);
	elf_end(image->debug_elf);
	elf_end(image->mini);
	elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	if (image->debug_fd >= 0)
		close(image->debug_fd);
	free(image->mini_memory);
	free(image->memory);
}

void images_close(struct image_table *images)
{
	size_t i;

	for (i = 0; images->list && i < images->modules->count; i++)
		image_close(&images->list[i]);
	free(images->list);
	memset(images, 0, sizeof(*images));
}

static int regular_file_open(const char *path)
{
	struct stat facts;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && (fstat(fd, &facts) || !S_ISREG(facts.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int map_file_open(int id, const struct map *map)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, id, map->start, map->end);
	return regular_file_open(path);
}

/*
 * The same path may meanwhile name another file. Inode numbers decide, but some
 * overlay file systems show others in maps than in stat; then the first page,
 * which is never written to, has to be the same as in memory.
 */
static bool file_is_module(int fd, int id, const struct module *module)
{
	unsigned char in_memory[PAGE], in_file[PAGE];
	struct stat facts;

	if (fstat(fd, &facts))
		return false;
	if (facts.st_ino == module->inode && !module->deleted)
		return true;
	return module->first_offset == 0 &&
	       memory_read(id, module->start, in_memory, PAGE) == (ssize_t)PAGE &&
	       pread(fd, in_file, PAGE, 0) == (ssize_t)PAGE && !memcmp(in_memory, in_file, PAGE);
}

static int root_file_open(int id, const struct module *module)
{
	size_t size = strlen(module->path) + 64;
	char *path = malloc(size);
	int fd;

	if (!path)
		return -1;
	snprintf(path, size, "/proc/%d/root%s", id, module->path);
	fd = regular_file_open(path);
	if (fd < 0) /* the same file system without the right to look through root */
		fd = regular_file_open(module->path);
	free(path);
	if (fd >= 0 && !file_is_module(fd, id, module)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool elf_is_ours(Elf *elf)
{
	GElf_Ehdr header;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) && gelf_getclass(elf) == ELFCLASS64 &&
	       header.e_machine == ARCH_ELF_MACHINE;
}

static bool image_take_fd(struct image *image, int fd, enum image_from from)
{
	Elf *elf;

	if (fd < 0)
		return false;
	/* not by mmap: a file that shrinks while it is read must not kill us */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf_is_ours(elf)) {
		elf_end(elf);
		close(fd);
		return false;
	}
	image->fd = fd;
	image->elf = elf;
	image->from = from;
	return true;
}

/* Lays the readable mappings of a module out by their file offsets. */
static int rebuild(const struct image_table *images, const struct module *module, unsigned char *data, size_t size)
{
	size_t i, used = 0;

	for (i = module->first_map; i < images->maps->count; i++) {
		const struct map *map = &images->maps->list[i];
		size_t length = map->end - map->start;

		if (map->start >= module->end)
			break;
		if (!map->readable || map->inode != module->inode || map->offset >= size ||
		    (map->kind != MAP_FILE && map->kind != MAP_VDSO))
			continue;
		if (length > size - map->offset)
			length = size - map->offset;
		if (memory_read(images->id, map->start, data + map->offset, length) > 0 &&
		    used < map->offset + length)
			used = map->offset + length;
	}
	return used > sizeof(Elf64_Ehdr) ? 0 : -EFAULT;
}

static bool image_take_memory(struct image_table *images, struct image *image)
{
	const struct module *module = image->module;
	size_t size = module->end - module->start;
	unsigned char *data;
	Elf64_Ehdr *header;

	if (module->first_offset || size < sizeof(Elf64_Ehdr) || size > REBUILD_MAX ||
	    (module->is_vdso && size > REBUILD_VDSO_MAX))
		return false;
	data = calloc(1, size);
	if (!data)
		return false;
	header = (Elf64_Ehdr *)data;
	if (rebuild(images, module, data, size) || memcmp(header->e_ident, ELFMAG, SELFMAG))
		goto fail;
	if (!module->is_vdso) { /* section headers are not in memory */
		header->e_shoff = 0;
		header->e_shnum = 0;
		header->e_shstrndx = 0;
	}
	image->elf = elf_memory((char *)data, size);
	if (!elf_is_ours(image->elf))
		goto fail;
	image->memory = data;
	image->memory_size = size;
	image->from = IMAGE_MEMORY;
	return true;
fail:
	elf_end(image->elf);
	image->elf = NULL;
	free(data);
	return false;
}

/* Where the loaded segment that starts the module's first mapping was linked to. */
static bool image_find_bias(struct image *image)
{
	uint64_t offset = image->module->first_offset, page = (uint64_t)sysconf(_SC_PAGESIZE);
	GElf_Phdr header;
	size_t count, i;

	if (elf_getphdrnum(image->elf, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		if ((header.p_offset & ~(page - 1)) <= offset &&
		    offset < header.p_offset + header.p_filesz) {
			image->bias = image->module->start - (header.p_vaddr - header.p_offset + offset);
			return true;
		}
	}
	return false;
}

static void image_open(struct image_table *images, struct image *image)
{
	const struct module *module = image->module;
	const struct map *map = &images->maps->list[module->first_map];

	image->from = IMAGE_FAILED;
	if (!module->is_vdso && (image_take_fd(image, map_file_open(images->id, map), IMAGE_MAP_FILES) ||
				 image_take_fd(image, root_file_open(images->id, module), IMAGE_ROOT))) {
	} else if (!image_take_memory(images, image)) {
		return;
	}
	if (!image_find_bias(image)) {
		elf_end(image->elf);
		image->elf = NULL;
		image->from = IMAGE_FAILED;
		return;
	}
	image->eh_cfi = dwarf_getcfi_elf(image->elf);
}

struct image *image_get(struct image_table *images, const struct module *module)
{
	struct image *image = &images->list[module - images->modules->list];

	if (image->from == IMAGE_UNOPENED)
		image_open(images, image);
	return image;
}

// SPDX-License-Identifier: Apache-2.0
/* Names of code addresses (symbol.h). Uses libelf, debugfile.h, line.h. */
#include "probe/symbol.h"
#include "probe/debugfile.h"
#include "probe/demangle.h"
#include "probe/line.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define UNSIZED_REACH 4096 /* bytes an assembly label without a size may cover */

struct range { /* the addresses that lie in one module */
	struct symbol *first;
	size_t count;
	uint64_t bias;
};

static int compare_address(const void *a, const void *b)
{
	uint64_t x = ((const struct symbol *)a)->address, y = ((const struct symbol *)b)->address;

	return (x > y) - (x < y);
}

static int compare_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Index of the first symbol in range whose address is not below address. */
static size_t range_lower(const struct range *range, uint64_t address)
{
	size_t low = 0, high = range->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (range->first[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of several names for one place: sized before unsized, public before private, few underscores. */
static int name_rank(const char *name, const GElf_Sym *entry)
{
	int underscores = (int)strspn(name, "_");
	int bind = GELF_ST_BIND(entry->st_info);

	if (name[0] == '_' && name[1] == 'Z')
		underscores = 0;
	return (entry->st_size ? 0 : 1000) + underscores * 10 + (bind == STB_LOCAL ? 5 : bind == STB_WEAK ? 1 : 0);
}

static int symbol_offer(struct symbol *symbol, const char *name, uint64_t start, const GElf_Sym *entry)
{
	uint64_t size = entry->st_size ? entry->st_size : UINT64_MAX;
	int rank = name_rank(name, entry);
	char *copy;

	if (symbol->raw) {
		bool old_sized = symbol->best_size != UINT64_MAX;

		if (old_sized != (entry->st_size != 0)) {
			if (old_sized)
				return 0;
		} else if (start < symbol->start ||
			   (start == symbol->start &&
			    (size > symbol->best_size || (size == symbol->best_size && rank >= symbol->best_rank)))) {
			return 0;
		}
	}
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	free(symbol->raw);
	symbol->raw = copy;
	symbol->start = start;
	symbol->best_size = size;
	symbol->best_rank = rank;
	return 0;
}

static bool entry_is_code(const GElf_Sym *entry)
{
	int type = GELF_ST_TYPE(entry->st_info);

	return entry->st_shndx != SHN_UNDEF && entry->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static int entry_offer(const struct range *range, const char *name, const GElf_Sym *entry)
{
	uint64_t start = entry->st_value + range->bias;
	uint64_t reach = entry->st_size ? entry->st_size : UNSIZED_REACH;
	size_t i;
	int err = 0;

	if (start + reach < start)
		return 0;
	for (i = range_lower(range, start); !err && i < range->count && range->first[i].address < start + reach; i++)
		err = symbol_offer(&range->first[i], name, start, entry);
	return err;
}

static int section_offer(const struct range *range, Elf *elf, Elf_Scn *section)
{
	GElf_Shdr header;
	Elf_Data *data;
	size_t i, count;
	int err = 0;

	data = gelf_getshdr(section, &header) && header.sh_entsize ? elf_getdata(section, NULL) : NULL;
	if (!data)
		return 0;
	count = data->d_size / header.sh_entsize;
	for (i = 0; i < count && !err; i++) {
		const char *name;
		GElf_Sym entry;

		if (!gelf_getsym(data, (int)i, &entry) || !entry_is_code(&entry))
			continue;
		name = elf_strptr(elf, header.sh_link, entry.st_name);
		if (name && *name && *name != '$')
			err = entry_offer(range, name, &entry);
	}
	return err;
}

static int elf_offer(const struct range *range, Elf *elf)
{
	Elf_Scn *section = NULL;
	int err = 0;

	while (elf && !err && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			err = section_offer(range, elf, section);
	}
	return err;
}

struct dynamic { /* of an image without section headers */
	const char *strings;
	size_t strings_size;
	const Elf64_Sym *entries;
	size_t count;
};

/* The bytes that lie at a link-time address of an image rebuilt from memory. */
static const void *image_at(const struct image *image, uint64_t address, size_t *room)
{
	GElf_Phdr header;
	size_t count, i;

	if (elf_getphdrnum(image->elf, &count))
		return NULL;
	for (i = 0; i < count; i++) {
		uint64_t at;

		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
			continue;
		at = address - header.p_vaddr + header.p_offset;
		if (at >= image->memory_size)
			return NULL;
		*room = image->memory_size - at;
		return (const unsigned char *)image->memory + at;
	}
	return NULL;
}

static const GElf_Phdr *dynamic_header(const struct image *image, GElf_Phdr *header)
{
	size_t count, i;

	if (elf_getphdrnum(image->elf, &count))
		return NULL;
	for (i = 0; i < count; i++)
		if (gelf_getphdr(image->elf, (int)i, header) && header->p_type == PT_DYNAMIC)
			return header;
	return NULL;
}

/* The string table follows the symbols in every linker's output: that bounds their number. */
static bool dynamic_read(const struct image *image, struct dynamic *dynamic)
{
	uint64_t symbols = 0, strings = 0, strings_size = 0;
	const Elf64_Dyn *entry;
	GElf_Phdr header;
	size_t room, i;

	if (!dynamic_header(image, &header))
		return false;
	entry = image_at(image, header.p_vaddr, &room);
	for (i = 0; entry && i < room / sizeof(*entry) && entry[i].d_tag != DT_NULL; i++) {
		if (entry[i].d_tag == DT_SYMTAB)
			symbols = entry[i].d_un.d_ptr;
		else if (entry[i].d_tag == DT_STRTAB)
			strings = entry[i].d_un.d_ptr;
		else if (entry[i].d_tag == DT_STRSZ)
			strings_size = entry[i].d_un.d_val;
	}
	/* the dynamic linker has turned these into run-time addresses */
	if (symbols >= image->bias && strings >= image->bias) {
		symbols -= image->bias;
		strings -= image->bias;
	}
	if (strings <= symbols)
		return false;
	dynamic->strings = image_at(image, strings, &room);
	dynamic->strings_size = strings_size < room ? strings_size : room;
	dynamic->entries = image_at(image, symbols, &room);
	dynamic->count = (strings - symbols) / sizeof(Elf64_Sym);
	if (dynamic->count > room / sizeof(Elf64_Sym))
		dynamic->count = room / sizeof(Elf64_Sym);
	return dynamic->strings && dynamic->entries;
}

static int memory_image_offer(const struct range *range, const struct image *image)
{
	struct dynamic dynamic;
	size_t i;
	int err = 0;

	if (!dynamic_read(image, &dynamic))
		return 0;
	for (i = 0; i < dynamic.count && !err; i++) {
		Elf64_Sym entry;
		const char *name;

		memcpy(&entry, &dynamic.entries[i], sizeof(entry));
		if (!entry_is_code(&entry) || entry.st_name >= dynamic.strings_size)
			continue;
		name = dynamic.strings + entry.st_name;
		if (*name && memchr(name, '\0', dynamic.strings_size - entry.st_name))
			err = entry_offer(range, name, &entry);
	}
	return err;
}

static bool range_is_named(const struct range *range)
{
	size_t i;

	for (i = 0; i < range->count; i++)
		if (!range->first[i].raw || range->first[i].best_size == UINT64_MAX)
			return false;
	return true;
}

/* Libraries whose source lines tell nobody anything, while their debug files take long to unpack. */
static bool module_is_base(const struct module *module)
{
	static const char *const names[] = { "libc.so.6", "libc-2.", "libpthread", "ld-linux", "ld-2.", "libstdc++.so",
					     "libgcc_s.so" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(module->name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Its own tables first; only what they leave open makes us look for packed and separate ones. */
static uint64_t file_size(int fd)
{
	struct stat status;

	return fd >= 0 && fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static bool lines_are_affordable(const struct image_table *images, const struct image *image)
{
	struct timespec now;

	if (images->lines_size && (file_size(image->fd) > images->lines_size ||
				   file_size(image->debug_elf ? image->debug_fd : -1) > images->lines_size))
		return false;
	if (!images->lines_deadline_ns)
		return true;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec < images->lines_deadline_ns;
}

static int range_resolve(const struct image_table *images, struct image *image, struct range *range, bool lines)
{
	int err;

	range->bias = image->bias;
	err = elf_offer(range, image->elf);
	if (!err && image->from == IMAGE_MEMORY && !image->module->is_vdso)
		err = memory_image_offer(range, image);
	if (!err && !elf_find_section(image->elf, ".symtab") && !range_is_named(range)) {
		debugfile_load_mini(image);
		err = elf_offer(range, image->mini);
	}
	if (!err && !range_is_named(range)) {
		debugfile_load(image);
		err = elf_offer(range, image->debug_elf);
	}
	lines = lines && !module_is_base(image->module) && lines_are_affordable(images, image);
	if (lines)
		debugfile_load_dwarf(image);
	/* Asked again: its separate file is known now. */
	if (!err && lines && image->dwarf && lines_are_affordable(images, image))
		err = lines_resolve(image->dwarf, image->bias, range->first, range->count);
	return err;
}

static int table_fill(const uint64_t *addresses, size_t count, struct symbol_table *table)
{
	uint64_t *sorted = malloc((count + 1) * sizeof(*sorted));
	size_t i, kept = 0;

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, addresses, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_number);
	for (i = 0; i < count; i++)
		if (kept == 0 || sorted[kept - 1] != sorted[i])
			sorted[kept++] = sorted[i];
	table->list = calloc(kept + 1, sizeof(*table->list));
	for (i = 0; table->list && i < kept; i++)
		table->list[i].address = sorted[i];
	table->count = table->list ? kept : 0;
	free(sorted);
	return table->list ? 0 : -ENOMEM;
}

static int table_demangle(struct symbol_table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++) {
		if (!table->list[i].raw)
			continue;
		table->list[i].name = demangle_name(table->list[i].raw);
		if (!table->list[i].name)
			return -ENOMEM;
	}
	return 0;
}

int symbols_resolve(struct image_table *images, const uint64_t *addresses, size_t count, bool lines,
		    struct symbol_table *table)
{
	struct image *image;
	size_t i, next;
	int err;

	memset(table, 0, sizeof(*table));
	err = table_fill(addresses, count, table);
	for (i = 0; i < table->count && !err; i = next) {
		struct range range = { .first = &table->list[i] };
		const struct module *module = modules_find(images->modules, table->list[i].address);

		next = i + 1;
		if (!module)
			continue;
		while (next < table->count && table->list[next].address < module->end)
			next++;
		range.count = next - i;
		for (; i < next; i++)
			table->list[i].module = module;
		image = image_get(images, module);
		if (image->elf)
			err = range_resolve(images, image, &range, lines);
	}
	if (!err)
		err = table_demangle(table);
	if (err)
		symbols_clear(table);
	return err;
}

const struct symbol *symbols_find(const struct symbol_table *table, uint64_t address)
{
	struct symbol key = { .address = address };

	return bsearch(&key, table->list, table->count, sizeof(*table->list), compare_address);
}

void symbols_clear(struct symbol_table *table)
{
	size_t i, k;

	for (i = 0; i < table->count; i++) {
		struct symbol *symbol = &table->list[i];

		for (k = 0; k < symbol->inline_count; k++) {
			free(symbol->inlines[k].name);
			free(symbol->inlines[k].file);
		}
		free(symbol->inlines);
		free(symbol->raw);
		free(symbol->name);
		free(symbol->file);
	}
	free(table->list);
	memset(table, 0, sizeof(*table));
}

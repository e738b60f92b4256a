// SPDX-License-Identifier: Apache-2.0
/*
 * Finds real functions by walking the loaded objects and their symbol hashes. dlsym
 * is not used: with RTLD_NEXT it does not see what was loaded RTLD_LOCAL, it changes
 * what dlerror says, and before glibc 2.34 it is not in libc.
 */
#include "preload/real.h"
#include "preload/bare_text.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define ELF(type) ElfW(type)
#define VERSION_HIDDEN 0x8000
#define MISS_PERIOD    1024 /* a feed that is not there is looked for again every so many calls */

void *real_functions[API_COUNT];

struct symbols {
	uintptr_t base;
	const ELF(Sym) * table;
	const char *names;
	const uint32_t *gnu;
	const ELF(Word) * sysv;
	const ELF(Half) * versions;
};

struct search {
	const char *name;
	uint32_t gnu_hash, sysv_hash;
	bool passed_us; /* start here: true at the beginning searches all libraries */
	bool libc_only;
	void *found;
};

static const char here; /* an address of this library */

static uint32_t hash_gnu(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

static uint32_t hash_sysv(const char *name)
{
	uint32_t hash = 0, high;

	while (*name) {
		hash = (hash << 4) + (unsigned char)*name++;
		high = hash & 0xf0000000;
		hash ^= high >> 24;
		hash &= ~high;
	}
	return hash;
}

static bool object_holds(const struct dl_phdr_info *info, uintptr_t address)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ELF(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz)
			return true;
	}
	return false;
}

/* The loader has relocated most addresses in the dynamic section; some it leaves relative. */
static const void *dynamic_address(const struct symbols *symbols, ELF(Addr) value)
{
	return (const void *)(value < symbols->base ? symbols->base + value : value);
}

static bool symbols_read(const struct dl_phdr_info *info, struct symbols *symbols)
{
	const ELF(Dyn) *dynamic = NULL;
	int i;

	memset(symbols, 0, sizeof(*symbols));
	symbols->base = info->dlpi_addr;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			symbols->table = dynamic_address(symbols, dynamic->d_un.d_ptr);
			break;
		case DT_STRTAB:
			symbols->names = dynamic_address(symbols, dynamic->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			symbols->gnu = dynamic_address(symbols, dynamic->d_un.d_ptr);
			break;
		case DT_HASH:
			symbols->sysv = dynamic_address(symbols, dynamic->d_un.d_ptr);
			break;
		case DT_VERSYM:
			symbols->versions = dynamic_address(symbols, dynamic->d_un.d_ptr);
			break;
		}
	}
	return symbols->table && symbols->names && (symbols->gnu || symbols->sysv);
}

static bool symbol_fits(const struct symbols *symbols, uint32_t index, const char *name)
{
	const ELF(Sym) *symbol = &symbols->table[index];
	unsigned int bind = symbol->st_info >> 4, type = symbol->st_info & 0xf;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0 || type != STT_FUNC)
		return false;
	if (bind != STB_GLOBAL && bind != STB_WEAK)
		return false;
	/* Only what an unversioned reference would get: not the older versions of a name. */
	if (symbols->versions && (symbols->versions[index] & VERSION_HIDDEN))
		return false;
	return bare_compare(symbols->names + symbol->st_name, name) == 0;
}

static uint32_t symbol_by_gnu(const struct symbols *symbols, const struct search *search)
{
	const uint32_t *header = symbols->gnu;
	uint32_t buckets = header[0], first = header[1], words = header[2], shift = header[3];
	const ELF(Addr) *bloom = (const void *)&header[4];
	const uint32_t *bucket = (const void *)&bloom[words];
	const uint32_t *chain = bucket + buckets;
	uint32_t hash = search->gnu_hash, index;
	const unsigned int bits = sizeof(ELF(Addr)) * 8;
	ELF(Addr) word;

	if (!buckets || !words)
		return 0;
	word = bloom[(hash / bits) % words];
	if (!(word >> (hash % bits) & word >> ((hash >> shift) % bits) & 1))
		return 0;
	index = bucket[hash % buckets];
	if (index < first)
		return 0;
	for (;; index++) {
		uint32_t other = chain[index - first];

		if ((other | 1) == (hash | 1) && symbol_fits(symbols, index, search->name))
			return index;
		if (other & 1)
			return 0;
	}
}

static uint32_t symbol_by_sysv(const struct symbols *symbols, const struct search *search)
{
	const ELF(Word) *header = symbols->sysv;
	const ELF(Word) *bucket = header + 2, *chain = header + 2 + header[0];
	uint32_t index;

	if (!header[0])
		return 0;
	for (index = bucket[search->sysv_hash % header[0]]; index; index = chain[index])
		if (symbol_fits(symbols, index, search->name))
			return index;
	return 0;
}

static bool starts_with(const char *text, const char *start)
{
	return bare_starts(text, start);
}

/* Where the loader's functions are: libdl before glibc 2.34. */
static bool path_is_libc(const char *path)
{
	const char *name = path ? bare_last(path, '/') : NULL;

	name = name ? name + 1 : path;
	return name && (starts_with(name, "libc.so") || starts_with(name, "libdl.so"));
}

static int search_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	struct symbols symbols;
	uint32_t index;

	if (!search->passed_us) {
		search->passed_us = object_holds(info, (uintptr_t)&here);
		return 0;
	}
	if (search->libc_only && !path_is_libc(info->dlpi_name))
		return 0;
	if (!symbols_read(info, &symbols))
		return 0;
	index = symbols.gnu ? symbol_by_gnu(&symbols, search) : symbol_by_sysv(&symbols, search);
	if (!index)
		return 0;
	search->found = (void *)(symbols.base + symbols.table[index].st_value);
	return 1;
}

static void *search_run(const char *name, bool from_start, bool libc_only)
{
	struct search search = { .name = name,
				 .gnu_hash = hash_gnu(name),
				 .sysv_hash = hash_sysv(name),
				 .passed_us = from_start,
				 .libc_only = libc_only };
	int saved = errno;

	dl_iterate_phdr(search_object, &search);
	errno = saved;
	return search.found;
}

void *real_find(const char *name)
{
	return search_run(name, false, false);
}

void *real_first(const char *name)
{
	return search_run(name, true, false);
}

void *real_find_libc(const char *name)
{
	return search_run(name, true, true);
}

void *real_resolve(enum shim_api api)
{
	static uint32_t misses[API_COUNT];
	void *function;

	/* The runtime may poll a driver that lacks it; the others are worth a search each time. */
	if (ring_api(api)->family >= RING_FAMILY_HAL &&
	    __atomic_fetch_add(&misses[api], 1, __ATOMIC_RELAXED) % MISS_PERIOD)
		return NULL;
	function = real_find(ring_api(api)->name);
	if (function)
		__atomic_store_n(&misses[api], 0, __ATOMIC_RELAXED);
	__atomic_store_n(&real_functions[api], function, __ATOMIC_RELAXED);
	return function;
}

/*
 * A library that goes takes its functions with it, and may come back elsewhere. After
 * every dlclose all of them are looked up again; pinning the library instead would
 * need the loader's lock in the middle of a call.
 */
EXPORT int dlclose(void *handle);
EXPORT int dlclose(void *handle)
{
	int (*real)(void *) = real_find("dlclose");
	int result = real ? real(handle) : -1;
	int api;

	for (api = 0; api < API_COUNT; api++)
		__atomic_store_n(&real_functions[api], NULL, __ATOMIC_RELAXED);
	return result;
}

int real_missing(enum shim_api api, int answer)
{
	static uint8_t said[API_COUNT];

	if (!__atomic_exchange_n(&said[api], 1, __ATOMIC_RELAXED) && ring_api(api)->family <= RING_FAMILY_HCCL)
		say("%s was called, but no loaded library has it: answering %u", ring_api(api)->name,
		    (unsigned int)answer);
	return answer;
}

/* ---- whose code an address is ---- */

static bool path_is_cann(const char *path)
{
	static const char *const names[] = {
		"libascendcl.so",    "libacl_",		"libruntime.so",   "libruntime_v",  "libascend_hal.so",
		"libascend_trace.so", "libascendalog.so", "libunified_dlog", "libhccl.so",    "libhccl_",
		"libhcomm",	     "libra.so",	"libmmpa.so",	   "libge_",	    "libgraph",
		"libawatchdog.so",   "libascend_dump.so", "libadump",	   "libc_sec.so",   "liberror_manager.so",
		"libplatform.so",    "libmsprofiler.so", "libprofapi.so",  "libtsdclient.so", "libdrv",
	};
	const char *name = strrchr(path, '/');
	size_t i;

	if (strstr(path, "/Ascend/") || strstr(path, "/ascend-toolkit/"))
		return true;
	name = name ? name + 1 : path;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (starts_with(name, names[i]))
			return true;
	return false;
}

struct owner {
	uintptr_t address;
	bool cann;
};

static int owner_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct owner *owner = data;

	if (!object_holds(info, owner->address))
		return 0;
	owner->cann = path_is_cann(info->dlpi_name ? info->dlpi_name : "");
	return 1;
}

bool real_is_cann(uintptr_t address)
{
	struct owner owner = { .address = address };
	int saved = errno;

	dl_iterate_phdr(owner_object, &owner);
	errno = saved;
	return owner.cann;
}

struct pair {
	uintptr_t one, other;
	bool same;
};

static int pair_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct pair *pair = data;

	if (!object_holds(info, pair->one))
		return 0;
	pair->same = object_holds(info, pair->other);
	return 1;
}

bool real_same_object(uintptr_t one, uintptr_t other)
{
	struct pair pair = { .one = one, .other = other };
	int saved = errno;

	dl_iterate_phdr(pair_object, &pair);
	errno = saved;
	return pair.same;
}

/* ---- this library ---- */

static struct {
	uintptr_t base;
	char path[4096];
} own;

static int own_object(struct dl_phdr_info *info, size_t size, void *data)
{
	if (!object_holds(info, (uintptr_t)&here))
		return 0;
	own.base = info->dlpi_addr;
	if (info->dlpi_name && strlen(info->dlpi_name) < sizeof(own.path))
		strcpy(own.path, info->dlpi_name);
	return 1;
}

uintptr_t real_own_base(void)
{
	if (!own.base)
		dl_iterate_phdr(own_object, NULL);
	return own.base;
}

const char *real_own_path(void)
{
	real_own_base();
	return own.path;
}

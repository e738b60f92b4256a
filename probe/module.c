// SPDX-License-Identifier: Apache-2.0
/* Modules and whose they are (module.h). Uses libc, maps.h and process.h. */
#include "probe/module.h"
#include "probe/process.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Names of CANN's libraries up to ".so", in full: a program's own library may well be
 * called libacl_something. All the others are known by where they lie.
 * Frameworks on top (torch_npu, MindSpore) are not in it: their threads run the
 * program's work and may release a wait.
 */
static const char *const cann_names[] = {
	"libascendcl",	   "libacl_rt",	      "libacl_rt_impl",	   "libruntime",     "libruntime_v100",
	"libruntime_v200", "libruntime_v201", "libruntime_common", "libascend_hal",  "libascend_trace",
	"libascendalog",   "libunified_dlog", "libalog",	   "libslog",	     "libhccl",
	"libhccl_alg",	   "libhccl_plf",     "libhccl_fwk",	   "libhccl_v2",     "libhcomm",
	"libmmpa",	   "libge_runner",    "libge_executor",	   "libge_common",   "libge_compiler",
	"libopapi",	   "libnnopbase",     "libawatchdog",	   "libadump",	     "libmsprofiler",
	"libprofimpl",	   "libtsdclient",    "libdevmmap",	   "libcpu_kernels", "libdrvdsmi_host",
};

/* What an installer puts below a folder called Ascend; digits stand for a version. */
static const char *const install_folders[] = {
	"ascend-toolkit*", "cann*",    "nnae*",	    "nnrt*", "nnal*", "driver",
	"develop",	   "latest",   "toolkit",   "opp",   "aicpu", "tools",
	"runtime",	   "compiler", "fwkacllib", "atc",   "hccl",
};

static const char *const install_variables[] = {
	"ASCEND_HOME_PATH",    "ASCEND_TOOLKIT_HOME", "ASCEND_INSTALL_PATH",
	"ASCEND_OPP_PATH",     "ASCEND_AICPU_PATH",   "ASCEND_DRIVER_PATH",
	"ASCEND_RUNTIME_PATH", "ASCEND_NNAE_PATH",    "ASCEND_TOOLKIT_PATH",
};

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static bool pattern_matches(const char *pattern, const char *text, size_t length)
{
	const char *star = strchr(pattern, '*');
	size_t head = star ? (size_t)(star - pattern) : strlen(pattern);
	size_t tail;

	if (!star)
		return head == length && !memcmp(pattern, text, head);
	tail = strlen(star + 1);
	return length >= head + tail && !memcmp(pattern, text, head) &&
	       !memcmp(star + 1, text + length - tail, tail);
}

static bool list_matches(const char *const *list, size_t count, const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (pattern_matches(list[i], text, length))
			return true;
	return false;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libx.so" or "libx.so.1": where ".so" starts, or NULL if it is no shared object's name. */
static const char *object_suffix(const char *name)
{
	const char *p = name;

	while ((p = strstr(p, ".so"))) {
		if (p[3] == '\0' || p[3] == '.')
			return p;
		p += 3;
	}
	return NULL;
}

/* ".../Ascend/<something an installer makes>/..."; a user's own ~/Ascend/project is not one. */
static bool path_is_installed(const char *path)
{
	static const char folder[] = "/Ascend/";
	const char *p = path, *next;
	size_t length;

	if (!strncmp(path, "/usr/local/Ascend/", 18))
		return true;
	while ((p = strstr(p, folder))) {
		next = p + sizeof(folder) - 1;
		length = strcspn(next, "/");
		if (next[length] == '/' &&
		    (isdigit((unsigned char)*next) ||
		     list_matches(install_folders, ARRAY_LENGTH(install_folders), next, length)))
			return true;
		p++;
	}
	return false;
}

static bool path_is_below(const char *path, const char *root)
{
	size_t length = strlen(root);

	while (length > 1 && root[length - 1] == '/')
		length--;
	return length > 1 && !strncmp(path, root, length) && path[length] == '/';
}

enum module_owner module_owner_of(const char *path, const char *const *roots)
{
	const char *name = last_component(path), *suffix = object_suffix(name);

	if (!suffix) /* an executable, wherever it lies, is the program */
		return MODULE_PROGRAM;
	if (!strncmp(name, "libcannwatch.so", 15))
		return MODULE_CANNWATCH;
	if (list_matches(cann_names, ARRAY_LENGTH(cann_names), name, suffix - name) ||
	    path_is_installed(path))
		return MODULE_CANN;
	for (; roots && *roots; roots++)
		if (path_is_below(path, *roots))
			return MODULE_CANN;
	return MODULE_PROGRAM;
}

/* A folder that may also hold other people's libraries (/usr/local, /home/x) says nothing about whose they
 * are. */
static bool root_is_telling(const char *root)
{
	if (*root != '/' || strstr(root, "/../") || strstr(root, "/./"))
		return false;
	return strcasestr(root, "ascend") || strcasestr(root, "cann");
}

char **module_roots_read(int id)
{
	char **roots = calloc(ARRAY_LENGTH(install_variables) + 1, sizeof(*roots));
	size_t i, count = 0;

	if (!roots)
		return NULL;
	for (i = 0; i < ARRAY_LENGTH(install_variables); i++) {
		char *value = process_variable(id, install_variables[i]);

		if (value && root_is_telling(value))
			roots[count++] = value;
		else
			free(value);
	}
	return roots;
}

void module_roots_free(char **roots)
{
	char **p;

	for (p = roots; p && *p; p++)
		free(*p);
	free(roots);
}

static bool map_is_image(const struct map *map)
{
	return map->kind == MAP_FILE || map->kind == MAP_VDSO;
}

static bool map_continues(const struct module *module, const struct map *map, uint64_t last_offset)
{
	return map->kind == MAP_FILE && !module->is_vdso && module->inode == map->inode &&
	       module->device_major == map->device_major && module->device_minor == map->device_minor &&
	       map->offset > 0 && map->offset >= last_offset && !strcmp(module->path, map->path);
}

static void module_start(struct module *module, const struct map *map, size_t index, const char *const *roots)
{
	memset(module, 0, sizeof(*module));
	module->path = map->path;
	module->name = last_component(map->path);
	module->is_vdso = map->kind == MAP_VDSO;
	module->owner = module->is_vdso ? MODULE_PROGRAM : module_owner_of(map->path, roots);
	module->deleted = map->deleted;
	module->start = map->start;
	module->end = map->end;
	module->first_offset = map->offset;
	module->inode = map->inode;
	module->device_major = map->device_major;
	module->device_minor = map->device_minor;
	module->first_map = index;
}

/*
 * One pass: mappings of one file with growing offsets are one load; offset 0 again
 * is the next load of the same file (dlmopen). Loads without code are data files.
 */
int modules_build(const struct map_table *maps, const char *const *roots, struct module_table *modules)
{
	struct module *module = NULL;
	uint64_t last_offset = 0;
	bool code = false;
	size_t i;

	memset(modules, 0, sizeof(*modules));
	modules->list = calloc(maps->count + 1, sizeof(*modules->list));
	if (!modules->list)
		return -ENOMEM;
	for (i = 0; i < maps->count; i++) {
		const struct map *map = &maps->list[i];

		if (!map_is_image(map))
			continue;
		if (!module || !map_continues(module, map, last_offset)) {
			if (module && code)
				modules->count++;
			module = &modules->list[modules->count];
			module_start(module, map, i, roots);
			code = false;
		}
		module->end = map->end;
		last_offset = map->offset;
		code |= map->executable;
	}
	if (module && code)
		modules->count++;
	return 0;
}

void modules_clear(struct module_table *modules)
{
	free(modules->list);
	memset(modules, 0, sizeof(*modules));
}

const struct module *modules_find(const struct module_table *modules, uint64_t address)
{
	size_t low = 0, high = modules->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (modules->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < modules->count && modules->list[low].start <= address)
		return &modules->list[low];
	return NULL;
}

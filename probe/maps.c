// SPDX-License-Identifier: Apache-2.0
/* Memory maps (maps.h). Uses libc and procfs.h. */
#include "probe/maps.h"
#include "probe/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAPS_MAX (256u << 20) /* 65,530 mappings with the longest paths */

static const char deleted_mark[] = " (deleted)";

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static enum map_kind kind_of(const char *path)
{
	if (!*path)
		return MAP_ANONYMOUS_MEMORY;
	if (!strcmp(path, "[heap]"))
		return MAP_HEAP;
	if (!strcmp(path, "[stack]"))
		return MAP_STACK;
	if (!strcmp(path, "[vdso]"))
		return MAP_VDSO;
	if (*path != '/')
		return MAP_SPECIAL;
	if (has_prefix(path, "/dev/") && !has_prefix(path, "/dev/shm/") && strcmp(path, "/dev/zero"))
		return MAP_DEVICE;
	return MAP_FILE;
}

/* The kernel writes a newline in a path as \012, and nothing else is escaped. */
static void path_unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (has_prefix(path, "\\012")) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

static int map_set_path(struct map *map, const char *text, size_t length)
{
	size_t mark = sizeof(deleted_mark) - 1;

	map->path = strndup(text, length);
	if (!map->path)
		return -ENOMEM;
	length = strlen(map->path);
	if (map->path[0] == '/' && length > mark && !strcmp(map->path + length - mark, deleted_mark)) {
		map->deleted = true;
		map->path[length - mark] = '\0';
	}
	path_unescape(map->path);
	map->kind = kind_of(map->path);
	return 0;
}

static bool map_is_sane(const struct map *map, const struct map_table *table)
{
	if (map->start >= map->end)
		return false;
	return table->count == 0 || table->list[table->count - 1].end <= map->start;
}

static int map_parse_line(const char *line, size_t length, struct map_table *table)
{
	struct map *map = &table->list[table->count];
	char head[160], flags[5];
	int used = 0;
	int err;

	memset(map, 0, sizeof(*map));
	snprintf(head, sizeof(head), "%.*s", (int)(length < 159 ? length : 159), line);
	if (sscanf(head, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 "%n",
		   &map->start, &map->end, flags, &map->offset, &map->device_major, &map->device_minor,
		   &map->inode, &used) != 7 ||
	    strlen(flags) != 4 || !map_is_sane(map, table)) {
		table->damaged++;
		return 0;
	}
	map->readable = flags[0] == 'r';
	map->writable = flags[1] == 'w';
	map->executable = flags[2] == 'x';
	map->shared = flags[3] == 's';
	while ((size_t)used < length && line[used] == ' ')
		used++;
	err = map_set_path(map, line + used, length - used);
	if (!err)
		table->count++;
	return err;
}

static size_t count_lines(const char *text, size_t size)
{
	size_t lines = 1;
	const char *p = text, *end = text + size;

	while (p < end && (p = memchr(p, '\n', end - p))) {
		lines++;
		p++;
	}
	return lines;
}

int maps_parse(const char *text, size_t size, struct map_table *table)
{
	const char *end = text + size;
	int err = 0;

	memset(table, 0, sizeof(*table));
	table->list = calloc(count_lines(text, size), sizeof(*table->list));
	if (!table->list)
		return -ENOMEM;
	while (text < end && !err) {
		const char *stop = memchr(text, '\n', end - text);

		if (!stop)
			stop = end;
		if (stop > text)
			err = map_parse_line(text, stop - text, table);
		text = stop + 1;
	}
	if (err)
		maps_clear(table);
	return err;
}

int maps_read(int id, struct map_table *table)
{
	struct procfs_text text;
	int err;

	memset(table, 0, sizeof(*table));
	if (id <= 0)
		return -ESRCH;
	err = procfs_read(id, "maps", MAPS_MAX, &text);
	if (err)
		return err;
	err = maps_parse(text.data, text.size, table);
	procfs_text_free(&text);
	if (!err && table->count == 0) {
		maps_clear(table);
		err = -ESRCH;
	}
	return err;
}

void maps_clear(struct map_table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		free(table->list[i].path);
	free(table->list);
	memset(table, 0, sizeof(*table));
}

const struct map *maps_find(const struct map_table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < table->count && table->list[low].start <= address)
		return &table->list[low];
	return NULL;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Cuts every file of every case (CASE/input, CASE/expected.json) at every STEP-th
 * byte. Nothing may crash, and once a cut gave an expected class no longer cut may
 * give another one. usage: truncate STEP FOLDER-OF-CASES...
 */
#include <dirent.h>
#include <ftw.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/observation.h"
#include "analyzer/sources/log_feed.h"
#include "analyzer/sources/recognise.h"

#define FILES 256

static struct input {
	char *name;
	char *bytes;
	size_t size;
} inputs[FILES];
static size_t input_count;

struct memory {
	struct byte_source base;
	const char *bytes;
	size_t size, at;
};

static ssize_t memory_read(struct byte_source *source, char *bytes, size_t size)
{
	struct memory *memory = (struct memory *)source;

	if (size > memory->size - memory->at)
		size = memory->size - memory->at;
	memcpy(bytes, memory->bytes + memory->at, size);
	memory->at += size;
	return (ssize_t)size;
}

static int load(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct input *input = &inputs[input_count];
	FILE *file;

	(void)ftw;
	if (type != FTW_F || input_count == FILES)
		return 0;
	file = fopen(path, "rb");
	if (!file)
		return 0;
	input->name = strdup(path);
	input->bytes = malloc((size_t)st->st_size + 1);
	input->size = fread(input->bytes, 1, (size_t)st->st_size, file);
	fclose(file);
	input_count++;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct input *)a)->name, ((const struct input *)b)->name);
}

/* The class of the first verdict with file `which` cut to `cut` bytes, CLASS_COUNT for none. */
static enum verdict_class judge(struct recogniser *recogniser, size_t which, size_t cut)
{
	enum verdict_class class = CLASS_COUNT;
	struct report report;
	struct model model;

	model_init(&model);
	recogniser_begin(recogniser, &model);
	for (size_t i = 0; i < input_count; i++) {
		/* A copy of the exact size, so that a sanitizer sees a read past its end. */
		size_t size = i == which ? cut : inputs[i].size;
		char *copy = malloc(size ? size : 1);
		struct memory memory = { { memory_read }, copy, size, 0 };
		uint64_t read;

		memcpy(copy, inputs[i].bytes, size);
		recogniser_text(recogniser, inputs[i].name, &memory.base, &read);
		free(copy);
	}
	recogniser_finish(recogniser);
	report_init(&report, &model);
	diagnose(&model, &report);
	if (report.count)
		class = report.verdicts[0].class;
	report_clear(&report);
	model_clear(&model);
	return class;
}

static bool is_expected(json_t *classes, enum verdict_class class)
{
	json_t *value;
	size_t i;

	json_array_foreach(classes, i, value) {
		if (json_is_null(value) ? class == CLASS_COUNT :
					  class != CLASS_COUNT && !strcmp(json_string_value(value), verdict_class_name(class)))
			return true;
	}
	return false;
}

static int check_case(struct recogniser *recogniser, const char *path, size_t step)
{
	char name[8192];
	json_t *expected, *classes;
	int wrong = 0;

	snprintf(name, sizeof(name), "%s/expected.json", path);
	expected = json_load_file(name, 0, NULL);
	classes = json_object_get(json_object_get(expected, "first"), "class");
	snprintf(name, sizeof(name), "%s/input", path);
	input_count = 0;
	nftw(name, load, 16, FTW_PHYS);
	qsort(inputs, input_count, sizeof(*inputs), compare_names);
	for (size_t which = 0; which < input_count; which++) {
		bool was_right = false;

		for (size_t cut = 0; cut <= inputs[which].size; cut += step) {
			enum verdict_class class = judge(recogniser, which, cut);
			bool right = classes && is_expected(classes, class);

			/* A cut that takes the verdict away claims nothing. */
			if (was_right && !right && class != CLASS_COUNT && class != CLASS_INSUFFICIENT_EVIDENCE) {
				printf("%s: %s cut at %zu of %zu: %s\n", path, strrchr(inputs[which].name, '/'), cut,
				       inputs[which].size, verdict_class_name(class));
				wrong++;
			}
			was_right |= right;
		}
	}
	for (size_t i = 0; i < input_count; i++) {
		free(inputs[i].name);
		free(inputs[i].bytes);
	}
	json_decref(expected);
	return wrong;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int check_folder(struct recogniser *recogniser, const char *folder, size_t step, int *cases)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, not_hidden, alphasort), wrong = 0;

	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		wrong += check_case(recogniser, path, step);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	*cases += count > 0 ? count : 0;
	return wrong;
}

int main(int argc, char **argv)
{
	struct recogniser *recogniser = recogniser_new();
	size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int wrong = 0, cases = 0;

	if (argc < 3 || !recogniser || !step)
		return 2;
	for (int i = 2; i < argc; i++)
		wrong += check_folder(recogniser, argv[i], step, &cases);
	recogniser_free(recogniser);
	printf("%d cases, %d wrong cuts\n", cases, wrong);
	return wrong || !cases;
}

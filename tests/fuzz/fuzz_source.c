// SPDX-License-Identifier: Apache-2.0
/*
 * libFuzzer target for one log source (-DFUZZ_SOURCE=schedule_tracer_source and the
 * like): every line of the input goes to it as if the sieve had picked it. Lines are
 * copies of exact size, so that a read past an end is seen.
 */
#include <stdlib.h>

#include "analyzer/sources/log_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const no_literals[] = { "there is no such line", NULL };

static void feed_line(struct log_file *file, void *state, const uint8_t *data, size_t size, uint64_t number, bool cut)
{
	char *copy = malloc(size ? size : 1);
	struct log_line line = { .text = { copy, size }, .raw = { copy, size }, .number = number, .hit = true,
				 .is_cut = cut, .is_contiguous = true };
	unsigned want = 0;

	memcpy(copy, data, size);
	FUZZ_SOURCE.line(file, state, &line, &want);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct literal_set *literals;
	static struct log_feed *feed;
	struct log_file file = { .name = "fuzz", .index = 1, .rank = MODEL_UNKNOWN, .device = MODEL_UNKNOWN,
				 .pid = MODEL_UNKNOWN, .now_us = MODEL_UNKNOWN, .path_us = MODEL_UNKNOWN };
	void *state = calloc(1, FUZZ_SOURCE.state_size + 1);
	struct model model;
	uint64_t number = 1;

	if (!feed) {
		literals = literal_set_new(no_literals);
		feed = log_feed_new(literals);
	}
	model_init(&model);
	model.observations = observations_new();
	model_add_file(&model, "fuzz");
	file.model = &model;
	file.set = model.observations;
	file.feed = feed;
	for (size_t at = 0; at < size; number++) {
		const uint8_t *newline = memchr(data + at, '\n', size - at);
		size_t end = newline ? (size_t)(newline - data) : size;

		feed_line(&file, state, data + at, end - at, number, !newline);
		at = end + 1;
	}
	if (FUZZ_SOURCE.end)
		FUZZ_SOURCE.end(&file, state);
	observations_finish(model.observations, &model);
	model_clear(&model);
	free(state);
	return 0;
}

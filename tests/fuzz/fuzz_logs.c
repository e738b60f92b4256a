// SPDX-License-Identifier: Apache-2.0
/* libFuzzer target for the whole way of a text: sieve, all sources, rules. */
#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/observation.h"
#include "analyzer/sources/log_feed.h"
#include "analyzer/sources/recognise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct memory {
	struct byte_source base;
	const uint8_t *bytes;
	size_t size;
};

/* In small pieces of changing size: windows must not matter. */
static ssize_t memory_read(struct byte_source *source, char *bytes, size_t size)
{
	struct memory *memory = (struct memory *)source;
	size_t piece = memory->size % 97 + 1;

	size = size < piece ? size : piece;
	size = size < memory->size ? size : memory->size;
	memcpy(bytes, memory->bytes, size);
	memory->bytes += size;
	memory->size -= size;
	return (ssize_t)size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct recogniser *recogniser;
	struct memory memory = { { memory_read }, data, size };
	struct report report;
	struct model model;
	uint64_t read;

	if (!recogniser)
		recogniser = recogniser_new();
	model_init(&model);
	recogniser_begin(recogniser, &model);
	recogniser_text(recogniser, "rank-1/plog-7_20260517101010100.log", &memory.base, &read);
	recogniser_finish(recogniser);
	report_init(&report, &model);
	diagnose(&model, &report);
	report_clear(&report);
	model_clear(&model);
	return 0;
}

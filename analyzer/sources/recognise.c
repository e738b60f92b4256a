// SPDX-License-Identifier: Apache-2.0
/*
 * The table of log sources, and the way every text goes through them: the sieve
 * picks lines by any source's literals, the first source that knows a line takes
 * it. Names of files are hints for rank, device and process, never for the format.
 */
#include "analyzer/sources/recognise.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"
#include "analyzer/sources/log_source.h"
#include "analyzer/sources/log_tree.h"

/* More specific formats first; records take what nobody else knows. */
static const struct log_source *const sources[] = {
	&schedule_tracer_source, &runtime_trace_source, &compile_trace_source,
	&stack_text_source,	 &device_log_source,	&record_source,
};
#define SOURCE_COUNT (sizeof(sources) / sizeof(sources[0]))

struct recogniser {
	struct log_visitor visitor;
	struct log_consumer consumer;
	struct log_file file;
	void *states[SOURCE_COUNT];
	struct literal_set *literals;
	const char **literal_list;
	struct log_progress *progress;
};

static const char **literal_list(void)
{
	size_t count = 0;
	const char **list;

	for (size_t i = 0; i < SOURCE_COUNT; i++)
		for (const char *const *p = sources[i]->literals; *p; p++)
			count++;
	list = xcalloc(count + 1, sizeof(*list));
	count = 0;
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		for (const char *const *p = sources[i]->literals; *p; p++)
			list[count++] = *p;
	return list;
}

static unsigned on_line(struct log_consumer *consumer, struct log_feed *feed, const struct log_line *line)
{
	struct recogniser *self = (struct recogniser *)((char *)consumer - offsetof(struct recogniser, consumer));
	unsigned want = 0;
	size_t first = 0;

	(void)feed;
	/* Floods consist of these: only records and the device scheduler's own lines begin so. */
	if (span_starts(line->text, "[ERROR]") && !span_has(line->text, "stars_"))
		first = SOURCE_COUNT - 1;
	for (size_t i = first; i < SOURCE_COUNT; i++)
		if (sources[i]->line(&self->file, self->states[i], line, &want))
			break;
	return want;
}

/* The number after one of the words in a part of the path: "rank-3", "rank_3.txt", "Rank3". */
static int64_t path_number(const char *path, const char *word)
{
	int64_t found = MODEL_UNKNOWN;
	size_t length = strlen(word);

	for (const char *p = path; *p; p++) {
		struct span s;
		size_t at = length;
		int64_t number;

		if ((p != path && span_is_word(p[-1])) || strncasecmp(p, word, length))
			continue;
		s = span_of(p);
		if (at < s.n && (s.p[at] == '-' || s.p[at] == '_' || s.p[at] == '='))
			at++;
		if (at < s.n && span_is_digit(s.p[at]) && span_number(s, &at, &number) &&
		    (at == s.n || !span_is_alpha(s.p[at])))
			found = number; /* the innermost folder counts */
	}
	return found;
}

static int64_t path_pid(const char *path)
{
	static const char *const words[] = { "plog", "device", "stackcore_event", "schedule_event", "exit_event" };
	const char *slash = strrchr(path, '/');
	int64_t device_like = MODEL_UNKNOWN;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *part = i < 2 ? (slash ? slash + 1 : path) : path;
		int64_t number = path_number(part, words[i]);

		if (number != MODEL_UNKNOWN && i != 1)
			return number;
		if (number != MODEL_UNKNOWN && slash)
			device_like = number;
	}
	return device_like;
}

/* "..._20260228001533900120...": the time a name carries, for texts without one. */
static int64_t path_time(struct log_file *file, const char *path)
{
	int64_t found = MODEL_UNKNOWN;

	for (const char *p = path; *p; p++) {
		char iso[32];
		size_t digits = 0, at = 0;
		int64_t time_us;

		if (p != path && span_is_digit(p[-1]))
			continue;
		while (span_is_digit(p[digits]))
			digits++;
		if (digits < 14 || digits > 20 || p[0] != '2' || p[1] != '0')
			continue;
		snprintf(iso, sizeof(iso), "%.4s-%.2s-%.2s %.2s:%.2s:%.2s", p, p + 4, p + 6, p + 8, p + 10, p + 12);
		if (log_time(file, span_of(iso), &at, &time_us))
			found = time_us; /* the innermost counts */
	}
	return found;
}

static void begin_file(struct recogniser *self, const char *name)
{
	static const char *const ranks[] = { "rank", "rank_id", "rankid", "global_rank" };
	static const char *const devices[] = { "device", "dev-os", "npu" };
	struct log_file *file = &self->file;
	struct observation o;
	char **slot = array_add(&file->model->files, &file->model->file_count, sizeof(*slot));

	*slot = xstrdup(name);
	file->index = (uint32_t)file->model->file_count;
	file->name = *slot;
	file->rank = file->device = MODEL_UNKNOWN;
	file->now_us = MODEL_UNKNOWN;
	file->path_us = path_time(file, name);
	file->spoke = false;
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]) && file->rank == MODEL_UNKNOWN; i++)
		file->rank = path_number(name, ranks[i]);
	file->pid = path_pid(name);
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]) && file->device == MODEL_UNKNOWN; i++) {
		/* "device-<pid>_<time>.log" names a process, its folder the device. */
		char *folder = xstrdup(name);
		char *slash = strrchr(folder, '/');

		if (slash)
			*slash = 0;
		file->device = slash ? path_number(folder, devices[i]) : MODEL_UNKNOWN;
		free(folder);
	}
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		memset(self->states[i], 0, sources[i]->state_size);
	observation_init(&o, OBSERVED_FILE);
	o.rank = file->rank;
	o.pid = file->pid;
	o.device = file->device;
	o.origin.file = file->index;
	observations_add(file->set, &o);
}

int recogniser_text(struct recogniser *self, const char *name, struct byte_source *bytes, uint64_t *size)
{
	int rc;

	begin_file(self, name);
	rc = log_feed_run(self->file.feed, bytes, &self->consumer, size);
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		if (sources[i]->end)
			sources[i]->end(&self->file, self->states[i]);
	return rc;
}

static void on_failed(struct log_visitor *visitor, const char *name, int error)
{
	struct recogniser *self = (struct recogniser *)visitor;

	self->progress->unreadable++;
	if (!self->progress->first_error)
		self->progress->first_error = xasprintf("%s: %s", name, strerror(-error));
}

static void on_text(struct log_visitor *visitor, const char *name, struct byte_source *bytes)
{
	struct recogniser *self = (struct recogniser *)visitor;
	uint64_t size = 0;
	int rc = recogniser_text(self, name, bytes, &size);

	if (rc && !size) {
		on_failed(visitor, name, rc);
		return;
	}
	self->progress->files += size != 0;
	self->progress->bytes += size;
	if (self->progress->file)
		self->progress->file(self->progress, name);
}

struct recogniser *recogniser_new(void)
{
	struct recogniser *self = xcalloc(1, sizeof(*self));

	self->visitor.text = on_text;
	self->visitor.failed = on_failed;
	self->consumer.line = on_line;
	self->literal_list = literal_list();
	self->literals = literal_set_new(self->literal_list);
	if (!self->literals) {
		free(self->literal_list);
		free(self);
		return NULL;
	}
	self->file.feed = log_feed_new(self->literals);
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		self->states[i] = xcalloc(1, sources[i]->state_size + 1);
	return self;
}

void recogniser_free(struct recogniser *self)
{
	if (!self)
		return;
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		free(self->states[i]);
	log_feed_free(self->file.feed);
	literal_set_free(self->literals);
	free(self->literal_list);
	free(self);
}

void recogniser_begin(struct recogniser *self, struct model *model)
{
	if (!model->observations)
		model->observations = observations_new();
	self->file.model = model;
	self->file.set = model->observations;
	self->file.year = 0;
}

void recogniser_finish(struct recogniser *self)
{
	observations_finish(self->file.set, self->file.model);
}

int recognise_paths(struct model *model, char *const *paths, size_t count, struct log_progress *progress)
{
	struct recogniser *self = recogniser_new();
	int rc = 0;

	if (!self)
		return -ENOTSUP;
	self->progress = progress;
	recogniser_begin(self, model);
	for (size_t i = 0; i < count && !rc; i++) {
		rc = log_tree_walk(paths[i], &self->visitor);
		if (rc && !progress->first_error)
			progress->first_error = xasprintf("%s: %s", paths[i], strerror(-rc));
	}
	recogniser_finish(self);
	recogniser_free(self);
	if (!rc && !progress->files)
		rc = -ENODATA;
	return rc;
}

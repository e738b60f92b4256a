// SPDX-License-Identifier: Apache-2.0
/*
 * The report as text for a terminal. The first lines of each verdict say what is
 * stuck, on what, since when and why; the rest is the way there and what to do.
 * Control characters of foreign texts are not passed on.
 */
#include "analyzer/render/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/model/util.h"

struct writer {
	FILE *out;
	const char *prefix;
	int columns;
	bool colour;
};

void render_options_for(struct render_options *options, FILE *out)
{
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size;
	int fd = fileno(out);
	bool terminal = fd >= 0 && isatty(fd);

	memset(options, 0, sizeof(*options));
	options->columns = 100;
	options->colour = terminal && !(no_colour && *no_colour);
	if (terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		options->columns = size.ws_col < 60 ? 60 : size.ws_col > 120 ? 120 : size.ws_col;
}

/* Bytes of the next word and the columns it takes (UTF-8 continuation bytes take none). */
static size_t word_length(const char *text, size_t *columns)
{
	size_t length = 0;

	*columns = 0;
	while (text[length] && text[length] != ' ') {
		if (((unsigned char)text[length] & 0xc0) != 0x80)
			(*columns)++;
		length++;
	}
	return length;
}

static void put_clean(struct writer *writer, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		fputc(byte < 0x20 || byte == 0x7f ? '?' : byte, writer->out);
	}
}

/* The words of a paragraph whose first line has already come to this column. */
static void put_words(struct writer *writer, size_t column, int indent, const char *text)
{
	bool fresh = true;

	while (*text) {
		size_t columns, length = word_length(text, &columns);

		if (!fresh && column + 1 + columns > (size_t)writer->columns) {
			fprintf(writer->out, "\n%s%*s", writer->prefix, indent, "");
			column = (size_t)indent;
			fresh = true;
		}
		if (!fresh) {
			fputc(' ', writer->out);
			column++;
		}
		put_clean(writer, text, length);
		column += columns;
		fresh = false;
		text += length;
		while (*text == ' ')
			text++;
	}
	fputc('\n', writer->out);
}

/* One paragraph: lead before the first line, indent before the others. */
static void put_wrapped(struct writer *writer, const char *lead, int indent, const char *text)
{
	fprintf(writer->out, "%s%s", writer->prefix, lead);
	put_words(writer, strlen(lead), indent, text);
}

static const char *kind_colour(enum verdict_kind kind)
{
	switch (kind) {
	case KIND_HANG:
	case KIND_FAULT:
		return "\033[1;31m";
	case KIND_IDLE:
		return "\033[32m";
	default:
		return "\033[1;33m";
	}
}

static void add_since(struct text *line, double blocked_s)
{
	time_t start = time(NULL) - (time_t)blocked_s;
	struct tm date;
	char since[16];

	localtime_r(&start, &date);
	strftime(since, sizeof(since), "%H:%M:%S", &date);
	text_addf(line, " since %s", since);
}

/* What, how sure, where and since when: one line on most terminals. */
static void put_headline(struct writer *writer, const struct verdict *verdict, const struct model *model,
			 bool recovered)
{
	enum verdict_kind kind = verdict_class_kind(verdict->class);
	char *name = xasprintf("%s%s %s", recovered ? "recovered " : "", verdict_kind_name(kind),
			       verdict_class_name(verdict->class));
	struct text rest = { 0 };

	text_addf(&rest, "(%s)", confidence_name(verdict->confidence));
	if (model && model->pid != MODEL_UNKNOWN)
		text_addf(&rest, ", pid %lld", (long long)model->pid);
	if (verdict->blocked_s >= 0) {
		text_addf(&rest, ", for %.1f s", verdict->blocked_s);
		if (model && model->facts.live && !recovered)
			add_since(&rest, verdict->blocked_s);
	}
	if (verdict->ends_in_s >= 0 && !recovered)
		text_addf(&rest, ", ends by itself in %.0f s", verdict->ends_in_s);
	if (verdict->first_seen)
		text_addf(&rest, ", first at %s", verdict->first_seen);
	if (verdict->count > 1)
		text_addf(&rest, ", %llu times", (unsigned long long)verdict->count);
	fprintf(writer->out, "%scannwatch: %s%s%s ", writer->prefix, writer->colour ? kind_colour(kind) : "",
		name, writer->colour ? "\033[0m" : "");
	put_words(writer, strlen("cannwatch: ") + strlen(name) + 1, 2, rest.bytes);
	text_clear(&rest);
	free(name);
}

static void add_value(struct text *line, const struct value *value)
{
	switch (value->type) {
	case VALUE_NUMBER:
		text_addf(line, "%lld", (long long)value->number);
		break;
	case VALUE_TEXT:
		text_add(line, value->text);
		break;
	case VALUE_BOOL:
		text_add(line, value->number ? "yes" : "no");
		break;
	default:
		for (size_t i = 0; i < value->list_count; i++)
			text_addf(line, "%s%lld", i ? "," : "", (long long)value->list[i]);
	}
}

/* "stream 2, task 0, kernel": every field with its name, the node's kind first. */
static void put_node(struct writer *writer, const struct fields *node)
{
	const struct value *kind = fields_get(node, FIELD_NODE);
	struct text line = { 0 };

	for (size_t i = 0; i < node->count; i++) {
		const struct value *value = &node->values[i];
		const char *name = field_name(value->field);

		if (value->field == FIELD_NODE)
			continue;
		if (line.length)
			text_add(&line, ", ");
		text_addf(&line, "%s ", name);
		add_value(&line, value);
	}
	if (kind && !line.length)
		add_value(&line, kind);
	if (kind && kind->type == VALUE_TEXT && line.bytes &&
	    strncmp(line.bytes, kind->text, strlen(kind->text)) != 0) {
		char *whole = xasprintf("%s: %s", kind->text, line.bytes);

		text_clear(&line);
		text_add(&line, whole);
		free(whole);
	}
	put_wrapped(writer, "    -> ", 7, line.bytes ? line.bytes : "");
	text_clear(&line);
}

static void put_culprit(struct writer *writer, const struct fields *culprit)
{
	struct text line = { 0 };

	for (size_t i = 0; i < culprit->count; i++) {
		text_addf(&line, "%s%s ", i ? ", " : "", field_name(culprit->values[i].field));
		add_value(&line, &culprit->values[i]);
	}
	if (line.length)
		put_wrapped(writer, "  culprit: ", 11, line.bytes);
	text_clear(&line);
}

static void put_evidence(struct writer *writer, const struct evidence *evidence)
{
	struct text line = { 0 };

	if (evidence->file)
		text_add(&line, evidence->file);
	if (evidence->line)
		text_addf(&line, ":%llu", (unsigned long long)evidence->line);
	text_addf(&line, "%s[%s] %s", line.length ? " " : "", evidence->source ? evidence->source : "unknown",
		  evidence->text ? evidence->text : "");
	put_wrapped(writer, "  seen: ", 8, line.bytes);
	text_clear(&line);
}

static void put_verdict(struct writer *writer, const struct verdict *verdict, const struct model *model,
			bool recovered)
{
	put_headline(writer, verdict, model, recovered);
	put_wrapped(writer, "  ", 2, verdict->summary ? verdict->summary : "");
	if (verdict->chain_count) {
		fprintf(writer->out, "%s  chain:\n", writer->prefix);
		for (size_t i = 0; i < verdict->chain_count; i++)
			put_node(writer, &verdict->chain[i]);
	}
	put_culprit(writer, &verdict->culprit);
	for (size_t i = 0; i < verdict->assume_count; i++)
		put_wrapped(writer, i ? "           " : "  assumes: ", 11, verdict->assumes[i]);
	for (size_t i = 0; i < verdict->evidence_count; i++)
		put_evidence(writer, &verdict->evidence[i]);
	for (size_t i = 0; i < verdict->next_count; i++)
		put_wrapped(writer, i ? "        " : "  next: ", 8, verdict->next[i]);
	if (verdict->followers)
		fprintf(writer->out, "%s  followed by %llu later messages of the same cause%s%s%s%s\n",
			writer->prefix, (unsigned long long)verdict->followers,
			verdict->followers_first ? ", " : "",
			verdict->followers_first ? verdict->followers_first : "",
			verdict->followers_last ? " to " : "",
			verdict->followers_last ? verdict->followers_last : "");
}

static void put_coverage(struct writer *writer, const struct model *model)
{
	const struct model_facts *facts = &model->facts;
	struct text line = { 0 };

	if (!(model->sources & (SOURCE_RING | SOURCE_BPF | SOURCE_STACKS)))
		return;
	if (facts->lost)
		text_addf(&line, "%llu records lost", (unsigned long long)facts->lost);
	if (facts->unattributed)
		text_addf(&line, "%swho submitted %llu of %llu tasks", line.length ? ", " : "",
			  (unsigned long long)facts->unattributed, (unsigned long long)facts->hal_tasks);
	if (facts->before_attach)
		text_addf(&line, "%swhat happened before", line.length ? ", " : "");
	if (!facts->hal_seen)
		text_addf(&line, "%sthe hand-over of tasks to the device", line.length ? ", " : "");
	if (line.length)
		put_wrapped(writer, "  not seen: ", 12, line.bytes);
	text_clear(&line);
}

int render_text(const struct report *report, FILE *out, const struct render_options *options)
{
	struct writer writer = {
		.out = out,
		.prefix = options && options->prefix ? options->prefix : "",
		.columns = options && options->columns ? options->columns : 100,
		.colour = options && options->colour,
	};

	for (size_t i = 0; i < report->count; i++)
		put_verdict(&writer, &report->verdicts[i], report->model, false);
	for (size_t i = 0; i < report->recovered_count; i++)
		put_verdict(&writer, &report->recovered[i], report->model, true);
	if (report->model && report->count)
		put_coverage(&writer, report->model);
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

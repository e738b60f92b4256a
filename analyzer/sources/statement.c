// SPDX-License-Identifier: Apache-2.0
/*
 * Source: log records and screens. Puts physical lines together to statements (a
 * record may be wrapped by hand, several may be glued to one line), finds what each
 * says (phrase.h) and adds what the surroundings know: process, rank, level, time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/sources/log_source.h"
#include "analyzer/sources/phrase.h"
#include "analyzer/sources/record.h"

#define STATEMENT_BYTES 8192
#define SEGMENTS	24
#define FOLLOW		10 /* lines wanted after one that matters */

struct segment {
	size_t start, end;   /* within the joined text */
	size_t shown;	     /* where evidence begins */
	uint64_t line;
	const char *stretch; /* evidence of a coloured line; interned */
};

struct context {
	enum log_level level;
	bool is_plog;
	int64_t time_us, pid, tid, rank, device;
	const char *thread, *module, *function;
};

/* A wording that came again and again from one process: further ones are only counted. */
struct flood {
	uint64_t shape; /* 0 free */
	uint32_t seen;
	bool said_something;
	struct observation key; /* what observations_count_repeat needs */
};

#define FLOODS	    256
#define FLOOD_BEGIN 64 /* that many are read in full before */

struct statements {
	struct flood floods[FLOODS];
	struct flood *flood; /* of the open statement while it is judged, NULL none */
	struct context context;	     /* of the open statement */
	char text[STATEMENT_BYTES];
	size_t size;
	struct segment segments[SEGMENTS];
	size_t segment_count;
	bool is_open, began;
	bool is_cut;	   /* the file ends within the statement */
	size_t tail;	   /* bytes behind text[size] that were dropped for that */
	size_t wrap_width; /* of this file, 0 unknown */
	uint64_t last_line;
	/* a code block on the screen, whose lines belong to one process */
	const char *code;
	int64_t code_pid;
	int64_t world;
	/* HCCL tells one failed collective in three records */
	struct observation collective;
	bool has_base, has_group, has_data;
	/* a Python traceback */
	bool in_traceback;
	size_t exception_at, exception_name; /* of the open statement: offset and length of the name, 0 none */
	enum log_level traceback_level;
};

static struct span segment_text(const struct statements *s, const struct segment *segment)
{
	return (struct span){ s->text + segment->start, segment->end - segment->start };
}

static struct model_origin origin_of(struct log_file *file, const struct statements *s, const struct segment *segment)
{
	struct span shown = { s->text + segment->shown, segment->end - segment->shown };
	struct log_line line = { .text = shown, .raw = shown, .number = segment->line };
	struct model_origin origin =
		log_origin(file, s->context.is_plog ? SOURCE_PLOG : SOURCE_SCREEN, &line, shown);

	if (segment->stretch)
		origin.text = (char *)segment->stretch;
	return origin;
}

static void take_context(struct log_file *file, const struct statements *s, struct observation *o)
{
	const struct context *c = &s->context;

	o->level = c->level;
	o->time_us = c->time_us != MODEL_UNKNOWN ? c->time_us : file->now_us;
	o->pid = c->pid;
	o->tid = c->tid;
	o->rank = c->rank;
	o->device = c->device;
	o->thread = c->thread;
	o->module = c->module;
	o->is_cut = s->is_cut;
}

/* "[", "[ER": an error record of which the file holds no more. */
static bool is_begun_error(struct span text)
{
	static const char head[] = "[ERROR] ";

	return text.n > 1 && !memcmp(text.p, head, text.n < sizeof(head) - 1 ? text.n : sizeof(head) - 1);
}

/* An error that no wording here knows: it judges nothing, but its process is not a silent one. */
static void add_other(struct log_file *file, struct statements *s)
{
	struct observation o;

	observation_init(&o, OBSERVED_OTHER_ERROR);
	take_context(file, s, &o);
	o.origin.file = file->index;
	if (observations_count_repeat(file->set, &o))
		return;
	o.origin = origin_of(file, s, &s->segments[0]);
	observations_add(file->set, &o);
}

static void collective_flush(struct log_file *file, struct statements *s)
{
	if (s->has_base || s->has_group || s->has_data)
		observations_add(file->set, &s->collective);
	s->has_base = s->has_group = s->has_data = false;
}

/* Names what two ranks' calls of one collective must agree on. */
static void set_shape(struct observations *set, struct span text, struct observation *o)
{
	static const char *const names[] = { "count", "datatype", "reducetype", "root" };
	char shape[160];
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct span value;
		int written;

		if (span_field(text, names[i], 0, &value) == SIZE_MAX || !value.n)
			continue;
		written = snprintf(shape + n, sizeof(shape) - n, "%s%s=%.*s", n ? " " : "", names[i],
				   (int)(value.n > 32 ? 32 : value.n), value.p);
		if (written < 0 || (size_t)written >= sizeof(shape) - n)
			break;
		n += (size_t)written;
	}
	o->detail = observations_intern(set, shape, n);
}

static void read_collective(struct log_file *file, struct statements *s, struct span text, struct observation *o)
{
	struct observation *c = &s->collective;
	bool base = span_has(text, "base information"), group = span_has(text, "groupRank information");
	bool data = span_has(text, "opData information");
	int64_t number;

	if ((base && s->has_base) || (group && s->has_group) || (data && s->has_data) ||
	    ((s->has_base || s->has_group || s->has_data) && (c->pid != o->pid || c->tid != o->tid)))
		collective_flush(file, s);
	if (!s->has_base && !s->has_group && !s->has_data)
		*c = *o;
	s->has_base |= base;
	s->has_group |= group;
	s->has_data |= data;
	if (base) {
		c->op = o->op;
		c->stream = o->stream;
		c->task = o->task;
	}
	if (o->communicator && (!c->communicator || group))
		c->communicator = o->communicator;
	if (span_field_number(text, "rankid\0", &number))
		c->rank = c->rank == MODEL_UNKNOWN ? number : c->rank;
	if (group && span_field_number(text, "ranksize\0", &number))
		c->count = number;
	if (data) {
		c->is_cut |= o->is_cut;
		if (span_field_number(text, "index\0", &number))
			c->number = number;
		set_shape(file->set, text, c);
		if (o->device != MODEL_UNKNOWN)
			c->device = o->device;
	}
	if (s->has_base && s->has_group && s->has_data)
		collective_flush(file, s);
}

/* Numbers of a list "[2,5,]" or "[0002],[0005]" from offset at on. */
static void set_list(struct observations *set, struct span text, size_t at, struct observation *o)
{
	int64_t numbers[4096];
	size_t count = 0;

	while (at < text.n && count < sizeof(numbers) / sizeof(numbers[0])) {
		if (text.p[at] == '[' || text.p[at] == ']' || text.p[at] == ',' || text.p[at] == ' ') {
			at++;
		} else if (!span_is_digit(text.p[at]) || !span_number(text, &at, &numbers[count])) {
			break;
		} else {
			count++;
		}
	}
	o->list = observations_list(set, numbers, count);
	o->list_count = count;
}

/* "[192.0.2.1/3]" behind name: host and device */
static void set_place(struct observations *set, struct span text, const char *name, const char **host, int64_t *id)
{
	size_t at = span_find(text, name, 0), open, slash, close;

	if (at == SIZE_MAX)
		return;
	open = span_find_char(text, '[', at + strlen(name));
	if (open == SIZE_MAX)
		return;
	slash = span_find_char(text, '/', open);
	close = span_find_char(text, ']', open);
	if (slash == SIZE_MAX || close == SIZE_MAX || slash > close)
		return;
	*host = observations_intern(set, text.p + open + 1, slash - open - 1);
	if (!span_is_number(span_cut(text, slash + 1, close), id))
		*id = MODEL_UNKNOWN;
}

static void read_cluster(struct log_file *file, struct span text, struct observation *o)
{
	size_t at = span_find(text, "Arrival Time:[", 0);
	int64_t time_us;

	/* "Location[IP/ID]:[ip/id]": the second bracket is the value */
	set_place(file->set, text, "[IP/ID]", &o->peer_host, &o->peer);
	if (o->peer == MODEL_UNKNOWN)
		set_place(file->set, text, "crimer rank", &o->peer_host, &o->peer);
	set_place(file->set, text, "Discoverer", &o->host, &o->device);
	set_place(file->set, text, "local rank", &o->host, &o->device);
	if (at == SIZE_MAX)
		return;
	at += 14;
	while (at < text.n && text.p[at] != ' ' && text.p[at] != ']') /* weekday */
		at++;
	at++;
	if (log_time(file, text, &at, &time_us))
		o->time_us = time_us; /* when it happened, not when it was told */
}

/* "(server 192.0.2.41, device ID 2)" behind name */
static void read_server(struct observations *set, struct span text, const char *name, const char **host, int64_t *id)
{
	size_t at = span_find(text, name, 0), end;

	if (at == SIZE_MAX)
		return;
	at = span_find(text, "server ", at);
	if (at == SIZE_MAX)
		return;
	at += 7;
	for (end = at; end < text.n && text.p[end] != ',' && text.p[end] != ')'; end++)
		;
	*host = observations_intern(set, text.p + at, end - at);
	at = span_find(text, "device ID ", end);
	if (at == SIZE_MAX)
		return;
	at += 10;
	span_number(text, &at, id);
}

/* The next "192.0.2.50(0)", host and rank in a cell of the link table, from offset at on; offset behind it. */
static size_t read_cell(struct observations *set, struct span text, size_t at, const char **host, int64_t *rank)
{
	while ((at = span_find_char(text, '(', at)) != SIZE_MAX) {
		size_t start = at, end = at + 1;
		int64_t number;

		while (start && !span_is_space(text.p[start - 1]) && text.p[start - 1] != '|')
			start--;
		if (start < at && span_number(text, &end, &number) && end < text.n && text.p[end] == ')') {
			*host = observations_intern(set, text.p + start, at - start);
			*rank = number;
			return end;
		}
		at++;
	}
	return SIZE_MAX;
}

/* "|  192.0.2.50(0)   |  16667  |   192.0.2.52(2)   |  0  |  client  | time out |": destination, then source */
static void read_link_row(struct log_file *file, struct span text, struct observation *o)
{
	size_t at = read_cell(file->set, text, 0, &o->peer_host, &o->peer);

	if (at != SIZE_MAX)
		read_cell(file->set, text, at, &o->host, &o->rank);
}

static void read_link(struct log_file *file, struct span text, struct observation *o)
{
	size_t at;

	if (o->kind == OBSERVED_LINK_ROW) {
		read_link_row(file, text, o);
		return;
	}
	if (o->kind == OBSERVED_LINK_DETECTED) {
		read_server(file->set, text, "srcRank", &o->host, &o->device);
		read_server(file->set, text, "dstRank", &o->peer_host, &o->peer);
		return;
	}
	at = span_find(text, "remoteIP", 0);
	if (at != SIZE_MAX) {
		struct span value;

		if (span_field(span_from(text, at), "server", 0, &value) != SIZE_MAX)
			o->peer_host = observations_intern(file->set, value.p, value.n);
		if (span_field(text, "server", 0, &value) != SIZE_MAX)
			o->host = observations_intern(file->set, value.p, value.n);
	}
	if (span_has(text, "Peer information"))
		read_server(file->set, text, "Peer information", &o->peer_host, &o->peer);
	if (span_has(text, "Local information"))
		read_server(file->set, text, "Local information", &o->host, &o->device);
}

static void read_watchdog(struct log_file *file, struct span text, struct observation *o)
{
	struct span value;
	size_t at = span_find(text, "[Rank ", 0);
	int64_t number;

	if (at != SIZE_MAX) {
		at += 6;
		if (span_number(text, &at, &number))
			o->rank = number;
	}
	if (span_field_number(text, "seqnum\0", &number))
		o->number = number;
	if (span_field(text, "optype", 0, &value) != SIZE_MAX)
		o->op = observations_intern(file->set, value.p, value.n);
	set_shape(file->set, text, o);
}

static void read_setting(struct log_file *file, struct span text, struct observation *o)
{
	size_t name = span_find(text, "_TIMEOUT", 0), start = name, at;
	int64_t number;

	if (name == SIZE_MAX)
		return;
	while (start && span_is_word(text.p[start - 1]))
		start--;
	o->api = observations_intern(file->set, text.p + start, name + 8 - start);
	at = name + 8;
	while (at < text.n && !span_is_digit(text.p[at]))
		at++;
	if (span_number(text, &at, &number))
		o->number = number;
	o->detail = span_has(text, "default") ? "default" : "environment";
}

static void read_killed(struct span text, struct observation *o)
{
	static const char *const leads[] = { "Killed process ", "(pid: ", "PID ", "pid: ", "pid=", "process " };
	int64_t number;

	o->number = span_has(text, "SIGTERM") || span_has(text, "15") ? 15 : 9;
	if (span_has(text, "SIGKILL") || span_has(text, "-9") || span_has(text, "Killed process") ||
	    span_has(text, "oom-kill"))
		o->number = 9;
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		size_t at = span_find(text, leads[i], 0);

		if (at == SIZE_MAX)
			continue;
		at += strlen(leads[i]);
		if (span_number(text, &at, &number) && number > 0) {
			o->pid = number;
			break;
		}
	}
	if (span_field_number(text, "localrank\0rank\0", &number) && o->rank == MODEL_UNKNOWN)
		o->rank = number;
}

static const char *resource_of(struct span text, const char *function)
{
	static const struct {
		const char *word, *resource;
	} words[] = {
		{ "event", "event" },	{ "notify", "notify" }, { "stream", "stream" }, { "memory", "memory" },
		{ "Malloc", "memory" }, { "MemAlloc", "memory" }, { "sq ", "queue" },	{ "queue", "queue" },
		{ "SqCq", "queue" },	{ "training process", "device" }, { "busy", "device" }, { "model", "model" },
	};
	struct span name = span_of(function ? function : "");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (span_has_nocase(name, words[i].word))
			return words[i].resource;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (span_has_nocase(text, words[i].word))
			return words[i].resource;
	return NULL;
}

/* Which of the general kinds a statement about a failed task means. */
static enum observation_kind refine(enum observation_kind kind, struct span text, const struct observation *o)
{
	bool aicpu = span_has(text, "aicpu") || span_has(text, "AICPU");
	bool core = span_has(text, "aicore") || span_has(text, "vector core") || span_has(text, "aivec");

	switch (kind) {
	case OBSERVED_AICORE_FAULT:
		return o->kernel ? kind : OBSERVED_AICORE_ERROR;
	case OBSERVED_AICPU_FAULT:
		return o->kernel || o->op || o->stream != MODEL_UNKNOWN ? kind : OBSERVED_AICPU_ERROR;
	case OBSERVED_TASK_FAILED:
		if (span_has(text, "sqe_type=") || !span_has(text, "["))
			return kind;
		return aicpu ? OBSERVED_AICPU_ERROR : core ? OBSERVED_AICORE_ERROR : kind;
	default:
		return kind;
	}
}

static void read_kind(struct log_file *file, struct statements *s, struct span text, struct observation *o)
{
	int64_t number;

	switch (o->kind) {
	case OBSERVED_CLUSTER_LOST:
	case OBSERVED_CLUSTER_STUCK:
	case OBSERVED_CLUSTER_CQE:
	case OBSERVED_CLUSTER_MISMATCH:
		o->peer = MODEL_UNKNOWN;
		read_cluster(file, text, o);
		break;
	case OBSERVED_LINK_DETECTED:
	case OBSERVED_LINK_ERROR:
	case OBSERVED_LINK_ROW:
		read_link(file, text, o);
		break;
	case OBSERVED_COLLECTIVE_WATCHDOG:
		read_watchdog(file, text, o);
		break;
	case OBSERVED_COLLECTIVE_PARAMETER:
		set_shape(file->set, text, o);
		break;
	case OBSERVED_COLLECTIVE_ENTRY:
	case OBSERVED_COMM_ENTRY: {
		struct span value;

		if (span_field_number(text, "rank\0localrank\0", &number))
			o->rank = o->rank == MODEL_UNKNOWN ? number : o->rank;
		if (span_field_number(text, "ranks\0ranknum\0nranks\0", &number))
			o->count = number;
		if (span_field(text, "identifier", 0, &value) != SIZE_MAX)
			o->communicator = observations_intern(file->set, value.p, value.n);
		set_shape(file->set, text, o);
		break;
	}
	case OBSERVED_RANKS_MISSING: {
		size_t at = span_find(text, "agent[", 0);

		if (at == SIZE_MAX)
			at = span_find_char(text, '[', span_find(text, "unconnected ranks", 0));
		else
			at += 5;
		if (at != SIZE_MAX)
			set_list(file->set, text, at, o);
		break;
	}
	case OBSERVED_RANKS_CONNECTED: {
		size_t at = span_find(text, "]:", span_find(text, "connected rankinfo[", 0));

		if (at != SIZE_MAX)
			set_list(file->set, text, at + 2, o);
		break;
	}
	case OBSERVED_RANKS_NEEDED:
		if (span_field_number(text, "needconnectranknumis\0ranknumis\0", &number))
			o->count = number;
		break;
	case OBSERVED_TIMEOUT_SETTING:
		read_setting(file, text, o);
		break;
	case OBSERVED_PROCESS_KILLED:
		read_killed(text, o);
		break;
	case OBSERVED_CRASH:
		o->number = 11;
		break;
	case OBSERVED_RESOURCE_FAILED:
		o->resource = resource_of(text, s->context.function);
		break;
	case OBSERVED_EVENT_TIMEOUT:
	case OBSERVED_HCCL_TIMEOUT:
	case OBSERVED_NOTIFY_TIMEOUT:
	case OBSERVED_SYNC_TIMEOUT:
		if (span_field_number(text, "timeout\0", &number))
			o->number = number;
		if (o->kind == OBSERVED_SYNC_TIMEOUT) {
			struct span value;

			if (span_field(text, "typename", 0, &value) != SIZE_MAX)
				o->detail = observations_intern(file->set, value.p, value.n);
		}
		break;
	default:
		break;
	}
}

static bool is_compared(enum observation_kind kind)
{
	return kind == OBSERVED_COLLECTIVE_TIMEOUT || kind == OBSERVED_COLLECTIVE_WATCHDOG ||
	       kind == OBSERVED_COLLECTIVE_ENTRY;
}

/* scope: from the phrase's line to the end of what belongs to it. */
static void add_observation(struct log_file *file, struct statements *s, const struct segment *segment,
			    enum observation_kind kind, struct span scope)
{
	struct observation o;

	observation_init(&o, kind);
	take_context(file, s, &o);
	/* What ranks are compared by must be whole; anything else is worth showing as it is. */
	if (s->tail && !is_compared(kind) && scope.p + scope.n == s->text + s->size)
		scope.n += s->tail;
	phrase_fields(file->set, scope, &o);
	if (!o.api && s->context.function) {
		struct observation named;

		observation_init(&named, kind);
		phrase_fields(file->set, span_of(s->context.function), &named);
		o.api = named.api;
	}
	if (s->context.function && (span_starts(span_of(s->context.function), "acl") ||
				    span_starts(span_of(s->context.function), "rt")))
		o.api = s->context.function;
	if (!o.code_text && kind != OBSERVED_API_FAILED)
		o.code_text = s->code;
	o.kind = refine(kind, scope, &o);
	o.origin.file = file->index;
	if (s->flood && !s->flood->said_something) {
		s->flood->said_something = true;
		s->flood->key = o;
	}
	if (o.kind != OBSERVED_COLLECTIVE_TIMEOUT && observations_count_repeat(file->set, &o))
		return;
	o.origin = origin_of(file, s, segment);
	if (o.kind == OBSERVED_COLLECTIVE_TIMEOUT) {
		read_collective(file, s, scope, &o);
		return;
	}
	read_kind(file, s, scope, &o);
	if (!o.detail && o.level != LEVEL_INFO) {
		struct span trimmed = span_trim(scope);

		o.detail = observations_intern(file->set, trimmed.p, trimmed.n > 240 ? 240 : trimmed.n);
	}
	observations_add(file->set, &o);
}

enum wrapping {
	WRAP_NONE,  /* the lines are lines */
	WRAP_WORDS, /* broken between words */
	WRAP_HARD,  /* broken at a fixed width, wherever that is */
};

static size_t shown_width(const struct segment *segment)
{
	return segment->end - segment->shown;
}

static size_t first_word(const struct statements *s, const struct segment *segment)
{
	struct span text = span_trim((struct span){ s->text + segment->shown, shown_width(segment) });
	size_t end = 0;

	while (end < text.n && !span_is_space(text.p[end]))
		end++;
	return end;
}

/* How the lines of the statement look as if somebody or a terminal had broken them. */
static enum wrapping wrapping_of(struct statements *s)
{
	size_t width = shown_width(&s->segments[0]), widest = width;
	bool equal = true, greedy = true;

	if (s->segment_count < 2 || width < 40)
		return WRAP_NONE;
	for (size_t i = 0; i + 1 < s->segment_count; i++) {
		if (shown_width(&s->segments[i]) > widest)
			widest = shown_width(&s->segments[i]);
		equal &= shown_width(&s->segments[i]) == width;
	}
	for (size_t i = 0; i + 1 < s->segment_count; i++)
		greedy &= shown_width(&s->segments[i]) + 1 + first_word(s, &s->segments[i + 1]) > widest;
	if (shown_width(&s->segments[s->segment_count - 1]) > widest)
		return WRAP_NONE;
	if (equal && (s->segment_count > 2 || width == s->wrap_width || width % 10 == 0 || width == 132)) {
		if (s->segment_count > 2)
			s->wrap_width = width;
		return WRAP_HARD;
	}
	return greedy && s->context.is_plog ? WRAP_WORDS : WRAP_NONE;
}

static size_t join(const struct statements *s, enum wrapping wrapping, char *bytes, size_t *starts)
{
	size_t size = 0;

	for (size_t i = 0; i < s->segment_count; i++) {
		struct span part = { s->text + s->segments[i].shown, shown_width(&s->segments[i]) };

		if (wrapping == WRAP_WORDS) {
			part = span_trim(part);
			if (i)
				bytes[size++] = ' ';
		}
		starts[i] = size;
		memcpy(bytes + size, part.p, part.n);
		size += part.n;
	}
	return size;
}

static const char *keep(struct log_file *file, struct span s);

/* The head may have been broken as well. */
static size_t reread_head(struct log_file *file, struct statements *s, struct span text)
{
	struct record_head head;

	if (!s->context.is_plog)
		return 0;
	record_read(file, text, &head);
	s->context.time_us = head.time_us;
	s->context.pid = head.pid != MODEL_UNKNOWN ? head.pid : s->context.pid;
	s->context.tid = head.tid;
	s->context.module = keep(file, head.module);
	s->context.function = keep(file, head.function);
	return head.text;
}

/* Takes the statement as one text; false when it says nothing then. */
static bool judge_whole(struct log_file *file, struct statements *s, enum wrapping wrapping)
{
	char bytes[STATEMENT_BYTES + SEGMENTS];
	size_t starts[SEGMENTS], at, i, message;
	struct span text = { bytes, join(s, wrapping, bytes, starts) };
	struct context context = s->context;
	enum observation_kind kind;

	message = reread_head(file, s, text);
	text = span_from(text, message);
	kind = phrase_find(text, s->context.level, &at);
	if (kind == OBSERVED_NOTHING) {
		s->context = context;
		return false;
	}
	for (i = s->segment_count; i-- > 1;)
		if (starts[i] <= at + message)
			break;
	add_observation(file, s, &s->segments[i], kind, text);
	return true;
}

/* "ValueError: text", perhaps over several lines: the program's exception, with all it says. */
static void add_exception(struct log_file *file, struct statements *s, enum wrapping wrapping)
{
	char bytes[STATEMENT_BYTES + SEGMENTS];
	size_t starts[SEGMENTS];
	struct span text = { bytes, join(s, wrapping == WRAP_HARD ? WRAP_HARD : WRAP_WORDS, bytes, starts) }, name;
	struct observation o;

	observation_init(&o, OBSERVED_PROGRAM_EXCEPTION);
	take_context(file, s, &o);
	o.level = LEVEL_ERROR;
	text = span_from(text, s->exception_at);
	name = span_cut(text, 0, s->exception_name);
	o.op = observations_intern(file->set, name.p, name.n);
	text = span_trim(span_from(text, s->exception_name + 1));
	o.detail = observations_intern(file->set, text.p, text.n > 400 ? 400 : text.n);
	o.origin = origin_of(file, s, &s->segments[0]);
	phrase_fields(file->set, text, &o);
	observations_add(file->set, &o);
}

/*
 * A number for what the statement says but for its longer numbers: ids, times and
 * addresses change from one repeat to the next, short numbers and codes mean something.
 */
static uint64_t shape_of(const struct statements *s)
{
	uint64_t hash = 1469598103934665603ull ^ (uint64_t)s->context.pid ^ (uint64_t)s->context.level << 56;

	for (size_t i = s->segments[0].start; i < s->size;) {
		size_t digits = 0;

		while (i + digits < s->size && span_is_digit(s->text[i + digits]))
			digits++;
		if (digits > 2 && i && !span_is_alpha(s->text[i - 1])) {
			hash = (hash ^ '0') * 1099511628211ull;
			i += digits;
			continue;
		}
		for (size_t k = 0; k < (digits ? digits : 1); k++)
			hash = (hash ^ (unsigned char)s->text[i++]) * 1099511628211ull;
	}
	return hash ? hash : 1;
}

/* True when the statement is one more of a flood and needs no further look. */
static bool is_flood(struct log_file *file, struct statements *s)
{
	uint64_t shape;
	struct flood *flood;

	s->flood = NULL;
	if (s->segment_count != 1 || s->exception_name || s->is_cut || s->context.level != LEVEL_ERROR)
		return false;
	shape = shape_of(s);
	flood = &s->floods[(shape ^ shape >> 32) % FLOODS];
	if (flood->shape != shape) {
		memset(flood, 0, sizeof(*flood));
		flood->shape = shape;
	}
	s->flood = flood;
	if (flood->seen++ < FLOOD_BEGIN || !flood->said_something || flood->key.kind == OBSERVED_COLLECTIVE_TIMEOUT)
		return false;
	flood->key.time_us = s->context.time_us != MODEL_UNKNOWN ? s->context.time_us : file->now_us;
	return observations_count_repeat(file->set, &flood->key);
}

/* Closes the statement: every line of it that says something becomes an observation. */
static void judge(struct log_file *file, struct statements *s)
{
	enum observation_kind kinds[SEGMENTS];
	enum wrapping wrapping;
	size_t found = 0, at;

	if (!s->is_open)
		return;
	s->is_open = false;
	if (is_flood(file, s))
		return;
	wrapping = wrapping_of(s);
	if (s->exception_name)
		add_exception(file, s, wrapping);
	for (size_t i = 0; i < s->segment_count; i++) {
		kinds[i] = phrase_find(segment_text(s, &s->segments[i]), s->context.level, &at);
		found += kinds[i] != OBSERVED_NOTHING;
	}
	if ((found < 2 || s->context.is_plog) && wrapping != WRAP_NONE && judge_whole(file, s, wrapping))
		return;
	if (!found) {
		if (s->segment_count > 1 && (judge_whole(file, s, WRAP_WORDS) || judge_whole(file, s, WRAP_HARD)))
			return;
		if (s->context.level == LEVEL_ERROR || (s->is_cut && is_begun_error((struct span){ s->text, s->size })))
			add_other(file, s);
		return;
	}
	for (size_t i = 0; i < s->segment_count; i++) {
		size_t next = i + 1;

		if (kinds[i] == OBSERVED_NOTHING)
			continue;
		while (next < s->segment_count && kinds[next] == OBSERVED_NOTHING)
			next++;
		/* A record is one message, wherever in it the phrase stands. */
		add_observation(file, s, &s->segments[i], kinds[i],
				s->context.is_plog && found == 1 ?
					(struct span){ s->text + s->segments[0].start, s->size - s->segments[0].start } :
					(struct span){ s->text + s->segments[i].start,
						       s->segments[next - 1].end - s->segments[i].start });
	}
}

/* The file ends in this line: its last value may be cut short and is not believed. */
static void drop_tail(struct statements *s, struct segment *segment)
{
	size_t end = segment->end;

	while (end > segment->start && !strchr(" ,;])", s->text[end - 1]))
		end--;
	if (end == segment->start)
		return;
	s->tail = segment->end - end;
	segment->end = end;
	s->size = end;
}

static void append(struct log_file *file, struct statements *s, const struct log_line *line, struct span part)
{
	struct segment *segment;

	if (s->segment_count == SEGMENTS || s->size + part.n + 2 > STATEMENT_BYTES) {
		if (s->segment_count)
			return;
		part.n = STATEMENT_BYTES - 2;
	}
	if (s->segment_count)
		s->text[s->size++] = ' ';
	segment = &s->segments[s->segment_count++];
	segment->start = segment->shown = s->size;
	memcpy(s->text + s->size, part.p, part.n);
	s->size += part.n;
	segment->end = s->size;
	segment->line = line->number;
	s->is_cut = line->is_cut;
	s->tail = 0;
	if (s->is_cut)
		drop_tail(s, segment);
	segment->stretch = NULL;
	if (memchr(line->raw.p, '\033', line->raw.n))
		segment->stretch = log_origin(file, SOURCE_SCREEN, line, part).text;
	s->last_line = line->number;
}

static void open_statement(struct log_file *file, struct statements *s, const struct log_line *line,
			   const struct context *context, struct span whole, size_t message)
{
	judge(file, s);
	s->is_open = true;
	s->size = 0;
	s->segment_count = 0;
	s->exception_name = 0;
	s->context = *context;
	append(file, s, line, whole);
	/* What a record says is looked for behind its head. */
	if (message < s->size && s->segment_count)
		s->segments[0].start = message;
}

static void context_init(struct log_file *file, struct context *c)
{
	memset(c, 0, sizeof(*c));
	c->time_us = c->tid = c->device = MODEL_UNKNOWN;
	c->pid = file->pid;
	c->rank = file->rank;
	c->device = file->device;
}

static const char *keep(struct log_file *file, struct span s)
{
	s = span_trim(s);
	if (span_equals(s, "None") || span_equals(s, "null"))
		return NULL;
	return observations_intern(file->set, s.p, s.n > 64 ? 64 : s.n);
}

/* One record at the beginning of text. */
static void read_record(struct log_file *file, struct statements *s, const struct log_line *line, struct span text,
			const struct record_prefix *prefix)
{
	struct record_head head;
	struct context c;

	record_read(file, text, &head);
	context_init(file, &c);
	c.level = head.level;
	c.is_plog = head.is_plog;
	c.time_us = head.time_us;
	if (head.pid != MODEL_UNKNOWN)
		c.pid = head.pid;
	else if (prefix->pid != MODEL_UNKNOWN)
		c.pid = prefix->pid;
	c.tid = head.tid;
	if (head.rank != MODEL_UNKNOWN)
		c.rank = head.rank;
	else if (prefix->rank != MODEL_UNKNOWN)
		c.rank = prefix->rank;
	if (head.device != MODEL_UNKNOWN)
		c.device = head.device;
	c.module = keep(file, head.module);
	c.thread = keep(file, prefix->name);
	c.function = keep(file, head.function);
	if (head.is_plog) {
		s->code = NULL;
		s->code_pid = MODEL_UNKNOWN;
	} else {
		s->code_pid = c.pid;
	}
	open_statement(file, s, line, &c, text, head.text);
}

/* Whether a line of the screen begins something new rather than going on. */
static bool begins_anew(struct span text)
{
	static const char *const starts[] = { "[PID:",	 "[Error]",	 "TraceBack",	"Traceback",	  "Possible Cause",
					      "Solution:", "File \"",	 "terminate called", "what():", "Process ",
					      "During handling", "The above exception", "raise ", "^", "INFO", "WARNING" };

	if (phrase_code(span_cut(text, 0, 6)).n)
		return true;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (span_starts(text, starts[i]))
			return true;
	return false;
}

static bool is_finished(const struct statements *s)
{
	struct span text = { s->text, s->size };

	text = span_trim(text);
	return (text.n > 8 && text.p[text.n - 1] == ']' && span_has(span_from(text, text.n > 24 ? text.n - 24 : 0), "[LINE:")) ||
	       span_has_nocase(text, "traceback (most recent call last)");
}

/* "ValueError: text" at the left margin: the name's length, 0 if it is none. */
static size_t exception_name(struct span text)
{
	static const char *const tails[] = { "Error", "Exception", "Interrupt", "Exit", "Timeout", "Fault", "Failed" };
	size_t end = 0;

	while (end < text.n && (span_is_word(text.p[end]) || text.p[end] == '.'))
		end++;
	if (!end || (end < text.n && text.p[end] != ':'))
		return 0;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		if (span_ends(span_cut(text, 0, end), tails[i]))
			return end;
	return 0;
}

/* The call in a traceback that names a collective: "dist.broadcast_object_list(box, src=0)". */
static void read_call(struct log_file *file, const struct log_line *line, const struct context *c, struct span text)
{
	static const char *const packages[] = { "dist.", "distributed." };
	static const char *const names[] = { "all_", "broadcast", "barrier", "reduce", "gather", "scatter", "send", "recv" };
	struct observation o;

	for (size_t i = 0; i < 2; i++) {
		size_t at = span_find(text, packages[i], 0), end;

		if (at == SIZE_MAX)
			continue;
		at += strlen(packages[i]);
		for (end = at; end < text.n && span_is_word(text.p[end]); end++)
			;
		if (end >= text.n || text.p[end] != '(')
			continue;
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			if (!span_starts(span_from(text, at), names[k]))
				continue;
			observation_init(&o, OBSERVED_COLLECTIVE_CALL);
			o.rank = c->rank;
			o.pid = c->pid;
			o.time_us = file->now_us;
			o.op = observations_intern(file->set, text.p + at, end - at);
			o.origin = log_origin(file, SOURCE_SCREEN, line, text);
			observations_add(file->set, &o);
			return;
		}
	}
}

static void read_world(struct log_file *file, const struct log_line *line, const struct context *c, struct span text)
{
	static const char *const leads[] = { "orld size ", "orld_size=", "orld_size: ", "orld_size " };
	struct observation o;
	int64_t number;

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		size_t at = span_find(text, leads[i], 0);

		if (at == SIZE_MAX)
			continue;
		at += strlen(leads[i]);
		if (!span_number(text, &at, &number) || number < 1 || number > 10000000)
			continue;
		observation_init(&o, OBSERVED_WORLD);
		o.count = number;
		o.rank = c->rank;
		o.pid = c->pid;
		o.origin = log_origin(file, SOURCE_SCREEN, line, text);
		observations_add(file->set, &o);
		return;
	}
}

/* A line without a record's head. */
static void read_screen(struct log_file *file, struct statements *s, const struct log_line *line, unsigned *want)
{
	struct span text = line->text, body;
	struct record_prefix prefix;
	struct context c;
	bool indented, goes_on, is_exception = false;
	size_t name = 0;

	record_prefix_read(file, text, &prefix);
	body = span_from(text, prefix.length);
	indented = body.n && span_is_space(body.p[0]) && (!prefix.length || (body.n > 1 && span_is_space(body.p[1])));
	body = span_trim(body);
	goes_on = s->is_open && line->is_contiguous && s->last_line + 1 == line->number && body.n &&
		  prefix.level == LEVEL_NONE && !begins_anew(body) && !is_finished(s) &&
		  !(line->is_cut && is_begun_error(body));
	context_init(file, &c);
	if (prefix.rank != MODEL_UNKNOWN)
		c.rank = prefix.rank;
	if (prefix.pid != MODEL_UNKNOWN)
		c.pid = prefix.pid;
	else if (c.pid == MODEL_UNKNOWN && line->is_contiguous)
		c.pid = s->code_pid;
	c.thread = keep(file, prefix.name);
	c.level = prefix.level;
	if (!body.n) {
		judge(file, s);
		return;
	}
	log_time_find(file, text, 140, &c.time_us);
	if (goes_on) { /* a line that begins with a time is one of its own */
		size_t at = 0;
		int64_t ignored;

		goes_on = !log_time(file, body, &at, &ignored);
	}
	if (phrase_code(span_cut(body, 0, 6)).n || span_starts(body, "[PID:")) {
		struct span code = phrase_code(span_cut(body, 0, 200));
		int64_t pid;

		s->code = observations_intern(file->set, code.p, code.n);
		if (span_field_number(span_cut(body, 0, 48), "pid\0", &pid))
			s->code_pid = c.pid = pid;
		if (c.level == LEVEL_NONE)
			c.level = LEVEL_ERROR;
	} else if (!indented && !goes_on) {
		s->code = NULL;
	}
	if (span_starts(body, "Traceback (most recent call last)")) {
		s->in_traceback = true;
		s->traceback_level = c.level;
	} else if (s->in_traceback && !indented && (name = exception_name(body))) {
		s->in_traceback = false;
		is_exception = s->traceback_level == LEVEL_NONE || s->traceback_level == LEVEL_ERROR;
		goes_on = false;
		*want = FOLLOW;
	}
	read_call(file, line, &c, body);
	read_world(file, line, &c, body);
	if (goes_on) {
		append(file, s, line, text);
	} else {
		open_statement(file, s, line, &c, text, (size_t)(body.p - text.p));
		s->exception_at = (size_t)(body.p - text.p);
		s->exception_name = is_exception ? name : 0;
	}
	if (line->hit || s->in_traceback)
		*want = FOLLOW + 30 * s->in_traceback;
}

/* A hit in the middle of a wrapped record: its head stands above. */
static void look_back(struct log_file *file, struct statements *s, const struct log_line *line)
{
	struct log_line above[6];
	char *copies[6];
	size_t count = 0, start = SIZE_MAX;

	if (line->is_contiguous || record_find(line->text, 0) != SIZE_MAX)
		return;
	while (count < 6 && log_feed_back(file->feed, (unsigned)count + 1, &above[count])) {
		struct span text = above[count].text;

		if (!span_trim(text).n || text.n > 2000)
			break;
		/* The next look overwrites the cleaned text. */
		copies[count] = malloc(text.n);
		if (!copies[count])
			break;
		memcpy(copies[count], text.p, text.n);
		above[count].text.p = copies[count];
		above[count].raw = above[count].text;
		count++;
		if (record_find(text, 0) != SIZE_MAX) {
			start = count;
			break;
		}
	}
	if (start != SIZE_MAX) {
		struct record_prefix prefix;
		size_t at = record_find(above[start - 1].text, 0);

		record_prefix_read(file, span_cut(above[start - 1].text, 0, at), &prefix);
		read_record(file, s, &above[start - 1], span_from(above[start - 1].text, at), &prefix);
		for (size_t i = start - 1; i-- > 0;)
			append(file, s, &above[i], above[i].text);
	}
	for (size_t i = 0; i < count; i++)
		free(copies[i]);
}

static bool read_line(struct log_file *file, void *state, const struct log_line *line, unsigned *want)
{
	struct statements *s = state;
	struct record_prefix prefix;
	size_t at, next;

	/* A last line that has no end matters only where a record may have begun. */
	if (line->is_cut && !line->hit && !line->is_contiguous && !is_begun_error(line->text))
		return false;

	if (!s->began)
		s->code_pid = MODEL_UNKNOWN;
	s->began = true;
	if (!line->is_contiguous) {
		judge(file, s);
		s->in_traceback = false;
		look_back(file, s, line);
	}
	at = record_find(line->text, 0);
	if (at == SIZE_MAX) {
		struct log_line here = *line;

		here.is_contiguous |= s->is_open && s->last_line + 1 == line->number;
		read_screen(file, s, &here, want);
		return true;
	}
	record_prefix_read(file, span_cut(line->text, 0, at), &prefix);
	s->in_traceback = false;
	for (; at != SIZE_MAX; at = next) {
		next = record_find(line->text, at + 1);
		read_record(file, s, line, span_cut(line->text, at, next == SIZE_MAX ? line->text.n : next), &prefix);
	}
	/* The rest of a wrapped record; only what was noticed asks for more, or it would never end. */
	if (line->hit)
		*want = s->context.level == LEVEL_ERROR || s->context.level == LEVEL_WARNING ? FOLLOW : 2;
	return true;
}

static void end(struct log_file *file, void *state)
{
	struct statements *s = state;

	judge(file, s);
	collective_flush(file, s);
}

const struct log_source record_source = {
	.name = "record",
	.literals = phrase_literals,
	.state_size = sizeof(struct statements),
	.line = read_line,
	.end = end,
};

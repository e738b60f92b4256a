// SPDX-License-Identifier: Apache-2.0
/* Heads of log records (record.h). Needs span.h. */
#include "analyzer/sources/record.h"

static const struct {
	const char *name;
	enum log_level level;
} levels[] = {
	{ "ERROR", LEVEL_ERROR },     { "ERR0R", LEVEL_ERROR },	 { "CRITICAL", LEVEL_ERROR },
	{ "FATAL", LEVEL_ERROR },     { "WARNING", LEVEL_WARNING }, { "WARN", LEVEL_WARNING },
	{ "INFO", LEVEL_INFO },	      { "EVENT", LEVEL_EVENT },	 { "TRACE", LEVEL_INFO },
	{ "DEBUG", LEVEL_DEBUG },     { "NULL", LEVEL_INFO },	 { "OPLOG", LEVEL_INFO },
};
#define LEVEL_COUNT (sizeof(levels) / sizeof(levels[0]))

/* The level in "[LEVEL]" at offset at, and the offset behind it; SIZE_MAX if there is none. */
static size_t bracketed_level(struct span line, size_t at, enum log_level *level)
{
	if (at >= line.n || line.p[at] != '[')
		return SIZE_MAX;
	at++;
	while (at < line.n && span_is_space(line.p[at]))
		at++;
	for (size_t i = 0; i < LEVEL_COUNT; i++) {
		size_t end = at + strlen(levels[i].name);

		if (!span_starts(span_from(line, at), levels[i].name))
			continue;
		while (end < line.n && span_is_space(line.p[end]))
			end++;
		if (end >= line.n || line.p[end] != ']')
			continue;
		*level = levels[i].level;
		return end + 1;
	}
	return SIZE_MAX;
}

static size_t skip_spaces(struct span s, size_t at)
{
	while (at < s.n && span_is_space(s.p[at]))
		at++;
	return at;
}

/* "MODULE(" or "MODULE (" at offset at: offset of the parenthesis, SIZE_MAX if it is something else. */
static size_t module_end(struct span s, size_t at)
{
	size_t start = at;

	while (at < s.n && (span_is_word(s.p[at]) || s.p[at] == '-'))
		at++;
	if (at == start || at - start > 24)
		return SIZE_MAX;
	at = skip_spaces(s, at);
	return at < s.n && s.p[at] == '(' ? at : SIZE_MAX;
}

size_t record_find(struct span line, size_t from)
{
	enum log_level level;

	for (size_t at = from; (at = span_find_char(line, '[', at)) != SIZE_MAX; at++) {
		size_t end = bracketed_level(line, at, &level), next;

		if (end == SIZE_MAX)
			continue;
		/* The first on a line counts whatever follows; glued ones must look like a record. */
		if (!from && at < 160)
			return at;
		next = skip_spaces(line, end);
		if (module_end(line, next) != SIZE_MAX || span_starts(span_from(line, next), "[pid:"))
			return at;
	}
	return SIZE_MAX;
}

/* "(4711,python3)", "(4711)", "(4711,None)", "(-1,null)" */
static size_t read_process(struct span s, size_t at, struct record_head *head)
{
	size_t close = span_find_char(s, ')', at), i = at + 1, comma;
	int64_t number;

	if (close == SIZE_MAX || close > at + 160)
		return at;
	i = skip_spaces(s, i);
	if (span_number(s, &i, &number) && number > 0)
		head->pid = number;
	comma = span_find_char(s, ',', at);
	if (comma != SIZE_MAX && comma < close)
		head->name = span_trim(span_cut(s, comma + 1, close));
	return close + 1;
}

/* A thread id in one of its forms at offset at; offset behind it, or at itself. */
static size_t read_tid(struct span s, size_t at, struct record_head *head)
{
	static const char *const leads[] = { "(tid:", "[tid:", "tid:", "[curpid:", "[", "" };
	size_t start = skip_spaces(s, at);

	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		size_t end = start + strlen(leads[i]);
		int64_t number, second;

		if (!span_starts(span_from(s, start), leads[i]))
			continue;
		end = skip_spaces(s, end);
		if (end >= s.n || !span_is_digit(s.p[end]) || !span_number(s, &end, &number))
			continue;
		if (leads[i][0] == '[' && leads[i][1] == 'c') { /* curpid: pid, tid */
			size_t comma = end;

			if (comma < s.n && s.p[comma] == ',') {
				comma = skip_spaces(s, comma + 1);
				if (span_number(s, &comma, &second)) {
					number = second;
					end = comma;
				}
			}
		}
		if (leads[i][0] == '[' || leads[i][0] == '(') {
			end = skip_spaces(s, end);
			if (end >= s.n || (s.p[end] != ']' && s.p[end] != ')'))
				continue;
			end++;
		} else if (end < s.n && s.p[end] == ',') {
			end++;
		}
		head->tid = number;
		return end;
	}
	return at;
}

/* "[file.cc:12]" at offset at: offset behind it. */
static size_t read_place(struct span s, size_t at)
{
	size_t start = skip_spaces(s, at), close, dot;

	if (start >= s.n || s.p[start] != '[')
		return at;
	close = span_find_char(s, ']', start);
	dot = span_find_char(s, '.', start);
	if (close == SIZE_MAX || dot == SIZE_MAX || dot > close || close - start > 120)
		return at;
	return close + 1;
}

/* "FunctionName:" at offset at, not "Name::". */
static size_t read_function(struct span s, size_t at, struct record_head *head)
{
	size_t start = skip_spaces(s, at), end = start;

	while (end < s.n && (span_is_word(s.p[end]) || s.p[end] == '~'))
		end++;
	if (end == start || end >= s.n || s.p[end] != ':' || span_is_digit(s.p[start]))
		return at;
	if (end + 1 < s.n && s.p[end + 1] == ':')
		return at;
	head->function = span_cut(s, start, end);
	return end + 1;
}

/* Some modules put the thread further behind: "[file][NNOP][Function][4711] text". */
static void find_late_tid(struct span s, size_t at, struct record_head *head)
{
	for (int i = 0; i < 5; i++) {
		size_t close;
		int64_t number;

		at = skip_spaces(s, at);
		if (at >= s.n || s.p[at] != '[')
			return;
		close = span_find_char(s, ']', at);
		if (close == SIZE_MAX || close - at > 64)
			return;
		if (read_tid(s, at, head) != at)
			return;
		if (span_is_number(span_cut(s, at + 1, close), &number)) {
			head->tid = number;
			return;
		}
		/* A single word may be the function. */
		if (!head->function.n && span_starts(span_cut(s, at + 1, close), "acl"))
			head->function = span_cut(s, at + 1, close);
		at = close + 1;
	}
}

/* "[ERROR] 2026-03-14-08:15:21 (PID:940, Device:1, RankID:-1) ERR00100 ..." of torch_npu */
static void read_torch(struct span s, size_t at, struct record_head *head)
{
	struct span part = span_cut(s, at, at + 80);
	int64_t number;

	if (span_field_number(part, "pid\0", &number) && number > 0)
		head->pid = number;
	if (span_field_number(part, "device\0", &number) && number >= 0)
		head->device = number;
	if (span_field_number(part, "rankid\0", &number) && number >= 0)
		head->rank = number;
}

void record_read(struct log_file *file, struct span text, struct record_head *head)
{
	size_t at, paren, clock;
	enum log_level level = LEVEL_NONE;

	memset(head, 0, sizeof(*head));
	head->time_us = head->pid = head->tid = head->rank = head->device = MODEL_UNKNOWN;
	at = bracketed_level(text, 0, &level);
	if (at == SIZE_MAX)
		return;
	head->level = level;
	at = skip_spaces(text, at);
	paren = module_end(text, at);
	if (paren != SIZE_MAX) {
		head->is_plog = true;
		head->module = span_trim(span_cut(text, at, paren));
		at = read_process(text, paren, head);
		if (at < text.n && text.p[at] == ':')
			at++;
	} else if (span_starts(span_from(text, at), "[pid:")) {
		size_t i = at + 5;

		head->is_plog = true;
		if (!span_number(text, &i, &head->pid))
			head->pid = MODEL_UNKNOWN;
		if (i < text.n && text.p[i] == ']')
			at = i + 1;
	}
	clock = skip_spaces(text, at);
	if (log_time(file, text, &clock, &head->time_us)) {
		at = clock;
		file->now_us = head->time_us;
	}
	clock = skip_spaces(text, at);
	if (head->is_plog && clock < text.n && text.p[clock] != '[' && text.p[clock] != '(') {
		/* A broken time stamp: go on at the source position behind it. */
		size_t bracket = span_find_char(text, '[', at);

		if (bracket != SIZE_MAX && bracket - at < 48 && read_place(text, bracket) != bracket)
			at = bracket;
	}
	if (!head->is_plog) {
		read_torch(text, at, head);
		head->text = at;
		return;
	}
	at = read_place(text, at);
	clock = read_tid(text, at, head);
	if (clock != at) {
		size_t again = read_tid(text, clock, head); /* doubled */

		at = again != clock ? again : clock;
	} else {
		find_late_tid(text, at, head);
	}
	at = read_function(text, at, head);
	head->text = at > text.n ? text.n : at;
}

static bool is_name(char c)
{
	return span_is_word(c) || c == '-' || c == '.' || c == '/';
}

/* "[rank7]:", "[Rank 7]", "[rank:7]:", "rank7:", "[default7]:" */
static size_t read_rank(struct span s, size_t at, struct record_prefix *prefix)
{
	static const char *const words[] = { "rank", "default" };
	size_t start = at, i;
	int64_t number;
	bool bracket = at < s.n && (s.p[at] == '[' || s.p[at] == '(');

	at += bracket;
	for (i = 0; i < 2; i++)
		if (span_starts_nocase(span_from(s, at), words[i]))
			break;
	if (i == 2)
		return start;
	at += strlen(words[i]);
	while (at < s.n && (s.p[at] == ' ' || s.p[at] == ':' || s.p[at] == '_' || s.p[at] == '-' || s.p[at] == '='))
		at++;
	if (!span_number(s, &at, &number) || at >= s.n || (bracket ? s.p[at] != ']' && s.p[at] != ')' : s.p[at] != ':'))
		return start;
	prefix->rank = number;
	at++;
	if (bracket && at < s.n && s.p[at] == ':')
		at++;
	return at;
}

/* "(Worker_TP0 pid=4711) " */
static size_t read_worker(struct span s, size_t at, struct record_prefix *prefix)
{
	size_t close, pid;
	int64_t number;

	if (at >= s.n || s.p[at] != '(')
		return at;
	close = span_find_char(s, ')', at);
	pid = span_find(s, "pid=", at);
	if (close == SIZE_MAX || pid == SIZE_MAX || pid > close || close - at > 96)
		return at;
	prefix->name = span_trim(span_cut(s, at + 1, pid));
	pid += 4;
	if (span_number(s, &pid, &number))
		prefix->pid = number;
	return close + 1;
}

/* "worker-1: ", "server   | ", "logs/plog-1.log:12:", "2026-03-04T.. stdout F " */
static size_t read_collector(struct log_file *file, struct span s, size_t at)
{
	size_t end = at, bar;
	int64_t ignored, number;

	if (log_time(file, s, &end, &ignored)) {
		struct span rest;

		if (end < s.n && s.p[end] == 'Z')
			end++;
		rest = span_from(s, end);
		if (span_starts(rest, " stdout F ") || span_starts(rest, " stderr F "))
			return end + 10;
		return at;
	}
	while (end < s.n && end - at < 160 && is_name(s.p[end]))
		end++;
	if (end == at || end >= s.n)
		return at;
	if (s.p[end] == ':' && (memchr(s.p + at, '/', end - at) || memchr(s.p + at, '.', end - at))) {
		size_t line = end + 1;

		if (span_number(s, &line, &number) && line < s.n && s.p[line] == ':')
			return line + 1;
	}
	bar = skip_spaces(s, end);
	if (bar > end && bar < s.n && s.p[bar] == '|')
		return bar + 1;
	if (s.p[end] == ':' && end + 1 < s.n && s.p[end + 1] == ' ' && memchr(s.p + at, '-', end - at) &&
	    span_is_digit(s.p[end - 1]))
		return end + 1;
	return at;
}

static bool is_edge(struct span s, size_t at)
{
	return at >= s.n || !span_is_word(s.p[at]);
}

/* What loggers put before the level: a time, or names between dashes, bars and brackets. */
static bool has_lead(struct span lead)
{
	for (size_t i = 0; i < lead.n; i++)
		if (span_is_digit(lead.p[i]) || strchr("-|[", lead.p[i]))
			return true;
	return false;
}

/* The level in a framework's line: a word of its own near the beginning, or "[E219 ..." of glog. */
static enum log_level framework_level(struct span s, size_t at)
{
	struct span part = span_cut(s, at, at + 100);
	size_t quote = span_find_char(part, '"', 0);

	part = span_cut(part, 0, quote == SIZE_MAX ? part.n : quote);
	if (part.n > 4 && part.p[0] == '[' && strchr("WEIFD", part.p[1]) && part.p[1]) {
		char c = part.p[2];

		if (c == ' ' || span_is_digit(c))
			return part.p[1] == 'W' ? LEVEL_WARNING :
			       part.p[1] == 'I' ? LEVEL_INFO :
			       part.p[1] == 'D' ? LEVEL_DEBUG :
						  LEVEL_ERROR;
	}
	for (size_t i = 0; i < LEVEL_COUNT; i++) {
		size_t hit = span_find(part, levels[i].name, 0), end;

		if (hit == SIZE_MAX || !strcmp(levels[i].name, "NULL") || !strcmp(levels[i].name, "TRACE") ||
		    !strcmp(levels[i].name, "EVENT"))
			continue;
		end = hit + strlen(levels[i].name);
		if ((hit && span_is_word(part.p[hit - 1])) || !is_edge(part, end))
			continue;
		/* At the beginning, or behind a time or name and between the separators of a logger. */
		if (!hit || (hit >= 2 && strchr("-|] ", part.p[hit - 1]) && has_lead(span_cut(part, 0, hit)) &&
			     (end >= part.n || strchr(" :-|]", part.p[end]))))
			return levels[i].level;
	}
	return LEVEL_NONE;
}

void record_prefix_read(struct log_file *file, struct span line, struct record_prefix *prefix)
{
	size_t at = 0;

	memset(prefix, 0, sizeof(*prefix));
	prefix->rank = prefix->pid = MODEL_UNKNOWN;
	for (int i = 0; i < 5; i++) {
		size_t start = skip_spaces(line, at), next;

		if (start - at > 8)
			break;
		next = read_rank(line, start, prefix);
		if (next == start)
			next = read_worker(line, start, prefix);
		if (next == start)
			next = read_collector(file, line, start);
		if (next == start)
			break;
		at = next;
	}
	prefix->level = framework_level(line, skip_spaces(line, at));
	if (prefix->level != LEVEL_NONE) {
		/* "ERROR 03-01 11:27:44 [file.py:602] message" */
		size_t start = skip_spaces(line, at), bracket = span_find_char(line, '[', start);

		if (bracket != SIZE_MAX && bracket - start < 48) {
			size_t close = span_find_char(line, ']', bracket);

			if (close != SIZE_MAX && close - bracket < 96 && span_has(span_cut(line, bracket, close), ":"))
				at = close + 1;
		}
	}
	prefix->length = at;
}

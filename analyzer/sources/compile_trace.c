// SPDX-License-Identifier: Apache-2.0
/*
 * Source: the operator compiler's traces (schedule_tracer_FE_*.txt): how many tasks
 * of a subgraph are done, how long one waits, which state each operator reached.
 */
#include "analyzer/sources/log_source.h"

#define THREADS 64 /* compiler threads of one file */

/* Of every thread the last line of each kind: what it came to. */
struct last_lines {
	struct observation lines[THREADS][4];
	bool seen[THREADS][4];
	int64_t tids[THREADS];
	size_t count;
};

static const char *const literals[] = { "Compile process status.", "Compile process detail:",
					"Finish subgraph compile", "|Task wait second", NULL };

/* The value behind "Name:" up to the next bar. */
static struct span value_of(struct span text, const char *name)
{
	size_t at = span_find(text, name, 0), end;

	if (at == SIZE_MAX)
		return SPAN_NONE;
	at += strlen(name);
	end = span_find_char(text, '|', at);
	return span_trim(span_cut(text, at, end == SIZE_MAX ? text.n : end));
}

static int64_t number_of(struct span text, const char *name)
{
	struct span value = value_of(text, name);
	int64_t number;
	size_t at = 0;

	return value.n && span_number(value, &at, &number) ? number : MODEL_UNKNOWN;
}

/* What stands behind the last bar, without a damaged tail. */
static struct span last_part(struct span text)
{
	size_t at = text.n;

	while (at && text.p[at - 1] != '|')
		at--;
	return span_trim(span_from(text, at));
}

static void read_status(struct observation *o, struct span text)
{
	o->number = number_of(text, "Finished task count:");
	o->count = number_of(text, "Total task count:");
}

static void remember(struct last_lines *last, const struct observation *o)
{
	int slot = (int)o->kind - OBSERVED_COMPILE_STATUS;
	size_t i = 0;

	while (i < last->count && last->tids[i] != o->tid)
		i++;
	if (i == THREADS || slot < 0 || slot > 3)
		return;
	if (i == last->count)
		last->tids[last->count++] = o->tid;
	last->lines[i][slot] = *o;
	last->seen[i][slot] = true;
}

static void end(struct log_file *file, void *state)
{
	struct last_lines *last = state;

	for (size_t i = 0; i < last->count; i++)
		for (int slot = 0; slot < 4; slot++)
			if (last->seen[i][slot])
				observations_add(file->set, &last->lines[i][slot]);
}

static bool read_line(struct log_file *file, void *state, const struct log_line *line, unsigned *want)
{
	struct span text = line->text, value;
	struct observation o;

	(void)want;
	if (!line->hit)
		return false;
	observation_init(&o, OBSERVED_NOTHING);
	if (span_has(text, "Compile process status.")) {
		o.kind = OBSERVED_COMPILE_STATUS;
		read_status(&o, text);
	} else if (span_has(text, "Finish subgraph compile")) {
		o.kind = OBSERVED_COMPILE_FINISHED;
		read_status(&o, text);
	} else if (span_has(text, "|Task wait second")) {
		o.kind = OBSERVED_COMPILE_WAIT;
		o.number = number_of(text, "Task wait second:");
		value = value_of(text, "SingleOp:");
		if (!value.n)
			value = value_of(text, "Op:");
		o.op = observations_intern(file->set, value.p, value.n);
	} else if (span_has(text, "Compile process detail:")) {
		o.kind = OBSERVED_COMPILE_STATE;
		o.number = number_of(text, "Op Id:");
		value = value_of(text, "Op Type:");
		o.op = observations_intern(file->set, value.p, value.n);
		value = last_part(text);
		o.detail = observations_intern(file->set, value.p, value.n);
	} else {
		return false;
	}
	o.tid = number_of(text, "ThreadId:");
	if (o.tid == MODEL_UNKNOWN)
		o.tid = number_of(text, "Thread Id:");
	o.pid = file->pid;
	o.rank = file->rank;
	log_time_find(file, text, 40, &o.time_us);
	if (o.time_us == MODEL_UNKNOWN)
		o.time_us = file->now_us;
	o.origin = log_origin(file, SOURCE_COMPILE_TRACE, line, text);
	remember(state, &o);
	return true;
}

const struct log_source compile_trace_source = {
	.name = "compile_trace",
	.literals = literals,
	.state_size = sizeof(struct last_lines),
	.end = end,
	.line = read_line,
};

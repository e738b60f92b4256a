// SPDX-License-Identifier: Apache-2.0
/*
 * Source: stack listings as text: stackcore files of asys (raw and parsed), gdb and
 * eu-stack, py-spy, Python's faulthandler. Becomes stacks, lock owners that a
 * debugger printed, and the signal that ended the process.
 */
#include <ctype.h>
#include <stdlib.h>

#include "analyzer/sources/log_source.h"

#define FOLLOW 64 /* lines wanted while a listing goes on */

static const char *const literals[] = {
	"crash reason",	 "crash pid",	"crash tid",	       "[stack]",	       "Thread 0x",
	"Thread 1 (",	 "(LWP ",	"#0  ",		       "#00 0x",	       "#0 0x",
	"#00  ",	 "Attaching to process", "Python v2",	       "Python v3",	       "(active): \"",
	"(idle): \"",	 "(active+gil): \"", "(idle+gil): \"", "most recent call first", "Fatal Python error",
	"terminated with signal", "received signal SIG", "__owner = ", "Owner ID", "pthread_mutex_t", NULL
};

struct listing {
	bool open;
	enum stack_form form;
	size_t stack;	     /* index + 1 of the current stack in the set */
	size_t first_stack;  /* of this file, index */
	bool began;
	int64_t pid, crash_tid, signal;
	struct model_origin crash_origin;
	uint64_t printed;    /* address whose mutex a debugger prints next */
	uint64_t heading;    /* line number of the current heading */
	unsigned idle;	     /* lines since the last that was ours */
};

static const struct {
	const char *name;
	int64_t number;
} signals[] = {
	{ "SIGSEGV", 11 }, { "SIGABRT", 6 }, { "SIGBUS", 7 },  { "SIGFPE", 8 },  { "SIGILL", 4 },
	{ "SIGKILL", 9 },  { "SIGTERM", 15 }, { "SIGTRAP", 5 }, { "SIGQUIT", 3 }, { "SIGINT", 2 },
	{ "SIGSYS", 31 },
};

static void begin(struct log_file *file, struct listing *l)
{
	if (l->began)
		return;
	l->began = true;
	l->pid = file->pid;
	l->crash_tid = l->signal = MODEL_UNKNOWN;
	l->first_stack = file->set->stack_count;
}

static struct stack *current(struct log_file *file, const struct listing *l)
{
	return l->stack ? &file->set->stacks[l->stack - 1] : NULL;
}

static void open_stack(struct log_file *file, struct listing *l, const struct log_line *line, enum stack_form form)
{
	struct stack *stack = observations_add_stack(file->set);

	l->stack = 0;
	if (!stack)
		return;
	l->stack = file->set->stack_count;
	l->form = form;
	l->heading = line->number;
	l->open = true;
	stack->form = form;
	stack->pid = l->pid;
	stack->rank = file->rank;
	stack->origin = log_origin(file, SOURCE_STACK_TEXT, line, line->text);
}

/* "crash reason:11", "crash reason: signal 35", "crash pid:4711" */
static bool read_process(struct log_file *file, struct listing *l, const struct log_line *line)
{
	struct span text = span_trim(line->text);
	size_t at = 0;
	int64_t number;

	if (!span_starts(text, "crash "))
		return false;
	while (at < text.n && !span_is_digit(text.p[at]))
		at++;
	if (!span_number(text, &at, &number))
		return span_starts(text, "crash reason") || span_starts(text, "crash stack");
	if (span_starts(text, "crash reason")) {
		l->signal = number;
		l->crash_origin = log_origin(file, SOURCE_STACK_TEXT, line, text);
	} else if (span_starts(text, "crash pid")) {
		l->pid = number;
	} else if (span_starts(text, "crash tid")) {
		l->crash_tid = number;
	}
	return true;
}

/* Text between the first two double quotes from at on. */
static struct span quoted(struct span text, size_t at)
{
	size_t start = span_find_char(text, '"', at), end;

	if (start == SIZE_MAX)
		return SPAN_NONE;
	end = span_find_char(text, '"', start + 1);
	return end == SIZE_MAX ? SPAN_NONE : span_cut(text, start + 1, end);
}

static void name_stack(struct log_file *file, struct stack *stack, struct span name)
{
	name = span_trim(name);
	stack->name = observations_intern(file->set, name.p, name.n);
}

/*
 * "Thread 1 (4711, name)" and "Thread 1" of stackcore; "Thread 3 (Thread 0x7f.. (LWP 4711) "name"):"
 * of gdb; "Thread 4711 (idle): "name"" of py-spy; "Thread 0x7f.. (most recent call first):".
 */
static bool read_heading(struct log_file *file, struct listing *l, const struct log_line *line)
{
	struct span text = span_trim(line->text);
	bool is_current = span_starts(text, "Current thread ");
	size_t at = is_current ? 15 : 7, paren, lwp;
	struct stack *stack;
	int64_t number;

	if (!is_current && !span_starts(text, "Thread "))
		return false;
	lwp = span_find(text, "(LWP ", 0);
	paren = span_find_char(text, '(', 0);
	if (!span_number(text, &at, &number))
		return false;
	if (span_has(text, "most recent call first")) {
		open_stack(file, l, line, STACK_FAULTHANDLER);
		stack = current(file, l);
		if (stack)
			stack->crashed = is_current && l->signal != MODEL_UNKNOWN;
		return true;
	}
	if (is_current)
		return false;
	if (lwp != SIZE_MAX) {
		open_stack(file, l, line, STACK_GDB);
		stack = current(file, l);
		at = lwp + 5;
		if (stack && span_number(text, &at, &number))
			stack->tid = number;
		if (stack)
			name_stack(file, stack, quoted(text, at));
		return true;
	}
	if (span_has(text, "(active") || span_has(text, "(idle")) {
		open_stack(file, l, line, STACK_PYTHON);
		stack = current(file, l);
		if (stack && number < INT64_C(10000000) && !span_starts(span_from(text, 7), "0x"))
			stack->tid = number;
		if (stack)
			name_stack(file, stack, quoted(text, 0));
		return true;
	}
	/* Thread 1 (4711, name) */
	if (paren == SIZE_MAX ? at != text.n && text.p[at] != ':' : paren > at + 1)
		return false;
	open_stack(file, l, line, STACK_STACKCORE);
	stack = current(file, l);
	if (stack && paren != SIZE_MAX) {
		size_t comma = span_find_char(text, ',', paren), close = span_find_char(text, ')', paren);

		at = paren + 1;
		if (span_number(text, &at, &number))
			stack->tid = number;
		if (comma != SIZE_MAX && close != SIZE_MAX)
			name_stack(file, stack, span_cut(text, comma + 1, close));
	}
	return true;
}

static struct span next_word(struct span text, size_t *at)
{
	size_t start;

	while (*at < text.n && span_is_space(text.p[*at]))
		(*at)++;
	start = *at;
	while (*at < text.n && !span_is_space(text.p[*at]))
		(*at)++;
	return span_cut(text, start, *at);
}

/* The address in "futex=futex@entry=0x55..", "mutex=0x55.." of a frame that takes a lock. */
static uint64_t lock_address(struct span text)
{
	static const char *const names[] = { "mutex=", "futex=", "rwlock=" };
	static const char *const takers[] = { "mutex_lock", "lll_lock_wait", "rwlock_wrlock", "rwlock_rdlock",
					      "mutex_clocklock" };
	bool takes = false;

	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		takes |= span_has(text, takers[i]);
	for (size_t i = 0; takes && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t at = span_find(text, names[i], 0), hex;
		int64_t number;

		if (at == SIZE_MAX)
			continue;
		hex = span_find(text, "0x", at);
		if (hex != SIZE_MAX && hex < at + 32 && span_number(text, &hex, &number))
			return (uint64_t)number;
	}
	return 0;
}

static void add_frame(struct log_file *file, struct listing *l, const struct log_line *line, struct span function,
		      struct span place)
{
	struct stack *stack = current(file, l);
	uint64_t distance = line->number - l->heading;

	if (!stack)
		return;
	if (function.n > 200)
		function.n = 200;
	stack_add_frame(stack, observations_intern(file->set, function.p, function.n),
			observations_intern(file->set, place.p, place.n),
			distance > UINT32_MAX ? UINT32_MAX : (uint32_t)distance);
}

/* What a frame of gdb or a parsed stackcore says after the program counter. */
static void read_symbol(struct log_file *file, struct listing *l, const struct log_line *line, struct span text)
{
	size_t from = span_find(text, " from ", 0), at = span_find(text, " at ", 0), in = span_find(text, " in ", 0);
	size_t end = text.n, paren;
	struct span place = SPAN_NONE;

	if (from != SIZE_MAX) {
		place = span_trim(span_from(text, from + 6));
		end = from;
	}
	if (at != SIZE_MAX && at < end) {
		if (!place.n)
			place = span_trim(span_from(text, at + 4));
		end = at;
	} else if (in != SIZE_MAX && in < end) {
		end = in; /* "func in file.c:811" */
	}
	paren = span_find(text, " (", 0);
	if (paren != SIZE_MAX && paren < end)
		end = paren;
	add_frame(file, l, line, span_trim(span_cut(text, 0, end)), place);
}

/* "#00 0xPC 0xBASE /lib.so (name)", "#0  0xPC in f () from lib", "#0  f (x=1) at f.c:3", "#00 0xPC f in f.c:3 from l" */
static bool read_frame(struct log_file *file, struct listing *l, const struct log_line *line)
{
	struct span text = span_trim(line->text), word;
	struct stack *stack;
	uint64_t address;
	int64_t number;
	size_t at = 1;

	if (text.n < 4 || text.p[0] != '#' || !span_is_digit(text.p[1]) || !span_number(text, &at, &number) ||
	    at >= text.n || !span_is_space(text.p[at]))
		return false;
	if (!current(file, l) || !l->open) {
		struct log_line back;

		/* A listing without a heading: gdb's "bt" of the process it is attached to. */
		open_stack(file, l, line, STACK_GDB);
		stack = current(file, l);
		if (stack && log_feed_back(file->feed, 1, &back) && span_starts(back.text, "TID ")) {
			size_t after = 4;

			if (span_number(back.text, &after, &number))
				stack->tid = number;
		}
	}
	stack = current(file, l);
	address = lock_address(text);
	if (stack && address && !stack->waits_for)
		stack->waits_for = address;
	word = next_word(text, &at);
	if (!span_starts(word, "0x")) {
		read_symbol(file, l, line, span_trim(span_from(text, at - word.n)));
		return true;
	}
	word = next_word(text, &at);
	if (span_starts(word, "0x")) {
		struct span place = next_word(text, &at), function = span_trim(span_from(text, at));

		if (function.n > 1 && function.p[0] == '(')
			function = span_cut(function, 1, function.p[function.n - 1] == ')' ? function.n - 1 : function.n);
		add_frame(file, l, line, function, place);
	} else if (span_equals(word, "in")) {
		read_symbol(file, l, line, span_trim(span_from(text, at)));
	} else {
		read_symbol(file, l, line, span_trim(span_from(text, at - word.n)));
	}
	return true;
}

/* py-spy: "    wait (threading.py:320)"; faulthandler: "  File "x.py", line 12 in f". */
static bool read_python_frame(struct log_file *file, struct listing *l, const struct log_line *line)
{
	struct span text = line->text, body = span_trim(text);
	size_t paren, in;

	if (!l->open || !current(file, l) || text.n < 3 || !span_is_space(text.p[0]))
		return false;
	if (l->form == STACK_FAULTHANDLER && span_starts(body, "File \"")) {
		in = span_find(body, " in ", 0);
		add_frame(file, l, line, in == SIZE_MAX ? SPAN_NONE : span_trim(span_from(body, in + 4)), quoted(body, 0));
		return true;
	}
	if (l->form != STACK_PYTHON || body.n < 3 || body.p[body.n - 1] != ')')
		return false;
	paren = body.n;
	while (paren && body.p[paren - 1] != '(')
		paren--;
	if (paren < 3)
		return false;
	add_frame(file, l, line, span_trim(span_cut(body, 0, paren - 1)), span_cut(body, paren, body.n - 1));
	return true;
}

static int64_t signal_in(struct span text)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (span_has(text, signals[i].name))
			return signals[i].number;
	if (span_has(text, "Segmentation fault"))
		return 11;
	if (span_has(text, "Aborted"))
		return 6;
	if (span_has(text, "Bus error"))
		return 7;
	return MODEL_UNKNOWN;
}

/* Lines of a debugger around the stacks. */
static bool read_debugger(struct log_file *file, struct listing *l, const struct log_line *line)
{
	struct span text = line->text;
	size_t at = span_find(text, "Attaching to process ", 0);
	struct log_line back;
	int64_t number;

	if (at != SIZE_MAX) {
		at += 21;
		if (span_number(text, &at, &number))
			l->pid = number;
		return true;
	}
	if (span_starts(text, "Python v") && log_feed_back(file->feed, 1, &back) && span_starts(back.text, "Process ")) {
		at = 8;
		if (span_number(back.text, &at, &number))
			l->pid = number;
		l->open = false;
		return true;
	}
	if (span_starts(text, "Program terminated with signal ") || span_has(text, "received signal SIG") ||
	    span_starts(text, "Fatal Python error: ")) {
		if (signal_in(text) == MODEL_UNKNOWN)
			return false;
		l->signal = signal_in(text);
		l->crash_origin = log_origin(file, SOURCE_STACK_TEXT, line, text);
		return true;
	}
	at = span_find(text, "[Current thread is ", 0);
	if (at != SIZE_MAX) {
		at = span_find(text, "(LWP ", at);
		if (at == SIZE_MAX)
			return true;
		at += 5;
		if (span_number(text, &at, &number)) {
			struct stack *stack = current(file, l);

			l->crash_tid = number;
			if (stack && stack->tid == MODEL_UNKNOWN)
				stack->tid = number;
		}
		return true;
	}
	return false;
}

/* "p *(pthread_mutex_t*)0x..", then "$1 = {__data = {__lock = 2, __count = 0, __owner = 4711, ..." or "Owner ID = 4711" */
static bool read_lock(struct log_file *file, struct listing *l, const struct log_line *line)
{
	struct span text = line->text;
	size_t at = span_find(text, "pthread_mutex_t", 0), hex;
	struct model_origin origin;
	int64_t number;

	if (at != SIZE_MAX) {
		hex = span_find(text, "0x", at);
		if (hex != SIZE_MAX && span_number(text, &hex, &number))
			l->printed = (uint64_t)number;
	}
	at = span_find(text, "__owner = ", 0);
	if (at != SIZE_MAX)
		at += 10;
	else if ((at = span_find(text, "Owner ID", 0)) != SIZE_MAX)
		at += 8;
	else
		return span_has(text, "pthread_mutex_t");
	while (at < text.n && (text.p[at] == ' ' || text.p[at] == '=' || text.p[at] == ':'))
		at++;
	if (l->printed && span_number(text, &at, &number) && number > 0) {
		origin = log_origin(file, SOURCE_STACK_TEXT, line, text);
		observations_add_lock(file->set, l->printed, number, &origin);
	}
	l->printed = 0;
	return true;
}

static bool read_line(struct log_file *file, void *state, const struct log_line *line, unsigned *want)
{
	struct listing *l = state;
	bool ours;

	if (!line->hit && !l->open)
		return false;
	begin(file, l);
	if (!line->is_contiguous)
		l->open = false;
	ours = read_process(file, l, line) || read_heading(file, l, line) || read_frame(file, l, line) ||
	       read_python_frame(file, l, line) || read_debugger(file, l, line) || read_lock(file, l, line);
	if (span_starts(line->text, "[maps]"))
		l->open = false;
	if (!ours && span_starts(line->text, "[stack]"))
		ours = true;
	if (ours)
		l->idle = 0;
	else if (++l->idle > 2)
		l->open = false;
	if (ours || l->open)
		*want = FOLLOW;
	return ours;
}

static void end(struct log_file *file, void *state)
{
	struct listing *l = state;
	struct observation o;

	if (!l->began)
		return;
	for (size_t i = l->first_stack; i < file->set->stack_count; i++) {
		struct stack *stack = &file->set->stacks[i];

		if (stack->pid == MODEL_UNKNOWN)
			stack->pid = l->pid;
		stack->signal = l->signal;
		if (l->crash_tid != MODEL_UNKNOWN && stack->tid == l->crash_tid)
			stack->crashed = true;
	}
	if (l->signal == MODEL_UNKNOWN)
		return;
	observation_init(&o, OBSERVED_CRASH);
	o.level = LEVEL_ERROR;
	o.origin = l->crash_origin;
	o.pid = l->pid;
	o.rank = file->rank;
	o.tid = l->crash_tid;
	o.number = l->signal;
	o.time_us = file->now_us != MODEL_UNKNOWN ? file->now_us : file->path_us;
	observations_add(file->set, &o);
}

const struct log_source stack_text_source = {
	.name = "stack_text",
	.literals = literals,
	.state_size = sizeof(struct listing),
	.line = read_line,
	.end = end,
};

// SPDX-License-Identifier: Apache-2.0
/* Stacks as text and JSON (stacks_render.h). Uses jansson. */
#include "probe/stacks_render.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool stack_is_unchanged(const struct stack *stack, const struct stacks *previous)
{
	const struct stack *old = NULL;
	size_t i;

	for (i = 0; previous && i < previous->count && !old; i++)
		if (previous->list[i].thread.tid == stack->thread.tid &&
		    previous->list[i].thread.start_ticks == stack->thread.start_ticks)
			old = &previous->list[i];
	if (!old || !old->count || old->count != stack->count)
		return false;
	for (i = 0; i < stack->count; i++)
		if (old->frames[i].pc != stack->frames[i].pc || old->frames[i].cfa != stack->frames[i].cfa)
			return false;
	return true;
}

/* Names come from the target: control bytes must not reach a terminal. */
static void put_clean(FILE *out, const char *text)
{
	size_t length;

	while (*text) {
		for (length = 0; (unsigned char)text[length] >= ' ' && text[length] != 0x7f; length++)
			;
		fwrite(text, 1, length, out);
		text += length;
		if (*text) {
			fputc('?', out);
			text++;
		}
	}
}

static void count_qualities(const struct stacks *stacks, size_t counts[3])
{
	size_t i;

	memset(counts, 0, 3 * sizeof(*counts));
	for (i = 0; i < stacks->count; i++)
		counts[stacks->list[i].quality]++;
}

static void put_place(FILE *out, const char *file, int line)
{
	if (!file)
		return;
	fputs(" at ", out);
	put_clean(out, file);
	if (line > 0)
		fprintf(out, ":%d", line);
}

static void put_inlines(FILE *out, const struct symbol *symbol)
{
	size_t i;

	for (i = 0; i < symbol->inline_count; i++) {
		fputs("        (inlined)          ", out);
		put_clean(out, symbol->inlines[i].name ? symbol->inlines[i].name : "??");
		put_place(out, symbol->inlines[i].file, symbol->inlines[i].line);
		fputc('\n', out);
	}
}

/* As %0*lx, several times as fast: a large process has ten thousands of frames. */
static void put_hex(FILE *out, uint64_t value, int digits)
{
	char text[18];
	int i = sizeof(text);

	do {
		text[--i] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value || (int)sizeof(text) - i < digits);
	text[--i] = 'x';
	fputc('0', out);
	fwrite(text + i, 1, sizeof(text) - i, out);
}

static void put_frame_tail(FILE *out, const struct stack_frame *frame)
{
	const struct symbol *symbol = frame->symbol;

	put_hex(out, frame->pc, 16);
	fputc(' ', out);
	if (symbol->name) {
		put_clean(out, symbol->name);
		fputc('+', out);
		put_hex(out, frame->pc - symbol->start, 1);
	} else {
		fputs("??", out);
	}
	put_place(out, symbol->file, symbol->line);
	if (frame->module) {
		fputs(" (", out);
		put_clean(out, frame->module->name);
		fputc('+', out);
		put_hex(out, frame->pc - frame->module->start + frame->module->first_offset, 1);
		fputs(frame->is_cann ? ", CANN)" : ")", out);
	}
	fputs(frame->is_signal_frame ? " <signal handler called>\n" : "\n", out);
}

/*
 * Many threads stand in few places: what follows the frame's number is made once per
 * symbol. Without memory for it, each is made anew.
 */
struct tails {
	const struct symbol *first;
	struct tail {
		uint64_t pc; /* one symbol has one, save a call whose next instruction was interrupted too */
		char *text;
	} *list;
};

static const char *tail_of(struct tails *tails, const struct stack_frame *frame)
{
	struct tail *tail = tails->list ? &tails->list[frame->symbol - tails->first] : NULL;
	FILE *memory;
	size_t size;

	if (!tail)
		return NULL;
	if (!tail->text) {
		memory = open_memstream(&tail->text, &size);
		if (!memory)
			return NULL;
		put_frame_tail(memory, frame);
		tail->pc = frame->pc;
		if (fclose(memory))
			return NULL;
	}
	return tail->pc == frame->pc ? tail->text : NULL;
}

static void put_frame(FILE *out, const struct stack_frame *frame, size_t index, struct tails *tails)
{
	const char *tail = tail_of(tails, frame);

	if (frame->symbol->inline_count)
		put_inlines(out, frame->symbol);
	fprintf(out, "  #%-4zu ", index);
	if (tail)
		fputs(tail, out);
	else
		put_frame_tail(out, frame);
}

static void put_stack(FILE *out, const struct stack *stack, const struct stacks *previous, struct tails *tails)
{
	size_t i;

	fprintf(out, "\nthread %d \"", stack->thread.tid);
	put_clean(out, stack->thread.name);
	fprintf(out, "\" %c: %s", stack->thread.state, stack_quality_name(stack->quality));
	if (stack->method != STACK_NO_METHOD)
		fprintf(out, " (%s)", stack_method_name(stack->method));
	if (stack->pause_ns)
		fprintf(out, ", stood for %.0f us", (double)stack->pause_ns / 1000);
	if (stack_is_unchanged(stack, previous))
		fputs(", unchanged", out);
	fputc('\n', out);
	for (i = 0; i < stack->count; i++)
		put_frame(out, &stack->frames[i], i, tails);
	if (stack->reason[0])
		fprintf(out, "  -- %s\n", stack->reason);
}

void stacks_render_text(const struct stacks *stacks, const struct stacks *previous, FILE *out)
{
	struct tails tails = { .first = stacks->symbols.list };
	size_t counts[3], i;

	tails.list = calloc(stacks->symbols.count + 1, sizeof(*tails.list));
	count_qualities(stacks, counts);
	fprintf(out, "process %d: ", stacks->process.pid);
	put_clean(out, stacks->process.command);
	if (stacks->process.given != stacks->process.pid)
		fprintf(out, "\n%d is a thread of it", stacks->process.given);
	if (stacks->process.state == 'Z')
		fputs("\nits first thread has ended, others live on", out);
	fprintf(out, "\n%zu threads%s: %zu full, %zu partial, %zu refused; %.1f ms\n", stacks->count,
		stacks->complete ? "" : " (others came or went meanwhile)", counts[STACK_FULL],
		counts[STACK_PARTIAL], counts[STACK_REFUSED], (double)stacks->elapsed_ns / 1e6);
	for (i = 0; i < stacks->count; i++)
		put_stack(out, &stacks->list[i], previous, &tails);
	for (i = 0; tails.list && i < stacks->symbols.count; i++)
		free(tails.list[i].text);
	free(tails.list);
}

/* Any bytes as a JSON string: what is not UTF-8 becomes '?'. */
static json_t *json_text(const char *text)
{
	json_t *value = json_string(text);
	char *copy, *p;

	if (value)
		return value;
	copy = strdup(text);
	if (!copy)
		return NULL;
	for (p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

static json_t *json_address(uint64_t address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return json_string(text);
}

static void set_place(json_t *object, const char *file, int line)
{
	if (file)
		json_object_set_new(object, "file", json_text(file));
	if (file && line > 0)
		json_object_set_new(object, "line", json_integer(line));
}

static json_t *json_inlines(const struct symbol *symbol)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < symbol->inline_count; i++) {
		const struct symbol_inline *item = &symbol->inlines[i];
		json_t *object = json_object();

		if (item->name)
			json_object_set_new(object, "function", json_text(item->name));
		set_place(object, item->file, item->line);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *json_frame(const struct stack_frame *frame)
{
	json_t *object = json_object();

	json_object_set_new(object, "pc", json_address(frame->pc));
	if (frame->module) {
		json_object_set_new(object, "module", json_text(frame->module->path));
		json_object_set_new(object, "module_offset", json_integer((json_int_t)(frame->pc - frame->module->start +
										     frame->module->first_offset)));
	}
	if (frame->symbol->name) {
		json_object_set_new(object, "function", json_text(frame->symbol->name));
		json_object_set_new(object, "offset", json_integer((json_int_t)(frame->pc - frame->symbol->start)));
		if (strcmp(frame->symbol->name, frame->symbol->raw) != 0)
			json_object_set_new(object, "symbol", json_text(frame->symbol->raw));
	}
	set_place(object, frame->symbol->file, frame->symbol->line);
	if (frame->symbol->inline_count)
		json_object_set_new(object, "inlined", json_inlines(frame->symbol));
	if (frame->is_signal_frame)
		json_object_set_new(object, "signal_frame", json_true());
	if (frame->is_cann)
		json_object_set_new(object, "cann", json_true());
	return object;
}

static json_t *json_stack(const struct stack *stack, const struct stacks *previous)
{
	char state[2] = { stack->thread.state, '\0' };
	json_t *object = json_object(), *frames = json_array();
	size_t i;

	json_object_set_new(object, "tid", json_integer(stack->thread.tid));
	json_object_set_new(object, "name", json_text(stack->thread.name));
	json_object_set_new(object, "state", json_text(state));
	json_object_set_new(object, "quality", json_string(stack_quality_name(stack->quality)));
	json_object_set_new(object, "method", json_string(stack_method_name(stack->method)));
	if (stack->reason[0])
		json_object_set_new(object, "reason", json_text(stack->reason));
	if (stack->pause_ns)
		json_object_set_new(object, "pause_us", json_real((double)stack->pause_ns / 1000));
	if (stack->syscall >= 0)
		json_object_set_new(object, "syscall", json_integer(stack->syscall));
	if (previous)
		json_object_set_new(object, "unchanged", json_boolean(stack_is_unchanged(stack, previous)));
	for (i = 0; i < stack->count; i++)
		json_array_append_new(frames, json_frame(&stack->frames[i]));
	json_object_set_new(object, "frames", frames);
	return object;
}

json_t *stacks_render_json(const struct stacks *stacks, const struct stacks *previous)
{
	json_t *object = json_object(), *threads = json_array();
	size_t i;

	json_object_set_new(object, "schema", json_string("cannwatch.stacks/1"));
	json_object_set_new(object, "tool", json_string("cannwatch " CANNWATCH_VERSION));
	json_object_set_new(object, "pid", json_integer(stacks->process.pid));
	json_object_set_new(object, "command", json_text(stacks->process.command));
	json_object_set_new(object, "complete", json_boolean(stacks->complete));
	json_object_set_new(object, "elapsed_ms", json_real((double)stacks->elapsed_ns / 1e6));
	for (i = 0; i < stacks->count; i++)
		json_array_append_new(threads, json_stack(&stacks->list[i], previous));
	if (json_object_set_new(object, "threads", threads)) {
		json_decref(object);
		return NULL;
	}
	return object;
}

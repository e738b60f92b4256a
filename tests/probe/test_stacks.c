// SPDX-License-Identifier: Apache-2.0
/*
 * Ground truth: every frame that we give must be the one the program itself gives,
 * in every shape, for sleeping threads unstopped and for running ones.
 * Arguments: the target built with -O2, and with -O0.
 */
#include "probe/stacks.h"
#include "tests/probe/check.h"
#include "tests/probe/target.h"

#include <string.h>

#define MAX_FRAMES 1100

struct truth {
	int tid;
	uint64_t pc[MAX_FRAMES];
	size_t count;
};

static int truth_read(struct target *target, struct truth *truth)
{
	static char line[40000];
	char *p = line, *end;

	if (!fgets(line, sizeof(line), target->out))
		return -1;
	truth->tid = (int)strtol(p, &p, 10);
	for (truth->count = 0; truth->count < MAX_FRAMES; truth->count++) {
		truth->pc[truth->count] = strtoull(p, &end, 16);
		if (end == p)
			break;
		p = end;
	}
	return truth->count ? 0 : -1;
}

static const struct stack *stack_find(const struct stacks *stacks, int tid)
{
	size_t i;

	for (i = 0; i < stacks->count; i++)
		if (stacks->list[i].thread.tid == tid)
			return &stacks->list[i];
	return NULL;
}

static bool is_leaf(const struct stack_frame *frame)
{
	return frame->symbol->raw && !strcmp(frame->symbol->raw, "leaf");
}

/* Frames outwards of leaf(): equal as far as ours go; equal to the end if ours is full. */
static bool frames_agree(const struct stack *stack, const struct truth *truth)
{
	size_t leaf = 0, i;

	while (leaf < stack->count && !is_leaf(&stack->frames[leaf]))
		leaf++;
	if (leaf == stack->count) /* it ended further in: nothing to compare */
		return stack->quality != STACK_FULL;
	for (i = 1; leaf + i < stack->count; i++)
		if (i >= truth->count || stack->frames[leaf + i].pc != truth->pc[i])
			return false;
	return stack->quality != STACK_FULL || leaf + truth->count == stack->count;
}

static void show(const char *what, const struct stack *stack, const struct truth *truth)
{
	size_t i;

	fprintf(stderr, "%s: %s by %s: %s\n", what, stack_quality_name(stack->quality),
		stack_method_name(stack->method), stack->reason);
	for (i = 0; i < stack->count || i < truth->count; i++)
		fprintf(stderr, "  %-24s %12lx %12lx\n",
			i < stack->count && stack->frames[i].symbol->raw ? stack->frames[i].symbol->raw : "",
			i < stack->count ? (unsigned long)stack->frames[i].pc : 0,
			i < truth->count ? (unsigned long)truth->pc[i] : 0);
}

struct demand {
	bool no_stop;
	bool full;
	enum stack_method method;
};

static void check_one(const char *what, const struct stack *stack, const struct truth *truth,
		      const struct demand *demand)
{
	bool agree, enough;

	CHECK(stack != NULL);
	if (!stack)
		return;
	agree = frames_agree(stack, truth);
	enough = !demand->full || (stack->quality == STACK_FULL && stack->method == demand->method);
	CHECK(agree);
	CHECK(enough);
	if (!agree || !enough)
		show(what, stack, truth);
}

static void check_target(const char *path, const char *shape, const char *depth, const char *threads, bool spin,
			 const struct demand *demand)
{
	const char *arguments[] = { path, shape, depth, threads, spin ? "spin" : NULL, NULL };
	struct stacks_options options = { .no_stop = demand->no_stop, .no_lines = true, .deadline_ms = 10000 };
	size_t count = atoi(threads) ? atoi(threads) : 1, i;
	struct truth *truths = calloc(count, sizeof(*truths));
	struct target target;
	struct stacks stacks;
	char what[256];

	if (target_start(&target, arguments)) {
		CHECK(!"target starts");
		free(truths);
		return;
	}
	for (i = 0; i < count; i++)
		CHECK(truth_read(&target, &truths[i]) == 0);
	for (i = 0; i < count && !spin; i++)
		CHECK(target_wait_state(target.pid, truths[i].tid, "S") == 0);
	CHECK(stacks_read(target.pid, &options, &stacks) == 0);
	for (i = 0; i < count; i++) {
		snprintf(what, sizeof(what), "%s %s %s %s%s", path, shape, depth, threads,
			 demand->no_stop ? " no-stop" : "");
		check_one(what, stack_find(&stacks, truths[i].tid), &truths[i], demand);
	}
	stacks_clear(&stacks);
	target_end(&target);
	free(truths);
}

static const char *const shapes[] = { "recursion", "alloca", "array", "aligned",  "noreturn", "tail",
				      "many",	   "signal", "fault", "altstack", "callback" };

/* The shapes that go by the frame pointer even when optimised: its value may be out of reach unstopped. */
static bool shape_needs_frame_pointer(const char *shape)
{
	return !strcmp(shape, "alloca") || !strcmp(shape, "array") || !strcmp(shape, "aligned");
}

static void test_shapes(const char *optimised, const char *plain)
{
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct demand unstopped = { true, !shape_needs_frame_pointer(shapes[i]), STACK_BLOCKED };
		struct demand right = { true, false, STACK_BLOCKED };
		struct demand stopped = { false, true, STACK_INTERRUPT };

		check_target(optimised, shapes[i], "5", "0", false, &unstopped);
		check_target(optimised, shapes[i], "40", "0", false, &unstopped);
		check_target(plain, shapes[i], "5", "0", false, &right);
		check_target(optimised, shapes[i], "7", "0", true, &stopped);
		check_target(plain, shapes[i], "7", "0", true, &stopped);
	}
}

static void test_threads(const char *optimised, const char *plain)
{
	struct demand unstopped = { true, true, STACK_BLOCKED }, right = { true, false, STACK_BLOCKED };

	check_target(optimised, "recursion", "20", "64", false, &unstopped);
	check_target(optimised, "recursion", "200", "8", false, &unstopped);
	check_target(plain, "recursion", "200", "8", false, &right);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	test_shapes(argv[1], argv[2]);
	test_threads(argv[1], argv[2]);
	return checks_result();
}

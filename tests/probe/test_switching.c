// SPDX-License-Identifier: Apache-2.0
/*
 * No wrong stack, ever, of threads that do not wait for us. Argument: the target;
 * CANNWATCH_TEST_STACKS sets how many stacks to see unstopped (with CANNWATCH_TEST_FULL 2,000).
 */
#include "probe/stacks.h"
#include "tests/probe/check.h"
#include "tests/probe/target.h"

#include <string.h>

#define LEVELS 11

struct tally {
	size_t seen, full, partial, refused, wrong, inside;
};

/* "high7b" is the step taken by bit 6 of the way. Returns 0 if name is no level function. */
static int level_parse(const char *name, const char *half, int *level, int *bit)
{
	size_t length = strlen(half);
	char side;

	if (!name || strncmp(name, half, length) || sscanf(name + length, "%d%c", level, &side) != 2)
		return 0;
	*bit = side == 'b';
	return 1;
}

struct way { /* which function of each level was seen: -1 none, 0 a, 1 b */
	int side[2][LEVELS];
};

/*
 * From the inside out: low10 ... low0, high10 ... high0, and nothing in between; the
 * thread may stand anywhere on the way, and the outer end may be missing. Fills way;
 * returns how far out it came (in levels, 2 * LEVELS is all), -1 if impossible.
 */
static int way_read(const struct stack *stack, struct way *way)
{
	int expected = -1, level = 0, bit = 0;
	size_t i;

	memset(way, -1, sizeof(*way));
	for (i = 0; i < stack->count; i++) {
		const char *name = stack->frames[i].symbol->raw;
		bool low = level_parse(name, "low", &level, &bit);
		int position;

		if (!low && !level_parse(name, "high", &level, &bit)) {
			if (expected < 0 || expected == 2 * LEVELS)
				continue; /* below the bottom, or outside of run() */
			return -1;
		}
		position = LEVELS - 1 - level + (low ? 0 : LEVELS);
		if (expected >= 0 && position != expected)
			return -1;
		way->side[low ? 0 : 1][level] = bit;
		expected = position + 1;
	}
	return expected < 0 ? 0 : expected;
}

static bool stack_is_possible(const struct stack *stack, bool *inside)
{
	struct way way;
	int reached = way_read(stack, &way), i;

	*inside = reached > 0;
	if (reached < 0 || (stack->quality == STACK_FULL && reached > 0 && reached != 2 * LEVELS))
		return false;
	for (i = 1; i < LEVELS; i++) /* both halves go the same way */
		if (way.side[0][i] >= 0 && way.side[1][i] >= 0 && way.side[0][i] != way.side[1][i])
			return false;
	return true;
}

static void show(const struct stack *stack)
{
	size_t i;

	fprintf(stderr, "thread %d %s by %s %s\n", stack->thread.tid, stack_quality_name(stack->quality),
		stack_method_name(stack->method), stack->reason);
	for (i = 0; i < stack->count; i++)
		fprintf(stderr, "  %s\n", stack->frames[i].symbol->raw ? stack->frames[i].symbol->raw : "??");
}

static void tally_stack(struct tally *tally, const struct stack *stack)
{
	bool inside = false;

	tally->seen++;
	tally->full += stack->quality == STACK_FULL;
	tally->partial += stack->quality == STACK_PARTIAL;
	tally->refused += stack->quality == STACK_REFUSED;
	if (!stack_is_possible(stack, &inside)) {
		if (!tally->wrong++)
			show(stack);
	}
	tally->inside += inside;
}

static void run(const char *path, const char *mode, bool no_stop, size_t want)
{
	const char *arguments[] = { path, "6", mode, NULL };
	struct stacks_options options = { .no_stop = no_stop, .no_lines = true };
	struct tally tally = { 0 };
	struct target target;
	struct stacks stacks;
	char line[16];
	size_t i;

	if (target_start(&target, arguments) || !fgets(line, sizeof(line), target.out)) {
		CHECK(!"target starts");
		return;
	}
	while (tally.seen < want) {
		int err = stacks_read(target.pid, &options, &stacks);

		CHECK(err == 0);
		if (err)
			break;
		for (i = 0; i < stacks.count; i++)
			if (stacks.list[i].thread.tid != target.pid)
				tally_stack(&tally, &stacks.list[i]);
		stacks_clear(&stacks);
	}
	target_end(&target);
	printf("mode %s%s: %zu stacks, %zu full, %zu partial, %zu refused, %zu wrong\n", mode,
	       no_stop ? " no-stop" : "", tally.seen, tally.full, tally.partial, tally.refused, tally.wrong);
	CHECK(tally.wrong == 0);
	if (strcmp(mode, "r") != 0 || !no_stop) /* else there is nothing to see */
		CHECK(tally.inside > want / 20);
}

int main(int argc, char **argv)
{
	size_t want = (size_t)checks_rounds("CANNWATCH_TEST_STACKS", 2000);

	if (argc != 2)
		return 2;
	run(argv[1], "s", true, want);
	run(argv[1], "s", false, want / 4);
	run(argv[1], "r", false, want / 4);
	run(argv[1], "r", true, want / 10);
	return checks_result();
}

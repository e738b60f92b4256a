// SPDX-License-Identifier: Apache-2.0
/*
 * Stacks of a spinning thread from the registers it saved on entering a call, never
 * stopping it. Arguments: the target built with -O2, and with -O0.
 */
#include "probe/stacks.h"
#include "tests/probe/check.h"
#include "tests/probe/target.h"

#include <string.h>

static bool still_inside;

static bool still(const struct stack_slot *slot)
{
	return slot->tid > 0 && still_inside;
}

static int slot_read(struct target *target, struct stack_slot *slot, uint64_t *pcs, size_t *count)
{
	static char line[4096];
	char *p = line, *end;

	if (!fgets(line, sizeof(line), target->out))
		return -1;
	slot->tid = (int)strtol(p, &p, 10);
	slot->return_address = strtoull(p, &p, 16);
	slot->stack_pointer = strtoull(p, &p, 16);
	slot->frame_pointer = strtoull(p, &p, 16);
	for (*count = 0; *count < 64; (*count)++) {
		pcs[*count] = strtoull(p, &end, 16);
		if (end == p)
			break;
		p = end;
	}
	return *count ? 0 : -1;
}

static void check_slot(int pid, const struct stack_slot *slot, const uint64_t *pcs, size_t count)
{
	struct stacks_options options = { .no_stop = true, .slots = slot, .slot_count = 1 };
	const struct stack *stack;
	struct stacks stacks;
	size_t i;

	still_inside = true;
	CHECK(stacks_read(pid, &options, &stacks) == 0 && stacks.count == 1);
	stack = &stacks.list[0];
	CHECK(stack->method == STACK_SLOT && stack->quality == STACK_PARTIAL && strstr(stack->reason, "call"));
	CHECK(stack->count == count);
	for (i = 0; i < stack->count && i < count; i++)
		CHECK(stack->frames[i].pc == pcs[i]);
	CHECK(stack->count && stack->frames[0].symbol->raw && !strcmp(stack->frames[0].symbol->raw, "caller"));
	stacks_clear(&stacks);

	still_inside = false; /* it left the call while we looked: nothing of it may be used */
	CHECK(stacks_read(pid, &options, &stacks) == 0 && stacks.count == 1);
	CHECK(stacks.list[0].quality == STACK_REFUSED && stacks.list[0].count == 0);
	stacks_clear(&stacks);
}

/* Hostile rings hold anything: no frame may come of it, and no crash. */
static void check_hostile(int pid, const struct stack_slot *good)
{
	const uint64_t addresses[] = { 0, 1, 8, UINT64_MAX, UINT64_MAX - 7, UINT64_C(0x8000000000000000), good->return_address,
				       good->stack_pointer + 1 };
	size_t i, k;

	still_inside = true;
	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		for (k = 0; k < sizeof(addresses) / sizeof(addresses[0]); k++) {
			struct stack_slot slot = *good;
			struct stacks_options options = { .no_stop = true, .no_lines = true, .slots = &slot, .slot_count = 1 };
			struct stacks stacks;

			slot.stack_pointer = addresses[i];
			slot.return_address = addresses[k];
			CHECK(stacks_read(pid, &options, &stacks) == 0 && stacks.count == 1);
			CHECK(stacks.list[0].quality != STACK_FULL);
			stacks_clear(&stacks);
		}
}

static void test_target(const char *path)
{
	const char *arguments[] = { path, NULL };
	struct stack_slot slot = { .still = still }, stale;
	struct target target;
	uint64_t pcs[64];
	size_t count = 0;

	if (target_start(&target, arguments) || slot_read(&target, &slot, pcs, &count)) {
		CHECK(!"target starts");
		target_end(&target);
		return;
	}
	CHECK(count >= 13);
	check_slot(target.pid, &slot, pcs, count);
	check_hostile(target.pid, &slot);
	stale = slot;
	stale.start_ticks = 1; /* another thread had this id */
	still_inside = true;
	{
		struct stacks_options options = { .no_stop = true, .slots = &stale, .slot_count = 1 };
		struct stacks stacks;

		CHECK(stacks_read(target.pid, &options, &stacks) == 0);
		CHECK(stacks.count == 1 && stacks.list[0].quality == STACK_REFUSED);
		stacks_clear(&stacks);
	}
	target_end(&target);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	test_target(argv[1]);
	test_target(argv[2]);
	return checks_result();
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Compares every value, size and offset of the simulator's headers with the
 * types table. The table comes as C through make_layout.py.
 */
#include <stddef.h>
#include <stdio.h>
#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "acl/acl_tdt.h"
#include "hccl/hccl.h"
#include "simulator/hal/hal.h"

struct layout_check {
	const char *name;
	long long have, want;
};

#include "layout_checks.inc"

/* Fewer than this, and the table or the headers have not been read at all. */
enum { AT_LEAST = 700 };

int main(void)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < layout_count; i++) {
		const struct layout_check *c = &layout_checks[i];

		if (c->have == c->want)
			continue;
		printf("%s: headers %lld, table %lld\n", c->name, c->have, c->want);
		wrong++;
	}
	printf("compared=%u different=%u\n", layout_count, wrong);
	return wrong || layout_count < AT_LEAST ? 1 : 0;
}

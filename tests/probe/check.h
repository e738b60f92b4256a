// SPDX-License-Identifier: Apache-2.0
/* The few lines these tests share: count what was checked, say what failed. */
#ifndef CANNWATCH_TESTS_PROBE_CHECK_H
#define CANNWATCH_TESTS_PROBE_CHECK_H

#include <stdio.h>

static int checks_failed, checks_passed;

#define CHECK(condition)                                                                          \
	do {                                                                                      \
		if (condition) {                                                                  \
			checks_passed++;                                                          \
		} else {                                                                          \
			checks_failed++;                                                          \
			fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);   \
		}                                                                                 \
	} while (0)

static inline int checks_result(void)
{
	printf("%d passed, %d failed\n", checks_passed, checks_failed);
	return checks_failed ? 1 : 0;
}

#endif

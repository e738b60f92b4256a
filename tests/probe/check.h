// SPDX-License-Identifier: Apache-2.0
/* The few lines these tests share: count what was checked, say what failed. */
#ifndef CANNWATCH_TESTS_PROBE_CHECK_H
#define CANNWATCH_TESTS_PROBE_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define CHECKS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECKS_SANITIZED 1
#endif
#endif
#ifndef CHECKS_SANITIZED
#define CHECKS_SANITIZED 0
#endif
#define CHECKS_SKIP 77

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

/*
 * How often to do something: as the variable says; else the full number with
 * CANNWATCH_TEST_FULL, a fifth of it without, and less where a sanitizer makes all slow.
 */
static inline int checks_rounds(const char *variable, int full)
{
	const char *text = getenv(variable);

	if (text)
		return atoi(text);
	if (getenv("CANNWATCH_TEST_FULL"))
		return full;
	return full / (CHECKS_SANITIZED ? 25 : 5) + 1;
}

static inline int checks_result(void)
{
	printf("%d passed, %d failed\n", checks_passed, checks_failed);
	return checks_failed ? 1 : 0;
}

#endif

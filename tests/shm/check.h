// SPDX-License-Identifier: Apache-2.0
/* The least a test needs: CHECK says what failed and where, check_status is main's result. */
#ifndef CANNWATCH_TESTS_SHM_CHECK_H
#define CANNWATCH_TESTS_SHM_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static int check_failures __attribute__((unused));

#define CHECK(condition)                                                                                     \
	do {                                                                                                 \
		if (!(condition)) {                                                                          \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                          \
			if (++check_failures > 20)                                                           \
				exit(1);                                                                     \
		}                                                                                            \
	} while (0)

#define CHECK_DONE() return check_failures ? 1 : 0

#endif

// SPDX-License-Identifier: Apache-2.0
/* What the stand-in library lets a test see and set. */
#ifndef CANNWATCH_TESTS_PRELOAD_FAKE_H
#define CANNWATCH_TESTS_PRELOAD_FAKE_H

#include <stddef.h>
#include <stdint.h>

#define FAKE_ARGUMENTS 16

struct fake {
	/* set by the test */
	intptr_t answer;	/* what every function returns */
	int errno_set;		/* errno when it returns */
	int handles;		/* functions that create something hand out handles */
	unsigned int block_ms;	/* how long aclrtSynchronizeStream takes */
	void (*inside)(const char *name); /* called by every function while it runs */
	/* seen by the functions */
	const char *name;	/* the last one that ran */
	int errno_seen;		/* errno when it was entered */
	unsigned int calls;
	unsigned char arguments[FAKE_ARGUMENTS][64];
};

extern __thread struct fake fake;

#endif

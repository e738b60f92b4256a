// SPDX-License-Identifier: Apache-2.0
/* A library whose file the tests delete or replace while a thread waits inside it. */
#include <unistd.h>

#include "tests/probe/targets/noinline.h"

void library_wait_inside(void (*tell)(void));

NOINLINE void library_wait_inside(void (*tell)(void))
{
	tell();
	for (;;)
		pause();
}

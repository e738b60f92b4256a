// SPDX-License-Identifier: Apache-2.0
/* A library whose file the tests delete or replace while a thread waits inside it. */
#include <unistd.h>

void library_wait_inside(void (*tell)(void));

__attribute__((noinline, noclone)) void library_wait_inside(void (*tell)(void))
{
	tell();
	for (;;)
		pause();
}

// SPDX-License-Identifier: Apache-2.0
/* A library that needs the API and is loaded by somebody who does not (lookup.c). */
#include "tests/e2e/callers/body.h"

int run(const char *hang);
int run(const char *hang)
{
	return body_run(hang);
}

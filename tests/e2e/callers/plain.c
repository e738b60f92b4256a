// SPDX-License-Identifier: Apache-2.0
/* The usual way: linked with the API. usage: plain HANG */
#include "tests/e2e/callers/body.h"

int main(int argc, char **argv)
{
	return argc == 2 ? body_run(argv[1]) : 2;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Correct: one kernel takes eight seconds, and then everything ends well. Who calls this
 * a hang is wrong; with a short CANNWATCH_STALL it may be mentioned.
 */
#include "example_kernel.h"

enum { MILLISECONDS = 8000 };

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtFuncHandle kernel;
	aclrtStream stream;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	kernel = example_kernel("takes_its_time");
	CALL(aclrtCreateStream(&stream));
	example_tasks(&o, stream);

	example_launch(kernel, stream, MILLISECONDS);
	example_print_task("task");
	example_print_stream("stream", stream);
	CALL(aclrtSynchronizeStream(stream));
	CALL(aclrtDestroyStream(stream));
	example_end();
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * A kernel that never ends, and a thread that goes on submitting: once the queue of the
 * stream is full, the submission itself does not return.
 */
#include "example_kernel.h"

enum { MANY = 10000 }; /* more than any queue takes */

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtFuncHandle kernel;
	aclrtStream stream;
	aclrtNotify notify;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	kernel = example_kernel("never_ends");
	CALL(aclrtCreateStream(&stream));
	CALL(aclrtCreateNotify(&notify, 0));
	example_tasks(&o, stream);

	example_launch(kernel, stream, 0);
	example_print_task("task");
	example_print_stream("stream", stream);
	example_print("hanging", 1);
	for (int i = 0; i < MANY; i++)
		CALL(aclrtRecordNotify(notify, stream));
	return 0;
}

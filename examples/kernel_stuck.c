// SPDX-License-Identifier: Apache-2.0
/*
 * One kernel that never ends, and work behind it on the same stream. Nothing waits for
 * anything else: the head of the stream is what does not move.
 */
#include "example_kernel.h"

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
	CALL(aclrtRecordNotify(notify, stream)); /* queued behind it */
	example_print_stream("stream", stream);
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(stream));
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * A stream waits until a word of device memory has a certain value. Another one is
 * written, so that the wait never ends.
 */
#include "example_common.h"

enum { WRITTEN = 4, AWAITED = 5, UNTIL_EQUAL = 1 };

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtStream stream, other;
	void *word;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtCreateStream(&stream));
	CALL(aclrtCreateStream(&other));
	CALL(aclrtMalloc(&word, 64, ACL_MEM_MALLOC_HUGE_FIRST));
	example_tasks(&o, stream);

	CALL(aclrtValueWrite(word, WRITTEN, 0, other));
	CALL(aclrtSynchronizeStream(other));
	CALL(aclrtValueWait(word, AWAITED, UNTIL_EQUAL, stream));
	example_print_task("task");
	example_print_stream("stream", stream);
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(stream));
	return 0;
}

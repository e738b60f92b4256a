// SPDX-License-Identifier: Apache-2.0
/*
 * A captured graph with a notify wait in it. Executed once with the notify recorded, it
 * ends; executed again without, it does not. On the stream there is only the graph's
 * execution to be seen.
 */
#include "example_common.h"

int main(int argc, char **argv)
{
	struct example_options o;
	aclrtStream stream, other;
	aclrtNotify notify;
	aclmdlRI graph;
	uint32_t id = 0;

	if (example_parse(argc, argv, &o) != 0)
		return 2;
	example_start();
	example_threads(&o);
	example_decoys(&o);
	CALL(aclrtCreateStream(&stream));
	CALL(aclrtCreateStream(&other));
	CALL(aclrtCreateNotify(&notify, 0));
	example_tasks(&o, stream);

	CALL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	CALL(aclrtWaitAndResetNotify(notify, stream, 0));
	CALL(aclmdlRICaptureEnd(stream, &graph));

	CALL(aclmdlRIExecuteAsync(graph, stream));
	CALL(aclrtRecordNotify(notify, other));
	CALL(aclrtSynchronizeStream(stream));
	CALL(aclmdlRIExecuteAsync(graph, stream));
	CALL(aclrtGetNotifyId(notify, &id));
	example_print("notify", id);
	example_print_stream("stream", stream);
	example_print("hanging", 1);
	CALL(aclrtSynchronizeStream(stream));
	return 0;
}

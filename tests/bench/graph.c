// SPDX-License-Identifier: Apache-2.0
/*
 * How long the analysis of a large model takes: 1,024 streams with 256 queued tasks,
 * 100,000 events, 500 threads, at 1/8, 1/4, 1/2 and the whole of it. Prints
 * "name value unit" per line; the best of five runs each. With an argument, a whole
 * number of milliseconds: exit status 1 if the whole takes longer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/analyzer/world.h"

enum { STREAMS = 1024, TASKS = 256, EVENTS = 100000, THREADS = 500, RUNS = 5 };

/* Every stream waits for the next one, behind work, and the last for nobody: one long chain. */
static void build(struct model *model, size_t streams, size_t events, size_t threads)
{
	size_t used = 0;

	world_live(model);
	for (size_t i = 0; i < events; i++)
		add_object(model, OBJECT_EVENT, MADE_SYNC);
	for (size_t s = 0; s < streams; s++)
		add_stream(model);
	for (size_t s = 0; s < streams; s++) {
		add_task(model, s, TASK_EVENT_WAIT, s);
		for (size_t t = 1; t < TASKS; t++) {
			if (t == TASKS / 2 && s + 1 < streams)
				add_task(model, s, TASK_EVENT_RECORD, s + 1);
			else if (t % 3 == 0)
				add_task(model, s, TASK_EVENT_RECORD, streams + used++ % (events - streams));
			else
				add_task(model, s, TASK_KERNEL, MODEL_NONE);
		}
	}
	for (size_t i = 0; i < threads; i++)
		sync_stream(model, add_thread(model, 1000 + (int64_t)i, MAKER_PROGRAM), i % streams, 1);
	sync_stream(model, 0, streams - 1, 1);
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double measure(size_t part)
{
	double best = 1e9;
	struct model model;

	build(&model, STREAMS / part, EVENTS / part, THREADS / part);
	for (int run = 0; run < RUNS; run++) {
		double start = now_ms(), took;
		struct report report;
		enum verdict_class class = first_class(&model, 15, &report);

		took = now_ms() - start;
		if (class != CLASS_EVENT_NEVER_RECORDED || report.count != 1) {
			printf("wrong answer: %s\n", verdict_class_name(class));
			exit(1);
		}
		if (took < best)
			best = took;
		report_clear(&report);
	}
	model_clear(&model);
	return best;
}

int main(int argc, char **argv)
{
	double whole = 0;

	for (size_t part = 8; part >= 1; part /= 2) {
		whole = measure(part);
		printf("graph_1/%zu %.2f ms\n", part, whole);
	}
	if (argc > 1 && whole > atof(argv[1])) {
		printf("more than %s ms\n", argv[1]);
		return 1;
	}
	return 0;
}

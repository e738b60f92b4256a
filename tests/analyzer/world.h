// SPDX-License-Identifier: Apache-2.0
/* Models by hand, one line per fact, for the tests of the rules. */
#ifndef CANNWATCH_TESTS_ANALYZER_WORLD_H
#define CANNWATCH_TESTS_ANALYZER_WORLD_H

#include <stdio.h>

#include "analyzer/diagnose/diagnose.h"

/* Counted, not fatal: one run shows all that is wrong. */
extern int failures;

#define CHECK(condition, ...)                                                  \
	do {                                                                   \
		if (!(condition)) {                                            \
			failures++;                                            \
			printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
			printf(__VA_ARGS__);                                   \
			printf("\n");                                          \
		}                                                              \
	} while (0)

/* A live process whose main thread (tid 100 = pid) is the only one of the program; nothing is amiss. */
void world_live(struct model *model);
/* A log: no threads, windows of queues. */
void world_log(struct model *model);

/* Each returns the index. Streams get ids 2, 3, ...; objects ids 0, 1, ... */
size_t add_stream(struct model *model);
size_t add_object(struct model *model, enum object_kind kind, enum object_made_by made_by);
size_t add_thread(struct model *model, int64_t tid, enum thread_maker maker);

/* Append a confirmed task; wait and record count on the object. */
struct model_task *add_task(struct model *model, size_t stream, enum task_type type, size_t object);
/* The last task of the stream becomes a wait for just that record. */
void bind_last(struct model *model, size_t stream, size_t record_stream, size_t record_task);
/* The thread sits in a synchronize of the stream, for ever, in both samples. */
void sync_stream(struct model *model, size_t thread, size_t stream, double blocked_s);

/* The class of the first verdict, CLASS_COUNT if there is none; the report is the caller's. */
enum verdict_class first_class(const struct model *model, double stall_s, struct report *report);

#endif

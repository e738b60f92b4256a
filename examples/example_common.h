// SPDX-License-Identifier: Apache-2.0
/*
 * Shared by the example programs: the knobs they all take, the key=value lines
 * they print, and the preparations the knobs ask for. Needs acl only.
 *
 *   --decoys N    N more streams with finished work first, so that ids shift
 *   --threads N   N worker threads that use the device and end first
 *   --tasks N     N small tasks on the stream first, synchronizing on the way
 *   --seconds N   how long `healthy` runs
 *
 * Each also has an environment variable: EXAMPLE_DECOYS and so on.
 */
#ifndef EXAMPLES_EXAMPLE_COMMON_H
#define EXAMPLES_EXAMPLE_COMMON_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "acl/acl.h"

struct example_options {
	long decoys;
	long threads;
	long tasks;
	long seconds;
};

/* Every call of the examples goes through this: a failure names itself and ends the program. */
#define CALL(expression)                                 \
	do {                                             \
		aclError err_ = (expression);            \
		if (err_ != ACL_SUCCESS)                 \
			example_fail(#expression, err_); \
	} while (0)

static inline void example_fail(const char *what, aclError err)
{
	const char *text = aclGetRecentErrMsg();

	fprintf(stderr, "%s -> %d\n%s", what, err, text ? text : "");
	exit(1);
}

/* One key=value line on stdout, at once: a test reads it while the program hangs. */
static inline void example_print(const char *key, long long value)
{
	printf("%s=%lld\n", key, value);
	fflush(stdout);
}

static inline long example_number(const char *environment, long usual)
{
	const char *text = getenv(environment);

	return text ? strtol(text, NULL, 10) : usual;
}

static inline int example_usage(const char *program)
{
	fprintf(stderr, "usage: %s [--decoys N] [--threads N] [--tasks N] [--seconds N]\n", program);
	return -1;
}

/* Returns 0, or -1 after printing the usage. */
static inline int example_parse(int argc, char **argv, struct example_options *o)
{
	o->decoys = example_number("EXAMPLE_DECOYS", 0);
	o->threads = example_number("EXAMPLE_THREADS", 0);
	o->tasks = example_number("EXAMPLE_TASKS", 0);
	o->seconds = example_number("EXAMPLE_SECONDS", 20);
	for (int i = 1; i < argc; i += 2) {
		long *to = NULL;

		if (strcmp(argv[i], "--decoys") == 0)
			to = &o->decoys;
		else if (strcmp(argv[i], "--threads") == 0)
			to = &o->threads;
		else if (strcmp(argv[i], "--tasks") == 0)
			to = &o->tasks;
		else if (strcmp(argv[i], "--seconds") == 0)
			to = &o->seconds;
		if (!to || i + 1 == argc)
			return example_usage(argv[0]);
		*to = strtol(argv[i + 1], NULL, 10);
	}
	return 0;
}

static inline void example_start(void)
{
	example_print("pid", (long long)getpid());
	CALL(aclInit(NULL));
	CALL(aclrtSetDevice(0));
}

static inline void example_end(void)
{
	CALL(aclrtResetDevice(0));
	CALL(aclFinalize());
}

/* Streams that stay, each with an event recorded and waited for. */
static inline void example_decoys(const struct example_options *o)
{
	for (long i = 0; i < o->decoys; i++) {
		aclrtStream stream;
		aclrtEvent event;

		CALL(aclrtCreateStream(&stream));
		CALL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
		CALL(aclrtRecordEvent(event, stream));
		CALL(aclrtStreamWaitEvent(stream, event));
		CALL(aclrtSynchronizeStream(stream));
	}
}

static inline void *example_worker(void *unused)
{
	aclrtStream stream;

	(void)unused;
	CALL(aclrtSetDevice(0));
	CALL(aclrtCreateStream(&stream));
	for (int i = 0; i < 10; i++) {
		aclrtEvent event;

		CALL(aclrtCreateEvent(&event));
		CALL(aclrtRecordEvent(event, stream));
		CALL(aclrtSynchronizeEvent(event));
		CALL(aclrtDestroyEvent(event));
	}
	CALL(aclrtDestroyStream(stream));
	CALL(aclrtResetDevice(0));
	return NULL;
}

static inline void example_threads(const struct example_options *o)
{
	for (long i = 0; i < o->threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, example_worker, NULL) != 0)
			example_fail("pthread_create", 0);
		pthread_join(thread, NULL);
	}
}

/* Small tasks: notify records, which need nobody to wait for them. */
static inline void example_tasks(const struct example_options *o, aclrtStream stream)
{
	aclrtNotify notify;

	if (o->tasks == 0)
		return;
	CALL(aclrtCreateNotify(&notify, 0));
	for (long i = 0; i < o->tasks; i++) {
		CALL(aclrtRecordNotify(notify, stream));
		if (i % 1000 == 999)
			CALL(aclrtSynchronizeStream(stream));
	}
	CALL(aclrtSynchronizeStream(stream));
	CALL(aclrtDestroyNotify(notify));
}

static inline void example_print_stream(const char *key, aclrtStream stream)
{
	int32_t id = -1;

	CALL(aclrtStreamGetId(stream, &id));
	example_print(key, id);
}

static inline void example_print_event(const char *key, aclrtEvent event)
{
	uint32_t id = 0;

	CALL(aclrtGetEventId(event, &id));
	example_print(key, id);
}

/* The id of the task this thread submitted last. */
static inline void example_print_task(const char *key)
{
	uint32_t id = 0;

	CALL(aclrtGetThreadLastTaskId(&id));
	example_print(key, id);
}

#endif

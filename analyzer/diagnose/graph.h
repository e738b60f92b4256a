// SPDX-License-Identifier: Apache-2.0
/*
 * The wait-for graph over host threads and streams with their unfinished tasks.
 * It answers three questions: which wait would not end even if every task that is
 * not a wait finished (structural); what each stream stands at now (blocker); and
 * where the chain of waits from there ends (root). Reads the model only. Linear in
 * tasks, objects and threads. Immutable once built; the model must outlive it.
 */
#ifndef CANNWATCH_DIAGNOSE_GRAPH_H
#define CANNWATCH_DIAGNOSE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/model/model.h"

struct graph_point { /* a task: indexes into model.streams and its tasks; MODEL_NONE none */
	size_t stream;
	size_t task;
};

enum root_kind {
	ROOT_CYCLE, /* a ring of waits */
	ROOT_WAIT,  /* a wait for which no release is known */
	ROOT_TASK,  /* a task that is not a wait and has not finished */
};

struct graph_root {
	enum root_kind kind;
	struct graph_point end; /* the task the chain ends at; in a ring: a member's wait */
	bool structural;	/* holds even if every task that is not a wait finishes */
	size_t *members;	/* streams whose chain ends here */
	size_t member_count;
	size_t *ring; /* ROOT_CYCLE: the streams of the ring, each waits for the next */
	size_t ring_count;
	size_t *observers; /* threads whose call waits for this, best witness first */
	size_t observer_count;
};

struct graph_stream {
	size_t blocker; /* the task it stands at, MODEL_NONE: at none that holds it up */
	bool certain;	/* that it stands there is known, not concluded */
	bool structural;
	struct graph_point release; /* the record it waits for, MODEL_NONE none known */
	size_t releases;	    /* how many pending records could release it */
	size_t root;		    /* index, MODEL_NONE: it will move on */
};

struct graph_thread {
	size_t stream; /* the stream its call waits for, MODEL_NONE */
	size_t root;   /* MODEL_NONE: it is not known to be stuck */
};

struct graph {
	const struct model *model;
	struct graph_stream *streams; /* as in the model */
	struct graph_thread *threads; /* as in the model */
	struct graph_root *roots;     /* in order of discovery */
	size_t root_count;
	/* Pending releases of object i: releases[release_start[i]] up to release_start[i + 1]. */
	struct graph_point *releases;
	size_t *release_start;
	bool opaque_work; /* unfinished work may hold records that no call of the host shows */
};

struct graph *graph_build(const struct model *model); /* never NULL; free with graph_free */
void graph_free(struct graph *graph);

bool task_is_wait(const struct model_task *task);
/* Whether any record of the object releases the wait (else only the one it is bound to). */
bool task_is_unbound_wait(const struct model_task *task);
/* The unfinished task with this sequence number, MODEL_NONE if it is not there. */
size_t stream_find_task(const struct model_stream *stream, uint64_t seq);
/* Whether a thread is in a call that ends only when streams move on, and was there in both samples. */
bool thread_is_waiting(const struct model_thread *thread);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Graphs and the hidden streams they consist of, shared by capture.c (which
 * fills them) and graph.c (which loads, executes and destroys them). While a
 * capture is open its graph is guarded by capture.c's lock; afterwards it does
 * not change any more.
 */
#ifndef SIMULATOR_RUNTIME_GRAPH_H
#define SIMULATOR_RUNTIME_GRAPH_H

#include "simulator/runtime/runtime.h"

enum graph_state { GRAPH_OPEN, GRAPH_READY, GRAPH_BUILDING };

struct hidden { /* one hidden stream */
	struct graph *graph;
	struct hidden *next;
	struct stream *origin; /* the program's stream while the capture is open */
	uint32_t stream_id;
	bool queue;  /* the device has a queue for it */
	bool joined; /* somebody waits for its last task */
	uint64_t next_task;
	size_t count, room;
	struct sim_sqe *sqes;
	void **memories; /* freed with the graph */
};

struct graph {
	struct object object;
	enum graph_state state;
	struct graph *next_open;
	struct context *context;
	struct hidden *hidden; /* the first is the origin's */
	int mode;
	pthread_t owner;
	uint32_t model;
	uint32_t notify;
	bool has_notify;
	int32_t *events; /* ids of captured Ex records */
	size_t event_count;
	struct event_ref *refs; /* captured events */
};

struct event_ref {
	struct event_ref *next;
	struct event *event;
	struct record *record;
};

/* Appends a template, gives it the next task id of the hidden stream and frees memory with the graph. */
int hidden_add(struct hidden *h, struct sim_sqe *sqe, void *memory);
int graph_new(struct context *c, enum graph_state state, struct graph **out);
/* Adds the end of the graph and hands the templates to the device; nothing runs yet. */
int graph_load(struct graph *g);
void graph_free(struct graph *g);

#endif

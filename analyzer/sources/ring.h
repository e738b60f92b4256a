// SPDX-License-Identifier: Apache-2.0
/*
 * The ring as a source: two copies of a ring, some time apart, become threads,
 * streams, objects and facts of the model. Translates, does not judge. Knows the
 * model and shm/; whose code an address is, it is told.
 */
#ifndef CANNWATCH_SOURCES_RING_H
#define CANNWATCH_SOURCES_RING_H

#include "analyzer/model/model.h"
#include "shm/ring_reader.h"

struct ring_source {
	const struct ring_snapshot *first; /* NULL: there is only one copy */
	const struct ring_snapshot *last;
	/* The process lives: threads that the model does not have already have ended. */
	bool live;
	/* Whose code this is; NULL: nobody knows. */
	enum thread_maker (*owner)(void *context, uint64_t address);
	void *context;
};

/*
 * Adds to a model that holds nothing yet, or the process's threads. The snapshots
 * may be freed afterwards.
 */
void ring_to_model(const struct ring_source *source, struct model *model);

#endif

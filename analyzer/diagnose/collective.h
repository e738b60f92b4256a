// SPDX-License-Identifier: Apache-2.0
/*
 * What ranks report of the collective they waited in, side by side. One report per
 * rank, all of the communicator whose report came first. Uses story.
 */
#ifndef CANNWATCH_DIAGNOSE_COLLECTIVE_H
#define CANNWATCH_DIAGNOSE_COLLECTIVE_H

#include "analyzer/diagnose/story.h"

struct collective {
	const struct observation **reports; /* ordered by rank */
	size_t count;
	int64_t *known; /* ranks that have a file, sorted */
	size_t known_count;
	int64_t world;	/* how many ranks there are, MODEL_UNKNOWN */
	const char *op; /* of the first report that names one, or a Python call */
};

void collective_build(const struct story *story, struct collective *collective);
void collective_clear(struct collective *collective);
bool collective_has_rank(const struct collective *collective, int64_t rank);
/* No report, nor any other error: the rank's log is there and shows no wait. */
bool collective_is_silent(const struct story *story, const struct collective *collective, int64_t rank);
/* Operation names in different spellings: ALLREDUCE, AllReduce, all_reduce. */
bool collective_same_op(const char *a, const char *b);
/* Evidence of the reports, op and communicator into the culprit. */
void collective_tell(const struct story *story, const struct collective *collective, struct verdict *verdict);
/* The earliest report becomes the candidate. */
void collective_candidate(const struct collective *collective, struct candidate *candidate);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * What the rules over the graph share: which roots are due, who witnesses them, and
 * the parts of a verdict that look the same for every class (chain, evidence, age).
 */
#ifndef CANNWATCH_DIAGNOSE_FINDING_H
#define CANNWATCH_DIAGNOSE_FINDING_H

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/diagnose/graph.h"

/* One root as seen from where somebody waits for it. */
struct finding {
	const struct diagnosis *diagnosis;
	const struct graph_root *root;
	size_t thread;	    /* the observer, MODEL_NONE if only streams are known */
	size_t stream;	    /* where the way to the root begins */
	bool through_event; /* an event lies on the way */
	double age_s;	    /* how long it has been stuck, < 0 unknown */
};

/* The best witness of the root: a thread if there is one, a way through an event before a direct one. */
void finding_init(struct finding *finding, const struct diagnosis *diagnosis, const struct graph_root *root);
/*
 * Whether it is to be reported now: structural roots as soon as somebody waits for
 * them, others only when they lasted longer than the options' stall limit.
 */
bool finding_is_due(const struct finding *finding);
/* Whether a thread is blocked handing over work to the root's stream. */
bool finding_blocks_submit(const struct finding *finding, size_t *thread);

/* The model's records at the root's end. The object is NULL if it is not known. */
const struct model_stream *finding_end_stream(const struct finding *finding);
const struct model_task *finding_end_task(const struct finding *finding);
const struct model_object *finding_end_object(const struct finding *finding);

/* Adds the thread and the call it is in to a chain. */
void finding_chain_thread(struct verdict *verdict, const struct model *model, size_t thread);
/* A verdict with age, chain, evidence, device and rank; confidence is the rule's business. */
void finding_verdict(const struct finding *finding, enum verdict_class class, struct verdict *verdict);

/*
 * The class of a root, by what ends the chain: one root has one class, so that one
 * wait gives one verdict. Rules take the roots of their own class.
 */
enum verdict_class finding_wait_class(const struct finding *finding); /* of a ROOT_WAIT */
enum verdict_class finding_task_class(const struct finding *finding); /* of a ROOT_TASK */
/* Puts a task that does not finish into the culprit; confidence, assumes and next of that. */
void finding_blame_task(const struct finding *finding, struct verdict *verdict);

/* "task 47 (kernel MatMul)", "event 1 (sync, created at a.c:10)"; owned by the caller. */
char *task_describe(const struct model_task *task);
/* id: the one in the task that is spoken of, MODEL_UNKNOWN for the object's own. */
char *object_describe(const struct model_object *object, int64_t id);
char *stream_describe(const struct model *model, size_t stream);
void object_set_id(struct fields *fields, const struct model_object *object, int64_t id);
const char *object_kind_name(const struct model_object *object);
/* Where a call was made, "" if unknown; owned by the caller. */
char *site_describe(const char *lead, uint64_t site, const char *text);

#endif

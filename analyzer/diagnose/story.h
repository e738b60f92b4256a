// SPDX-License-Identifier: Apache-2.0
/*
 * The story that logs tell: of everything observed, which came first and explains
 * the rest. Every class that logs can show has one cause (a rule_<class>.c or
 * log_<subject>.c file) that finds its earliest candidate and words the verdict; the
 * story picks the root among the candidates and counts the others as followers.
 *
 * Order: by time, where a more specific class wins within one incident (tiers), and
 * by file and line where there is no time.
 */
#ifndef CANNWATCH_DIAGNOSE_STORY_H
#define CANNWATCH_DIAGNOSE_STORY_H

#include "analyzer/diagnose/diagnose.h"
#include "analyzer/model/observation.h"

enum tier {
	TIER_DEVICE,  /* states of a device: its log may have another clock, so its time does not count */
	TIER_CAUSE,   /* says what failed, and where */
	TIER_REPORT,  /* says that something failed */
	TIER_PROGRAM, /* the program's own error */
	TIER_WAIT,    /* says that something waited in vain */
	TIER_STACK,   /* where threads are */
	TIER_VAGUE,   /* says next to nothing */
	TIER_IDLE,    /* nothing is wrong */
};

struct cause;

struct candidate {
	const struct cause *cause;
	const struct observation *first; /* NULL when it rests on stacks alone */
	const struct stack *stack;
	int64_t time_us;		 /* MODEL_UNKNOWN */
	uint32_t file;
	uint64_t line;
	int64_t *list;			 /* the cause's own: ranks or threads; owned by the story */
	size_t list_count;
	int64_t number;			 /* the cause's own */
	const char *text;		 /* the cause's own; interned or static */
};

struct story {
	const struct model *model;
	const struct observations *set;
	struct candidate root; /* cause NULL: nothing is wrong */
	uint64_t followers;
	int64_t followers_first_us, followers_last_us;
};

struct cause {
	enum verdict_class class;
	enum tier tier;
	/* The simple way: which observations are candidates; the earliest is taken. */
	bool (*matches)(const struct story *story, const struct observation *o);
	/* The other way: fills *candidate (initialised) and returns true. */
	bool (*find)(const struct story *story, struct candidate *candidate);
	/* Summary, culprit, evidence, next; the verdict is initialised with class and followers. */
	void (*tell)(const struct story *story, const struct candidate *candidate, struct verdict *verdict);
};

/* NULL when there is nothing observed. */
struct story *story_build(const struct model *model);
void story_free(struct story *story);
/*
 * What a rule of the table does: when this cause is the story's root, its verdict
 * goes to the report. A cause that only waited keeps silent where the graph already
 * knows the wait; a failure replaces what the graph made of its consequences.
 */
void story_report(const struct diagnosis *diagnosis, const struct cause *cause, struct report *report);

/* Helpers for causes. */
void candidate_init(struct candidate *candidate, const struct cause *cause);
void candidate_from(struct candidate *candidate, const struct observation *o);
/* A copy of the candidate's observation with gaps filled from others the cause matches in the same incident. */
struct observation story_merge(const struct story *story, const struct candidate *candidate);
void story_evidence(const struct story *story, const struct model_origin *origin, struct verdict *verdict);
/* Where-fields that are known: rank, device, pid, tid, thread, stream, task. */
void story_place(const struct observation *o, struct verdict *verdict);
/* " on device 1, stream 6, task 27" or "" ; owned by the caller. */
char *story_where(const struct observation *o);
/* Evidence of up to `most` further observations of these kinds from the same process or device. */
void story_more_evidence(const struct story *story, const struct candidate *candidate,
			 const enum observation_kind *kinds, size_t count, size_t most, struct verdict *verdict);
void set_number(struct fields *fields, enum field field, int64_t number); /* not when MODEL_UNKNOWN */
/* Adds what is known about the code (meaning and remedy) to next. */
void story_explain_code(const struct observation *o, struct verdict *verdict);
/* The class the observation's code stands for, CLASS_COUNT for none. */
enum verdict_class story_code_class(const struct observation *o);
/* Whether any observation of the kind exists; the first one, or NULL. */
const struct observation *story_first(const struct story *story, enum observation_kind kind);
/* "2026-03-04 09:28:57.351512", owned by the caller; NULL for an unknown time. */
char *story_time(int64_t time_us);

/* Whether the observation is a code or a failed call whose code stands for the class. */
bool code_means(const struct observation *o, enum verdict_class class);
/* The place a cluster event names: host and device; the rank too where all is one host. */
void story_cluster(const struct story *story, const struct observation *o, struct verdict *verdict);
/* The time-outs in force, with where they come from. */
void story_limits(const struct story *story, struct verdict *verdict);
/* Seconds after which a collective gives up. */
int64_t story_collective_limit(const struct story *story);

/* Defines the rule and exports the cause under one name. */
#define CAUSE(name, variable) \
	const struct cause *const cause_##name = &(variable); \
	void rule_##name(const struct diagnosis *diagnosis, struct report *report) \
	{ \
		story_report(diagnosis, &(variable), report); \
	}

/* Every cause once; causes.c and rules.h are made of it. The order decides between equals. */
#define CAUSES(X) \
	X(device_panic) X(heartbeat_lost) X(aicore_error) X(aicpu_error) X(sdma_error) X(link_error) \
	X(resource_exhausted) X(no_context) X(config_error) X(process_gone) X(env_race) X(crash) X(fork_after_init) \
	X(sync_during_capture) X(dump_misuse) X(use_after_destroy) X(aicore_report) X(aicpu_report) X(sdma_report) \
	X(task_failed) X(error_code) X(api_error) X(peer_stuck) X(rank_lost) X(program_error) X(mismatch) \
	X(missing_rank) X(slow_rank) X(collective_stuck) X(notify_wait_log) X(event_wait_log) X(sync_log) \
	X(compile_stalled) X(fork_lock) X(host_deadlock) X(abort) X(submit_stack) X(sync_stack) X(host_stack) \
	X(insufficient) X(idle_stack)

#define CAUSE_DECLARE(name) \
	extern const struct cause *const cause_##name; \
	void rule_##name(const struct diagnosis *diagnosis, struct report *report);
CAUSES(CAUSE_DECLARE)
#undef CAUSE_DECLARE

#endif

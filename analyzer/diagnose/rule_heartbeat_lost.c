// SPDX-License-Identifier: Apache-2.0
/*
 * heartbeat-lost: a device stopped answering (its task scheduler, as host or black box
 * say), or HCCL lost the heartbeat of a rank. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool is_device(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_DEVICE_LOST || o->kind == OBSERVED_TS_EXCEPTION;
}

static void tell_device(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_DEVICE_LOST, OBSERVED_TS_EXCEPTION };
	struct observation o = story_merge(story, c);

	set_number(&verdict->culprit, FIELD_RANK, o.rank);
	set_number(&verdict->culprit, FIELD_DEVICE, o.device);
	if (o.device != MODEL_UNKNOWN)
		verdict_summary(verdict, "device %lld lost its heartbeat: its task scheduler stopped answering",
				(long long)o.device);
	else
		verdict_summary(verdict, "a device lost its heartbeat: its task scheduler stopped answering");
	story_more_evidence(story, c, more, 2, 3, verdict);
	verdict_next(verdict, "export the device side (msnpureport): history.log for HEARTBEAT EXCEPTION, messages for a panic");
	verdict_next(verdict, "everything submitted to the device fails from then on; it needs a reset");
}

static bool is_rank(const struct story *story, const struct observation *o)
{
	(void)story;
	return o->kind == OBSERVED_CLUSTER_LOST;
}

static void tell_rank(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_CLUSTER_LOST };
	struct observation o = story_merge(story, c);

	story_cluster(story, &o, verdict);
	verdict_summary(verdict, "HCCL lost the heartbeat of device %lld of host %s: its process ended or its network is gone",
			(long long)o.peer, o.peer_host ? o.peer_host : "?");
	story_more_evidence(story, c, more, 1, 3, verdict);
	story_limits(story, verdict);
	verdict_next(verdict, "look at that process: whether and why it ended before, then at the network between the hosts");
}

static const struct cause cause = {
	.class = CLASS_HEARTBEAT_LOST, .tier = TIER_CAUSE, .matches = is_device, .tell = tell_device
};
static const struct cause rank_cause = {
	.class = CLASS_HEARTBEAT_LOST, .tier = TIER_REPORT, .matches = is_rank, .tell = tell_rank
};
CAUSE(heartbeat_lost, cause)
CAUSE(rank_lost, rank_cause)

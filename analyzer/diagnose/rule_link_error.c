// SPDX-License-Identifier: Apache-2.0
/*
 * link-error: ranks could not reach each other: sockets that did not come up, ports in
 * use, packets without an answer. Uses story.
 */
#include "analyzer/diagnose/rules.h"
#include "analyzer/diagnose/story.h"

static bool matches(const struct story *story, const struct observation *o)
{
	(void)story;
	switch (o->kind) {
	case OBSERVED_LINK_TIMEOUT:
	case OBSERVED_LINK_DETECTED:
	case OBSERVED_LINK_ROW:
	case OBSERVED_LINK_ERROR:
	case OBSERVED_CLUSTER_CQE:
		return true;
	default:
		return code_means(o, CLASS_LINK_ERROR);
	}
}

/* The table of links names both ranks; elsewhere only devices or addresses stand. */
static const struct observation *row_of(const struct story *story)
{
	return story_first(story, OBSERVED_LINK_ROW);
}

static void tell(const struct story *story, const struct candidate *c, struct verdict *verdict)
{
	static const enum observation_kind more[] = { OBSERVED_LINK_DETECTED, OBSERVED_LINK_ROW, OBSERVED_LINK_ERROR,
						      OBSERVED_LINK_TIMEOUT };
	struct observation o = story_merge(story, c);
	const struct observation *row = row_of(story), *detected = story_first(story, OBSERVED_LINK_DETECTED);
	const char *host = o.peer_host;
	int64_t peer = row ? row->peer : MODEL_UNKNOWN, rank = o.rank;

	if (row && row->rank != MODEL_UNKNOWN)
		rank = row->rank;
	if (detected && detected->peer_host)
		host = detected->peer_host;
	set_number(&verdict->culprit, FIELD_RANK, rank);
	set_number(&verdict->culprit, FIELD_PEER, peer);
	if (rank != MODEL_UNKNOWN && peer != MODEL_UNKNOWN) {
		fields_add_to_list(&verdict->culprit, FIELD_RANKS, peer);
		fields_add_to_list(&verdict->culprit, FIELD_RANKS, rank);
	}
	fields_set_text(&verdict->culprit, FIELD_HOST, host ? host : o.host);
	set_number(&verdict->culprit, FIELD_DEVICE, o.device);
	set_number(&verdict->culprit, FIELD_PID, o.pid);
	fields_set_text(&verdict->culprit, FIELD_ERROR_CODE, o.code_text);
	if (rank != MODEL_UNKNOWN && peer != MODEL_UNKNOWN)
		verdict_summary(verdict, "rank %lld cannot reach rank %lld%s%s", (long long)rank, (long long)peer,
				host ? " on host " : "", host ? host : "");
	else if (host)
		verdict_summary(verdict, "the link to host %s failed%s", host,
				o.kind == OBSERVED_LINK_ERROR ? ": no answer to packets sent" : "");
	else
		verdict_summary(verdict, "a link between ranks failed or was never made");
	story_more_evidence(story, c, more, 4, 4, verdict);
	story_limits(story, verdict);
	verdict_next(verdict, "see whether the peer's process runs and came this far; then the network: hccn_tool -link and -net_health, firewall, HCCL_SOCKET_IFNAME, TLS on both sides");
	story_explain_code(&o, verdict);
}

static const struct cause cause = {
	.class = CLASS_LINK_ERROR, .tier = TIER_CAUSE, .matches = matches, .tell = tell
};
CAUSE(link_error, cause)

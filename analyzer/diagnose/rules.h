// SPDX-License-Identifier: Apache-2.0
/* The rules, one per class, one file each (rule_<class>.c). Table: diagnose.c. */
#ifndef CANNWATCH_DIAGNOSE_RULES_H
#define CANNWATCH_DIAGNOSE_RULES_H

#include "analyzer/diagnose/diagnose.h"

void rule_wait_cycle(const struct diagnosis *diagnosis, struct report *report);
void rule_event_never_recorded(const struct diagnosis *diagnosis, struct report *report);
void rule_notify_wait_stuck(const struct diagnosis *diagnosis, struct report *report);
void rule_event_record_lost(const struct diagnosis *diagnosis, struct report *report);
void rule_value_wait_stuck(const struct diagnosis *diagnosis, struct report *report);
void rule_event_wait_stuck(const struct diagnosis *diagnosis, struct report *report);
void rule_submit_stuck(const struct diagnosis *diagnosis, struct report *report);
void rule_callback_not_served(const struct diagnosis *diagnosis, struct report *report);
void rule_event_record_blocked(const struct diagnosis *diagnosis, struct report *report);
void rule_task_stuck(const struct diagnosis *diagnosis, struct report *report);
void rule_shim_bypassed(const struct diagnosis *diagnosis, struct report *report);
void rule_sync_stuck(const struct diagnosis *diagnosis, struct report *report);
void rule_host_not_submitting(const struct diagnosis *diagnosis, struct report *report);
void rule_idle_wait(const struct diagnosis *diagnosis, struct report *report);
void rule_stacks_undecided(const struct diagnosis *diagnosis, struct report *report);

#endif

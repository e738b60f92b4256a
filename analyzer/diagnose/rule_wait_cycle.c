// SPDX-License-Identifier: Apache-2.0
/* wait-cycle: streams whose waits can only be released by each other. Uses graph, finding, confidence. */
#include <stdlib.h>

#include "analyzer/diagnose/confidence.h"
#include "analyzer/diagnose/finding.h"
#include "analyzer/diagnose/rules.h"
#include "analyzer/model/util.h"

#define MEMBERS_NAMED 4 /* in the summary; the chain has them all */

static const struct model_task *ring_task(const struct finding *finding, size_t member)
{
	const struct diagnosis *diagnosis = finding->diagnosis;
	size_t stream = finding->root->ring[member];

	return &diagnosis->model->streams[stream].tasks[diagnosis->graph->streams[stream].blocker];
}

static void add_member(const struct finding *finding, size_t member, struct text *text)
{
	const struct model *model = finding->diagnosis->model;
	const struct graph_root *root = finding->root;
	const struct model_task *task = ring_task(finding, member);
	size_t next = finding->diagnosis->graph->streams[root->ring[member]].release.stream;
	char *stream = stream_describe(model, root->ring[member]);
	char *object = object_describe(
		task->object < model->object_count ? &model->objects[task->object] : NULL, task->object_id);
	char *releaser = stream_describe(model, next);

	text_addf(text, "%s %s waits for %s, recorded only later on %s", member ? ";" : "", stream, object,
		  releaser);
	free(stream);
	free(object);
	free(releaser);
}

static void summarize(const struct finding *finding, struct verdict *verdict)
{
	const struct graph_root *root = finding->root;
	struct text text = { 0 };

	if (root->ring_count == 1)
		text_add(&text, "a stream waits for itself:");
	else
		text_addf(&text, "%zu streams wait for each other in a ring:", root->ring_count);
	for (size_t i = 0; i < root->ring_count && i < MEMBERS_NAMED; i++)
		add_member(finding, i, &text);
	if (root->ring_count > MEMBERS_NAMED)
		text_addf(&text, "; and %zu more", root->ring_count - MEMBERS_NAMED);
	verdict_summary(verdict, "%s", text.bytes);
	text_clear(&text);
}

static void advise(const struct finding *finding, struct verdict *verdict)
{
	const struct model_task *task = ring_task(finding, 0);
	const struct model *model = finding->diagnosis->model;
	char *site = site_describe(" at ", task->site, task->site_text);
	char *object = object_describe(
		task->object < model->object_count ? &model->objects[task->object] : NULL, task->object_id);

	verdict_next(verdict,
		     "submit one of the records before the wait of its own stream: the ring opens "
		     "if the record of %s comes before that stream's own wait",
		     object);
	if (*site)
		verdict_next(verdict, "the first of these waits was submitted%s", site);
	free(site);
	free(object);
}

void rule_wait_cycle(const struct diagnosis *diagnosis, struct report *report)
{
	for (size_t i = 0; i < diagnosis->graph->root_count; i++) {
		const struct graph_root *root = &diagnosis->graph->roots[i];
		struct finding finding;
		struct verdict verdict;

		if (root->kind != ROOT_CYCLE)
			continue;
		finding_init(&finding, diagnosis, root);
		if (!finding_is_due(&finding))
			continue;
		finding_verdict(&finding, CLASS_WAIT_CYCLE, &verdict);
		summarize(&finding, &verdict);
		confidence_decide(diagnosis, root, &verdict);
		advise(&finding, &verdict);
		report_add(report, &verdict);
	}
}

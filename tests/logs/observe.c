// SPDX-License-Identifier: Apache-2.0
/* Prints what the log sources make of paths: one line per observation and stack. For tests and for debugging rules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/observation.h"
#include "analyzer/sources/recognise.h"

static void put_number(const char *name, int64_t number)
{
	if (number != MODEL_UNKNOWN)
		printf(" %s=%lld", name, (long long)number);
}

static void put_text(const char *name, const char *text)
{
	if (text)
		printf(" %s=%s", name, text);
}

static void put_observation(const struct model *model, const struct observation *o)
{
	const char *file = o->origin.file ? strrchr(model->files[o->origin.file - 1], '/') : NULL;

	printf("kind=%d level=%d %s:%llu", o->kind, o->level, file ? file + 1 : "-", (unsigned long long)o->origin.line);
	put_number("time", o->time_us);
	put_number("rank", o->rank);
	put_number("pid", o->pid);
	put_number("tid", o->tid);
	put_number("device", o->device);
	put_number("stream", o->stream);
	put_number("task", o->task);
	put_number("event", o->event);
	put_number("notify", o->notify);
	put_number("code", o->code);
	put_number("peer", o->peer);
	put_number("number", o->number);
	put_number("count", o->count);
	put_text("thread", o->thread);
	put_text("module", o->module);
	put_text("code_text", o->code_text);
	put_text("api", o->api);
	put_text("kernel", o->kernel);
	put_text("op", o->op);
	put_text("communicator", o->communicator);
	put_text("resource", o->resource);
	put_text("peer_host", o->peer_host);
	put_text("detail", o->detail);
	printf(" repeats=%llu\n", (unsigned long long)o->repeats);
}

int main(int argc, char **argv)
{
	struct log_progress progress = { .files = 0 };
	struct model model;

	model_init(&model);
	if (argc < 2 || recognise_paths(&model, argv + 1, (size_t)argc - 1, &progress)) {
		fprintf(stderr, "%s\n", progress.first_error ? progress.first_error : "nothing read");
		free(progress.first_error);
		model_clear(&model);
		return 1;
	}
	for (size_t i = 0; i < model.observations->count; i++)
		put_observation(&model, &model.observations->items[i]);
	for (size_t i = 0; i < model.observations->stack_count; i++) {
		const struct stack *s = &model.observations->stacks[i];

		printf("stack form=%d frames=%zu crashed=%d waits=0x%llx", s->form, s->frame_count, s->crashed,
		       (unsigned long long)s->waits_for);
		put_number("pid", s->pid);
		put_number("tid", s->tid);
		put_number("rank", s->rank);
		put_number("signal", s->signal);
		put_text("name", s->name);
		printf("\n");
		for (size_t k = 0; k < s->frame_count; k++)
			printf("  %s | %s\n", s->frames[k].function ? s->frames[k].function : "?",
			       s->frames[k].place ? s->frames[k].place : "?");
	}
	free(progress.first_error);
	model_clear(&model);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
/* Prints a ring as lines of name=value, for tests and for looking. usage: ring_dump PATH|PID */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "shm/ring_api.h"
#include "shm/ring_reader.h"

static const char *api_name(uint16_t api)
{
	const struct ring_api *row = ring_api(api);

	return row ? row->name : "-";
}

static void dump_header(const struct ring_snapshot *s)
{
	const struct ring_counts *c = &s->header.counts;

	printf("header state=%u pid=%d shim_tid=%d reports=%u command=%s\n", s->header.state, s->header.pid,
	       s->header.shim_tid, s->header.reports, s->header.command);
	printf("counts lost_threads=%u lost_streams=%u lost_objects=%u lost_entries=%u lost_makers=%u "
	       "unattributed_tasks=%u callbacks=%u exports=%u collectives=%u aicpu_tasks=%u captures=%u "
	       "forks=%u unknown_threads=%u hal_tasks=%u atrace_records=%u torn=%u dropped=%u\n",
	       c->lost_threads, c->lost_streams, c->lost_objects, c->lost_entries, c->lost_makers,
	       c->unattributed_tasks, c->callbacks, c->exports, c->collectives, c->aicpu_tasks, c->captures,
	       c->forks, c->unknown_threads, c->hal_tasks, c->atrace_records, s->torn, s->dropped);
}

static void dump_threads(const struct ring_snapshot *s)
{
	size_t i;

	for (i = 0; i < s->thread_count; i++) {
		const struct ring_thread *t = &s->threads[i];

		printf("thread tid=%u seq=%u inside=%u api=%s stream=%u object=%u upto=%" PRIu64 " bound=%u:%" PRIu64
		       " timeout=%d flags=%u device=%d stalled=%u\n",
		       t->tid, t->seq, t->seq & 1, api_name(t->api), t->stream, t->object, t->upto,
		       RING_POINT_STREAM(t->bound), (uint64_t)RING_POINT_SEQ(t->bound), t->timeout, t->flags,
		       (int)t->device, t->stall_seq == t->seq);
	}
	for (i = 0; i < s->maker_count; i++)
		printf("maker tid=%u caller=%" PRIx64 " routine=%" PRIx64 "\n", s->makers[i].tid,
		       s->makers[i].caller, s->makers[i].routine);
}

static void dump_queue(const struct ring_snapshot *s, size_t stream)
{
	const struct ring_queue *q = &s->queues[stream];
	size_t i;

	for (i = 0; i < q->count; i++) {
		const struct ring_entry *e = &q->entries[i];

		printf("entry stream=%zu number=%" PRIu64 " state=%u api=%s kind=%u flags=%u task=%d pos=%d sqes=%u "
		       "object=%u id=%d bound=%u:%" PRIu64 " timeout=%u\n",
		       stream + 1, (uint64_t)RING_TAG_NUMBER(e->tag), RING_TAG_STATE(e->tag), api_name(e->api),
		       e->kind, e->flags, (int)e->task, (int)e->pos, e->sqes, e->object, (int)e->id,
		       RING_POINT_STREAM(e->bound), (uint64_t)RING_POINT_SEQ(e->bound), e->timeout_s);
	}
}

static void dump_records(const struct ring_snapshot *s)
{
	size_t i;

	for (i = 0; i < s->context_count; i++)
		if (s->contexts[i].state)
			printf("context ref=%zu state=%u device=%d flags=%u default=%u\n", i + 1, s->contexts[i].state,
			       (int)s->contexts[i].device, s->contexts[i].flags, s->contexts[i].default_stream);
	for (i = 0; i < s->object_count; i++)
		if (s->objects[i].state)
			printf("object ref=%zu state=%u kind=%u made_by=%u flags=%u id=%d records=%u waits=%u last=%u:%" PRIu64
			       "\n",
			       i + 1, s->objects[i].state, s->objects[i].kind, s->objects[i].made_by,
			       s->objects[i].flags, (int)s->objects[i].id, s->objects[i].records, s->objects[i].waits,
			       RING_POINT_STREAM(s->objects[i].last_record),
			       (uint64_t)RING_POINT_SEQ(s->objects[i].last_record));
	for (i = 0; i < s->stream_count; i++) {
		const struct ring_stream *t = &s->streams[i];

		if (!t->state)
			continue;
		printf("stream ref=%zu state=%u id=%d sq=%d context=%u flags=%u claimed=%" PRIu64 " done=%" PRIu64
		       " sent=%" PRIu64 " last_task=%d last_pos=%d head=%d depth=%d lost=%u\n",
		       i + 1, t->state, (int)t->stream_id, (int)t->sq_id, t->context, t->flags, t->claimed, t->done,
		       t->sent, (int)t->last_task, (int)t->last_pos, (int)t->sq_head, (int)t->sq_depth, t->lost);
		dump_queue(s, i);
	}
}

int main(int argc, char **argv)
{
	struct ring_snapshot snapshot;
	struct ring_reader *reader;
	char path[4096], error[200];
	int status;

	if (argc != 2)
		return 2;
	snprintf(path, sizeof(path), "%s", argv[1]);
	if (isdigit((unsigned char)argv[1][0])) {
		status = ring_find((pid_t)atoi(argv[1]), path, sizeof(path));
		if (status) {
			fprintf(stderr, "no ring: %d\n", status);
			return 1;
		}
	}
	reader = ring_reader_open(path, error, sizeof(error));
	if (!reader) {
		fprintf(stderr, "%s\n", error);
		return 1;
	}
	status = ring_reader_snapshot(reader, &snapshot);
	if (status == 0) {
		dump_header(&snapshot);
		dump_threads(&snapshot);
		dump_records(&snapshot);
		ring_snapshot_free(&snapshot);
	}
	ring_reader_close(reader);
	return status ? 1 : 0;
}

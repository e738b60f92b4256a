// SPDX-License-Identifier: Apache-2.0
/*
 * The scheduler's view of every queue, as the device exports it
 * (schedule_tracer_ts_<device>.txt). When a wait times out or a task fails the
 * view of that moment is kept, since the queue moves on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "simulator/hal/device.h"

enum { WINDOW = 8, WORDS = 16, PLACEHOLDER_FLAG = 0x8000, NO_MODEL = 65535 };

static const char rule[] = "################################################################\n";

static void put_time(FILE *to)
{
	struct timespec t;
	struct tm tm;
	char text[40];

	clock_gettime(CLOCK_REALTIME, &t);
	localtime_r(&t.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d-%H:%M:%S", &tm);
	fprintf(to, "[ERROR] TSCH(-1,null):%s.%03ld.%03ld ", text, t.tv_nsec / 1000000,
		t.tv_nsec / 1000 % 1000);
}

static uint32_t waited_s(const struct sq *sq)
{
	return sq->since_ns ? (uint32_t)((hal_now_ns() - sq->since_ns + 500000000u) / 1000000000u) : 0;
}

static void put_timeout(FILE *to, const struct sq *sq, const struct sim_sqe *sqe)
{
	static unsigned serial; /* under hal_lock */
	uint32_t head = atomic_load(&sq->head);

	put_time(to);
	fprintf(to,
		"%u (dieid:0,cpuid:0) stars_timewheel.c:120 stars_wait_sqe_is_timeout: Timeout: sq_pid=%d, "
		"sq_id=%u, "
		"is_need_process=1, exe_time=%u, time_out=%u, stream_id=%u, task_id=%u, cur_head=%u, "
		"wait_sqe_head=%u.\n",
		serial++, (int)getpid(), sq->id, waited_s(sq), sqe->timeout_s, sqe->stream_id, sqe->task_id,
		head, head);
	put_time(to);
	fprintf(to,
		"%u (dieid:0,cpuid:0) stars_interrupt.c:1251 stars_proc_wait_timeout: wait task timeout, "
		"rtsq_id=%u, "
		"type=%u, sq_pid=%d\n",
		serial++, sq->id, sqe->type & SQE_TYPE_MASK, (int)getpid());
}

static void put_words(FILE *to, const struct sim_sqe *sqe)
{
	uint32_t words[WORDS];

	memcpy(words, sqe, sizeof(words));
	/* addresses of this process are nobody's business */
	memset(words + 6, 0, sizeof(words) - 6 * sizeof(words[0]));
	for (int i = 0; i < WORDS; i++)
		fprintf(to, "%s%08x%s", i % 8 == 0 ? (i ? "sqe[8] 0x " : "sqe[0] 0x ") : "", words[i],
			i % 8 == 7 ? "\n" : " ");
}

static void put_kind(FILE *to, const struct sim_sqe *sqe)
{
	switch (sqe->type & SQE_TYPE_MASK) {
	case SQE_KERNEL:
		fprintf(to, "FFTS\n");
		break;
	case SQE_AICPU:
		fprintf(to, "AICPU\n");
		break;
	case SQE_EVENT_RECORD:
		fprintf(to, "Event Record, event_id=%u, isSync=0\n", sqe->object_id);
		break;
	case SQE_EVENT_WAIT:
		fprintf(to, "Event Wait, event_id=%u\n", sqe->object_id);
		break;
	case SQE_NOTIFY_RECORD:
		fprintf(to, "Notify Record, notify_id=%u\n", sqe->object_id);
		break;
	case SQE_NOTIFY_WAIT:
		fprintf(to, "Notify Wait, notify_id=%u\n", sqe->object_id);
		break;
	case SQE_WRITE_VALUE:
		fprintf(to, "Write Value\n");
		break;
	case SQE_SDMA:
		fprintf(to, "SDMA\n");
		break;
	case SQE_CONDITION:
		fprintf(to, "Condition\n");
		break;
	default:
		fprintf(to, "post_p=0\n");
	}
}

static void put_task(FILE *to, const struct sq *sq, uint32_t pos)
{
	const struct sim_sqe *sqe = &sq->ring[pos];
	uint32_t type = sqe->type & SQE_TYPE_MASK;

	put_words(to, sqe);
	fprintf(to, "pos=%u: stream_id=%u, task_id=%u, sqe_type=%u, ", pos,
		sqe->stream_id | (type == SQE_PLACEHOLDER ? PLACEHOLDER_FLAG : 0u), sqe->task_id, type);
	put_kind(to, sqe);
}

/* A few entries that have run, and all that have not. */
static void put_queue(FILE *to, const struct sq *sq)
{
	uint32_t head = atomic_load(&sq->head);
	uint32_t first = head > WINDOW ? head - WINDOW : 0;
	bool running = head != sq->tail;

	fputs(rule, to);
	fprintf(to,
		"stream_id=%u, rtsq_id=%u, sq_fsm=0x%x, cur_wait_time=%u, head=%u, tail=%u, is_model=%d, "
		"model_id=%u, "
		"exe_times=65535, sq_en=%d, swap_in=0, cq_head=%u, cq_tail=%u, pid=%d, vf_id=0, "
		"is_mc2_sq=0\n",
		sq->stream_id, sq->id, running ? 9 : 0, waited_s(sq), head, sq->tail, sq->model != 0,
		sq->model ? sq->model - 1 : NO_MODEL, sq->enabled, sq->cqe_head, sq->cqe_tail, (int)getpid());
	fprintf(to, "stream_id=%u, overflow_en=0, ge_op_tag=4294967295, has_overflow=0\n", sq->stream_id);
	for (uint32_t pos = first; pos != sq->tail; pos = pos + 1 == sq->depth ? 0 : pos + 1)
		put_task(to, sq, pos);
	fputs(rule, to);
}

static void put_device(FILE *to, const struct device *d)
{
	for (uint32_t i = 0; i < SIM_SQ_COUNT; i++) {
		const struct sq *sq = atomic_load(&d->sqs[i]);

		if (sq && sq->used)
			put_queue(to, sq);
	}
}

void dump_keep(struct device *d, const struct sq *sq, const struct sim_sqe *sqe)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return;
	put_timeout(to, sq, sqe);
	put_device(to, d);
	fclose(to);
	free(d->dump);
	d->dump = text;
}

drvError_t halDumpScheduler(uint32_t devId, const char *path)
{
	struct device *d = hal_device(devId);
	FILE *to;

	if (!d || !path)
		return DRV_ERROR_INVALID_VALUE;
	if (!d->open)
		return DRV_ERROR_NONE; /* nothing to tell */
	to = fopen(path, "we");
	if (!to)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	if (d->dump)
		fputs(d->dump, to);
	else
		put_device(to, d);
	free(d->dump);
	d->dump = NULL;
	pthread_mutex_unlock(&hal_lock);
	fclose(to);
	return DRV_ERROR_NONE;
}

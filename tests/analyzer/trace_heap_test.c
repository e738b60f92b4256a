// SPDX-License-Identifier: Apache-2.0
/* The runtime's event texts as a source: what they decide, what they must not, and any bytes. */
#include "tests/analyzer/world.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/model/util.h"
#include "analyzer/sources/trace_heap.h"

#define WAIT(stream, task, event, address) \
	"eventWait:devId=0,stmId=" #stream ",tskId=" #task ",eventId=" #event ",addr=" #address ",tid=100"
#define RECORD(stream, task, event, address) \
	"eventRecord:devId=0,stmId=" #stream ",tskId=" #task ",eventId=" #event \
	",waitCqFlag=0,waitCqId=0,addr=" #address ",tid=100"
#define RESET(stream, task, event, address) \
	"eventReset:devId=0,stmId=" #stream ",tskId=" #task ",eventId=" #event ",isNotify=0,addr=" #address ",tid=100"
#define DONE(stream, task) "CqReport:devId=0,stmId=" #stream ",tskId=" #task ",cqId=0,errCode=0,cqType=3,tid=109"

static void fill(struct trace_texts *texts, const char *const *list, size_t count)
{
	memset(texts, 0, sizeof(*texts));
	for (size_t i = 0; i < count; i++) {
		struct trace_text *text = array_add(&texts->list, &texts->count, sizeof(*text));

		text->stamp = 1000 + i;
		snprintf(text->text, sizeof(text->text), "%s", list[i]);
	}
	texts->rings = count > 0;
}

/* The main thread sits in a synchronize by its stack; early: how many texts the first look had. */
static enum verdict_class look(const char *const *list, size_t early, bool wrapped, enum call_role role,
			       enum confidence *confidence)
{
	struct trace_texts first, last;
	enum verdict_class class;
	struct report report;
	struct model model;
	size_t count = 0;

	while (list[count])
		count++;
	world_live(&model);
	model.sources = SOURCE_PROC | SOURCE_STACKS;
	model.facts.hal_seen = false;
	sync_stream(&model, 0, MODEL_NONE, 0.3);
	model.threads[0].role = role;
	model.threads[0].any_stream = true;
	model.threads[0].in_cann = true;
	model.threads[0].stack_text = xstrdup("f < main");
	fill(&first, list, early < count ? early : count);
	fill(&last, list, count);
	last.wrapped = wrapped;
	trace_heap_to_model(&first, &last, &model);
	class = first_class(&model, 0, &report);
	*confidence = report.count ? report.verdicts[0].confidence : CONFIDENCE_POSSIBLE;
	CHECK(report.count <= 1, "%zu verdicts for one wait", report.count);
	report_clear(&report);
	model_clear(&model);
	free(first.list);
	free(last.list);
	return class;
}

static void expect(const char *what, const char *const *list, enum verdict_class want, enum confidence sure)
{
	enum confidence confidence;
	enum verdict_class class = look(list, SIZE_MAX, false, ROLE_SYNC_STREAM, &confidence);

	CHECK(class == want, "%s: %s", what, class < CLASS_COUNT ? verdict_class_name(class) : "nothing");
	CHECK(confidence == sure, "%s: %s", what, confidence_name(confidence));
}

static void check_decided(void)
{
	static const char *const never[] = { WAIT(2, 0, 0, 0x10), NULL };
	static const char *const ring[] = { WAIT(2, 0, 1, 0x20), WAIT(3, 0, 0, 0x10), RECORD(2, 1, 0, 0x10),
					    RECORD(3, 1, 1, 0x20), NULL };
	static const char *const given_again[] = { RECORD(4, 0, 0, 0x99), WAIT(5, 0, 0, 0x99), WAIT(2, 0, 0, 0x10), NULL };
	static const char *const behind[] = { WAIT(2, 0, 0, 0x10), RECORD(2, 1, 1, 0x20), WAIT(3, 0, 1, 0x20), NULL };

	expect("a wait and no record", never, CLASS_EVENT_NEVER_RECORDED, CONFIDENCE_LIKELY);
	expect("a ring", ring, CLASS_WAIT_CYCLE, CONFIDENCE_LIKELY);
	expect("an id that another event had before", given_again, CLASS_EVENT_NEVER_RECORDED, CONFIDENCE_LIKELY);
	expect("a record behind a wait without one", behind, CLASS_EVENT_NEVER_RECORDED, CONFIDENCE_LIKELY);
}

static void check_not_decided(void)
{
	static const char *const nothing[] = { NULL };
	static const char *const before[] = { RECORD(3, 0, 0, 0x10), WAIT(2, 0, 0, 0x10), NULL };
	static const char *const after[] = { WAIT(2, 0, 0, 0x10), RECORD(3, 0, 0, 0x10), NULL };
	static const char *const done[] = { WAIT(2, 0, 0, 0x10), DONE(2, 0), NULL };
	static const char *const new_stream[] = { RECORD(2, 500, 7, 0x70), WAIT(2, 501, 0, 0x10), RECORD(2, 0, 8, 0x80),
						  NULL };

	expect("no texts", nothing, CLASS_SYNC_STUCK, CONFIDENCE_POSSIBLE);
	expect("a record before the wait", before, CLASS_SYNC_STUCK, CONFIDENCE_POSSIBLE);
	expect("a record after the wait", after, CLASS_SYNC_STUCK, CONFIDENCE_POSSIBLE);
	expect("a wait that is over", done, CLASS_SYNC_STUCK, CONFIDENCE_POSSIBLE);
	expect("a stream that is gone", new_stream, CLASS_SYNC_STUCK, CONFIDENCE_POSSIBLE);
}

static void check_limits(void)
{
	static const char *const never[] = { WAIT(2, 0, 0, 0x10), NULL };
	static const char *const goes_on[] = { WAIT(2, 0, 0, 0x10), RECORD(2, 1, 3, 0x30), NULL };
	static const char *const elsewhere[] = { "eventWait:devId=0,stmId=2,tskId=0,eventId=0,addr=0x10,tid=77", NULL };
	static const char *const reset[] = { RECORD(3, 0, 0, 0x10), RESET(3, 1, 0, 0x10), WAIT(2, 0, 0, 0x10), NULL };
	enum confidence confidence;
	enum verdict_class class;

	class = look(never, SIZE_MAX, true, ROLE_SYNC_STREAM, &confidence);
	CHECK(class == CLASS_EVENT_WAIT_STUCK && confidence == CONFIDENCE_POSSIBLE, "a record may be forgotten");
	class = look(goes_on, 1, false, ROLE_SYNC_STREAM, &confidence);
	CHECK(class == CLASS_COUNT, "the thread submitted something meanwhile: it is not stuck");
	class = look(elsewhere, SIZE_MAX, false, ROLE_SUBMIT, &confidence);
	CHECK(class == CLASS_SUBMIT_STUCK, "handing over is held up by streams it hands work to only");
	class = look(never, SIZE_MAX, false, ROLE_SUBMIT, &confidence);
	CHECK(class == CLASS_EVENT_NEVER_RECORDED, "a full queue behind a wait that nothing ends");
	class = look(reset, SIZE_MAX, false, ROLE_SYNC_STREAM, &confidence);
	CHECK(confidence != CONFIDENCE_PROVEN, "whether the record ran before the reset is not known");
}

static void check_any_bytes(void)
{
	static const char alphabet[] = "eventWait:Recordtk=,0123456789xdIDsm-\x01\xff";
	static const char *const seeds[] = { WAIT(2, 0, 0, 0x10), RECORD(2, 1, 0, 0x10), RESET(3, 9, 1, 0x20), DONE(2, 1),
					     "notifyRecord:devId=0,stmId=3,tskId=1,notifyId=2",
					     "SendWait:devId=0,stmId=2,exeTaskId=65535",
					     "eventWait:devId=9223372036854775807,stmId=9223372036854775807,tskId=9223372036854775807,eventId=1",
					     "eventRecord:devId=-1,stmId=-1,tskId=-9223372036854775808,eventId=1" };
	enum { COUNT = 400, ROUNDS = 50 };
	static char bytes[COUNT][TRACE_TEXT + 1];
	const char *list[COUNT + 1];
	enum confidence confidence;

	srand(7);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < COUNT; i++) {
			size_t length;

			snprintf(bytes[i], sizeof(bytes[i]), "%s", seeds[rand() % (int)(sizeof(seeds) / sizeof(seeds[0]))]);
			length = strlen(bytes[i]);
			for (int k = rand() % 6; k > 0; k--)
				bytes[i][(size_t)rand() % length] = alphabet[rand() % (int)(sizeof(alphabet) - 1)];
			list[i] = bytes[i];
		}
		list[COUNT] = NULL;
		look(list, COUNT / 2, round & 1, ROLE_SYNC_STREAM, &confidence);
		CHECK(confidence != CONFIDENCE_PROVEN, "proven from texts");
	}
}

int main(void)
{
	check_decided();
	check_not_decided();
	check_limits();
	check_any_bytes();
	printf("%d failures\n", failures);
	return failures ? 1 : 0;
}

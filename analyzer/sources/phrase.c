// SPDX-License-Identifier: Apache-2.0
/*
 * The table of phrases and the fields of statements (phrase.h). The wordings are
 * those of CANN, its driver, torch_npu and the tools around; earlier rows win.
 */
#include "analyzer/sources/phrase.h"

enum {
	ON_NONE = 1 << LEVEL_NONE,
	ON_INFO = 1 << LEVEL_DEBUG | 1 << LEVEL_INFO | 1 << LEVEL_EVENT,
	ON_WARNING = 1 << LEVEL_WARNING,
	ON_ERROR = 1 << LEVEL_ERROR,
	ON_EVENT = 1 << LEVEL_EVENT,
	BAD = ON_NONE | ON_ERROR,
	ANY = BAD | ON_INFO | ON_WARNING,
};

/* kind, levels that may say it, what it must hold; "!" in front: what it must not hold. */
#define PHRASES(X) \
	/* settings and facts */ \
	X(TIMEOUT_SETTING, ANY, "_TIMEOUT set by ") \
	X(TIMEOUT_SETTING, ANY, "HCCL_EXEC_TIMEOUT=") \
	X(TIMEOUT_SETTING, ANY, "HCCL_CONNECT_TIMEOUT=") \
	X(DEVICE_SET, ANY, "successfully execute aclrtSetDevice") \
	X(HOST_WATCHDOG, ANY, "watchdog timeout, dogId") \
	X(COMM_ENTRY, ANY, "Entry-HcclCommInit") \
	X(COLLECTIVE_ENTRY, ANY, "Entry-Hccl", "tag[") \
	X(IDLE_NOTE, ON_NONE | ON_INFO, "waiting for request") \
	X(IDLE_NOTE, ON_NONE | ON_INFO, "o requests for ") \
	X(IDLE_NOTE, ON_NONE | ON_INFO, "aiting for new request") \
	X(MEMORY_FAULT, ON_EVENT | ON_ERROR, "multi bit ecc") \
	/* the black box and the kernel's log are read by their own source */ \
	/* collectives */ \
	X(CLUSTER_LOST, ANY, "Cluster Exception Location", "Heartbeat Lost") \
	X(CLUSTER_STUCK, ANY, "Cluster Exception Location", "Stuck Occurred") \
	X(CLUSTER_CQE, ANY, "Cluster Exception Location", "cqe Occurred") \
	X(CLUSTER_CQE, ANY, "Cluster Exception Location", "CQE Occurred") \
	X(CLUSTER_MISMATCH, ANY, "Cluster Exception Location", "Inconsistent") \
	X(CLUSTER_LOST, ANY, "Cluster Exception Location") \
	X(CLUSTER_LOST, ANY, "crimer rank", "status[LOST]") \
	X(CLUSTER_STUCK, ANY, "crimer rank", "status[STUCK]") \
	X(CLUSTER_CQE, ANY, "crimer rank", "status[ERROR CQE]") \
	X(CLUSTER_MISMATCH, ANY, "crimer rank", "status[INCONSISTENT]") \
	X(RANKS_MISSING, BAD, "List of unconnected ranks") \
	X(RANKS_MISSING, BAD, "Failed to connect agent[") \
	X(RANKS_CONNECTED, BAD, "connected rankinfo[") \
	X(RANKS_NEEDED, BAD, "need connect rankNum") \
	X(COLLECTIVE_PARAMETER, BAD, "EI0005") \
	X(COLLECTIVE_PARAMETER, BAD, "inconsistent between ranks") \
	X(COLLECTIVE_WATCHDOG, BAD, "atchdog caught collective operation timeout") \
	X(COLLECTIVE_TIMEOUT, BAD, "Task run failed, base information") \
	X(COLLECTIVE_TIMEOUT, BAD, "Task run failed, groupRank information") \
	X(COLLECTIVE_TIMEOUT, BAD, "Task run failed, opData information") \
	X(LINK_DETECTED, BAD, "ails to connect to dstRank") \
	X(LINK_ROW, BAD, "LinkInfo", "|") \
	X(LINK_ERROR, BAD, "[ROCE CQE ERROR]") \
	X(LINK_ERROR, BAD, "error cqe status") \
	X(LINK_ERROR, BAD, "failed CQE status") \
	X(LINK_ERROR, BAD, "EI0013") \
	X(LINK_ERROR, BAD, "rror CQE occurred") \
	X(LINK_TIMEOUT, BAD, "wait socket establish timeout") \
	X(LINK_TIMEOUT, BAD, "EI0006") \
	X(LINK_TIMEOUT, BAD, "Getting socket times out") \
	X(LINK_ERROR, BAD, "EI0019") \
	X(LINK_ERROR, BAD, "EI0010") \
	X(LINK_ERROR, BAD, "EJ0002") \
	X(LINK_ERROR, BAD, "EJ0003") \
	X(LINK_ERROR, BAD, "ailed to bind the IP port") \
	X(LINK_ERROR, BAD, "socket", "Address already in use") \
	X(LINK_ERROR, BAD, "network port is down") \
	X(NOTIFY_TIMEOUT, BAD, "EI0002") \
	X(NOTIFY_TIMEOUT, BAD, "otify register has not received") \
	X(NOTIFY_TIMEOUT, BAD, "otify wait execute failed") \
	X(NOTIFY_TIMEOUT, BAD, "otify wait timeout") \
	X(HCCL_TIMEOUT, BAD, "hccl fftsplus task timeout") \
	X(HCCL_TIMEOUT, BAD, "hccl task timeout") \
	/* tasks that failed */ \
	X(SDMA_ERROR, BAD, "sdma error") \
	X(SDMA_ERROR, BAD, "SDMA error") \
	X(SDMA_ERROR, BAD, "EI0012") \
	X(SDMA_ERROR, BAD, "SDMA memory copy task exception") \
	X(SDMA_ERROR, BAD, "sdma copy error") \
	X(SDMA_ERROR, BAD, "DMA) hardware execution error") \
	X(AICPU_FAULT, BAD, "kernel execute failed", "icpu") \
	X(AICPU_FAULT, BAD, "kernel execute failed", "ICPU") \
	X(AICPU_FAULT, BAD, "AICPUKernelAndDevice::Run failure") \
	X(AICPU_ERROR, BAD, "exception occurred during AICPU execution") \
	X(AICPU_ERROR, BAD, "icpu engine process failed") \
	X(AICPU_ERROR, BAD, "aicpu exception]") \
	X(AICPU_ERROR, BAD, "aicpu timeout]") \
	X(AICORE_FAULT, BAD, "fault kernel_name=") \
	X(AICORE_FAULT, BAD, "task execute failed", "aicore error") \
	X(AICORE_FAULT, BAD, "task execute failed", "aivector error") \
	X(AICORE_FAULT, BAD, "task execute failed", "aivec error") \
	X(AICORE_FAULT, BAD, "kernelName:") \
	X(AICORE_ERROR, BAD, "aivec error exception") \
	X(AICORE_ERROR, BAD, "aicore error exception") \
	X(AICORE_ERROR, BAD, "an aicore error") \
	X(AICORE_ERROR, BAD, "aicore exception]") \
	X(AICORE_ERROR, BAD, "aicore timeout]") \
	X(AICORE_ERROR, BAD, "aicore trap exception]") \
	X(AICORE_ERROR, BAD, "vector core exception]", "!ErrCode=") \
	X(AICORE_ERROR, BAD, "vector core timeout]", "!ErrCode=") \
	X(EVENT_TIMEOUT, BAD, "event wait timeout occurred") \
	X(EVENT_TIMEOUT, BAD, "ask execute failed", "EVENT_WAIT") \
	X(NOTIFY_TIMEOUT, BAD, "ask execute failed", "NOTIFY_WAIT") \
	X(SDMA_ERROR, BAD, "Task run failed", "sqe_type=11") \
	X(AICPU_ERROR, BAD, "Task run failed", "(aicpu)") \
	X(TASK_FAILED, BAD, "Task run failed", "!TaskExecStage", "!information") \
	X(TASK_FAILED, BAD, "Task exception!") \
	X(TASK_FAILED, BAD, "ask execute failed", "task_type=", ")") \
	X(TASK_FAILED, BAD, "fftsplus task execute failed") \
	/* device */ \
	X(DEVICE_LOST, BAD, "lost heartbeat", "!ErrCode=", "!retCode=", "!reason=") \
	X(SCHEDULER_ERROR, BAD, "task scheduler module on the device") \
	X(SCHEDULER_ERROR, BAD, "tsfw unknown error") \
	X(TASK_TIMEOUT, ANY, "report three minutes timeout") \
	/* calls */ \
	X(FORKED_DEVICE, BAD, "in forked subprocess") \
	X(CAPTURE_CALL, BAD, "captured-stream") \
	X(CAPTURE_CALL, BAD, "captured stream") \
	X(CAPTURE_CALL, BAD, "stream is captured") \
	X(CAPTURE_CALL, BAD, "event is captured") \
	X(CAPTURE_CALL, BAD, "during stream capture") \
	X(CAPTURE_CALL, BAD, "stream is capturing") \
	X(DESTROYED_USE, BAD, "been destroyed", "stream") \
	X(DESTROYED_USE, BAD, "been destroyed", "event") \
	X(DESTROYED_USE, BAD, "been destroyed", "notify") \
	X(DESTROYED_USE, BAD, "already destroyed") \
	X(DESTROYED_USE, BAD, "was destroyed", "stream") \
	X(DESTROYED_USE, BAD, "was destroyed", "event") \
	X(DESTROYED_USE, BAD, "is destroyed", "stream") \
	X(DESTROYED_USE, BAD, "is destroyed", "event") \
	X(DUMP_CALL, BAD, "DumpArgs", "ailed") \
	X(DUMP_CALL, BAD, "aclmdlInitDump", "ailed") \
	X(DUMP_CALL, BAD, "aclmdlSetDump", "ailed") \
	X(DUMP_CALL, BAD, "aclmdlFinalizeDump", "ailed") \
	X(DUMP_CALL, BAD, "acldump", "ailed") \
	X(DUMP_CALL, BAD, "acldump", "nvalid") \
	X(DUMP_CALL, BAD, "aclmdlSetDump", "nvalid") \
	X(RESOURCE_FAILED, BAD, "RESOURCE_ALLOC_FAIL") \
	X(RESOURCE_FAILED, BAD, "Res id alloc failed") \
	X(RESOURCE_FAILED, BAD, "resource alloc fail", "!ErrCode=") \
	X(RESOURCE_FAILED, BAD, "NPU out of memory") \
	X(RESOURCE_FAILED, BAD, "ailed to allocate memory") \
	X(RESOURCE_FAILED, BAD, "ailed to allocate resource") \
	X(RESOURCE_FAILED, BAD, "EL0004") \
	X(RESOURCE_FAILED, BAD, "EI0007") \
	X(RESOURCE_FAILED, BAD, "EI0011") \
	X(RESOURCE_FAILED, BAD, "alloc device memory failed") \
	X(RESOURCE_FAILED, BAD, "halMemAlloc failed") \
	X(RESOURCE_FAILED, BAD, "esources are exhausted") \
	X(RESOURCE_FAILED, BAD, "EJ0001") \
	X(RESOURCE_FAILED, BAD, "last training process is running") \
	X(RESOURCE_FAILED, BAD, "evice is busy") \
	X(RESOURCE_FAILED, BAD, "Device or resource busy") \
	X(NO_CONTEXT, BAD, "ctx is NULL", "!GetDevErrMsg", "!GetDevMsg") \
	X(NO_CONTEXT, BAD, "context pointer null", "!GetDevMsg", "!ErrCode=") \
	X(NO_CONTEXT, BAD, "context is NULL", "!GetDevMsg") \
	X(NO_CONTEXT, BAD, "context is null", "!GetDevMsg") \
	X(API_ARGUMENT, BAD, "loc type=") \
	X(SYNC_TIMEOUT, BAD, "ynchronize timeout") \
	X(SYNC_TIMEOUT, BAD, "sync timeout") \
	X(SYNC_TIMEOUT, BAD, "EE1002") \
	X(CONFIG_CONFLICT, BAD, "driver", "version", "not match") \
	X(CONFIG_CONFLICT, BAD, "driver", "version", "mismatch") \
	X(CONFIG_CONFLICT, BAD, "driver", "version", "too low") \
	X(CONFIG_CONFLICT, BAD, "driver", "version", "older") \
	X(CONFIG_CONFLICT, BAD, "driver", "version", "lower") \
	X(CONFIG_CONFLICT, BAD, "driver", "version", "compatible") \
	X(CONFIG_CONFLICT, BAD, "river", "pgrade", "version") \
	X(CONFIG_CONFLICT, BAD, "EI0008") \
	X(CONFIG_CONFLICT, BAD, "VISIBLE_DEVICES", "peer") \
	X(CONFIG_CONFLICT, BAD, "VISIBLE_DEVICES", "p2p") \
	X(CONFIG_CONFLICT, BAD, "VISIBLE_DEVICES", "P2P") \
	X(CONFIG_CONFLICT, BAD, "VISIBLE_DEVICES", "not visible") \
	X(PROCESS_KILLED, ANY, "Killed process ") \
	X(PROCESS_KILLED, ANY, "oom-kill:") \
	X(PROCESS_KILLED, BAD, "(SIGKILL)") \
	X(PROCESS_KILLED, BAD, "Signals.SIGKILL") \
	X(PROCESS_KILLED, BAD, "exitcode: -9") \
	X(PROCESS_KILLED, BAD, "exitcode  : -9") \
	X(PROCESS_KILLED, BAD | ON_WARNING | ON_INFO, "eceived SIGTERM") \
	X(PROCESS_KILLED, BAD, "exitcode: -15") \
	X(PROCESS_KILLED, BAD | ON_WARNING, "eceived signal 15") \
	X(PROCESS_KILLED, BAD | ON_WARNING, "eath signal") \
	X(PROCESS_KILLED, BAD, "(SIGTERM)") \
	X(CRASH, BAD, "Segmentation fault (core dumped)") \
	X(CRASH, BAD, "exitcode: -11") \
	X(CRASH, BAD, "(SIGSEGV)") \
	/* codes, where nothing above says more */ \
	X(API_FAILED, BAD, "ErrCode=") \
	X(API_FAILED, BAD, "runtime result = ") \
	X(API_FAILED, BAD | ON_WARNING, "error code is ") \
	X(ERROR_CODE, BAD, "module_name=E") \
	X(ERROR_CODE, BAD, "ErrorCode=E") \
	X(ERROR_CODE, BAD, "(E", ") ") \
	X(ERROR_CODE, BAD, "(E", "):") \
	X(ERROR_CODE, BAD, "[PID:") \
	X(ERROR_CODE, BAD, "EE1") \
	X(ERROR_CODE, BAD, "EE2") \
	X(ERROR_CODE, BAD, "EE4") \
	X(ERROR_CODE, BAD, "EZ3") \
	X(ERROR_CODE, BAD, "EZ9999") \
	X(ERROR_CODE, BAD, "EE9999") \
	X(ERROR_CODE, BAD, "EI9999") \
	X(ERROR_CODE, BAD, "E10") \
	X(ERROR_CODE, BAD, "E19999") \
	X(ERROR_CODE, BAD, "E30") \
	X(ERROR_CODE, BAD, "E39999") \
	X(ERROR_CODE, BAD, "E40") \
	X(ERROR_CODE, BAD, "EK0") \
	X(ERROR_CODE, BAD, "EP0") \
	X(ERROR_CODE, BAD, "EI0") \
	X(ERROR_CODE, BAD, "EJ0") \
	X(ERROR_CODE, BAD, "EL0") \
	X(ERROR_CODE, BAD, "EH0")

static const struct phrase {
	enum observation_kind kind;
	unsigned levels;
	const char *parts[5];
} phrases[] = {
#define X(kind, levels, ...) { OBSERVED_##kind, levels, { __VA_ARGS__ } },
	PHRASES(X)
#undef X
};
#define PHRASE_COUNT (sizeof(phrases) / sizeof(phrases[0]))

/*
 * Not the rows' own beginnings for the most part: a record of a level that matters
 * is noticed by its level, so only what stands in other lines needs a literal.
 */
const char *const phrase_literals[] = {
	"[ERROR", "ERR0R", "ERROR]", " ERROR", "ERROR ", "CRITICAL", "FATAL",
	"_TIMEOUT set", "HCCL_EXEC_TIMEOUT", "HCCL_CONNECT_TIMEOUT", "successfully execute aclrtSetDevice",
	"watchdog timeout, dogId", "Entry-Hccl", "waiting for request", "o requests for ", "aiting for new request",
	"multi bit ecc", "Cluster Exception Location", "crimer rank", "List of unconnected ranks",
	"Failed to connect agent[", "connected rankinfo[", "need connect rankNum", "inconsistent between ranks",
	"atchdog caught collective operation timeout", "Task run failed", "ails to connect to dstRank", "LinkInfo",
	"[ROCE CQE ERROR]", "error cqe status", "failed CQE status", "rror CQE occurred",
	"wait socket establish timeout", "Getting socket times out", "ailed to bind the IP port",
	"Address already in use", "network port is down", "otify register has not received",
	"otify wait execute failed", "otify wait timeout", "hccl fftsplus task timeout", "hccl task timeout",
	"sdma error", "SDMA error", "SDMA memory copy task exception", "sdma copy error",
	"DMA) hardware execution error", "kernel execute failed", "AICPUKernelAndDevice::Run failure",
	"exception occurred during AICPU execution", "icpu engine process failed", "aicpu exception]",
	"aicpu timeout]", "fault kernel_name=", "aicore error", "aivector error", "aivec error", "kernelName:",
	"aicore exception]", "aicore timeout]", "vector core exception]", "vector core timeout]",
	"event wait timeout occurred", "ask execute failed", "Task exception!", "lost heartbeat",
	"task scheduler module on the device", "tsfw unknown error", "report three minutes timeout",
	"in forked subprocess", "captured-stream", "captured stream", "stream is captured", "event is captured",
	"during stream capture", "stream is capturing", "been destroyed", "already destroyed", "was destroyed",
	"is destroyed", "DumpArgs", "aclmdlInitDump", "aclmdlSetDump", "aclmdlFinalizeDump", "acldump",
	"RESOURCE_ALLOC_FAIL", "Res id alloc failed", "resource alloc fail", "NPU out of memory",
	"ailed to allocate memory", "ailed to allocate resource", "alloc device memory failed",
	"halMemAlloc failed", "esources are exhausted", "last training process is running", "evice is busy",
	"Device or resource busy", "ctx is NULL", "context pointer null", "context is NULL", "context is null",
	"loc type=", "ynchronize timeout", "sync timeout", "VISIBLE_DEVICES", "river version", "Killed process ",
	"oom-kill:", "(SIGKILL)", "Signals.SIGKILL", "exitcode: -", "exitcode  : -", "eceived SIGTERM",
	"eceived signal 15", "eath signal", "(SIGTERM)", "Segmentation fault", "(SIGSEGV)", "ErrCode=",
	"runtime result = ", "error code is ", "module_name=E", "ErrorCode=E", "[PID:", "(PID:", "EE1", "EE2", "EE4",
	"EZ3", "EZ9999", "EE9999", "EI9999", "E19999", "E39999", "EK0", "EP0", "EI0", "EJ0", "EL0", "EH0",
	/* screens and Python */
	"Traceback (most recent call last)", "Error: ", "Exception: ", "orld size ", "orld_size", "dist.all_",
	"dist.broadcast", "dist.barrier", "dist.reduce", "dist.gather", "dist.scatter", "dist.send", "dist.recv",
	"distributed.all_", "distributed.broadcast", "distributed.barrier", "distributed.reduce", NULL
};

/* Whether position at lies in a quotation, or the line is a command somebody typed. */
static bool is_quoted(struct span text, size_t at)
{
	size_t quotes = 0, start = 0;

	for (size_t i = 0; i < at && i < text.n; i++)
		quotes += text.p[i] == '"' || text.p[i] == '`';
	if (quotes & 1 || (at && (text.p[at - 1] == '\'' || text.p[at - 1] == '`')))
		return true;
	while (start < text.n && span_is_space(text.p[start]))
		start++;
	text = span_cut(text, start, at);
	return span_starts(text, "$ ") || span_starts(text, "# ") || span_starts(text, "> ") || span_has(text, "grep ");
}

static bool phrase_holds(const struct phrase *phrase, struct span text, enum log_level level, size_t *at)
{
	size_t hit;

	if (!(phrase->levels & 1u << level))
		return false;
	hit = span_find(text, phrase->parts[0], 0);
	if (hit == SIZE_MAX)
		return false;
	for (size_t i = 1; i < 5 && phrase->parts[i]; i++) {
		if (phrase->parts[i][0] == '!' ? span_has(text, phrase->parts[i] + 1) :
						 !span_has(text, phrase->parts[i]))
			return false;
	}
	*at = hit;
	return true;
}

/* A code counts only as a word: "EE1001", not "SEE1001". */
static bool is_code_at(struct span text, size_t at)
{
	if (at + 6 > text.n || text.p[at] != 'E' || (at && span_is_word(text.p[at - 1])))
		return false;
	if (!(text.p[at + 1] >= 'A' && text.p[at + 1] <= 'Z') && !span_is_digit(text.p[at + 1]))
		return false;
	for (size_t i = 2; i < 6; i++)
		if (!span_is_digit(text.p[at + i]))
			return false;
	return at + 6 == text.n || !span_is_word(text.p[at + 6]);
}

struct span phrase_code(struct span text)
{
	struct span internal = SPAN_NONE;

	for (size_t at = 0; (at = span_find_char(text, 'E', at)) != SIZE_MAX; at++) {
		struct span code;

		if (!is_code_at(text, at))
			continue;
		code = span_cut(text, at, at + 6);
		if (!phrase_code_is_internal(code))
			return code;
		if (!internal.n)
			internal = code;
	}
	return internal;
}

bool phrase_code_is_internal(struct span code)
{
	return code.n == 6 && (code.p[2] == '9' || span_equals(code, "EE8888"));
}

enum observation_kind phrase_find(struct span text, enum log_level level, size_t *at)
{
	for (size_t i = 0; i < PHRASE_COUNT; i++) {
		const struct phrase *phrase = &phrases[i];

		if (!phrase_holds(phrase, text, level, at))
			continue;
		if (level == LEVEL_NONE && is_quoted(text, *at))
			continue;
		if (phrase->kind == OBSERVED_ERROR_CODE && !phrase_code(text).n)
			continue;
		/* A code as the beginning of a phrase must be a code. */
		if (phrase->parts[0][0] == 'E' && strlen(phrase->parts[0]) == 6 && !is_code_at(text, *at) &&
		    span_is_digit(phrase->parts[0][5]))
			continue;
		return phrase->kind;
	}
	return OBSERVED_NOTHING;
}

static void set_number(struct span text, const char *names, int64_t *number)
{
	int64_t value;

	if (*number == MODEL_UNKNOWN && span_field_number(text, names, &value) && value >= 0 && value != 0xffffffff)
		*number = value;
}

static void set_text(struct observations *set, struct span text, const char *name, const char **field)
{
	struct span value;
	size_t from = 0;

	while (!*field && (from = span_field(text, name, from, &value)) != SIZE_MAX)
		if (value.n && value.p[0] != '[' && !span_equals(value, "none") && !span_equals(value, "not"))
			*field = observations_intern(set, value.p, value.n);
}

/* "tag[AllReduce_192.0.2.1%eth_60000_0_17..]": operation and communicator */
static void set_tag(struct observations *set, struct span text, struct observation *o)
{
	struct span tag;
	size_t from = span_field(text, "tag", 0, &tag), cut;

	if (from == SIZE_MAX || !tag.n)
		return;
	cut = span_find_char(tag, '_', 0);
	if (!o->op)
		o->op = observations_intern(set, tag.p, cut == SIZE_MAX ? tag.n : cut);
	if (!o->communicator && cut != SIZE_MAX)
		o->communicator = observations_intern(set, tag.p + cut + 1, tag.n - cut - 1);
}

static void set_code(struct observations *set, struct span text, struct observation *o)
{
	struct span code = phrase_code(text);
	static const char *const leads[] = { "ErrCode=", "runtime result = ", "error code is ", "error code = ",
					     "rtCode=", "result=" };

	if (!o->code_text && code.n)
		o->code_text = observations_intern(set, code.p, code.n);
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]) && o->code == MODEL_UNKNOWN; i++) {
		size_t at = span_find(text, leads[i], 0);
		int64_t number;

		if (at == SIZE_MAX)
			continue;
		at += strlen(leads[i]);
		if (at < text.n && span_is_digit(text.p[at]) && span_number(text, &at, &number) && number < 1000000)
			o->code = number;
	}
}

static bool starts_like_api(struct span word)
{
	static const char *const prefixes[] = { "aclrt", "aclmdl", "aclop", "aclnn", "acldump", "aclInit",
						"aclFinalize", "rt",	"Hccl", "hccl" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (span_starts(word, prefixes[i]))
			return prefixes[i][0] != 'r' || (word.n > 2 && word.p[2] >= 'A' && word.p[2] <= 'Z');
	return false;
}

/* The first word that is the name of an interface; torch_npu's acl::AclrtX is aclrtX. */
static void set_api(struct observations *set, struct span text, struct observation *o)
{
	for (size_t i = 0; i < text.n && !o->api; i++) {
		char name[96];
		size_t end = i;
		struct span word;

		if (!span_is_alpha(text.p[i]) || (i && span_is_word(text.p[i - 1])))
			continue;
		while (end < text.n && span_is_word(text.p[end]))
			end++;
		word = span_cut(text, i, end);
		i = end;
		if (word.n < 5 || word.n >= sizeof(name))
			continue;
		memcpy(name, word.p, word.n);
		if (span_starts(word, "Acl"))
			name[0] = 'a';
		word.p = name;
		if (starts_like_api(word))
			o->api = observations_intern(set, name, word.n);
	}
}

/* "streamid" and the like: which names are believed for which field. */
void phrase_fields(struct observations *set, struct span text, struct observation *o)
{
	set_number(text, "deviceid\0devid\0device\0", &o->device);
	set_number(text, "streamid\0stmid\0stream\0", &o->stream);
	set_number(text, "taskid\0tskid\0", &o->task);
	set_number(text, "eventid\0event\0", &o->event);
	set_number(text, "notifyid\0", &o->notify);
	set_number(text, "remoterank\0dstrank\0", &o->peer);
	if (o->stream >= 0x8000 && o->stream <= 0xffff)
		o->stream &= 0x7fff;
	if (o->notify > 0xffffffff)
		o->notify &= 0xffffffff;
	set_text(set, text, "faultkernelname", &o->kernel);
	set_text(set, text, "kernelname", &o->kernel);
	set_text(set, text, "faultopname", &o->op);
	set_text(set, text, "opname", &o->op);
	set_text(set, text, "identifier", &o->communicator);
	set_text(set, text, "group", &o->communicator);
	set_tag(set, text, o);
	set_code(set, text, o);
	set_api(set, text, o);
}

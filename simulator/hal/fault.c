// SPDX-License-Identifier: Apache-2.0
/*
 * Faults on demand, from CANNSIM_FAULT: rules separated by ';', each a list of
 * conditions and one action separated by ',' (docs/simulator.md).
 */
#include <stdlib.h>
#include <string.h>
#include "simulator/hal/device.h"

enum { MAX_RULES = 32, ANY = -1 };

struct rule {
	long device, stream, task, type;
	long count;	   /* how often it applies; ANY: always */
	bool dead;	   /* the device executes nothing any more */
	uint32_t after_ms; /* from when on, counted from its opening */
	struct fault fault;
};

struct limit {
	char what[16];
	uint32_t value;
};

static struct rule rules[MAX_RULES]; /* counts change under hal_lock */
static int rule_count;
static struct limit limits[8];
static int limit_count;

static const struct {
	const char *name;
	long type;
} type_names[] = {
	{ "kernel", SQE_KERNEL },
	{ "callback", SQE_AICPU },
	{ "event-record", SQE_EVENT_RECORD },
	{ "event-wait", SQE_EVENT_WAIT },
	{ "notify-record", SQE_NOTIFY_RECORD },
	{ "notify-wait", SQE_NOTIFY_WAIT },
	{ "write-value", SQE_WRITE_VALUE },
	{ "copy", SQE_SDMA },
	{ "condition", SQE_CONDITION },
};

static const struct {
	const char *name;
	uint32_t code;
} code_names[] = {
	{ "aicore", 507015 }, { "aicore-timeout", 507014 }, { "vector-core", 507035 },
	{ "aicpu", 507018 },  { "aicpu-timeout", 507017 },  { "sdma", 507013 },
	{ "remote", 507057 },
};

static long parse_type(const char *text)
{
	for (size_t i = 0; i < sizeof(type_names) / sizeof(type_names[0]); i++)
		if (strcmp(type_names[i].name, text) == 0)
			return type_names[i].type;
	return strtol(text, NULL, 0);
}

static uint32_t parse_code(const char *text)
{
	for (size_t i = 0; i < sizeof(code_names) / sizeof(code_names[0]); i++)
		if (strcmp(code_names[i].name, text) == 0)
			return code_names[i].code;
	return (uint32_t)strtoul(text, NULL, 0);
}

static void add_limit(const char *what, const char *value)
{
	if (limit_count == (int)(sizeof(limits) / sizeof(limits[0])))
		return;
	strncpy(limits[limit_count].what, what, sizeof(limits[0].what) - 1);
	limits[limit_count++].value = (uint32_t)strtoul(value, NULL, 0);
}

static void parse_word(struct rule *r, char *word)
{
	char *value = strchr(word, '=');

	if (value)
		*value++ = '\0';
	if (value && strcmp(word, "device") == 0)
		r->device = strtol(value, NULL, 0);
	else if (value && strcmp(word, "stream") == 0)
		r->stream = strtol(value, NULL, 0);
	else if (value && strcmp(word, "task") == 0)
		r->task = strtol(value, NULL, 0);
	else if (value && strcmp(word, "type") == 0)
		r->type = parse_type(value);
	else if (value && strcmp(word, "count") == 0)
		r->count = strtol(value, NULL, 0);
	else if (strcmp(word, "hang") == 0)
		r->fault.action = FAULT_HANG;
	else if (value && strcmp(word, "delay") == 0)
		r->fault = (struct fault){ FAULT_DELAY, (uint32_t)strtoul(value, NULL, 0) };
	else if (value && strcmp(word, "fail") == 0)
		r->fault = (struct fault){ FAULT_FAIL, parse_code(value) };
	else if (strcmp(word, "drop") == 0)
		r->fault.action = FAULT_DROP;
	else if (strcmp(word, "dead") == 0)
		r->dead = true;
	else if (value && strcmp(word, "after") == 0)
		r->after_ms = (uint32_t)strtoul(value, NULL, 0);
	else if (value && strncmp(word, "max-", 4) == 0)
		add_limit(word + 4, value);
}

void fault_load(void)
{
	const char *text = getenv("CANNSIM_FAULT");
	char *copy = text ? strdup(text) : NULL;
	char *save_rule = NULL, *save_word;

	for (char *rule = copy ? strtok_r(copy, ";", &save_rule) : NULL; rule && rule_count < MAX_RULES;
	     rule = strtok_r(NULL, ";", &save_rule)) {
		struct rule *r = &rules[rule_count++];

		*r = (struct rule){ ANY, ANY, ANY, ANY, ANY, false, 0, { FAULT_NONE, 0 } };
		save_word = NULL;
		for (char *w = strtok_r(rule, ", ", &save_word); w; w = strtok_r(NULL, ", ", &save_word))
			parse_word(r, w);
	}
	free(copy);
}

static bool matches(long want, uint32_t have)
{
	return want == ANY || (uint32_t)want == have;
}

struct fault fault_find(const struct sq *sq, const struct sim_sqe *sqe)
{
	for (int i = 0; i < rule_count; i++) {
		struct rule *r = &rules[i];

		if (r->fault.action == FAULT_NONE || r->count == 0)
			continue;
		if (!matches(r->device, sq->device) || !matches(r->stream, sqe->stream_id) ||
		    !matches(r->task, sqe->task_id) || !matches(r->type, sqe->type & SQE_TYPE_MASK))
			continue;
		if (r->count > 0)
			r->count--;
		return r->fault;
	}
	return (struct fault){ FAULT_NONE, 0 };
}

bool fault_device_dead(uint32_t device, uint32_t *after_ms)
{
	for (int i = 0; i < rule_count; i++) {
		if (!rules[i].dead || !matches(rules[i].device, device))
			continue;
		*after_ms = rules[i].after_ms;
		return true;
	}
	return false;
}

uint32_t fault_limit(const char *what, uint32_t usual)
{
	for (int i = 0; i < limit_count; i++)
		if (strcmp(limits[i].what, what) == 0 && limits[i].value < usual)
			return limits[i].value;
	return usual;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * Source: what msnpureport exports of the device side: the black box's history.log
 * and the control CPU's kernel messages. (Its slog files are records like a plog.)
 */
#include "analyzer/sources/log_source.h"

static const char *const literals[] = { "HEARTBEAT EXCEPTION", "ExceptionReason", "fatal panic", "ernel panic",
					NULL };

static bool read_line(struct log_file *file, void *state, const struct log_line *line, unsigned *want)
{
	struct observation o;
	struct span text = line->text;

	(void)state;
	(void)want;
	if (!line->hit)
		return false;
	observation_init(&o, OBSERVED_NOTHING);
	/* "system exception code [0x..]: ModuleName [TS], ExceptionReason [TS HEARTBEAT EXCEPTION], ..." */
	if (span_has(text, "HEARTBEAT EXCEPTION") && span_has_nocase(text, "exception"))
		o.kind = OBSERVED_TS_EXCEPTION;
	else if ((span_has(text, "fatal panic") || span_has(text, "ernel panic")) && span_has_nocase(text, "kern"))
		o.kind = OBSERVED_DEVICE_PANIC;
	else
		return false;
	o.level = LEVEL_ERROR;
	o.device = file->device;
	if (o.device == MODEL_UNKNOWN)
		span_field_number(text, "deviceid\0devid\0device\0", &o.device);
	log_time_find(file, text, 40, &o.time_us);
	o.origin = log_origin(file, SOURCE_DEVICE_LOG, line, text);
	observations_add(file->set, &o);
	return true;
}

const struct log_source device_log_source = {
	.name = "device_log",
	.literals = literals,
	.line = read_line,
};

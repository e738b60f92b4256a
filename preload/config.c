// SPDX-License-Identifier: Apache-2.0
/* The settings and the rank, from the environment as it was when the program started. */
#include "preload/shim.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define STALL_DEFAULT_S 15
#define STALL_MOST_S	86400

/* A number of decimal digits only, at most most; -1 otherwise. */
static int64_t number_read(const char *text, int64_t most)
{
	int64_t value = 0;

	if (!text || !*text)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		value = value * 10 + (*text - '0');
		if (value > most)
			return -1;
	}
	return value;
}

/* Who sets what: a rank is taken only from a launcher that means the process by it. */
static void rank_read(struct shim_config *config)
{
	static const struct {
		const char *global, *local, *world, *condition, *source;
	} launchers[] = {
		{ "RANK", "LOCAL_RANK", "WORLD_SIZE", "TORCHELASTIC_RUN_ID", "TORCHELASTIC" },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE", NULL, "OMPI" },
		{ "PMIX_RANK", NULL, NULL, NULL, "PMIX" },
		{ "PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE", NULL, "PMI" },
		{ "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_NTASKS", "SLURM" },
		{ "RANK_ID", NULL, "RANK_SIZE", NULL, "RANK_ID" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(launchers); i++) {
		int64_t rank = number_read(getenv(launchers[i].global), 1 << 24);

		if (rank < 0 || (launchers[i].condition && !getenv(launchers[i].condition)))
			continue;
		/* A lone Slurm step numbers itself 0 whatever its rank is. */
		if (launchers[i].condition && !strcmp(launchers[i].condition, "SLURM_NTASKS") &&
		    number_read(getenv("SLURM_NTASKS"), 1 << 24) < 2)
			continue;
		config->identity.rank_global = (int32_t)rank;
		if (launchers[i].local)
			config->identity.rank_local = (int32_t)number_read(getenv(launchers[i].local), 1 << 24);
		if (launchers[i].world)
			config->identity.world_size = (int32_t)number_read(getenv(launchers[i].world), 1 << 24);
		strcpy(config->rank_source, launchers[i].source);
		config->identity.rank_source = config->rank_source;
		return;
	}
}

static void warn(struct shim_config *config, const char *name, const char *value, const char *what)
{
	if (config->warning_count < CONFIG_WARNINGS)
		text_format(config->warnings[config->warning_count++], sizeof(config->warnings[0]),
			    "%s=%s is not %s", name, value, what);
}

void config_warn(struct shim_config *config)
{
	uint32_t i;

	for (i = 0; i < config->warning_count; i++)
		say("%s", config->warnings[i]);
	config->warning_count = 0;
}

/* A setting that is on or off. */
static bool switch_read(struct shim_config *config, const char *name, bool usual)
{
	const char *text = getenv(name);

	if (!text)
		return usual;
	if (!strcmp(text, "1") || !strcmp(text, "on"))
		return true;
	if (!strcmp(text, "0") || !strcmp(text, "off"))
		return false;
	warn(config, name, text, usual ? "on or off: it stays on" : "1 or 0: it stays 0");
	return usual;
}

static void on_hang_read(struct shim_config *config)
{
	const char *text = getenv("CANNWATCH_ON_HANG");
	int64_t number = 0;

	if (!text || !strcmp(text, "report"))
		return;
	if (!strcmp(text, "abort"))
		number = SIGABRT;
	else if (!strncmp(text, "signal:", 7))
		number = number_read(text + 7, RING_MAX_SIGNAL);
	if (number > 0) {
		config->on_hang = ON_HANG_SIGNAL;
		config->on_hang_signal = (uint8_t)number;
	} else if (!strncmp(text, "exec:", 5) && text[5] && strlen(text + 5) < sizeof(config->on_hang_command)) {
		config->on_hang = ON_HANG_EXEC;
		strcpy(config->on_hang_command, text + 5);
	} else {
		warn(config, "CANNWATCH_ON_HANG", text, "report, abort, exec:COMMAND or signal:NUMBER: only reporting");
	}
}

static void stall_read(struct shim_config *config)
{
	const char *text = getenv("CANNWATCH_STALL");
	int64_t seconds = STALL_DEFAULT_S;

	if (text) {
		seconds = number_read(text, STALL_MOST_S);
		if (seconds < 1) {
			warn(config, "CANNWATCH_STALL", text, "a number of seconds from 1 to 86400: using 15");
			seconds = STALL_DEFAULT_S;
		}
	}
	config->stall_ns = (uint64_t)seconds * 1000000000u;
	config->identity.stall_ms = (uint32_t)seconds * 1000;
}

bool config_read(struct shim_config *config)
{
	const char *text;

	/* A program with more rights than its user takes no orders from the environment. */
	if (getauxval(AT_SECURE) || !switch_read(config, "CANNWATCH", true))
		return false;
	config->identity.rank_global = -1;
	config->identity.rank_local = -1;
	config->identity.world_size = -1;
	rank_read(config);
	stall_read(config);
	config->keep = switch_read(config, "CANNWATCH_KEEP", false);
	on_hang_read(config);
	text = getenv("CANNWATCH_HELPER");
	if (text && strlen(text) < sizeof(config->helper))
		strcpy(config->helper, text);
	config->identity.api_table = ring_api_table();
	return true;
}

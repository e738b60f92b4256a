// SPDX-License-Identifier: Apache-2.0
/* The settings and the rank, from the environment as it was when the program started. */
#include "preload/shim.h"

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

static bool is_set(const char *value, const char *wanted)
{
	return value && strcmp(value, wanted) == 0;
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

static void stall_read(struct shim_config *config)
{
	const char *text = getenv("CANNWATCH_STALL");
	int64_t seconds = STALL_DEFAULT_S;

	if (text) {
		seconds = number_read(text, STALL_MOST_S);
		if (seconds < 1) {
			say("CANNWATCH_STALL=%s is not a number of seconds from 1 to %u: using %u", text,
			    STALL_MOST_S, STALL_DEFAULT_S);
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
	if (getauxval(AT_SECURE) || is_set(getenv("CANNWATCH"), "off"))
		return false;
	config->identity.rank_global = -1;
	config->identity.rank_local = -1;
	config->identity.world_size = -1;
	rank_read(config);
	stall_read(config);
	config->keep = is_set(getenv("CANNWATCH_KEEP"), "1");
	text = getenv("CANNWATCH_HELPER");
	if (text && strlen(text) < sizeof(config->helper))
		strcpy(config->helper, text);
	config->identity.api_table = ring_api_table();
	return true;
}

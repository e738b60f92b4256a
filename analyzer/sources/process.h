// SPDX-License-Identifier: Apache-2.0
/*
 * A live process as a source: its threads, its command, whose code an address is and
 * which signals it handles. Uses probe/ and the model; stops nothing.
 */
#ifndef CANNWATCH_SOURCES_PROCESS_H
#define CANNWATCH_SOURCES_PROCESS_H

#include "analyzer/model/model.h"
#include "probe/maps.h"
#include "probe/module.h"
#include "probe/process.h"

struct process_source {
	struct process_facts facts;
	struct process_threads before; /* listed when it was opened */
	struct map_table maps;
	struct module_table modules;
	bool has_modules; /* false: not allowed to look, or no memory left */
};

/* First look, before the samples are taken. 0 or -errno: -ESRCH no such process, -EACCES. */
int process_source_open(struct process_source *source, int pid);
void process_source_close(struct process_source *source);

/*
 * Second look, after the samples: adds the threads of the process, those that lived
 * during both. Sets facts.live, facts.threads_complete, pid, command, host.
 */
void process_to_model(struct process_source *source, struct model *model);

/* Whose code an address is; fits ring_source.owner with the process_source as context. */
enum thread_maker process_owner(void *source, uint64_t address);
/* handlers[n]: address of signal n's handler as somebody inside saw it, count entries; NULL unknown. */
void process_signals_to_model(const struct process_source *source, const uint64_t *handlers, int count,
			      struct model *model);
/*
 * A text for every call site in the model that has none: file:line, else function+offset,
 * else module+offset. Lines are given up after 0.2 s, or where a file is larger than 128 MiB.
 */
void process_name_sites(const struct process_source *source, struct model *model);

#endif

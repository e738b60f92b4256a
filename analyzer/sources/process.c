// SPDX-License-Identifier: Apache-2.0
/* Threads, code and signal handlers of a live process (process.h). */
#include "analyzer/sources/process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/model/util.h"
#include "probe/image.h"
#include "probe/symbol.h"

/* The C library's own: cancellation and setxid. No program can install handlers for them. */
#define LIBC_SIGNALS ((UINT64_C(1) << (32 - 1)) | (UINT64_C(1) << (33 - 1)))

/* What source lines of call sites may cost: a report must not wait for gigabytes of debug information. */
#define LINES_SIZE (UINT64_C(128) << 20)
#define LINES_NS   UINT64_C(200000000)

static void open_modules(struct process_source *source)
{
	char **roots = module_roots_read(source->facts.anchor);

	if (source->facts.anchor && maps_read(source->facts.anchor, &source->maps) == 0) {
		if (modules_build(&source->maps, (const char *const *)roots, &source->modules) == 0)
			source->has_modules = true;
		else
			maps_clear(&source->maps);
	}
	module_roots_free(roots);
}

int process_source_open(struct process_source *source, int pid)
{
	int error;

	memset(source, 0, sizeof(*source));
	error = process_read(pid, &source->facts);
	if (error)
		return error;
	if (!source->facts.anchor) { /* only its exit status is left */
		process_facts_clear(&source->facts);
		return -ESRCH;
	}
	error = process_threads_read(source->facts.pid, &source->before);
	if (error) {
		process_facts_clear(&source->facts);
		return error;
	}
	open_modules(source);
	return 0;
}

void process_source_close(struct process_source *source)
{
	if (source->has_modules) {
		modules_clear(&source->modules);
		maps_clear(&source->maps);
	}
	process_threads_clear(&source->before);
	process_facts_clear(&source->facts);
}

static bool same_threads(const struct process_threads *one, const struct process_threads *other)
{
	if (one->count != other->count)
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (one->list[i].tid != other->list[i].tid ||
		    one->list[i].start_ticks != other->list[i].start_ticks)
			return false;
	return true;
}

static void set_host(struct model *model)
{
	char name[256];

	if (model->host || gethostname(name, sizeof(name)))
		return;
	name[sizeof(name) - 1] = '\0';
	model->host = xstrdup(name);
}

void process_to_model(struct process_source *source, struct model *model)
{
	struct process_threads now;

	set_host(model);
	model->pid = source->facts.pid;
	model->command = xstrdup(source->facts.command);
	model->sources |= SOURCE_PROC;
	if (process_threads_read(source->facts.pid, &now))
		return;
	model->facts.live = process_is_same(&source->facts);
	model->facts.threads_complete = now.complete && same_threads(&source->before, &now);
	for (size_t i = 0; i < now.count; i++) {
		struct model_thread *thread = model_add_thread(model, now.list[i].tid);

		if (now.list[i].name[0])
			thread->name = xstrdup(now.list[i].name);
		if (now.list[i].tid == source->facts.pid)
			thread->maker = MAKER_PROGRAM;
	}
	process_threads_clear(&now);
}

enum thread_maker process_owner(void *context, uint64_t address)
{
	const struct process_source *source = context;
	const struct module *module;

	if (!source->has_modules || !address)
		return MAKER_UNKNOWN;
	module = modules_find(&source->modules, address);
	if (!module)
		return MAKER_UNKNOWN;
	switch (module->owner) {
	case MODULE_CANN:
		return MAKER_CANN;
	case MODULE_CANNWATCH:
		return MAKER_CANNWATCH;
	default:
		return MAKER_PROGRAM;
	}
}

/* A sanitizer's handler reports a fault and ends the program: it releases nothing. */
static bool is_sanitizer(const struct process_source *source, uint64_t address)
{
	static const char *const names[] = { "libasan.so", "libtsan.so", "libubsan.so", "liblsan.so",
					     "libclang_rt." };
	const struct module *module = source->has_modules ? modules_find(&source->modules, address) : NULL;

	for (size_t i = 0; module && i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(module->name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void process_signals_to_model(const struct process_source *source, const uint64_t *handlers, int count,
			      struct model *model)
{
	uint64_t caught = source->facts.signals_caught & ~LIBC_SIGNALS;

	model->facts.signals_known = true;
	for (int number = 1; number <= 64; number++) {
		enum thread_maker owner;

		if (!(caught >> (number - 1) & 1))
			continue;
		if (!handlers || number >= count || handlers[number] <= 1) {
			model->facts.signals_known = false; /* installed since, or never looked */
			continue;
		}
		owner = process_owner((void *)source, handlers[number]);
		if (owner != MAKER_CANN && owner != MAKER_CANNWATCH &&
		    !is_sanitizer(source, handlers[number]))
			model->facts.own_signal_handlers = true;
	}
}

/* Call sites. */

struct site { /* one place in the model that has an address and wants a text */
	uint64_t address;
	char **text;
};

struct sites {
	struct site *list;
	size_t count;
};

static void site_want(struct sites *sites, uint64_t address, char **text)
{
	struct site *site;

	if (!address || *text)
		return;
	site = array_add(&sites->list, &sites->count, sizeof(*site));
	site->address = address;
	site->text = text;
}

static void sites_collect(struct model *model, struct sites *sites)
{
	for (size_t i = 0; i < model->thread_count; i++)
		site_want(sites, model->threads[i].site, &model->threads[i].site_text);
	for (size_t i = 0; i < model->object_count; i++)
		site_want(sites, model->objects[i].site, &model->objects[i].site_text);
	for (size_t s = 0; s < model->stream_count; s++) {
		struct model_stream *stream = &model->streams[s];

		site_want(sites, stream->site, &stream->site_text);
		for (size_t t = 0; t < stream->task_count; t++)
			site_want(sites, stream->tasks[t].site, &stream->tasks[t].site_text);
	}
}

/* A site is where a call returns to; the call itself lies before it. */
static bool sites_resolve(const struct process_source *source, const struct sites *sites,
			  struct image_table *images, struct symbol_table *symbols)
{
	uint64_t *addresses = xcalloc(sites->count + 1, sizeof(*addresses)), last = 0;
	size_t count = 0;
	struct timespec now;
	int error;

	for (size_t i = 0; i < sites->count; i++) {
		if (sites->list[i].address == last)
			continue;
		last = sites->list[i].address;
		addresses[count++] = last - 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	error = images_open(images, source->facts.anchor, &source->maps, &source->modules);
	if (!error) {
		images->lines_size = LINES_SIZE;
		images->lines_deadline_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec +
					    LINES_NS;
		error = symbols_resolve(images, addresses, count, true, symbols);
		images_close(images);
	}
	free(addresses);
	return error == 0;
}

/* file:line where there is debug information, else function, else module with offset. */
static char *site_name(const struct process_source *source, uint64_t site, const struct symbol *symbol)
{
	const struct module *module = modules_find(&source->modules, site);

	if (symbol && symbol->file && symbol->line > 0)
		return xasprintf("%s:%d", symbol->file, symbol->line);
	if (symbol && symbol->name)
		return xasprintf("%s+0x%llx", symbol->name, (unsigned long long)(site - symbol->start));
	if (!module)
		return NULL;
	return xasprintf("%s+0x%llx", module->name,
			 (unsigned long long)(site - module->start + module->first_offset));
}

void process_name_sites(const struct process_source *source, struct model *model)
{
	struct sites sites = { 0 };
	struct symbol_table symbols = { 0 };
	struct image_table images;
	bool resolved;

	if (!source->has_modules)
		return;
	sites_collect(model, &sites);
	resolved = sites.count && sites_resolve(source, &sites, &images, &symbols);
	for (size_t i = 0; i < sites.count; i++)
		*sites.list[i].text = site_name(source, sites.list[i].address,
						resolved ? symbols_find(&symbols, sites.list[i].address - 1)
							 : NULL);
	if (resolved)
		symbols_clear(&symbols);
	free(sites.list);
}

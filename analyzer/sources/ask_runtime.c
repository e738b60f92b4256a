// SPDX-License-Identifier: Apache-2.0
/* Signal 35 and the files it brings (ask_runtime.h). Uses probe/process.h and libc. */
#include "analyzer/sources/ask_runtime.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/model/util.h"

#define ASK_SIGNAL  35
#define TEXTS_MAX   65536u
#define ENTRIES_MAX 4096 /* of one folder */
#define POLL_MS	    50

struct search {
	const char *pid;       /* the process's own idea of its pid, as names have it */
	struct timespec since; /* older files answer an older question */
	struct trace_texts *texts;
	unsigned int files;
	bool growing; /* a file's last line has no end yet */
};

static bool has_handler(const struct process_facts *facts)
{
	return facts->signals_caught >> (ASK_SIGNAL - 1) & 1;
}

/* Where the runtime writes: as the process's own root has it. */
static char *trace_root(const struct process_facts *facts)
{
	char *work = process_variable(facts->anchor, "ASCEND_WORK_PATH");
	char *home = work ? NULL : process_variable(facts->anchor, "HOME");
	char *root = NULL;

	if (work && *work)
		root = xasprintf("/proc/%d/root/%s/atrace", facts->anchor, work);
	else if (home && *home)
		root = xasprintf("/proc/%d/root/%s/ascend/atrace", facts->anchor, home);
	free(work);
	free(home);
	return root;
}

/* An event's text within a line of the file, behind the time. */
static const char *text_in(const char *line)
{
	static const char *const names[] = { "eventRecord:", "eventWait:",    "eventReset:",
					     "notifyWait:",  "notifyRecord:", "notifyReset:",
					     "CqReport:",    "TryReclyTask:", "SendWait:" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *at = strstr(line, names[i]);

		if (at && (at == line || at[-1] == ' '))
			return at;
	}
	return NULL;
}

static void add_line(struct search *search, const char *line)
{
	struct trace_texts *texts = search->texts;
	const char *at = text_in(line);
	struct trace_text *text;

	if (!at || texts->count >= TEXTS_MAX)
		return;
	text = array_add(&texts->list, &texts->count, sizeof(*text));
	text->stamp = texts->count;
	text->ring = search->files;
	snprintf(text->text, sizeof(text->text), "%.*s", (int)strcspn(at, "\r\n"), at);
}

static void read_trace(struct search *search, int folder, const char *name)
{
	struct stat status;
	char line[1024];
	FILE *file;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_mtim.tv_sec < search->since.tv_sec ||
	    (status.st_mtim.tv_sec == search->since.tv_sec &&
	     status.st_mtim.tv_nsec < search->since.tv_nsec)) {
		close(fd);
		return;
	}
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return;
	}
	while (search->texts->count < TEXTS_MAX && fgets(line, sizeof(line), file)) {
		search->growing = !strchr(line, '\n');
		add_line(search, line);
	}
	search->files++;
	fclose(file);
}

/* Calls each for the entries of a folder that are worth it, no link followed. */
static void walk(struct search *search, int parent, const char *name,
		 void (*each)(struct search *search, int folder, const char *name))
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), left = ENTRIES_MAX;
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (left-- && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			each(search, dirfd(folder), entry->d_name);
	closedir(folder);
}

static void look_at_file(struct search *search, int folder, const char *name)
{
	if (strncmp(name, "schedule_tracer_RUNTIME_", 24) == 0)
		read_trace(search, folder, name);
}

/* <kind>_event_<pid>_<time> */
static void look_at_event(struct search *search, int folder, const char *name)
{
	const char *at = strstr(name, "_event_");
	size_t length = strlen(search->pid);

	if (at && strncmp(at + 7, search->pid, length) == 0 && at[7 + length] == '_')
		walk(search, folder, name, look_at_file);
}

static void look_at_trace(struct search *search, int folder, const char *name)
{
	if (strncmp(name, "trace_", 6) == 0)
		walk(search, folder, name, look_at_event);
}

static void collect(const char *root, struct search *search)
{
	trace_texts_clear(search->texts);
	search->files = 0;
	search->growing = false;
	walk(search, AT_FDCWD, root, look_at_trace);
}

/* Until two looks in a row find the same and its last line is whole. */
static void await(const char *root, struct search *search, int wait_ms)
{
	struct timespec rest = { 0, POLL_MS * 1000000L };
	size_t before = 0;

	for (int waited = 0; waited < wait_ms; waited += POLL_MS) {
		nanosleep(&rest, NULL);
		collect(root, search);
		if (search->texts->count && search->texts->count == before && !search->growing)
			break;
		before = search->texts->count;
	}
	search->texts->rings = search->files;
	search->texts->wrapped = true; /* how much the ring had forgotten is not in the file */
}

int runtime_ask(const struct process_facts *facts, int wait_ms, struct trace_texts *texts)
{
	struct search search = { .texts = texts };
	char pid[16], *root;

	memset(texts, 0, sizeof(*texts));
	if (!has_handler(facts))
		return -EOPNOTSUPP;
	root = trace_root(facts);
	snprintf(pid, sizeof(pid), "%d", facts->namespace_pid ? facts->namespace_pid : facts->pid);
	search.pid = pid;
	clock_gettime(CLOCK_REALTIME_COARSE, &search.since); /* the clock of file times */
	if (!process_is_same(facts)) {
		free(root);
		return -ESRCH;
	}
	if (kill(facts->pid, ASK_SIGNAL)) {
		free(root);
		return errno == ESRCH ? -ESRCH : -EPERM;
	}
	if (root)
		await(root, &search, wait_ms);
	free(root);
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
/* Process and thread facts from /proc (process.h). Uses libc and procfs.h. */
#include "probe/process.h"
#include "probe/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_MAX  (1u << 20)
#define COMMAND_MAX (4u << 20)
#define ENVIRON_MAX (16u << 20)
#define LIST_TRIES  5

/*
 * "tid (name) S ppid ... start ...": the name may hold blanks, brackets and
 * newlines, so the fields are counted from the last closing bracket.
 */
int process_parse_stat(const char *text, struct process_thread *thread, int *parent)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *p;
	size_t length;
	int field;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -EINVAL;
	length = close - open - 1;
	if (length >= sizeof(thread->name))
		length = sizeof(thread->name) - 1;
	memcpy(thread->name, open + 1, length);
	thread->name[length] = '\0';
	thread->state = close[2];
	p = close + 3;
	for (field = 4; field <= 22; field++) {
		if (*p != ' ')
			return -EINVAL;
		p++;
		if (field == 4 && parent)
			*parent = atoi(p);
		if (field == 22)
			thread->start_ticks = strtoull(p, NULL, 10);
		p += strcspn(p, " \n");
	}
	return 0;
}

int process_parse_schedstat(const char *text, struct process_thread *thread)
{
	uint64_t *const fields[] = { &thread->run_ns, &thread->wait_ns, &thread->switches_in };
	char *end;
	int i;

	for (i = 0; i < 3; i++) {
		*fields[i] = strtoull(text, &end, 10);
		if (end == text)
			return -EINVAL;
		text = end;
	}
	/* a kernel without the accounting shows three zeros for everyone */
	thread->schedstat_known = thread->switches_in != 0;
	return 0;
}

static int task_dir_open(int pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? procfs_error(errno) : fd;
}

int process_thread_stat(int task_dir, int tid, struct process_thread *thread)
{
	char name[64], text[1024];
	int err;

	memset(thread, 0, sizeof(*thread));
	thread->tid = tid;
	thread->state = '?';
	snprintf(name, sizeof(name), "%d/stat", tid);
	err = procfs_read_at(task_dir, name, text, sizeof(text));
	return err < 0 ? err : process_parse_stat(text, thread, NULL);
}

static int thread_read_at(int dirfd, int tid, struct process_thread *thread)
{
	char name[64], text[128];
	int err = process_thread_stat(dirfd, tid, thread);

	if (err)
		return err;
	snprintf(name, sizeof(name), "%d/schedstat", tid);
	if (procfs_read_at(dirfd, name, text, sizeof(text)) > 0)
		process_parse_schedstat(text, thread);
	return 0;
}

int process_thread_read(int pid, int tid, struct process_thread *thread)
{
	int dirfd, err;

	dirfd = task_dir_open(pid);
	if (dirfd < 0)
		return dirfd;
	err = thread_read_at(dirfd, tid, thread);
	close(dirfd);
	return err;
}

static int compare_int(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static int tid_list_append(int **list, size_t *count, size_t *room, int tid)
{
	if (*count == *room) {
		size_t want = *room ? *room * 2 : 64;
		int *grown = realloc(*list, want * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		*list = grown;
		*room = want;
	}
	(*list)[(*count)++] = tid;
	return 0;
}

int process_tids_read(int pid, int **tids, size_t *count)
{
	char path[64];
	struct dirent *entry;
	size_t room = 0;
	DIR *dir;
	int err = 0;

	*tids = NULL;
	*count = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return procfs_error(errno);
	while (!err) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			err = errno ? procfs_error(errno) : 0;
			break;
		}
		if (isdigit((unsigned char)entry->d_name[0]))
			err = tid_list_append(tids, count, &room, atoi(entry->d_name));
	}
	closedir(dir);
	if (!err && *count == 0)
		err = -ESRCH;
	if (err) {
		free(*tids);
		*tids = NULL;
		*count = 0;
		return err;
	}
	qsort(*tids, *count, sizeof(**tids), compare_int);
	return 0;
}

static int threads_fill(int dirfd, const int *tids, size_t count, struct process_threads *threads)
{
	size_t i;
	int err;

	threads->list = calloc(count, sizeof(*threads->list));
	if (!threads->list)
		return -ENOMEM;
	threads->count = 0;
	for (i = 0; i < count; i++) {
		struct process_thread *thread = &threads->list[threads->count];

		err = thread_read_at(dirfd, tids[i], thread);
		if (err == -ESRCH)
			continue;
		if (err)
			return err;
		threads->count++;
	}
	return 0;
}

/* One listing, the details, and a second listing to know whether the first was whole. */
static int threads_read_once(int pid, int dirfd, struct process_threads *threads)
{
	int *before = NULL, *after = NULL;
	size_t count, count_after;
	int err;

	err = process_tids_read(pid, &before, &count);
	if (err)
		return err;
	err = threads_fill(dirfd, before, count, threads);
	if (err)
		goto out;
	err = process_tids_read(pid, &after, &count_after);
	if (err)
		goto out;
	threads->complete = threads->count == count && count == count_after &&
			    !memcmp(before, after, count * sizeof(*before));
out:
	free(before);
	free(after);
	return err;
}

int process_threads_read(int pid, struct process_threads *threads)
{
	int dirfd, err = 0, i;

	memset(threads, 0, sizeof(*threads));
	dirfd = task_dir_open(pid);
	if (dirfd < 0)
		return dirfd;
	for (i = 0; i < LIST_TRIES && !err && !threads->complete; i++) {
		process_threads_clear(threads);
		err = threads_read_once(pid, dirfd, threads);
	}
	close(dirfd);
	if (err)
		process_threads_clear(threads);
	return err;
}

void process_threads_clear(struct process_threads *threads)
{
	free(threads->list);
	memset(threads, 0, sizeof(*threads));
}

/* The rest of the line that starts with key, or NULL. Names are escaped in status, so lines are whole. */
static const char *status_field(const char *text, const char *key)
{
	size_t length = strlen(key);
	const char *line = text;

	while (line) {
		if (!strncmp(line, key, length) && line[length] == ':')
			return line + length + 1;
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return NULL;
}

static long long status_number(const char *text, const char *key, int base)
{
	const char *field = status_field(text, key);

	return field ? (long long)strtoull(field, NULL, base) : 0;
}

/* The last number of a line: NSpid lists one pid per namespace, the innermost last. */
static int status_last_number(const char *text, const char *key)
{
	const char *field = status_field(text, key);
	int last = 0, value, used;

	while (field && sscanf(field, "%*[\t ]%d%n", &value, &used) == 1) {
		last = value;
		field += used;
	}
	return last;
}

static void facts_from_status(const char *text, struct process_facts *facts)
{
	const char *uid = status_field(text, "Uid");
	unsigned int effective;

	facts->pid = (int)status_number(text, "Tgid", 10);
	facts->parent = (int)status_number(text, "PPid", 10);
	facts->tracer = (int)status_number(text, "TracerPid", 10);
	facts->thread_count = status_number(text, "Threads", 10);
	facts->signals_caught = (uint64_t)status_number(text, "SigCgt", 16);
	facts->signals_ignored = (uint64_t)status_number(text, "SigIgn", 16);
	facts->namespace_pid = status_last_number(text, "NStgid");
	if (uid && sscanf(uid, "%*u %u", &effective) == 1)
		facts->uid = effective;
}

static int facts_read_status(struct process_facts *facts)
{
	struct procfs_text text;
	int err;

	err = procfs_read(facts->given, "status", STATUS_MAX, &text);
	if (err)
		return err;
	facts_from_status(text.data, facts);
	procfs_text_free(&text);
	if (facts->pid <= 0)
		return -ESRCH;
	if (facts->pid == facts->given)
		return 0;
	/* a thread id was given: its own numbers are per thread, take the leader's */
	err = procfs_read(facts->pid, "status", STATUS_MAX, &text);
	if (err)
		return err;
	facts_from_status(text.data, facts);
	procfs_text_free(&text);
	return 0;
}

/* A thread that still has its memory: the leader, else the first that is not dead. */
static int facts_find_anchor(struct process_facts *facts)
{
	struct process_threads threads;
	size_t i;
	int err;

	facts->anchor = 0;
	if (facts->state != 'Z' && facts->state != 'X') {
		facts->anchor = facts->pid;
		return 0;
	}
	err = process_threads_read(facts->pid, &threads);
	if (err)
		return err;
	for (i = 0; i < threads.count && !facts->anchor; i++)
		if (threads.list[i].state != 'Z' && threads.list[i].state != 'X')
			facts->anchor = threads.list[i].tid;
	process_threads_clear(&threads);
	return 0;
}

static void command_clean(char *data, size_t size)
{
	size_t i;

	while (size && data[size - 1] == '\0')
		size--;
	for (i = 0; i < size; i++) {
		if (data[i] == '\0')
			data[i] = ' ';
		else if ((unsigned char)data[i] < ' ' || data[i] == 0x7f)
			data[i] = '?';
	}
}

static int facts_read_command(struct process_facts *facts)
{
	struct procfs_text text = { 0 };
	int err = -ESRCH;

	if (facts->anchor)
		err = procfs_read(facts->anchor, "cmdline", COMMAND_MAX, &text);
	if (err || text.size == 0) {
		procfs_text_free(&text);
		facts->command = strdup(facts->name);
		if (!facts->command)
			return -ENOMEM;
		command_clean(facts->command, strlen(facts->command));
		return 0;
	}
	command_clean(text.data, text.size);
	facts->command = text.data;
	return 0;
}

int process_read(int pid, struct process_facts *facts)
{
	struct process_thread leader;
	int err;

	memset(facts, 0, sizeof(*facts));
	if (pid <= 0)
		return -ESRCH;
	facts->given = pid;
	err = facts_read_status(facts);
	if (err)
		return err;
	err = process_thread_read(facts->pid, facts->pid, &leader);
	if (err)
		return err;
	facts->state = leader.state;
	facts->start_ticks = leader.start_ticks;
	memcpy(facts->name, leader.name, sizeof(facts->name));
	err = facts_find_anchor(facts);
	if (err)
		return err;
	return facts_read_command(facts);
}

void process_facts_clear(struct process_facts *facts)
{
	free(facts->command);
	memset(facts, 0, sizeof(*facts));
}

bool process_is_same(const struct process_facts *facts)
{
	struct process_thread leader;

	return process_thread_read(facts->pid, facts->pid, &leader) == 0 &&
	       leader.start_ticks == facts->start_ticks;
}

char *process_variable(int pid, const char *name)
{
	size_t length = strlen(name), at = 0;
	struct procfs_text text;
	char *value = NULL;

	if (procfs_read(pid, "environ", ENVIRON_MAX, &text))
		return NULL;
	while (at < text.size && !value) {
		const char *entry = text.data + at;

		if (!strncmp(entry, name, length) && entry[length] == '=')
			value = strdup(entry + length + 1);
		at += strlen(entry) + 1;
	}
	procfs_text_free(&text);
	return value;
}

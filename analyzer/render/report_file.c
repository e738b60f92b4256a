// SPDX-License-Identifier: Apache-2.0
/* Report files (report_file.h). Uses jansson and the renderers. */
#include "analyzer/render/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/model/util.h"

#define REPORT_MAX   (64u << 20) /* bytes of a report that is read back */
#define EARLIER_READ 16		 /* reports that a new one is compared with */

static char *file_path(const struct report_file *file, const char *before, const char *after)
{
	char *host = xstrdup(file->host ? file->host : "unknown");
	char *path;

	for (char *at = host; *at; at++)
		if (*at == '/')
			*at = '_';
	path = xasprintf("%s/%scannwatch-%s-%lld-%u%s", file->directory ? file->directory : ".", before, host,
			 (long long)file->pid, file->number, after);
	free(host);
	return path;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t done = write(fd, bytes, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		bytes += done;
		length -= (size_t)done;
	}
	return 0;
}

/* Beside the final name first: whoever sees the name sees all of it. */
static int write_file(const struct report_file *file, const char *ending, const char *bytes, size_t length)
{
	char *path = file_path(file, "", ending), *hidden = file_path(file, ".", ending);
	int fd, status;

	unlink(hidden); /* left by a helper that was killed */
	fd = open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		status = -errno;
		goto out;
	}
	status = write_all(fd, bytes, length);
	if (close(fd) && !status)
		status = -errno;
	if (!status && rename(hidden, path))
		status = -errno;
	if (status)
		unlink(hidden);
out:
	free(path);
	free(hidden);
	return status;
}

static int write_text(const struct report_file *file, const struct report *report)
{
	char *bytes = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&bytes, &length);
	int status;

	if (!out)
		return -ENOMEM;
	render_text(report, out, NULL);
	if (fclose(out)) {
		free(bytes);
		return -ENOMEM;
	}
	status = write_file(file, ".txt", bytes, length);
	free(bytes);
	return status;
}

int report_file_write(const struct report_file *file, const struct report *report)
{
	char *json;
	int status = write_text(file, report);

	if (status)
		return status;
	json = render_json_text(report);
	if (!json)
		return -ENOMEM;
	status = write_file(file, ".json", json, strlen(json));
	free(json);
	return status;
}

static int read_json(const struct report_file *file, json_t **root)
{
	char *path = file_path(file, "", ".json"), *bytes = NULL;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	size_t length = 0;
	struct stat about;
	int status = 0;

	free(path);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &about) || !S_ISREG(about.st_mode) || about.st_size > (off_t)REPORT_MAX) {
		close(fd);
		return -EINVAL;
	}
	bytes = xmalloc((size_t)about.st_size);
	while (length < (size_t)about.st_size) {
		ssize_t got = read(fd, bytes + length, (size_t)about.st_size - length);

		if (got <= 0)
			break;
		length += (size_t)got;
	}
	*root = json_loadb(bytes, length, 0, NULL);
	if (!json_is_object(*root)) {
		json_decref(*root);
		status = -EINVAL;
	}
	free(bytes);
	close(fd);
	return status;
}

/* How long the hang lasted: what the report said, and the time since. */
static double lasted(const json_t *root, const json_t *verdict)
{
	const char *generated = json_string_value(json_object_get(root, "generated"));
	const json_t *blocked = json_object_get(verdict, "blocked_s");
	struct tm date = { 0 };
	struct timespec now;
	const char *rest;
	double then;

	if (!generated || !json_is_number(blocked))
		return -1;
	rest = strptime(generated, "%Y-%m-%dT%H:%M:%S", &date);
	if (!rest)
		return -1;
	then = (double)timegm(&date) + (*rest == '.' ? strtod(rest, NULL) : 0);
	clock_gettime(CLOCK_REALTIME, &now);
	then = (double)now.tv_sec + (double)now.tv_nsec / 1e9 - then;
	return json_number_value(blocked) + (then > 0 ? then : 0);
}

static json_t *verdicts_of(const struct report *report)
{
	char *text = report ? render_json_text(report) : NULL;
	json_t *root = text ? json_loads(text, 0, NULL) : NULL;
	json_t *verdicts = json_incref(json_object_get(root, "verdicts"));

	json_decref(root);
	free(text);
	return verdicts;
}

/* Whether two verdicts speak of the same wait; how long it has lasted does not matter. */
static bool same_wait(json_t *one, json_t *other)
{
	static const char *const keys[] = { "class", "culprit", "chain" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!json_equal(json_object_get(one, keys[i]), json_object_get(other, keys[i])))
			return false;
	return true;
}

static bool stands_in(json_t *verdicts, json_t *verdict)
{
	json_t *other;
	size_t index;

	json_array_foreach(verdicts, index, other) if (same_wait(verdict, other)) return true;
	return false;
}

void report_file_drop_known(const struct report_file *file, struct report *report)
{
	json_t *verdicts = verdicts_of(report);
	bool *known = xcalloc(report->count, sizeof(*known));
	struct report_file earlier = *file;
	size_t kept = 0;

	for (earlier.number = file->number > EARLIER_READ ? file->number - EARLIER_READ : 1;
	     earlier.number < file->number; earlier.number++) {
		json_t *root = NULL;

		if (read_json(&earlier, &root))
			continue;
		for (size_t i = 0; i < report->count; i++)
			known[i] |= stands_in(json_object_get(root, "verdicts"), json_array_get(verdicts, i));
		json_decref(root);
	}
	for (size_t i = 0; i < report->count; i++) {
		if (known[i])
			verdict_clear(&report->verdicts[i]);
		else
			report->verdicts[kept++] = report->verdicts[i];
	}
	report->count = kept;
	free(known);
	json_decref(verdicts);
}

/* Moves those that are over; returns the first of them, borrowed, NULL none. */
static json_t *move_over(json_t *root, json_t *now)
{
	json_t *verdicts = json_object_get(root, "verdicts"), *recovered = json_object_get(root, "recovered");
	json_t *left = json_array(), *verdict, *first = NULL;
	size_t index;

	if (!json_is_array(recovered)) {
		recovered = json_array();
		json_object_set_new(root, "recovered", recovered);
	}
	json_array_foreach(verdicts, index, verdict)
	{
		double after = lasted(root, verdict);

		if (stands_in(now, verdict)) {
			json_array_append(left, verdict);
			continue;
		}
		if (after >= 0)
			json_object_set_new(verdict, "recovered_after_s", json_real(after));
		json_array_append(recovered, verdict);
		if (!first)
			first = verdict;
	}
	json_object_set_new(root, "verdicts", left);
	return first;
}

static void move_verdicts(json_t *root, json_t *now, struct report_recovery *recovery)
{
	json_t *rank = json_object_get(json_object_get(root, "rank"), "global");
	json_t *first = move_over(root, now);

	recovery->rank = json_is_integer(rank) ? (int64_t)json_integer_value(rank) : MODEL_UNKNOWN;
	recovery->already = !first;
	if (!first)
		return;
	recovery->summary = xstrdup(json_string_value(json_object_get(first, "summary")));
	recovery->after_s = lasted(root, first);
}

static void append_line(const struct report_file *file, const struct report_recovery *recovery)
{
	char *path = file_path(file, "", ".txt");
	char *line = recovery->after_s >= 0
			     ? xasprintf("cannwatch: recovered after %.1f s\n", recovery->after_s)
			     : xstrdup("cannwatch: recovered\n");
	int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		write_all(fd, line, strlen(line));
		close(fd);
	}
	free(line);
	free(path);
}

int report_file_recover(const struct report_file *file, const struct report *now,
			struct report_recovery *recovery)
{
	json_t *root = NULL, *present;
	char *text;
	int status;

	memset(recovery, 0, sizeof(*recovery));
	recovery->after_s = -1;
	recovery->rank = MODEL_UNKNOWN;
	status = read_json(file, &root);
	if (status)
		return status;
	present = verdicts_of(now);
	move_verdicts(root, present, recovery);
	json_decref(present);
	if (!recovery->already) {
		text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
		status = text ? write_file(file, ".json", text, strlen(text)) : -ENOMEM;
		free(text);
		append_line(file, recovery);
	}
	json_decref(root);
	return status;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * The renderings: the JSON's schema, read back; text that answers in its first lines
 * and fits; exit statuses; report files and what recovery does to them.
 */
#include "tests/analyzer/world.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/model/util.h"
#include "analyzer/render/render.h"
#include "analyzer/render/report_file.h"

static void build_hang(struct model *model)
{
	world_live(model);
	add_stream(model);
	add_object(model, OBJECT_EVENT, MADE_SYNC);
	add_task(model, 0, TASK_EVENT_WAIT, 0);
	sync_stream(model, 0, 0, 1.5);
	model->command = xstrdup("python3 train.py --name \xff\xfe\x1b[31m");
	model->rank.global = 3;
	model->rank.source = xstrdup("RANK");
}

static const char *text_at(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "(none)";
}

/* Every number that is not known is absent, in every object of the report. */
static void check_no_stand_ins(json_t *value)
{
	const char *key;
	json_t *item;
	size_t index;

	if (json_is_object(value))
		json_object_foreach(value, key, item)
		{
			CHECK(!json_is_integer(item) || json_integer_value(item) > -2, "%s is a stand-in",
			      key);
			check_no_stand_ins(item);
		}
	else if (json_is_array(value))
		json_array_foreach(value, index, item) check_no_stand_ins(item);
}

static void check_json(void)
{
	static const char *const arrays[] = { "sources", "verdicts", "threads",	     "streams",
					      "events",	 "notifies", "communicators" };
	struct report report;
	struct model model;
	json_t *root, *verdict;
	char *text;

	build_hang(&model);
	first_class(&model, 15, &report);
	text = render_json_text(&report);
	root = text ? json_loads(text, 0, NULL) : NULL;
	CHECK(root, "not JSON");
	CHECK(strcmp(text_at(root, "schema"), "cannwatch.report/1") == 0, "schema");
	CHECK(strcmp(text_at(root, "host"), "host") == 0 &&
		      json_integer_value(json_object_get(root, "pid")) == 100,
	      "identity");
	CHECK(strlen(text_at(root, "generated")) == 27 && text_at(root, "generated")[26] == 'Z', "generated");
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		CHECK(json_is_array(json_object_get(root, arrays[i])), "%s", arrays[i]);
	CHECK(json_array_size(json_object_get(root, "threads")) == 3, "threads");
	verdict = json_array_get(json_object_get(root, "verdicts"), 0);
	CHECK(strcmp(text_at(verdict, "class"), "event-never-recorded") == 0, "class");
	CHECK(strcmp(text_at(verdict, "kind"), "hang") == 0, "kind");
	CHECK(strcmp(text_at(verdict, "confidence"), "proven") == 0, "confidence");
	CHECK(json_real_value(json_object_get(verdict, "blocked_s")) == 1.5, "blocked_s");
	CHECK(json_integer_value(json_object_get(json_object_get(verdict, "culprit"), "rank")) == 3, "rank");
	CHECK(strcmp(text_at(json_array_get(json_object_get(verdict, "chain"), 0), "node"), "thread") == 0,
	      "chain");
	CHECK(json_is_object(json_object_get(verdict, "coverage")), "coverage");
	CHECK(!json_object_get(json_object_get(root, "rank"), "local"), "unknown rank is given");
	check_no_stand_ins(root);
	json_decref(root);
	free(text);
	report_clear(&report);
	model_clear(&model);
}

static char *text_of(const struct report *report, const struct render_options *options)
{
	char *bytes = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&bytes, &length);

	render_text(report, out, options);
	fclose(out);
	return bytes;
}

static void check_text(void)
{
	struct render_options options = { .columns = 80, .prefix = "[rank 3] " };
	struct report report;
	struct model model;
	char *text, *line, *next;
	size_t number = 0;

	build_hang(&model);
	first_class(&model, 15, &report);
	text = text_of(&report, &options);
	CHECK(text && *text, "no text");
	for (line = text; line && *line; line = next, number++) {
		next = strchr(line, '\n');
		if (!next)
			break;
		*next++ = '\0';
		CHECK(strncmp(line, "[rank 3] ", 9) == 0, "no prefix: %s", line);
		CHECK(strlen(line) <= 80 + 9, "too long: %s", line);
		CHECK(!strchr(line, '\033'), "escape sequence");
		if (number == 0)
			CHECK(strstr(line, "event-never-recorded") && strstr(line, "proven") &&
				      strstr(line, "1.5 s"),
			      "%s", line);
		if (number == 1)
			CHECK(strstr(line, "stream 2 waits for event 0"), "%s", line);
	}
	free(text);
	report_clear(&report);
	model_clear(&model);
}

static void check_exit_status(void)
{
	static const struct {
		enum verdict_class class;
		int status;
	} rows[] = {
		{ CLASS_TASK_STUCK, 10 }, { CLASS_AICORE_ERROR, 10 },	       { CLASS_FORK_AFTER_INIT, 11 },
		{ CLASS_SLOW_RANK, 11 },  { CLASS_INSUFFICIENT_EVIDENCE, 11 }, { CLASS_IDLE_WAIT, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct verdict verdict;
		struct report report;

		report_init(&report, NULL);
		CHECK(report_exit_status(&report) == 0, "empty");
		verdict_init(&verdict, CLASS_IDLE_WAIT, CONFIDENCE_LIKELY);
		report_add(&report, &verdict);
		verdict_init(&verdict, rows[i].class, CONFIDENCE_LIKELY);
		report_add(&report, &verdict);
		CHECK(report_exit_status(&report) == rows[i].status, "%s", verdict_class_name(rows[i].class));
		report_clear(&report);
	}
}

static void check_classes(void)
{
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		const char *name = verdict_class_name((enum verdict_class)i);

		CHECK(name && *verdict_class_meaning((enum verdict_class)i), "class %u", i);
		CHECK(verdict_class_find(name) == (enum verdict_class)i, "%s", name);
	}
	CHECK(verdict_class_find("nonsense") == CLASS_COUNT, "nonsense");
}

static bool file_has(const char *path, const char *what)
{
	FILE *file = fopen(path, "r");
	char line[4096];
	bool found = false;

	while (file && fgets(line, sizeof(line), file))
		found |= strstr(line, what) != NULL;
	if (file)
		fclose(file);
	return found;
}

static void check_files(void)
{
	char place[] = "/tmp/cannwatch-report-XXXXXX";
	struct report_file file = { .host = "a/b", .pid = 100, .number = 2 };
	struct report_recovery recovery;
	struct report report, again;
	struct model model;
	struct stat about;
	char *json, *text;

	file.directory = mkdtemp(place);
	json = xasprintf("%s/cannwatch-a_b-100-2.json", place);
	text = xasprintf("%s/cannwatch-a_b-100-2.txt", place);
	build_hang(&model);
	first_class(&model, 15, &report);
	CHECK(report_file_recover(&file, NULL, &recovery) == -ENOENT, "recovered from nothing");
	CHECK(report_file_write(&file, &report) == 0, "write");
	CHECK(stat(json, &about) == 0 && (about.st_mode & 0777) == 0600, "mode of the JSON");
	CHECK(stat(text, &about) == 0 && (about.st_mode & 0777) == 0600, "mode of the text");
	/* Not over yet: it stays, and is not said again. */
	CHECK(report_file_recover(&file, &report, &recovery) == 0 && recovery.already, "recovered too early");
	CHECK(file_has(json, "event-never-recorded") && !file_has(json, "recovered_after_s"),
	      "moved too early");
	first_class(&model, 15, &again);
	file.number = 3;
	report_file_drop_known(&file, &again);
	CHECK(again.count == 0, "said twice");
	report_clear(&again);
	file.number = 2;
	CHECK(report_file_recover(&file, NULL, &recovery) == 0 && !recovery.already, "recover");
	CHECK(recovery.summary && strstr(recovery.summary, "event 0"), "summary");
	CHECK(recovery.after_s >= 1.5 && recovery.after_s < 30 && recovery.rank == 3, "after %f",
	      recovery.after_s);
	free(recovery.summary);
	CHECK(file_has(json, "\"recovered\"") && file_has(json, "\"verdicts\": []"), "JSON after recovery");
	CHECK(file_has(text, "recovered after"), "text after recovery");
	CHECK(report_file_recover(&file, NULL, &recovery) == 0 && recovery.already, "twice");
	free(recovery.summary);
	first_class(&model, 15, &again);
	file.number = 3;
	report_file_drop_known(&file, &again);
	CHECK(again.count == 1, "a hang that came back is not said");
	report_clear(&again);
	unlink(text);
	/* A link in the place of a report is not followed. */
	unlink(json);
	CHECK(symlink("/etc/passwd", json) == 0 && report_file_recover(&file, NULL, &recovery) < 0,
	      "followed a link");
	unlink(json);
	rmdir(place);
	file.directory = "/nonexistent";
	CHECK(report_file_write(&file, &report) == -ENOENT, "no directory");
	free(json);
	free(text);
	report_clear(&report);
	model_clear(&model);
}

int main(void)
{
	check_json();
	check_text();
	check_exit_status();
	check_classes();
	check_files();
	printf("%d failures\n", failures);
	return failures != 0;
}

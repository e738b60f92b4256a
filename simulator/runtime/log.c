// SPDX-License-Identifier: Apache-2.0
/*
 * The process log (plog): errors and warnings go to debug/plog, information
 * and events to run/plog as well, below ASCEND_PROCESS_LOG_PATH or its fallbacks.
 * ASCEND_GLOBAL_LOG_LEVEL: 0 debug, 1 info, 2 warning, 3 error (default), 4 nothing.
 * A line is one write to a file opened for appending, so threads do not mix.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "simulator/runtime/runtime.h"

enum { LINE_SIZE = 1024, PATH_SIZE = 4096, DEFAULT_LEVEL = LOG_ERROR };

static const char *const level_names[] = { "DEBUG", "INFO", "WARNING", "ERROR", "EVENT" };

static pthread_once_t log_once = PTHREAD_ONCE_INIT;
static int debug_fd = -1, run_fd = -1;
static int level_limit = DEFAULT_LEVEL;
static char program[16];

static bool log_root(char *to, size_t size)
{
	const char *base = getenv("ASCEND_PROCESS_LOG_PATH");
	const char *tail = "";

	if (!base || !*base) {
		base = getenv("ASCEND_WORK_PATH");
		tail = "/log";
	}
	if (!base || !*base) {
		base = getenv("HOME");
		tail = "/ascend/log";
	}
	if (!base || !*base)
		return false;
	return (size_t)snprintf(to, size, "%s%s", base, tail) < size;
}

static void make_directories(const char *path)
{
	char copy[PATH_SIZE];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(copy, 0750);
		*p = '/';
	}
	mkdir(copy, 0750);
}

static int log_open(const char *root, const char *kind, const char *stamp)
{
	char path[PATH_SIZE];
	int n = snprintf(path, sizeof(path), "%s/%s/plog", root, kind);

	if (n < 0 || (size_t)n >= sizeof(path) - 64)
		return -1;
	make_directories(path);
	snprintf(path + n, sizeof(path) - (size_t)n, "/plog-%d_%s.log", (int)getpid(), stamp);
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
}

static void log_init(void)
{
	const char *level = getenv("ASCEND_GLOBAL_LOG_LEVEL");
	char root[PATH_SIZE], stamp[40];
	struct timespec t;
	struct tm tm;
	size_t n;

	if (level && *level >= '0' && *level <= '4')
		level_limit = *level - '0';
	snprintf(program, sizeof(program), "%s", program_invocation_short_name);
	clock_gettime(CLOCK_REALTIME, &t);
	localtime_r(&t.tv_sec, &tm);
	n = strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	snprintf(stamp + n, sizeof(stamp) - n, "%03ld", t.tv_nsec / 1000000);
	if (!log_root(root, sizeof(root)))
		return;
	debug_fd = log_open(root, "debug", stamp);
	run_fd = log_open(root, "run", stamp);
}

static int log_fd(enum log_level level)
{
	if (level == LOG_EVENT)
		return run_fd;
	return (int)level >= level_limit && level_limit <= LOG_ERROR ? debug_fd : -1;
}

/* INFO lines are written per task: whether anybody wants them must cost nothing. */
static bool level_wanted(enum log_level level)
{
	pthread_once(&log_once, log_init);
	return log_fd(level) >= 0;
}

static size_t log_head(char *line, enum log_level level, const char *module, const char *file, int number,
		       const char *function)
{
	struct timespec t;
	struct tm tm;
	char when[32];

	clock_gettime(CLOCK_REALTIME, &t);
	localtime_r(&t.tv_sec, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d-%H:%M:%S", &tm);
	return (size_t)snprintf(line, LINE_SIZE,
				"[%s] %s(%d,%s):%s.%03ld.%03ld [%s:%d]%ld %s:", level_names[level], module,
				(int)getpid(), program, when, t.tv_nsec / 1000000, t.tv_nsec / 1000 % 1000,
				file, number, syscall(SYS_gettid), function);
}

void log_line(enum log_level level, const char *module, const char *file, int line, const char *function,
	      const char *format, ...)
{
	char text[LINE_SIZE];
	int saved = errno;
	size_t n;
	va_list ap;
	int more;

	if (!level_wanted(level))
		return;
	n = log_head(text, level, module, file, line, function);
	if (n >= LINE_SIZE - 2)
		return;
	va_start(ap, format);
	more = vsnprintf(text + n, LINE_SIZE - 1 - n, format, ap);
	va_end(ap);
	n += more > 0 ? (size_t)more : 0;
	if (n > LINE_SIZE - 2)
		n = LINE_SIZE - 2;
	text[n++] = '\n';
	while (write(log_fd(level), text, n) < 0 && errno == EINTR)
		;
	errno = saved;
}

void rtLogLine(int level, const char *module, const char *function, const char *text)
{
	if (level >= LOG_DEBUG && level <= LOG_EVENT)
		log_line((enum log_level)level, module, "acl.cpp", 1, function, "%s", text);
}

static void *flush_main(void *data)
{
	prctl(PR_SET_NAME, "PlogFlush");
	for (;;)
		usleep(1000000);
	return NULL;
}

/* The log thread is there from the moment the library is loaded. */
__attribute__((constructor)) static void flush_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, flush_main, NULL);
	pthread_attr_destroy(&attr);
}

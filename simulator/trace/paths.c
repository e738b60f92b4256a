// SPDX-License-Identifier: Apache-2.0
/* Where traces are written, and times as text without help of the C library's locale. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "simulator/trace/ring.h"

enum { ROOT_SIZE = 256, DAY_S = 86400 };

static char root[ROOT_SIZE];
static char first[ROOT_SIZE + 80];
static long zone_s; /* east of UTC */

void paths_load(void)
{
	const char *base = getenv("ASCEND_WORK_PATH");
	const char *tail = "/atrace";
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32];

	if (!base || !*base) {
		base = getenv("HOME");
		tail = "/ascend/atrace";
	}
	localtime_r(&now, &tm);
	zone_s = tm.tm_gmtoff;
	if (!base || !*base || (size_t)snprintf(root, sizeof(root), "%s%s", base, tail) >= sizeof(root)) {
		root[0] = '\0';
		return;
	}
	time_digits(trace_now(), stamp, sizeof(stamp));
	snprintf(first, sizeof(first), "%s/trace_%d_%d_%s", root, (int)getpgrp(), (int)getpid(), stamp);
}

static int make_path(const char *path)
{
	char copy[ROOT_SIZE + 160];

	if (strlen(path) >= sizeof(copy))
		return -ENAMETOOLONG;
	strcpy(copy, path);
	for (char *p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(copy, 0750);
		*p = '/';
	}
	return mkdir(copy, 0750) == 0 || errno == EEXIST ? 0 : -errno;
}

int event_directory(const char *event, char *to, size_t size)
{
	char stamp[32];

	if (!root[0])
		return -ENOENT;
	time_digits(trace_now(), stamp, sizeof(stamp));
	if ((size_t)snprintf(to, size, "%s/%s_event_%d_%s", first, event, (int)getpid(), stamp) >= size)
		return -ENAMETOOLONG;
	return make_path(to);
}

struct date {
	unsigned year, month, day, hour, minute, second, us;
};

/* Days since 1970 to a date, by the usual 400-year cycle starting in March. */
static void date_of(uint64_t ns, struct date *d)
{
	int64_t seconds = (int64_t)(ns / 1000000000u) + zone_s;
	int64_t days = seconds / DAY_S + 719468;
	int64_t era = days / 146097;
	unsigned of_era = (unsigned)(days - era * 146097);
	unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned month = (5 * of_year + 2) / 153;

	d->day = of_year - (153 * month + 2) / 5 + 1;
	d->month = month < 10 ? month + 3 : month - 9;
	d->year = (unsigned)(year + (unsigned)era * 400 + (d->month <= 2));
	seconds %= DAY_S;
	d->hour = (unsigned)(seconds / 3600);
	d->minute = (unsigned)(seconds / 60 % 60);
	d->second = (unsigned)(seconds % 60);
	d->us = (unsigned)(ns / 1000 % 1000000);
}

void time_text(uint64_t ns, char *to, size_t size)
{
	struct date d;

	date_of(ns, &d);
	snprintf(to, size, "%04u-%02u-%02u %02u:%02u:%02u.%03u.%03u", d.year, d.month, d.day, d.hour,
		 d.minute, d.second, d.us / 1000, d.us % 1000);
}

void time_digits(uint64_t ns, char *to, size_t size)
{
	struct date d;

	date_of(ns, &d);
	snprintf(to, size, "%04u%02u%02u%02u%02u%02u%06u", d.year, d.month, d.day, d.hour, d.minute, d.second,
		 d.us);
}

// SPDX-License-Identifier: Apache-2.0
/* Times and places of log lines (log_source.h). Needs the model only. */
#include "analyzer/sources/log_source.h"

#define EVIDENCE_TEXT 400

/* The longest stretch of a coloured line that no colour code interrupts. */
static struct span plain_stretch(struct span raw)
{
	struct span best = SPAN_NONE;
	size_t start = 0;

	for (size_t i = 0; i <= raw.n; i++) {
		if (i < raw.n && raw.p[i] != '\033')
			continue;
		if (i - start > best.n)
			best = span_cut(raw, start, i);
		if (i == raw.n)
			break;
		for (i++; i < raw.n && !span_is_alpha(raw.p[i]); i++)
			;
		start = i + 1;
	}
	return best;
}

struct model_origin log_origin(struct log_file *file, enum model_source source, const struct log_line *line,
			       struct span text)
{
	struct model_origin origin = { .source = source, .file = file->index, .line = line->number };
	size_t end;

	if (memchr(line->raw.p, '\033', line->raw.n))
		text = plain_stretch(line->raw);
	text = span_trim(text);
	if (text.n > EVIDENCE_TEXT) {
		/* Not within a character. */
		for (end = EVIDENCE_TEXT; end > EVIDENCE_TEXT - 4 && ((unsigned char)text.p[end] & 0xc0) == 0x80; end--)
			;
		text.n = end;
	}
	origin.text = (char *)observations_intern(file->set, text.p, text.n);
	file->model->sources |= source;
	file->spoke = true;
	return origin;
}

static bool read_digits(struct span text, size_t *at, size_t least, size_t most, int64_t *number)
{
	size_t i = *at;

	*number = 0;
#ifdef FUZZ_PLANTED
	/* A mistake on purpose: the fuzzers must find that the end is not looked at. */
	while (i - *at < most && span_is_digit(text.p[i]))
#else
	while (i < text.n && i - *at < most && span_is_digit(text.p[i]))
#endif
		*number = *number * 10 + (text.p[i++] - '0');
	if (i - *at < least)
		return false;
	*at = i;
	return true;
}

static bool read_char(struct span text, size_t *at, const char *allowed)
{
	if (*at >= text.n || !text.p[*at] || !strchr(allowed, text.p[*at]))
		return false;
	(*at)++;
	return true;
}

/* Days from 1970-01-01 in the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t era, of_era, of_year;

	year -= month <= 2;
	era = (year >= 0 ? year : year - 399) / 400;
	of_era = year - era * 400;
	of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* hh:mm:ss and what there is of a fraction: ".351.512", ",351", ":118", ".351512". */
static bool read_clock(struct span text, size_t *at, int64_t *us)
{
	int64_t h, m, s, digits = 0, fraction = 0;
	size_t i = *at;

	if (!read_digits(text, &i, 2, 2, &h) || !read_char(text, &i, ":") || !read_digits(text, &i, 2, 2, &m) ||
	    !read_char(text, &i, ":") || !read_digits(text, &i, 2, 2, &s) || h > 24 || m > 59 || s > 60)
		return false;
	*at = i;
	if (read_char(text, &i, ".,:")) {
		for (; i < text.n && digits < 9; i++) {
			if (span_is_digit(text.p[i])) {
				if (digits++ < 6)
					fraction = fraction * 10 + (text.p[i] - '0');
			} else if (text.p[i] != '.' || digits != 3 || i + 1 >= text.n ||
				   !span_is_digit(text.p[i + 1])) {
				break;
			}
		}
		if (digits)
			*at = i;
	}
	for (; digits < 6; digits++)
		fraction *= 10;
	*us = ((h * 60 + m) * 60 + s) * 1000000 + fraction;
	return true;
}

static int64_t month_of(struct span text, size_t at)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (int64_t month = 0; month < 12; month++)
		if (at + 3 <= text.n && !memcmp(text.p + at, names + month * 3, 3))
			return month + 1;
	return 0;
}

static bool read_iso(struct log_file *file, struct span text, size_t *at, int64_t *time_us)
{
	int64_t year, month, day, us;
	size_t i = *at;

	if (!read_digits(text, &i, 4, 4, &year) || !read_char(text, &i, "-/") ||
	    !read_digits(text, &i, 2, 2, &month) || !read_char(text, &i, "-/") ||
	    !read_digits(text, &i, 2, 2, &day) || !read_char(text, &i, "-T _") || !read_clock(text, &i, &us))
		return false;
	if (year < 1990 || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	file->year = year;
	*time_us = days_of(year, month, day) * 86400000000ll + us;
	*at = i;
	return true;
}

/* "Mar  4 09:28:57", perhaps with the year behind. */
static bool read_syslog(struct log_file *file, struct span text, size_t *at, int64_t *time_us)
{
	int64_t month = month_of(text, *at), day, us, year = file->year;
	size_t i = *at + 3, behind;

	if (!month)
		return false;
	while (read_char(text, &i, " "))
		;
	if (!read_digits(text, &i, 1, 2, &day) || !read_char(text, &i, " ") || !read_clock(text, &i, &us))
		return false;
	behind = i;
	if (read_char(text, &behind, " ") && read_digits(text, &behind, 4, 4, &year) && year > 1990)
		i = behind;
	else
		year = file->year;
	if (!year)
		return false;
	*time_us = days_of(year, month, day) * 86400000000ll + us;
	*at = i;
	return true;
}

/* "03-04 09:28:57" of a Python logger. */
static bool read_short(struct log_file *file, struct span text, size_t *at, int64_t *time_us)
{
	int64_t month, day, us;
	size_t i = *at;

	if (!read_digits(text, &i, 2, 2, &month) || !read_char(text, &i, "-") || !read_digits(text, &i, 2, 2, &day) ||
	    !read_char(text, &i, " ") || !read_clock(text, &i, &us) || month < 1 || month > 12 || !file->year)
		return false;
	*time_us = days_of(file->year, month, day) * 86400000000ll + us;
	*at = i;
	return true;
}

/* "E219 18:47:13.330120044": month without a leading zero, day. */
static bool read_glog(struct log_file *file, struct span text, size_t *at, int64_t *time_us)
{
	int64_t date, us;
	size_t i = *at + 1;

	if (!strchr("EWIF", text.p[*at]) || !read_digits(text, &i, 3, 4, &date) || !read_char(text, &i, " ") ||
	    !read_clock(text, &i, &us) || !file->year)
		return false;
	*time_us = days_of(file->year, date / 100, date % 100) * 86400000000ll + us;
	*at = i;
	return true;
}

bool log_time(struct log_file *file, struct span text, size_t *at, int64_t *time_us)
{
	if (*at >= text.n || !text.p[*at])
		return false;
	return read_iso(file, text, at, time_us) || read_syslog(file, text, at, time_us) ||
	       read_short(file, text, at, time_us) || read_glog(file, text, at, time_us);
}

bool log_time_find(struct log_file *file, struct span text, size_t within, int64_t *time_us)
{
	for (size_t i = 0; i < text.n && i < within; i++) {
		size_t at = i;

		if ((i && span_is_word(text.p[i - 1]) && text.p[i - 1] != '_') ||
		    !(span_is_digit(text.p[i]) || (text.p[i] >= 'A' && text.p[i] <= 'Z')))
			continue;
		if (!log_time(file, text, &at, time_us))
			continue;
		file->now_us = *time_us;
		return true;
	}
	return false;
}

// SPDX-License-Identifier: Apache-2.0
/* Lines on stderr and clocks, without stdio: safe in any thread at any time. */
#include "preload/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static uint32_t put(char *to, uint32_t size, uint32_t at, char c)
{
	if (at + 1 < size)
		to[at] = c;
	return at + 1;
}

static uint32_t put_number(char *to, uint32_t size, uint32_t at, unsigned long long value, unsigned int base)
{
	char digits[24];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	while (n)
		at = put(to, size, at, digits[--n]);
	return at;
}

/* %s %u %llu %llx %c %% only: what the shim's few lines need. */
static uint32_t format_list(char *to, uint32_t size, const char *format, va_list list)
{
	uint32_t at = 0;
	const char *text;

	for (; *format; format++) {
		if (*format != '%') {
			at = put(to, size, at, *format);
			continue;
		}
		format++;
		if (format[0] == 'l' && format[1] == 'l') {
			format += 2;
			at = put_number(to, size, at, va_arg(list, unsigned long long), *format == 'x' ? 16 : 10);
			continue;
		}
		switch (*format) {
		case 's':
			for (text = va_arg(list, const char *); text && *text; text++)
				at = put(to, size, at, *text);
			break;
		case 'u':
			at = put_number(to, size, at, va_arg(list, unsigned int), 10);
			break;
		case 'c':
			at = put(to, size, at, (char)va_arg(list, int));
			break;
		case '\0':
			format--;
			break;
		default:
			at = put(to, size, at, *format);
		}
	}
	if (size)
		to[at < size ? at : size - 1] = '\0';
	return at < size ? at : size - 1;
}

uint32_t text_format(char *to, uint32_t size, const char *format, ...)
{
	va_list list;
	uint32_t length;

	va_start(list, format);
	length = format_list(to, size, format, list);
	va_end(list);
	return length;
}

/* By system call: fstat itself is a symbol of glibc 2.33 and newer only. The layouts are the same on 64 bit. */
static bool descriptor_look(int fd, struct stat *status)
{
	return syscall(SYS_fstat, fd, status) == 0;
}

static dev_t error_device;
static ino_t error_inode;

void stderr_remember(void)
{
	struct stat status;
	int saved = errno;

	if (descriptor_look(2, &status)) {
		error_device = status.st_dev;
		error_inode = status.st_ino;
	}
	errno = saved;
}

bool stderr_is_usable(void)
{
	struct stat status;
	int saved = errno;
	bool same, log;

	if (!descriptor_look(2, &status)) {
		errno = saved;
		return false;
	}
	same = status.st_dev == error_device && status.st_ino == error_inode;
	/* Sent elsewhere since: to a pipe, a terminal, a log that is appended to; else it is a file of data. */
	log = !S_ISREG(status.st_mode) || (fcntl(2, F_GETFL) & O_APPEND);
	errno = saved;
	return same || log;
}

void say(const char *format, ...)
{
	char line[512] = "cannwatch: ";
	int saved = errno;
	uint32_t length;
	va_list list;

	va_start(list, format);
	length = 11 + format_list(line + 11, sizeof(line) - 12, format, list);
	va_end(list);
	line[length++] = '\n';
	/* One write, so that lines of several processes do not mix; what does not go out is gone. */
	if (stderr_is_usable() && write(2, line, length) < 0)
		errno = saved;
	errno = saved;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t now_mono(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t now_coarse(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE);
}

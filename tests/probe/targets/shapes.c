// SPDX-License-Identifier: Apache-2.0
/*
 * A program that stands still in a stack of a given shape and says what that stack
 * is: "tid pc pc ...", innermost first, by backtrace(). Built with and without
 * optimisation. The first pc is inside leaf(); outwards from there all must agree.
 *
 *   shapes SHAPE DEPTH THREADS    THREADS 0: on the first thread
 */
#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/probe/targets/noinline.h"


static int never[2]; /* a pipe nobody writes to */
static volatile sig_atomic_t sink;
static const char *shape;
static int depth;
static volatile int spin;

static NOINLINE void tell(void **pcs, int count)
{
	char text[40000];
	int used = 0, i;

	used = snprintf(text, sizeof(text), "%ld", (long)syscall(SYS_gettid));
	for (i = 0; i < count; i++)
		used += snprintf(text + used, sizeof(text) - used, " %lx", (unsigned long)pcs[i]);
	text[used++] = '\n';
	if (write(1, text, used) != used)
		_exit(3);
	KEEP();
}

static NOINLINE void leaf(void)
{
	void *pcs[1024];
	char byte;
	int count;

	count = backtrace(pcs, 1024);
	tell(pcs, count);
	while (spin)
		sink++;
	if (read(never[0], &byte, 1) > 0)
		sink = byte;
	KEEP();
}

static NOINLINE void recurse(int left)
{
	volatile char pad[40];

	pad[left & 31] = (char)left;
	if (left > 0)
		recurse(left - 1);
	else
		leaf();
	sink += pad[left & 31];
}

static NOINLINE void with_alloca(int left)
{
	char *block = alloca(16 + (left * 37) % 200);

	memset(block, left, 16);
	if (left > 0)
		with_alloca(left - 1);
	else
		leaf();
	sink += block[3];
}

static NOINLINE void with_array(int left)
{
	char block[8 + left * 3];

	memset(block, left, sizeof(block));
	if (left > 0)
		with_array(left - 1);
	else
		leaf();
	sink += block[sizeof(block) / 2];
}

static NOINLINE void aligned(int left)
{
	volatile char block[64] __attribute__((aligned(64)));

	block[0] = (char)left;
	if (left > 0)
		aligned(left - 1);
	else
		leaf();
	sink += block[0];
}

static NOINLINE __attribute__((noreturn)) void no_way_back(int left)
{
	recurse(left);
	_exit(4);
}

/* The call is the last instruction: its return address lies behind the function's end. */
static NOINLINE __attribute__((noreturn)) void calls_noreturn(int left)
{
	no_way_back(left);
}

static NOINLINE void tail_end(int left)
{
	recurse(left);
}

static NOINLINE void tail(int left)
{
	sink++;
	tail_end(left + 1); /* becomes a jump when optimised */
}

/* Seven arguments and many live values: registers are pushed, arguments too. */
static NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, long h, int left)
{
	long x = a * b, y = c * d, z = e * f, w = g * h, v = a ^ h;

	if (left > 0)
		x += many(b, c, d, e, f, g, h, a, left - 1);
	else
		leaf();
	return x + y * z - w + v + a + b + c + d;
}

static void on_signal(int number)
{
	sink = number;
	recurse(2);
}

static NOINLINE void signalled(int left)
{
	if (left > 0) {
		signalled(left - 1);
	} else {
		kill(getpid(), SIGUSR1);
		pause();
	}
	KEEP();
}

static NOINLINE void raise_on(int flags)
{
	static char other[65536];
	stack_t stack = { .ss_sp = other, .ss_size = sizeof(other) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = flags };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	signalled(depth);
	KEEP();
}

/* A fault: the interrupted pc is the faulting instruction itself. */
static NOINLINE void fault(int left)
{
	if (left > 0)
		fault(left - 1);
	else
		*(volatile int *)(uintptr_t)(16 + sink) = 1;
	KEEP();
}

static NOINLINE void fault_start(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGSEGV, &action, NULL);
	fault(depth);
	KEEP();
}

static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	leaf();
	return 0;
}

static NOINLINE void called_back(void)
{
	int values[4] = { 3, 2, 1, 0 };

	qsort(values, 4, sizeof(values[0]), compare);
	sink = values[0];
}

static NOINLINE void shape_run(void)
{
	if (!strcmp(shape, "recursion"))
		recurse(depth);
	else if (!strcmp(shape, "alloca"))
		with_alloca(depth);
	else if (!strcmp(shape, "array"))
		with_array(depth);
	else if (!strcmp(shape, "aligned"))
		aligned(depth);
	else if (!strcmp(shape, "noreturn"))
		calls_noreturn(depth);
	else if (!strcmp(shape, "tail"))
		tail(depth);
	else if (!strcmp(shape, "many"))
		sink = (int)many(1, 2, 3, 4, 5, 6, 7, 8, depth);
	else if (!strcmp(shape, "signal"))
		raise_on(0);
	else if (!strcmp(shape, "altstack"))
		raise_on(SA_ONSTACK);
	else if (!strcmp(shape, "fault"))
		fault_start();
	else if (!strcmp(shape, "callback"))
		called_back();
	else
		_exit(2);
	KEEP();
}

static void *thread_run(void *unused)
{
	shape_run();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	void *warm[4];
	int i, threads;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc < 4 || pipe(never))
		return 2;
	spin = argc > 4;
	shape = argv[1];
	depth = atoi(argv[2]);
	threads = atoi(argv[3]);
	backtrace(warm, 4);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	for (i = 0; i < threads; i++) {
		pthread_t thread;

		if (pthread_create(&thread, &attributes, thread_run, NULL))
			return 5;
	}
	if (threads == 0)
		shape_run();
	for (;;)
		pause();
}

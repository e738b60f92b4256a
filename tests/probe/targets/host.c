// SPDX-License-Identifier: Apache-2.0
/*
 * A program in which no thread is in a CANN call. Argument: what the first thread
 * does; a second one sits in a queue (a condition) unless "alone" follows.
 */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile unsigned long counter;

static void queue_wait(void)
{
	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&condition, &mutex);
}

static void *worker(void *unused)
{
	queue_wait();
	return unused;
}

static int listening(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	listen(fd, 1); /* autobinds no name: nobody ever comes */
	return fd;
}

static void accept_wait(void)
{
	struct sockaddr_storage name = { .ss_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (bind(fd, (struct sockaddr *)&name, sizeof(sa_family_t)) || listen(fd, 1))
		_exit(3);
	accept(fd, NULL, NULL);
}

static void epoll_loop(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int set = epoll_create1(0), fd = listening();

	epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
	for (;;)
		epoll_wait(set, &event, 1, 200);
}

static void child_wait(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(100);
		pause();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void read_wait(void)
{
	int pipes[2];
	char byte;

	if (pipe(pipes) || read(pipes[0], &byte, 1) < 0)
		_exit(3);
}

static void lock_wait(void)
{
	pthread_mutex_lock(&taken);
	pthread_mutex_lock(&taken);
}

static void shared_wait(void)
{
	sem_t *semaphore = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	sem_init(semaphore, 1, 0);
	sem_wait(semaphore);
}

__attribute__((noinline)) static void spin(void)
{
	for (;;)
		counter++;
}

static void poll_nothing(void)
{
	for (;;)
		poll(NULL, 0, 100000);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "accept", accept_wait }, { "epoll", epoll_loop }, { "child", child_wait },  { "read", read_wait },
	{ "lock", lock_wait },	   { "queue", queue_wait }, { "shared", shared_wait }, { "spin", spin },
	{ "poll-nothing", poll_nothing },
};

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 2)
		return 2;
	alarm(100);
	if (argc == 2 && pthread_create(&thread, NULL, worker, NULL))
		return 3;
	puts("there=1");
	fflush(stdout);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(modes[i].name, argv[1]) == 0)
			modes[i].run();
	return 4;
}

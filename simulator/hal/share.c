// SPDX-License-Identifier: Apache-2.0
/*
 * Notifies shared between processes. The process that exports one keeps its
 * flag in a memfd; a key names that process, the descriptor and the entry, so
 * that others can map the same memory through /proc/PID/fd. It vanishes with
 * its last user and needs no name in any file system. What is read from
 * another process is checked before use and only ever read or set as flags.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "simulator/hal/device.h"

enum {
	SHARED_MAGIC = 0x53494d4e,
	SHARED_ENTRIES = 1024,
	SHARED_PIDS = 30,
	KEY_CHARACTERS = 7, /* of six bits: pid 22, descriptor 10, entry 10 */
	MAX_FD = 1023,
	OPEN_SLOTS = 1024,
};

struct shared_entry {
	_Atomic uint32_t set;
	_Atomic uint32_t used;
	_Atomic uint32_t anyone; /* no list of processes is kept */
	uint32_t device, id;
	_Atomic int32_t pids[SHARED_PIDS]; /* who may open it; 0: free */
};

struct shared_page {
	uint32_t magic;
	struct shared_entry entries[SHARED_ENTRIES];
};

static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

static struct shared_page *own_page; /* all under hal_lock */
static pid_t own_pid;
static int own_fd = -1;
static struct shared_flag {
	_Atomic uint32_t *set;
	pid_t pid;
	int fd;
	uint32_t entry;
} opened[OPEN_SLOTS];

static int page_make(void)
{
	void *p;

	if (own_page && own_pid == getpid())
		return 0;
	own_page = NULL;
	own_fd = memfd_create("cannsim-notify", MFD_CLOEXEC);
	if (own_fd < 0 || own_fd > MAX_FD || ftruncate(own_fd, sizeof(struct shared_page)) != 0)
		goto out_close;
	p = mmap(NULL, sizeof(struct shared_page), PROT_READ | PROT_WRITE, MAP_SHARED, own_fd, 0);
	if (p == MAP_FAILED)
		goto out_close;
	own_page = p;
	own_page->magic = SHARED_MAGIC;
	own_pid = getpid();
	return 0;
out_close:
	if (own_fd >= 0)
		close(own_fd);
	own_fd = -1;
	return -1;
}

static void key_write(char *key, uint32_t entry)
{
	uint64_t value = (uint64_t)own_pid << 20 | (uint64_t)own_fd << 10 | entry;

	for (int i = 0; i < KEY_CHARACTERS; i++, value >>= 6)
		key[i] = digits[value & 63];
	key[KEY_CHARACTERS] = '\0';
}

static bool key_read(const char *key, pid_t *pid, int *fd, uint32_t *entry)
{
	uint64_t value = 0;

	for (int i = KEY_CHARACTERS - 1; i >= 0; i--) {
		const char *at = strnlen(key, KEY_CHARACTERS) == KEY_CHARACTERS ? strchr(digits, key[i])
										: NULL;

		if (!at)
			return false;
		value = value << 6 | (uint64_t)(at - digits);
	}
	*pid = (pid_t)(value >> 20);
	*fd = (int)(value >> 10 & MAX_FD);
	*entry = (uint32_t)(value & (SHARED_ENTRIES - 1));
	return *pid > 0;
}

/* Waits that are queued already must be looked at again and again from now on. */
static void poll_waiters(struct device *d, struct flag *f)
{
	for (struct sq *sq = f->waiters.first; sq; sq = sq->next) {
		if (!sq->polled)
			d->polled++;
		sq->polled = true;
	}
	device_wake(d);
}

drvError_t halShrIdCreate(uint32_t devId, uint32_t id, uint32_t anyone, char *key, uint32_t len)
{
	struct device *d = hal_device(devId);
	char text[KEY_CHARACTERS + 1];
	drvError_t err = DRV_ERROR_NO_RESOURCES;
	struct shared_entry *e = NULL;

	if (!d || id >= SIM_NOTIFIES || !key || len <= KEY_CHARACTERS)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	for (uint32_t i = 0; page_make() == 0 && !e && i < SHARED_ENTRIES; i++) {
		if (atomic_load(&own_page->entries[i].used))
			continue;
		e = &own_page->entries[i];
		key_write(text, i);
	}
	if (!e)
		goto out;
	e->device = devId;
	e->id = id;
	atomic_store(&e->set, d->notifies[id].set);
	atomic_store(&e->anyone, anyone);
	for (int i = 0; i < SHARED_PIDS; i++)
		atomic_store(&e->pids[i], 0);
	atomic_store(&e->used, 1);
	d->notifies[id].set = false;
	d->notifies[id].shared = &e->set;
	poll_waiters(d, &d->notifies[id]);
	memset(key, 0, len);
	memcpy(key, text, sizeof(text));
	err = DRV_ERROR_NONE;
out:
	pthread_mutex_unlock(&hal_lock);
	return err;
}

static struct shared_entry *entry_of(_Atomic uint32_t *set)
{
	return (struct shared_entry *)(void *)set; /* it is the first member */
}

drvError_t halShrIdSetPid(uint32_t devId, uint32_t id, const int32_t *pids, uint32_t count)
{
	struct device *d = hal_device(devId);
	drvError_t err = DRV_ERROR_INVALID_VALUE;
	struct shared_entry *e;
	uint32_t done = 0;

	if (!d || id >= SIM_NOTIFIES || !pids)
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	e = d->notifies[id].shared ? entry_of(d->notifies[id].shared) : NULL;
	for (int i = 0; e && i < SHARED_PIDS && done < count; i++)
		if (atomic_load(&e->pids[i]) == 0)
			atomic_store(&e->pids[i], pids[done++]);
	if (e)
		err = done == count ? DRV_ERROR_NONE : DRV_ERROR_NO_RESOURCES;
	pthread_mutex_unlock(&hal_lock);
	return err;
}

void share_end(struct flag *f)
{
	if (f->shared)
		atomic_store(&entry_of(f->shared)->used, 0);
	f->shared = NULL;
}

static bool may_open(struct shared_entry *e, pid_t owner)
{
	bool listed = owner == getpid() || atomic_load(&e->anyone);

	for (int i = 0; i < SHARED_PIDS && !listed; i++)
		listed = atomic_load(&e->pids[i]) == getpid();
	return listed;
}

static struct shared_page *page_of(pid_t pid, int fd)
{
	struct stat st;
	char path[64];
	void *p;
	int own;

	if (own_page && pid == own_pid && pid == getpid() && fd == own_fd)
		return own_page;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	own = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (own < 0)
		return NULL;
	p = fstat(own, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == sizeof(struct shared_page)
		    ? mmap(NULL, sizeof(struct shared_page), PROT_READ | PROT_WRITE, MAP_SHARED, own, 0)
		    : MAP_FAILED;
	close(own);
	if (p == MAP_FAILED)
		return NULL;
	if (((struct shared_page *)p)->magic == SHARED_MAGIC)
		return p;
	munmap(p, sizeof(struct shared_page));
	return NULL;
}

static void page_leave(struct shared_page *page)
{
	if (page && page != own_page)
		munmap(page, sizeof(*page));
}

static bool same_entry(const struct shared_flag *f, pid_t pid, int fd, uint32_t entry)
{
	return f->pid == pid && f->fd == fd && f->entry == entry;
}

drvError_t halShrIdOpen(const char *key, struct sim_shared_id *out)
{
	struct shared_page *page;
	struct shared_entry *e;
	uint32_t entry, slot = 0;
	drvError_t err = DRV_ERROR_INVALID_VALUE;
	pid_t pid;
	int fd;

	if (!key || !out || !key_read(key, &pid, &fd, &entry))
		return DRV_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&hal_lock);
	page = page_of(pid, fd);
	e = page ? &page->entries[entry] : NULL;
	/* slots are never given back: a queued task may still use one */
	while (slot < OPEN_SLOTS && opened[slot].set && !same_entry(&opened[slot], pid, fd, entry))
		slot++;
	if (e && atomic_load(&e->used) && slot < OPEN_SLOTS && may_open(e, pid) &&
	    e->device < SIM_MAX_DEVICES && e->id < SIM_NOTIFIES) {
		if (opened[slot].set)
			page_leave(page);
		else
			opened[slot] = (struct shared_flag){ &e->set, pid, fd, entry };
		*out = (struct sim_shared_id){ e->device, e->id, slot + 1, pid == getpid() };
		err = DRV_ERROR_NONE;
	} else {
		page_leave(page);
	}
	pthread_mutex_unlock(&hal_lock);
	return err;
}

_Atomic uint32_t *shared_word(const struct sim_sqe *sqe)
{
	uint64_t slot = sqe->arg[0];

	return slot >= 1 && slot <= OPEN_SLOTS ? opened[slot - 1].set : NULL;
}

// SPDX-License-Identifier: Apache-2.0
/* Which look-ups of functions lead to a wrapper: see lookup.h. */
#include "preload/lookup.h"
#include "preload/bare_text.h"
#include "preload/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct sorted {
	uint16_t api;
	bool exported; /* by this library */
};

static const struct sorted sorted[] = {
#define API_SORTED(name, exported) { API_ID_##name, exported },
#include "shm/api_sorted.inc"
#undef API_SORTED
};

/* Under names of their own: the public ones may be another library's that comes first. */
#define API_CALL(family, role, name, ...) extern char own_##name[] __attribute__((visibility("hidden")));
#define API_VOID API_CALL
#define API_TEXT API_CALL
#define API_FEED API_CALL
#include "shm/api.def"
#undef API_CALL

void *const lookup_wrappers[API_COUNT] = {
#define API_CALL(family, role, name, ...) [API_ID_##name] = own_##name,
#include "shm/api.def"
};

typedef void *dlsym_function(void *handle, const char *name);
typedef void *dlvsym_function(void *handle, const char *name, const char *version);

static const struct sorted *name_find(const char *name)
{
	size_t low = 0, high = ARRAY_SIZE(sorted);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = bare_compare(name, ring_api(sorted[middle].api)->name);

		if (order == 0)
			return &sorted[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/*
 * Who answers look-ups after us: usually libc (libdl before 2.34), or another library
 * that stands in front of it as we do. That one's own questions go to libc, or it
 * would be asking itself.
 */
static void *next_lookup(bool versioned, uintptr_t caller)
{
	static void *next[2], *libc[2];
	const char *name = versioned ? "dlvsym" : "dlsym";
	void *first = __atomic_load_n(&next[versioned], __ATOMIC_RELAXED);
	void *last = __atomic_load_n(&libc[versioned], __ATOMIC_RELAXED);

	if (unlikely(!first || !last)) {
		first = real_find(name);
		last = real_find_libc(name);
		__atomic_store_n(&next[versioned], first, __ATOMIC_RELAXED);
		__atomic_store_n(&libc[versioned], last, __ATOMIC_RELAXED);
	}
	if (likely(first == last) || !last)
		return first;
	return real_same_object(caller, (uintptr_t)first) ? last : first;
}

static void *look_up(void *next, void *handle, const char *name, const char *version)
{
	return version ? ((dlvsym_function *)next)(handle, name, version) : ((dlsym_function *)next)(handle, name);
}

/* Nothing after us has it, so that this finds nothing and dlerror says of what. */
static void *look_up_absent(void *next, const char *name, const char *version)
{
	return look_up(next, RTLD_NEXT, name, version);
}

static bool redirects(void)
{
	return __atomic_load_n(&shim.state, __ATOMIC_RELAXED) != SHIM_OFF;
}

/* The wrapper, knowing already where it goes on to. */
static void *wrapper_of(uint16_t api, void *real)
{
	__atomic_store_n(&real_functions[api], real, __ATOMIC_RELAXED);
	return lookup_wrappers[api];
}

static void *target_of(const struct sorted *found)
{
	void *known = __atomic_load_n(&real_functions[found->api], __ATOMIC_RELAXED);

	return known ? known : real_find(ring_api(found->api)->name);
}

/* A library, or the program, is named: only what the real look-up finds there counts. */
static struct lookup_answer decide_in(const struct sorted *found, void *next, void *handle, const char *name,
				      const char *version)
{
	struct lookup_answer answer = { NULL, look_up(next, handle, name, version) };

	if (!answer.value)
		return answer;
	if (answer.value == lookup_wrappers[found->api]) {
		if (!target_of(found))
			answer.value = look_up_absent(next, name, version);
	} else if (redirects() && answer.value == target_of(found)) {
		answer.value = wrapper_of(found->api, answer.value);
	}
	return answer;
}

/* The caller's own scope decides, which only the real function knows. */
static struct lookup_answer decide_default(const struct sorted *found, void *next, const char *name,
					   const char *version)
{
	struct lookup_answer on = { next, NULL }, answer = { NULL, NULL };
	void *first = real_first(name), *target = target_of(found);

	if (first == lookup_wrappers[found->api] && target)
		return on;
	if (first == lookup_wrappers[found->api])
		answer.value = look_up_absent(next, name, version);
	else if (first && redirects() && first == target &&
		 look_up(next, RTLD_DEFAULT, name, version) == first)
		answer.value = wrapper_of(found->api, first);
	else
		return on;
	return answer;
}

struct lookup_answer lookup_decide(void *handle, const char *name, const char *version, uintptr_t caller)
{
	int saved = errno;
	void *next = next_lookup(version != NULL, caller);
	struct lookup_answer answer = { next, NULL };
	const struct sorted *found;

	errno = saved;
	if (!next || !name)
		return answer;
	found = name_find(name);
	if (likely(!found))
		return answer;
	if (handle == RTLD_NEXT) {
		/* Only a library before us gets us: if there is nothing behind us, it gets nothing. */
		if (found->exported && !target_of(found))
			answer = (struct lookup_answer){ NULL, look_up_absent(next, name, version) };
	} else if (handle == RTLD_DEFAULT) {
		answer = decide_default(found, next, name, version);
	} else {
		answer = decide_in(found, next, handle, name, version);
	}
	errno = saved;
	return answer;
}

// SPDX-License-Identifier: Apache-2.0
/*
 * The wrappers, one per row of the API table that is a call of its own (the driver's
 * and the trace feed's are in hal.c). Each stands in front of the function of the same
 * name and hands over its arguments and its result unchanged.
 */
#include "preload/call.h"
#include "preload/real.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* What a program gets that calls a function which its CANN does not have. */
#define MISSING_ACL  207000 /* ACL_ERROR_RT_FEATURE_NOT_SUPPORT */
#define MISSING_RT   207000
#define MISSING_HCCL 5 /* HCCL_E_NOT_SUPPORT */

#define UNPACK(...) __VA_ARGS__

/* The same wrapper under a name that nobody else's can come before: see lookup.c. */
#define OWN(name) extern __typeof(name) own_##name __attribute__((alias(#name), visibility("hidden")));

#define SITE(numbers, stream_value, object_value, timeout_value)                                             \
	{                                                                                                    \
		.first = { UNPACK numbers }, .stream = stream_value, .object = object_value,                     \
		.timeout = timeout_value, .return_address = (uintptr_t)__builtin_return_address(0),              \
		.frame_pointer = *(uintptr_t *)__builtin_frame_address(0),                                     \
		.cfa = (uintptr_t)__builtin_dwarf_cfa(),                                                       \
	}

#define API_CALL(fam, role, name, ret, params, args, first, stream, object, timeout, si, oi, ti, since)        \
	EXPORT ret name params;                                                                              \
	OWN(name)                                                                                           \
	EXPORT ret name params                                                                               \
	{                                                                                                    \
		const struct call_site site = SITE(first, stream, object, timeout);                              \
		ret(*real) params = (ret(*) params)real_function(API_ID_##name);                                 \
		ret result;                                                                                  \
                                                                                                             \
		if (unlikely(!real))                                                                         \
			return real_missing(API_ID_##name, MISSING_##fam);                                       \
		if (!call_begin(&shim_self, API_ID_##name, RING_ROLE_##role, &site))                             \
			return real args;                                                                    \
		result = real args;                                                                          \
		call_end(&shim_self, result != 0);                                                               \
		return result;                                                                               \
	}

#define API_VOID(fam, role, name, ret, params, args, first, stream, object, timeout, si, oi, ti, since)        \
	EXPORT void name params;                                                                             \
	OWN(name)                                                                                           \
	EXPORT void name params                                                                              \
	{                                                                                                    \
		const struct call_site site = SITE(first, stream, object, timeout);                              \
		void (*real) params = (void(*) params)real_function(API_ID_##name);                              \
		bool followed;                                                                               \
                                                                                                             \
		if (unlikely(!real)) {                                                                       \
			real_missing(API_ID_##name, 0);                                                          \
			return;                                                                              \
		}                                                                                            \
		followed = call_begin(&shim_self, API_ID_##name, RING_ROLE_##role, &site);                       \
		real args;                                                                                   \
		if (followed)                                                                                \
			call_end(&shim_self, false);                                                             \
	}

/* Answers a text: NULL is the only failure. */
#define API_TEXT(fam, role, name, ret, params, args, first, stream, object, timeout, si, oi, ti, since)        \
	EXPORT void *name params;                                                                            \
	OWN(name)                                                                                           \
	EXPORT void *name params                                                                             \
	{                                                                                                    \
		const struct call_site site = SITE(first, stream, object, timeout);                              \
		void *(*real)params = (void *(*)params)real_function(API_ID_##name);                             \
		void *result;                                                                                \
                                                                                                             \
		if (unlikely(!real)) {                                                                       \
			real_missing(API_ID_##name, 0);                                                          \
			return NULL;                                                                         \
		}                                                                                            \
		if (!call_begin(&shim_self, API_ID_##name, RING_ROLE_##role, &site))                             \
			return real args;                                                                    \
		result = real args;                                                                          \
		call_end(&shim_self, result == NULL);                                                            \
		return result;                                                                               \
	}

#define API_FEED(...)

#include "shm/api.def"

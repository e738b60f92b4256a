// SPDX-License-Identifier: Apache-2.0
/*
 * The rest of the public functions: present, as in a real toolkit, but not
 * modelled (rest.def). Their arguments do not matter, so this file defines
 * them without any and must not include the public headers.
 */
#include <stddef.h>
#include "simulator/runtime/rt.h"

enum { NOT_SUPPORTED = 207000, LEVEL_ERROR = 3 };

static int refuse(const char *function)
{
	rtLogLine(LEVEL_ERROR, "ASCENDCL", function, "the function is not supported, retCode=207000");
	return NOT_SUPPORTED;
}

#define REST(name)                    \
	SIM_EXPORT int name(void);    \
	int name(void)                \
	{                             \
		return refuse(#name); \
	}

#define REST_NULL(name)              \
	SIM_EXPORT void *name(void); \
	void *name(void)             \
	{                            \
		refuse(#name);       \
		return NULL;         \
	}

#define REST_ZERO(name)               \
	SIM_EXPORT size_t name(void); \
	size_t name(void)             \
	{                             \
		refuse(#name);        \
		return 0;             \
	}

#define REST_VOID(name)             \
	SIM_EXPORT void name(void); \
	void name(void)             \
	{                           \
		refuse(#name);      \
	}

#include "simulator/acl/rest.def"

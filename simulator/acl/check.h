// SPDX-License-Identifier: Apache-2.0
/*
 * Inside of libascendcl.so: argument checks of the acl layer. Its own errors
 * (100000 and the like) leave a text with an EH code and no last error.
 */
#ifndef SIMULATOR_ACL_CHECK_H
#define SIMULATOR_ACL_CHECK_H

#pragma GCC visibility push(default)
#include "simulator/include/acl/acl.h"
#include "simulator/include/acl/acl_dump.h"
#include "simulator/include/acl/acl_tdt.h"
#pragma GCC visibility pop
#include "simulator/runtime/rt.h"

/* Each returns 100000 after leaving the text. */
aclError acl_null(const char *argument);
aclError acl_invalid(const char *argument);

#define CHECK_NOT_NULL(argument)                    \
	do {                                        \
		if ((argument) == NULL)             \
			return acl_null(#argument); \
	} while (0)

#endif

// SPDX-License-Identifier: Apache-2.0
/* The rest of the public functions: 207000 and one log line. */
#include "simulator/acl/check.h"

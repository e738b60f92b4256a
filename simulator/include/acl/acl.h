// SPDX-License-Identifier: Apache-2.0
/*
 * The one header a program includes: start and end of acl, and all of the runtime.
 * Needs only the C headers; usable from C and C++.
 */
#ifndef SIM_INC_ACL_H
#define SIM_INC_ACL_H

#include "acl_base.h"
#include "acl_rt.h"
#include "acl_op.h"
#include "acl_mdl.h"

#ifdef __cplusplus
extern "C" {
#endif

aclError aclFinalize(void);
aclError aclFinalizeReference(uint64_t *refCount);
aclError aclInit(const char *configPath);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
/* Telling the program's registered functions; called without any lock held. */
#ifndef SIMULATOR_ACL_REGISTER_H
#define SIMULATOR_ACL_REGISTER_H

#include "simulator/acl/check.h"

void tell_device_state(int32_t device, aclrtDeviceState state);
void tell_stream_state(aclrtStream stream, aclrtStreamState state);

#endif

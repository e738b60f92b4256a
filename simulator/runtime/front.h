// SPDX-License-Identifier: Apache-2.0
/*
 * How libruntime.so reaches the runtime proper: in the classic layout it holds
 * it, in the split one libruntime_v100.so does and hands over a table.
 */
#ifndef SIMULATOR_RUNTIME_FRONT_H
#define SIMULATOR_RUNTIME_FRONT_H

#ifdef SIM_SPLIT
#include "split_rt_table.h"
/* Loads libruntime_v100.so when it is first needed; ends the process if that fails. */
const struct rt_table *rt_table(void);
#define RT_INNER(name) rt_table()->name
#else
#define RT_INNER(name) name
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * libruntime_v100.so is loaded with dlopen: it finds only what the program and
 * its own needs offer. Its other references to libascend_trace are weak and
 * would not make that library one of its needs.
 */
#include "simulator/trace/atrace.h"

static TraStatus (*const needed)(const struct TraceGlobalAttr *) __attribute__((used)) = AtraceSetGlobalAttr;

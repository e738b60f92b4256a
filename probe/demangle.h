// SPDX-License-Identifier: Apache-2.0
/*
 * C++ names made readable by the C++ runtime's own routine, if that library is
 * there; without it names stay as they are. Uses dlopen.
 */
#ifndef CANNWATCH_PROBE_DEMANGLE_H
#define CANNWATCH_PROBE_DEMANGLE_H

/* A new string, the name itself if it is not mangled or cannot be read; NULL out of memory. */
char *demangle_name(const char *name);

#endif

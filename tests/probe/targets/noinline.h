// SPDX-License-Identifier: Apache-2.0
/* Functions that must stay frames of their own. */
#ifndef CANNWATCH_TESTS_NOINLINE_H
#define CANNWATCH_TESTS_NOINLINE_H

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define KEEP() __asm__ volatile("" ::: "memory") /* no tail call */

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Functions that show on the stack of a blocked program. In the split layout
 * they go by the runtime's own mangled names and are exported, so that an
 * unwinder without symbol tables still finds them; in the classic layout the
 * frames are the same but have no exported names.
 */
#ifndef SIMULATOR_RUNTIME_FRAMES_H
#define SIMULATOR_RUNTIME_FRAMES_H

#if defined(__has_attribute)
#if __has_attribute(noipa)
#define FRAME_KEEP __attribute__((noinline, noipa))
#endif
#endif
#ifndef FRAME_KEEP
#define FRAME_KEEP __attribute__((noinline))
#endif

#ifdef SIM_SPLIT
#define FRAME(mangled) __asm__(mangled) __attribute__((visibility("default"))) FRAME_KEEP
#else
#define FRAME(mangled) FRAME_KEEP
#endif

#endif

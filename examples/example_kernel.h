// SPDX-License-Identifier: Apache-2.0
/* Loading and launching the kernels of example_kernels.c, for the examples that need one. Needs acl only. */
#ifndef EXAMPLES_EXAMPLE_KERNEL_H
#define EXAMPLES_EXAMPLE_KERNEL_H

#include "example_common.h"

/* libexample_kernels.so lies beside the program, or EXAMPLE_KERNELS names it. */
static inline void example_kernel_path(char *to, size_t size)
{
	const char *path = getenv("EXAMPLE_KERNELS");
	ssize_t n = readlink("/proc/self/exe", to, size - 1);

	to[n > 0 ? n : 0] = '\0';
	n = strrchr(to, '/') ? strrchr(to, '/') - to + 1 : 0;
	if (path)
		snprintf(to, size, "%s", path);
	else
		snprintf(to + n, size - (size_t)n, "libexample_kernels.so");
}

static inline aclrtFuncHandle example_kernel(const char *name)
{
	aclrtFuncHandle kernel;
	aclrtBinHandle library;
	char path[4096];

	example_kernel_path(path, sizeof(path));
	CALL(aclrtBinaryLoadFromFile(path, NULL, &library));
	CALL(aclrtBinaryGetFunction(library, name, &kernel));
	return kernel;
}

static inline void example_launch(aclrtFuncHandle kernel, aclrtStream stream, uint32_t milliseconds)
{
	CALL(aclrtLaunchKernelWithHostArgs(kernel, 1, stream, NULL, &milliseconds, sizeof(milliseconds), NULL, 0));
}

#endif

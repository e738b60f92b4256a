// SPDX-License-Identifier: Apache-2.0
/* libascendcl.so of the split layout holds nothing: it only needs libacl_rt.so, so that old programs find it. */
extern int aclInit(const char *configPath);

/* the reference is what makes it needed */
static int (*const needed)(const char *) __attribute__((used)) = aclInit;

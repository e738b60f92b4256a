// SPDX-License-Identifier: Apache-2.0
/*
 * Everything there is to read under a path: a file, standard input, a directory
 * with all its files (symbolic links inside it are not followed), archives and
 * compressed files opened in place. Needs libarchive where it was built in.
 */
#ifndef CANNWATCH_SOURCES_LOG_TREE_H
#define CANNWATCH_SOURCES_LOG_TREE_H

#include <stdint.h>

#include "analyzer/sources/log_feed.h"

struct log_visitor {
	/* One text to read; name is how a user would find it ("logs.tar.gz:rank-0/plog-1.log"). */
	void (*text)(struct log_visitor *visitor, const char *name, struct byte_source *bytes);
	/* Something that could not be read; error is a -errno. */
	void (*failed)(struct log_visitor *visitor, const char *name, int error);
};

/* 0, or -errno when the path itself cannot be opened. "-" is standard input. */
int log_tree_walk(const char *path, struct log_visitor *visitor);

#endif

// SPDX-License-Identifier: Apache-2.0
/* From paths to a model: the one entry of the log sources. */
#ifndef CANNWATCH_SOURCES_RECOGNISE_H
#define CANNWATCH_SOURCES_RECOGNISE_H

#include <stddef.h>
#include <stdint.h>

struct model;
struct byte_source;

struct log_progress {
	/* Called after every file; may be NULL. */
	void (*file)(struct log_progress *progress, const char *name);
	uint64_t files;	    /* texts read */
	uint64_t bytes;
	uint64_t unreadable;
	char *first_error;  /* of the first that could not be read, one line; owned, free() */
};

/*
 * Reads everything under the paths into model (initialised, empty). 0, or -errno
 * when a path cannot be opened or nothing could be read (progress->first_error says what).
 */
int recognise_paths(struct model *model, char *const *paths, size_t count, struct log_progress *progress);
/*
 * The same by hand, text by text (tests, fuzzers). One recogniser serves many models
 * one after the other; making one costs some milliseconds. Not thread safe.
 */
struct recogniser;
struct recogniser *recogniser_new(void); /* NULL if the sieve cannot be made */
void recogniser_free(struct recogniser *recogniser);
void recogniser_begin(struct recogniser *recogniser, struct model *model);
/* Bytes read in *size; 0 or -errno of the first read. */
int recogniser_text(struct recogniser *recogniser, const char *name, struct byte_source *bytes, uint64_t *size);
/* The model is complete. */
void recogniser_finish(struct recogniser *recogniser);

#endif

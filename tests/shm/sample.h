// SPDX-License-Identifier: Apache-2.0
/* A ring with something of everything in it, for the tests of the reader. */
#ifndef CANNWATCH_TESTS_SHM_SAMPLE_H
#define CANNWATCH_TESTS_SHM_SAMPLE_H

#include "shm/ring_reader.h"
#include "shm/ring_writer.h"

#define SAMPLE_STREAMS 3u
#define SAMPLE_ENTRIES 300u /* of each stream: two segments */

/* Makes a ring file of this process. Aborts if it cannot. */
void sample_open(struct ring_writer *writer);
void sample_fill(struct ring_writer *writer);

/* Stores one entry in the order that ring_format.h asks for; its words follow from stream and number. */
void sample_entry(struct ring_segment *segment, uint32_t stream, uint64_t number);
int sample_entry_is_whole(const struct ring_entry *entry, uint32_t stream);

/* Reads path once; the snapshot is freed. Returns the reader's or the snapshot's error. */
int sample_read(const char *path);

/* The bytes of a file up to its last chunk, in memory of malloc. */
unsigned char *sample_bytes(const struct ring_writer *writer, size_t *size);
void sample_write(const char *path, const unsigned char *bytes, size_t size);

#endif

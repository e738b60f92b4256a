// SPDX-License-Identifier: Apache-2.0
/*
 * Phrases: the wordings by which a log statement is recognised, as one table, and
 * the fields that a statement carries whatever its wording. Knows no file.
 */
#ifndef CANNWATCH_SOURCES_PHRASE_H
#define CANNWATCH_SOURCES_PHRASE_H

#include "analyzer/model/observation.h"
#include "analyzer/sources/span.h"

/* The literals that any phrase begins with, NULL-terminated. */
extern const char *const phrase_literals[];

/*
 * What the statement says, OBSERVED_NOTHING if no phrase is in it or its level
 * forbids to believe it (a scary word in an INFO record, a quotation). *at is where
 * the phrase stands.
 */
enum observation_kind phrase_find(struct span text, enum log_level level, size_t *at);

/* Fills fields of *o that are not known yet from the statement. */
void phrase_fields(struct observations *set, struct span text, struct observation *o);

/* The documented or internal code in the statement ("EI0006"), empty if there is none. */
struct span phrase_code(struct span text);
/* An internal code: says only that something else went wrong. */
bool phrase_code_is_internal(struct span code);

#endif

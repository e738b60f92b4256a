// SPDX-License-Identifier: Apache-2.0
/*
 * What is known about error codes: return codes of the interfaces (507046) and the
 * codes of messages (EI0006), each with what it means and what to do about it. Data
 * only; needs model/verdict.h for the class a code stands for where nothing says more.
 */
#ifndef CANNWATCH_CODES_ERROR_CODE_H
#define CANNWATCH_CODES_ERROR_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/model/verdict.h"

struct error_code {
	const char *code;	  /* "EI0006" or "507046" */
	const char *name;	  /* ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, a title, or NULL */
	enum verdict_class class; /* CLASS_COUNT: a symptom that stands for no class of its own */
	const char *meaning;
	const char *remedy;
};

extern const struct error_code error_codes[];
extern const size_t error_code_count;

/* NULL when it is not in the table. Case counts. */
const struct error_code *error_code_find(const char *code);
const struct error_code *error_code_find_number(int64_t number);

#endif

// SPDX-License-Identifier: Apache-2.0
/*
 * Renderings of a report. All show the same facts; none judges. They know the
 * model and the report, no source and no rule. Errors: 0 or -errno.
 */
#ifndef CANNWATCH_RENDER_H
#define CANNWATCH_RENDER_H

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/model/model.h"
#include "analyzer/model/report.h"

struct render_options {
	bool colour;
	int columns;	    /* width to wrap at, 0: 100 */
	const char *prefix; /* before every line, NULL none ("[rank 3] ") */
};

/* Colour only if the stream is a terminal and NO_COLOR is not set; the terminal's width, 60 to 120. */
void render_options_for(struct render_options *options, FILE *out);

/* Schema cannwatch.report/1, one object and a newline. */
int render_json(const struct report *report, FILE *out);
/* The same as a text; owned by the caller, NULL on lack of memory. */
char *render_json_text(const struct report *report);
int render_text(const struct report *report, FILE *out, const struct render_options *options);

#endif

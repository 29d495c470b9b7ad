/* Shared by the files that render calls, dates, numbers and patterns for a dialect. */
#ifndef GATE_RENDER_H
#define GATE_RENDER_H

#include "gate/gate_int.h"

/* Replaces $1, $2, … with expressions of the list. */
void gate_write_template(struct gate_writer *w, const char *text, const struct gate_expr *list);
/* Writes a call with a date part. Returns false for other calls. */
bool gate_write_dated(struct gate_writer *w, const struct gate_expr *x);
/* Writes a chain with / or %; gate_write_joined writes one with ||. */
void gate_write_numbers(struct gate_writer *w, const struct gate_expr *x);
void gate_write_joined(struct gate_writer *w, const struct gate_expr *x);

#endif

/* Shared by the files that write calls, dates, numbers and patterns in a database's own words. */
#ifndef GATE_RENDER_H
#define GATE_RENDER_H

#include "gate/gate_int.h"

/* $1, $2, … are expressions of the list. */
void gate_write_template(struct gate_writer *w, const char *text, const struct gate_expr *list);
/* True: it was a call with a part of a date, and is written. */
bool gate_write_dated(struct gate_writer *w, const struct gate_expr *x);
/* A chain with /, % or ||. */
void gate_write_numbers(struct gate_writer *w, const struct gate_expr *x);
void gate_write_joined(struct gate_writer *w, const struct gate_expr *x);

#endif

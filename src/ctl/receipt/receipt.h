/* The parts of `vesperctl receipt`. */
#ifndef CTL_RECEIPT_H
#define CTL_RECEIPT_H

#include "ctl_app.h"
#include "vesper/receipt.h"

/* Runs the calls of this receipt again. *report is a new reference to {receipt_id, ok, calls:
 * [{call, tool, ok, difference?}], catalogue_changed?, problem?}. */
void receipt_rerun(struct ctl_app *o, const struct receipt *r, json_t **report);

#endif

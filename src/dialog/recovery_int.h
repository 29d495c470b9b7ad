/* Internals of the recovery plan: results without rows, and the alternatives offered. */
#ifndef VESPER_DIALOG_RECOVERY_INT_H
#define VESPER_DIALOG_RECOVERY_INT_H

#include "vesper/dialog.h"

/* recovery.c */
bool recovery_has_rows(const struct result *r);
const struct result *recovery_first_without_rows(const struct dialog_turn *t,
						 enum outcome_kind kind);
/* The first truncated result that can be narrowed, or NULL. */
const struct result *recovery_truncated(const struct dialog_turn *t);
const char *recovery_outcome_text(struct dialog_turn *t, const struct result *r);

/* recovery_ask.c: return true when they ask */
bool recovery_ask_time(struct dialog_turn *t);
bool recovery_ask_name(struct dialog_turn *t);
bool recovery_ask_other(struct dialog_turn *t);
bool recovery_ask_narrower(struct dialog_turn *t);

#endif

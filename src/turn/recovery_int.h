/* Inside of RECOVER: what gave no rows, and the ways out. */
#ifndef VESPER_TURN_RECOVERY_INT_H
#define VESPER_TURN_RECOVERY_INT_H

#include "turn_int.h"

/* state_recover.c */
bool recover_has_rows(const struct result *r);
bool recover_any_rows(const struct turn *t); /* some result has */
/* The last result of a task that found nothing; NULL: it did, or was never run. */
const struct result *recover_lack(const struct task *task);
const struct result *recover_first_lack(const struct turn *t, enum outcome_kind kind);
const char *recover_words(struct turn *t, const struct result *r);

/* dialog/recovery_ask.c: true: t->mend asks */
bool recover_ask_time(struct turn *t);
bool recover_ask_name(struct turn *t);

/* dialog/recovery_probe.c */
/* Follow-ups of what found nothing, then what its domain says one can ask. False: there are none.
 */
bool recover_start_probes(struct turn *t, const struct result *lack);
void recover_take_probes(struct turn *t); /* what found rows is suggested */

#endif

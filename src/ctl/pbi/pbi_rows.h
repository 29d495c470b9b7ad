/* Where usage events of Power BI go: a tenant's SQLite file, or a PostgreSQL. Blocking. */
#ifndef CTL_PBI_ROWS_H
#define CTL_PBI_ROWS_H

#include <jansson.h>
#include <stdbool.h>

#include "vesper/err.h"

struct pbi_rows;

/* `file` or `dsn`. ERR_INPUT: it is none of this tenant's. */
MUST_CHECK bool pbi_rows_open(const char *file, const char *dsn, const char *tenant,
			      struct pbi_rows **out, struct err *e);
/* Adds an event {source_id, report_id, …} unless it is there; *fresh counts those that were not. */
MUST_CHECK bool pbi_rows_add(struct pbi_rows *r, const json_t *event, int *fresh, struct err *e);
/* What was added since the last time stays. */
MUST_CHECK bool pbi_rows_commit(struct pbi_rows *r, struct err *e);
void pbi_rows_close(struct pbi_rows **r); /* NULL is fine; what was not committed is undone */

#endif

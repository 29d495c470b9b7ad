/* Stores usage events of Power BI in a tenant's SQLite file or on a server. Blocking. */
#ifndef CTL_PBI_ROWS_H
#define CTL_PBI_ROWS_H

#include <jansson.h>
#include <stdbool.h>

#include "vesper/err.h"

struct pbi_rows;

/* Give either `file` or `dsn`. ERR_INPUT: it does not belong to this tenant. */
MUST_CHECK bool pbi_rows_open(const char *file, const char *dsn, const char *tenant,
			      struct pbi_rows **out, struct err *e);
/* Adds an event {source_id, report_id, …} unless it is stored already; *added counts the new
 * ones. */
MUST_CHECK bool pbi_rows_add(struct pbi_rows *r, const json_t *event, int *added, struct err *e);
/* Commits the rows added since the last commit. */
MUST_CHECK bool pbi_rows_commit(struct pbi_rows *r, struct err *e);
void pbi_rows_close(struct pbi_rows **r); /* NULL is allowed; rolls back uncommitted rows */

#endif

/*
 * A database that follows a script: statements are expected by name. Each is answered from the loop
 * with a table or an error, after a delay, or not at all. Statements with different names may
 * arrive in any order, those with the same name in the order of their expectations.
 *
 *   struct fake_db *f = fake_db_new(loop, DIALECT_SQLITE);
 *   fake_db_expect(f, "get_average_annual_price/main", "Ascend|NP15|Base|2025");
 *   fake_db_columns(f, "AvgPrice_PerMWh:decimal|DataPoints:int");
 *   fake_db_row(f, "48.73|8760");
 *   ... fake_db_db(f) is what the code under test gets; db_close it before fake_db_free.
 */
#ifndef FAKE_DB_H
#define FAKE_DB_H

#include <stddef.h>
#include <stdint.h>

#include "vesper/db.h"
#include "vesper/err.h"
#include "vesper/loop.h"

struct fake_db;

struct fake_db *fake_db_new(struct loop *l, enum dialect dialect);
void fake_db_free(struct fake_db **f);
struct db *fake_db_db(struct fake_db *f); /* created once; the caller closes it */

/* `values`: the expected bound values in order, separated by '|' ("NULL" for NULL); NULL: any. The
 * calls that follow define the answer; without columns the statement has no table. */
void fake_db_expect(struct fake_db *f, const char *name, const char *values);
void fake_db_always(struct fake_db *f); /* any number of times, or never */
void fake_db_columns(struct fake_db *f,
		     const char *columns); /* "name:type|name"; text when no type is given */
void fake_db_row(struct fake_db *f, const char *cells); /* "a|b"; an empty cell is NULL */
void fake_db_total(struct fake_db *f,
		   int64_t total_rows); /* the given rows are part of this many */
void fake_db_fail(struct fake_db *f, enum err_code code, bool may_retry);
void fake_db_delay(struct fake_db *f, uint64_t ms);
void fake_db_stall(struct fake_db *f); /* no answer, until the request's time limit if it has one */

size_t fake_db_statements(const struct fake_db *f); /* received */
size_t fake_db_unmet(const struct fake_db *f);      /* expected ones not received */
size_t fake_db_cancelled(const struct fake_db *f);  /* requests ended by op_cancel */
/* Describes the first unexpected statement, whose request fails. NULL: none was unexpected. */
const char *fake_db_complaint(const struct fake_db *f);
/* The n-th statement (0 is the first): "acme get_average_annual_price/main(Ascend|NP15)". */
const char *fake_db_statement(const struct fake_db *f, size_t n);

#endif

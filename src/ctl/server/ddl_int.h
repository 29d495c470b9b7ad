/* Shared by the writers of DDL. */
#ifndef CTL_DDL_INT_H
#define CTL_DDL_INT_H

#include "ddl.h"
#include "vesper/language.h"

#define DDL_TENANT "tenant_id"

struct ddl_writer {
	const struct ddl *ddl;
	const char *source;
	enum dialect dialect;
	struct buf *out;
};

static inline bool on_server(const struct ddl_writer *w)
{
	return w->dialect != DIALECT_SQLITE;
}

static inline bool is_mssql(const struct ddl_writer *w)
{
	return w->dialect == DIALECT_MSSQL;
}

/* Begins a statement with a comment (or NULL); on servers also a batch with this name. */
void ddl_begin(struct ddl_writer *w, const char *about, const char *name, ...)
	__attribute__((format(printf, 3, 4)));
void ddl_end(struct ddl_writer *w);
void ddl_write_table_name(struct ddl_writer *w, const char *name);

void ddl_write_schemas(struct ddl_writer *w);
void ddl_write_views(struct ddl_writer *w);
void ddl_write_grants(struct ddl_writer *w);

/* ---- reading ---- */

struct ddl_reader {
	struct words_file f;
	struct arena *arena;
	const char *schema;
	struct ddl_table *tables;
	size_t table_count;
	struct ddl_view *views;
	size_t view_count;
};

/* "member.name" */
const char *ddl_member_path(const struct ddl_reader *r, const char *member, const char *name);
bool ddl_check_members(const struct ddl_reader *r, const json_t *item, const char *member,
		       const char *const *names);
bool ddl_read_name(const struct ddl_reader *r, const json_t *item, const char *member,
		   const char **out);
const struct ddl_table *ddl_find_table(const struct ddl_reader *r, const char *name, size_t n);
/* Reads key, unique, index, check and references of a table whose columns are known. */
bool ddl_read_keys(const struct ddl_reader *r, const json_t *item, const char *member,
		   struct ddl_table *t);

#endif

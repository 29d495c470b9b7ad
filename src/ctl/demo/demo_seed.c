/*
 * Seeds the demo data on a server: both tenants' rows in the shared tables. Each tenant is one
 * transaction with its tenant context, so that row-level security applies to seeding too.
 */
#include <stdio.h>
#include <string.h>

#include "demo_data.h"
#include "demo_int.h"
#include "vesper/mem.h"

#define STATISTICS_MSSQL    "UPDATE STATISTICS base."
#define STATISTICS_POSTGRES "ANALYZE base."

/* Rows that are seeded together. Referring tables come first, as deletion requires;
 * NULL-terminated. */
struct subject {
	const char *const *tables;
	const char *statistics[DIALECT_COUNT]; /* of the tables with nearly all rows */
	demo_write_fn *write;
};

/* The parameter is the tenant. */
static const char *const set_tenant_sql[DIALECT_COUNT] = {
	[DIALECT_MSSQL] = "EXEC sys.sp_set_session_context @key = N'tenant_id', @value = ?",
	[DIALECT_POSTGRES] = "SELECT set_config('vesper.tenant_id', ?, false)",
};

static const struct subject warehouse = {
	.tables =
		(const char *const[]){"changes", "activeportfolio_mm", "per_tasks", "per_project45",
				      "per_projecthealth", "per_project", "pbi_activity_events",
				      "mc_dayahead", "mc_vendor_files", NULL},
	.statistics = {[DIALECT_MSSQL] = STATISTICS_MSSQL "mc_dayahead",
		       [DIALECT_POSTGRES] =
			       STATISTICS_POSTGRES "mc_vendor_files, base.mc_dayahead"},
	.write = demo_warehouse_write,
};

static bool has_rows(const struct demo_db *db, const char *table, bool *found, struct err *err)
{
	char *sql = mem_printf("SELECT COUNT(*) FROM base.%s WHERE tenant_id = ?", table);
	struct buf value;
	bool done;

	buf_init(&value, 64);
	done = server_query_value(db->server, sql, &db->tenant_id, 1, &value, err);
	*found = done && strcmp(buf_text(&value), "0") != 0;
	buf_deinit(&value);
	mem_free(sql);
	return done;
}

static bool clear_table(const struct demo_db *db, const char *table, struct err *err)
{
	char *sql = mem_printf("DELETE FROM base.%s WHERE tenant_id = ?", table);
	bool done = server_run(db->server, sql, &db->tenant_id, 1, err);

	mem_free(sql);
	return done;
}

static bool clear_tables(const struct demo_db *db, const char *const *tables, bool replace,
			 struct err *err)
{
	for (size_t i = 0; tables[i]; i++) {
		bool found = false;

		if (!has_rows(db, tables[i], &found, err))
			return false;
		if (found && !replace)
			return err_set(err, ERR_INPUT,
				       "tenant %s has rows in base.%s already; --replace deletes "
				       "them",
				       db->tenant_id, tables[i]);
		if (found && !clear_table(db, tables[i], err))
			return false;
	}
	return true;
}

static bool seed_tenant(const struct demo_db *db, const struct subject *subject, bool replace,
			struct err *err)
{
	enum dialect dialect = server_dialect(db->server);
	bool done = server_run(db->server, set_tenant_sql[dialect], &db->tenant_id, 1, err) &&
		    clear_tables(db, subject->tables, replace, err) && subject->write(db, err) &&
		    server_commit(db->server, err);

	if (!done) {
		server_rollback(db->server);
		return err_prefix(err, "tenant %s", db->tenant_id);
	}
	printf("tenant %s: seeded\n", db->tenant_id);
	return true;
}

static bool update_statistics(struct server *server, const struct subject *subject, struct err *err)
{
	return server_run(server, subject->statistics[server_dialect(server)], NULL, 0, err) &&
	       server_commit(server, err);
}

bool demo_data_seed(struct server *server, bool small, bool replace, struct err *err)
{
	for (int i = 0; i < DEMO_TENANT_COUNT; i++) {
		struct demo_db db = {.server = server,
				     .small = small,
				     .tenant = (enum demo_tenant)i,
				     .tenant_id = demo_tenant_ids[i]};

		if (!seed_tenant(&db, &warehouse, replace, err))
			return false;
	}
	return update_statistics(server, &warehouse, err);
}

bool demo_data_seed_source(struct server *server, const char *source, bool small, bool replace,
			   struct err *err)
{
	const struct demo_source *source_def = demo_source_find(source);
	char *mssql = mem_printf(STATISTICS_MSSQL "%s", source_def->largest_table);
	char *postgres = mem_printf(STATISTICS_POSTGRES "%s", source_def->largest_table);
	const struct subject subject = {
		.tables = source_def->tables,
		.statistics = {[DIALECT_MSSQL] = mssql, [DIALECT_POSTGRES] = postgres},
		.write = source_def->write,
	};
	bool done = true;

	for (const char *const *tenant = source_def->tenants; done && *tenant; tenant++) {
		struct demo_db db = {.server = server, .small = small, .tenant_id = *tenant};

		done = seed_tenant(&db, &subject, replace, err);
	}
	done = done && update_statistics(server, &subject, err);
	mem_free(postgres);
	mem_free(mssql);
	return done;
}

/*
 * The demo data on a server: both tenants' rows in the tables that all share. Each tenant is one
 * transaction under its own tenant context, so that the row rules hold for whoever seeds, too.
 */
#include <stdio.h>
#include <string.h>

#include "demo_data.h"
#include "demo_int.h"
#include "vesper/mem.h"

/* What refers to others comes first, as it must when rows go. */
static const char *const tables[] = {
	"changes",     "activeportfolio_mm",  "per_tasks",   "per_project45",  "per_projecthealth",
	"per_project", "pbi_activity_events", "mc_dayahead", "mc_vendor_files"};

static const struct {
	const char *context;    /* takes the tenant */
	const char *statistics; /* of the table that nearly all rows are in */
} words[DIALECT_COUNT] = {
	[DIALECT_MSSQL] = {"EXEC sys.sp_set_session_context @key = N'tenant_id', @value = ?",
			   "UPDATE STATISTICS base.mc_dayahead"},
	[DIALECT_POSTGRES] = {"SELECT set_config('vesper.tenant_id', ?, false)",
			      "ANALYZE base.mc_vendor_files, base.mc_dayahead"},
};

static bool has_rows(const struct demo_db *db, const char *table, bool *found, struct err *err)
{
	char *sql = mem_printf("SELECT COUNT(*) FROM base.%s WHERE tenant_id = ?", table);
	struct buf answer;
	bool done;

	buf_init(&answer, 64);
	done = server_ask(db->server, sql, &db->tenant_id, 1, &answer, err);
	*found = done && strcmp(buf_text(&answer), "0") != 0;
	buf_deinit(&answer);
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

static bool make_room(const struct demo_db *db, bool replace, struct err *err)
{
	for (size_t i = 0; i < DEMO_COUNT(tables); i++) {
		bool found = false;

		if (!has_rows(db, tables[i], &found, err))
			return false;
		if (found && !replace)
			return err_set(err, ERR_INPUT,
				       "tenant %s has rows in base.%s already; --replace deletes "
				       "what it has",
				       db->tenant_id, tables[i]);
		if (found && !clear_table(db, tables[i], err))
			return false;
	}
	return true;
}

static bool seed_tenant(const struct demo_db *db, bool replace, struct err *err)
{
	enum dialect dialect = server_dialect(db->server);
	bool done = server_run(db->server, words[dialect].context, &db->tenant_id, 1, err) &&
		    make_room(db, replace, err) && demo_prices_write(db, err) &&
		    demo_usage_write(db, err) && demo_projects_write(db, err) &&
		    demo_schedule_write(db, err) && server_commit(db->server, err);

	if (!done)
		server_rollback(db->server);
	return done;
}

bool demo_data_seed(struct server *server, bool small, bool replace, struct err *err)
{
	for (int i = 0; i < DEMO_TENANT_COUNT; i++) {
		struct demo_db db = {.server = server,
				     .small = small,
				     .tenant = (enum demo_tenant)i,
				     .tenant_id = demo_tenant_ids[i]};

		if (!seed_tenant(&db, replace, err))
			return err_prefix(err, "tenant %s", db.tenant_id);
		printf("tenant %s: seeded\n", db.tenant_id);
	}
	return server_run(server, words[server_dialect(server)].statistics, NULL, 0, err) &&
	       server_commit(server, err);
}

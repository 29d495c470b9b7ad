/* Outages of PostgreSQL: each time the caller gets an error within the limit, nothing is sent twice
 * on a dead connection, and queries work again after recovery. */
#include "postgres_test.h"

#include "proxy.h"

#define GIVE_UP_MS 60000 /* time limit of a test, far above the usual duration */

static void open_for(struct fixture *f, const char *login, int port, int64_t timeout_ms)
{
	struct db_options options = postgres_options(login, port);
	struct err e = {0};

	options.timeout_ms = timeout_ms;
	if (!db_open(f->loop, &options, &f->db, &e))
		fail_msg("%s", e.text);
	db_watch(f->db, NULL);
}

static void wait_ms(struct fixture *f, int ms)
{
	for (int i = 0; i < ms; i++) {
		usleep(1000);
		loop_run_once(f->loop);
	}
}

static struct err query_once(struct fixture *f, const char *sql)
{
	struct answer a;

	start(f, "tenant_7", false, sql, NULL, 0, &a);
	wait_for(f, &a);
	table_free(&a.table);
	return a.err;
}

/* Waits until a query succeeds again, and prints how long that took. */
static void wait_until_available(struct fixture *f, const char *after)
{
	int64_t start_ms = clock_mono_ms();
	struct answer a;

	for (;;) {
		start(f, "tenant_7", false, "SELECT s FROM x", NULL, 0, &a);
		wait_for(f, &a);
		if (a.err.code == ERR_NONE)
			break;
		if (clock_mono_ms() - start_ms > GIVE_UP_MS)
			fail_msg("not available after %s: %s", after, a.err.text);
		wait_ms(f, 20);
	}
	assert_string_equal(a.table->rows[0][0], "secret of tenant_7");
	table_free(&a.table);
	print_message("available %lld ms after %s\n", (long long)(clock_mono_ms() - start_ms),
		      after);
}

static void server_down(const char *how)
{
	admin_disconnect();
	server_command(how);
}

static void server_up(void)
{
	server_command("restart");
	admin_connect();
}

static void connects_once_server_has_started(void **state)
{
	struct fixture *f = *state;
	struct err e;

	server_down("kill");
	open_for(f, "reader", 0, 2000);
	e = query_once(f, "SELECT s FROM x");
	assert_int_equal(e.code, ERR_UPSTREAM);
	assert_true(e.may_retry);
	server_up();
	wait_until_available(f, "the server started");
}

static void killed_server_fails_running_query(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	open_for(f, "reader", 0, 3000);
	start(f, "tenant_7", false, "SELECT pg_sleep(60)", NULL, 0, &a);
	while (statements_running() == 0)
		wait_ms(f, 1);
	server_down("kill");
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_UPSTREAM);
	assert_true(a.err.may_retry);
	server_up();
	wait_until_available(f, "the server was killed and started");
}

static void count_healthy(void *owner, const char *check, enum health_state state, const char *note)
{
	(void)check;
	(void)note;
	*(size_t *)owner += state == HEALTH_OK;
}

static void wait_for_healthy(struct fixture *f, size_t tenants)
{
	int64_t start_ms = clock_mono_ms();

	for (;;) {
		size_t healthy = 0;

		health_each(count_healthy, &healthy);
		if (healthy == tenants)
			return;
		if (clock_mono_ms() - start_ms > GIVE_UP_MS)
			fail_msg("%zu tenants are healthy, not %zu", healthy, tenants);
		wait_ms(f, 5);
	}
}

/* There are more tenants than can be probed with one probe per tick. */
static void idle_tenants_go_down_with_server(void **state)
{
	struct fixture *f = *state;

	open_for(f, "writer", 0, 3000);
	wait_for_healthy(f, 50);
	server_down("kill");
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_UPSTREAM);
	wait_for_healthy(f, 0);
	assert_false(health_is_ready());
	server_up();
	wait_for_healthy(f, 50);
	assert_true(health_is_ready());
}

static void restart_while_idle_causes_no_error(void **state)
{
	struct fixture *f = *state;

	open_for(f, "reader", 0, 3000);
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_NONE);
	server_down("kill");
	server_up();
	assert_int_equal(query_once(f, "SELECT s FROM x").code,
			 ERR_NONE); /* the caller notices nothing */
}

static void query_of_terminated_session_is_retried(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	open_for(f, "reader", 0, 5000);
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_NONE);
	admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_NONE);
	start(f, "tenant_7", false, "SELECT pg_sleep(0.4)", NULL, 0, &a);
	while (statements_running() == 0)
		wait_ms(f, 1);
	admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_NONE); /* it ran again */
	table_free(&a.table);
}

static void paused_server_causes_timeouts(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	open_for(f, "reader", 0, 2000); /* on a busy machine, a login takes a second */
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_NONE);
	start(f, "tenant_7", false, "SELECT pg_sleep(60)", NULL, 0, &a);
	while (statements_running() == 0)
		wait_ms(f, 1);
	server_command("pause");
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_TIMEOUT);
	for (int i = 0; i < 3; i++) {
		struct err e = query_once(f, "SELECT s FROM x");

		assert_true(e.code == ERR_TIMEOUT || e.code == ERR_UPSTREAM);
	}
	server_command("resume");
	wait_until_available(f, "the server resumed");
	while (statements_running() > 0) /* abandoned statements end on the server too */
		wait_ms(f, 5);
}

static void silent_network_causes_timeouts(void **state)
{
	struct fixture *f = *state;
	struct err e;

	proxy_forward_set(true);
	open_for(f, "reader", proxy.port, 3000);
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_NONE);
	proxy_forward_set(false); /* bytes are dropped in both directions, and nothing is closed */
	e = query_once(f, "SELECT s FROM x");
	assert_true(e.code == ERR_TIMEOUT || e.code == ERR_UPSTREAM);
	assert_true(e.may_retry);
	proxy_forward_set(true);
	wait_until_available(f, "the network resumed");
}

static void closing_does_not_wait_for_a_dead_network(void **state)
{
	struct fixture *f = *state;
	struct answer a;

	proxy_forward_set(true);
	open_for(f, "reader", proxy.port, 3000);
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_NONE);
	start(f, "tenant_7", false, "SELECT pg_sleep(60)", NULL, 0, &a);
	while (statements_running() == 0)
		wait_ms(f, 1);
	proxy_forward_set(false);
	db_close(&f->db);
	assert_int_equal(a.calls, 1);
	assert_int_equal(a.err.code, ERR_CANCELLED);
	proxy_forward_set(true);
	while (statements_running() > 0)
		usleep(10000);
	usleep(300000); /* abandoned workers free their memory */
}

static void revoked_login_is_not_retryable(void **state)
{
	struct fixture *f = *state;
	struct err e;

	open_for(f, "reader", 0, 2000);
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_NONE);
	admin("ALTER ROLE reader NOLOGIN");
	admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
	e = query_once(f, "SELECT s FROM x");
	assert_int_equal(e.code, ERR_UPSTREAM);
	assert_false(e.may_retry);
	assert_non_null(strstr(e.text, "reader"));
	admin("ALTER ROLE reader LOGIN");
	wait_until_available(f, "the login was granted again");
}

static void connection_limit_is_retryable(void **state)
{
	struct fixture *f = *state;
	struct err e;

	admin("ALTER ROLE reader CONNECTION LIMIT 0");
	open_for(f, "reader", 0, 1000);
	e = query_once(f, "SELECT s FROM x");
	assert_int_equal(e.code, ERR_UPSTREAM);
	assert_true(e.may_retry);
	admin("ALTER ROLE reader CONNECTION LIMIT -1");
	wait_until_available(f, "connections were free again");
}

static void follows_changed_permissions_and_views(void **state)
{
	struct fixture *f = *state;
	struct err e;

	open_for(f, "reader", 0, 2000);
	admin("CREATE VIEW v AS SELECT 1 AS n");
	admin("GRANT SELECT ON v TO reader");
	assert_int_equal(query_once(f, "SELECT * FROM v").code, ERR_NONE);
	admin("REVOKE SELECT ON v FROM reader");
	e = query_once(f, "SELECT * FROM v");
	assert_int_equal(e.code, ERR_DENIED);
	assert_non_null(strstr(e.text, "view v"));
	admin("DROP VIEW v");
	e = query_once(f, "SELECT * FROM v");
	assert_int_equal(e.code, ERR_NOT_FOUND);
	assert_non_null(strstr(e.text, "\"v\""));
	admin("CREATE VIEW v AS SELECT 'other'::text AS s, 2 AS n");
	admin("GRANT SELECT ON v TO reader");
	assert_int_equal(query_once(f, "SELECT * FROM v").code, ERR_NONE);
	admin("DROP VIEW v");
	admin("CREATE VIEW v AS SELECT 3.5 AS d"); /* under a prepared statement */
	admin("GRANT SELECT ON v TO reader");
	assert_int_equal(query_once(f, "SELECT * FROM v").code, ERR_NONE);
	admin("DROP VIEW v");
}

static struct err write_one(struct fixture *f)
{
	struct answer a;

	start(f, "tenant_7", true, "UPDATE x SET n = n WHERE n = 7", NULL, 0, &a);
	wait_for(f, &a);
	return a.err;
}

static void read_only_server_rejects_writes_only(void **state)
{
	struct fixture *f = *state;
	struct err e;

	open_for(f, "writer", 0, 10000); /* long enough to connect on a busy machine */
	assert_int_equal(write_one(f).code, ERR_NONE);
	admin("ALTER SYSTEM SET default_transaction_read_only = on");
	admin("SELECT pg_reload_conf()");
	for (e = write_one(f); e.code == ERR_NONE; e = write_one(f))
		wait_ms(f, 5); /* until the server has reloaded its settings */
	assert_int_equal(e.code, ERR_UPSTREAM);
	assert_non_null(strstr(e.text, "read-only"));
	assert_int_equal(query_once(f, "SELECT s FROM x").code, ERR_NONE);
	admin("SET default_transaction_read_only = off");
	admin("ALTER SYSTEM RESET default_transaction_read_only");
	admin("SELECT pg_reload_conf()");
	for (e = write_one(f); e.code != ERR_NONE; e = write_one(f))
		wait_ms(f, 5);
}

static int outages_start(void **state)
{
	int rc = server_start(state);

	proxy_start(server.port);
	return rc;
}

static int outages_stop(void **state)
{
	proxy_stop();
	return server_stop(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(connects_once_server_has_started),
		DB_TEST(killed_server_fails_running_query),
		DB_TEST(idle_tenants_go_down_with_server),
		DB_TEST(restart_while_idle_causes_no_error),
		DB_TEST(query_of_terminated_session_is_retried),
		DB_TEST(paused_server_causes_timeouts),
		DB_TEST(silent_network_causes_timeouts),
		DB_TEST(revoked_login_is_not_retryable),
		DB_TEST(connection_limit_is_retryable),
		DB_TEST(follows_changed_permissions_and_views),
		DB_TEST(read_only_server_rejects_writes_only),
		DB_TEST(closing_does_not_wait_for_a_dead_network),
	};

	return cmocka_run_group_tests(tests, outages_start, outages_stop);
}

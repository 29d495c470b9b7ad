/* The SQL Server dialect, call by call, against a recording driver. */
#include "odbc_test.h"

#include "vesper/limits.h"

#define ONE     "rows|SELECT one|n:int|1\n"
#define CONTEXT "EXEC sys.sp_set_session_context @key = N'tenant_id', @value = ?, @read_only = 1\n"
#define RIGHTS                                                                                     \
	"SELECT USER_NAME() WHERE IS_ROLEMEMBER(N'db_owner') = 1 OR HAS_PERMS_BY_NAME(DB_NAME(), " \
	"N'DATABASE', N'ALTER ANY SECURITY POLICY') = 1\n"
#define CONFIRM "SELECT CAST(SESSION_CONTEXT(N'tenant_id') AS nvarchar(100))\n"

static void run(struct fixture *f, const char *tenant, const char *text)
{
	struct table *t = query_table(f, tenant, text, NULL, 0);

	table_free(&t);
}

static void sets_tenant_first_and_confirms_it_each_time(void **state)
{
	struct fixture *f = *state;

	fake_open(f, ONE);
	run(f, "acme", "SELECT one");
	assert_string_equal(recorded(), "1 connect ConnectRetryCount=0;\n"
					"1 prepare " CONTEXT "1 execute nvarchar(4000,0)=acme\n"
					"1 direct SET QUOTED_IDENTIFIER ON; SET LOCK_TIMEOUT 5000\n"
					"1 execute\n"
					"1 direct " RIGHTS "1 execute\n"
					"1 prepare " CONFIRM "1 execute\n"
					"1 prepare SELECT one\n"
					"1 execute\n");
	run(f, "acme", "SELECT one");
	assert_int_equal(recorded_count("connect"), 1);
	assert_int_equal(recorded_count("prepare"), 3); /* no statement was prepared again */
	assert_int_equal(recorded_count("execute\n"), 6);
}

static void binds_every_value_with_its_type(void **state)
{
	const struct value values[] = {value_text("O'Brien 😀"),
				       value_int(INT64_MAX),
				       value_decimal("-12.3450"),
				       value_date("9999-12-31"),
				       value_bool(true),
				       value_null(),
				       value_text("")};
	struct fixture *f = *state;
	struct table *t;

	fake_open(f, "rows|SELECT all|n:int|1\n");
	t = query_table(f, "acme", "SELECT all ? ? ? ? ? ? ?", values, 7);
	table_free(&t);
	assert_int_equal(
		recorded_count("execute nvarchar(4000,0)=O'Brien 😀, bigint(19,0)="
			       "9223372036854775807, decimal(6,4)=-12.3450, date(10,0)=9999-12-31, "
			       "bit(1,0)=1, nvarchar(1,0)=NULL, nvarchar(4000,0)=\n"),
		1);
}

static void binds_long_text_without_size(void **state)
{
	struct fixture *f = *state;
	char *text = mem_alloc(4002);
	struct value v = value_text(text);
	struct table *t;

	memset(text, 'x', 4001);
	fake_open(f, ONE);
	t = query_table(f, "acme", "SELECT one ?", &v, 1);
	table_free(&t);
	mem_free(text);
	assert_int_equal(recorded_count("nvarchar(0,0)=xxx"), 1);
}

/* FreeTDS would silently truncate it to 4,000 units. */
static void binds_long_text_as_long_type_with_freetds(void **state)
{
	struct fixture *f = *state;
	char *text = mem_alloc(4002);
	struct value v = value_text(text);
	struct table *t;

	fake_open(f, "driver|/usr/lib/odbc/libtdsodbc.so\n" ONE);
	memset(text, 'x', 4000);
	t = query_table(f, "acme", "SELECT one ?", &v, 1);
	table_free(&t);
	assert_int_equal(recorded_count("nvarchar(4000,0)=xxx"), 1);
	text[4000] = 'x';
	t = query_table(f, "acme", "SELECT one ?", &v, 1);
	table_free(&t);
	mem_free(text);
	assert_int_equal(recorded_count("ntext(4001,0)=xxx"), 1);
	assert_int_equal(recorded_count("cut "), 0);
}

static void reads_cells_as_text(void **state)
{
	struct fixture *f = *state;
	struct table *t;

	fake_open(f, "rows|SELECT types|a:int;b:bigint;c:decimal;d:decimal;e:nvarchar;f:date;"
		     "g:datetime2;h:bit;i:nvarchar;j:datetime2|"
		     "-7;9007199254740993;.50;-.25;été 😀;0001-01-01;2026-02-27 10:30:00.0000000;1;"
		     "\\N;2026-02-27 10:30:00.1230000\n");
	t = query_table(f, "zürich", "SELECT types", NULL, 0);
	const char *expected[] = {
		"-7",         "9007199254740993",    "0.50", "-0.25", "été 😀",
		"0001-01-01", "2026-02-27 10:30:00", "1",    NULL,    "2026-02-27 10:30:00.123"};
	const enum column_type types[] = {
		COLUMN_INT,  COLUMN_INT,      COLUMN_DECIMAL, COLUMN_DECIMAL, COLUMN_TEXT,
		COLUMN_DATE, COLUMN_DATETIME, COLUMN_BOOL,    COLUMN_TEXT,    COLUMN_DATETIME};
	for (size_t i = 0; i < 10; i++) {
		assert_int_equal(t->columns[i].type, types[i]);
		if (expected[i])
			assert_string_equal(t->rows[0][i], expected[i]);
		else
			assert_null(t->rows[0][i]);
	}
	table_free(&t);
}

static void check_sends_nothing(struct fixture *f, const char *script, enum err_code code)
{
	struct err e;

	fake_open(f, script);
	e = query_error(f, "acme", "SELECT one");
	assert_int_equal(e.code, code);
	assert_int_equal(recorded_count("SELECT one"), 0);
	assert_int_equal(recorded_count("DEAD"), 0);
}

static void sends_nothing_if_tenant_cannot_be_set(void **state)
{
	check_sends_nothing(*state, ONE "fail|context|0|42000|15664|not today\n", ERR_INTERNAL);
	assert_int_equal(recorded_count("disconnect"), recorded_count(" connect"));
}

static void sends_nothing_under_another_tenant(void **state)
{
	check_sends_nothing(*state, ONE "sees|vesper\n", ERR_INTERNAL);
	assert_int_equal(recorded_count("disconnect"), recorded_count(" connect"));
}

static void sends_nothing_without_tenant(void **state)
{
	check_sends_nothing(*state, ONE "sees|\\N\n", ERR_INTERNAL);
}

static void compares_whole_tenant_id(void **state)
{
	check_sends_nothing(*state, ONE "sees|acm\n", ERR_INTERNAL);
}

static void refuses_database_owner(void **state)
{
	check_sends_nothing(*state, ONE "rows|IS_ROLEMEMBER|c:nvarchar|dbo\n", ERR_UPSTREAM);
	assert_int_equal(recorded_count("disconnect"), recorded_count(" connect"));
}

static void sends_nothing_if_permissions_are_unknown(void **state)
{
	check_sends_nothing(*state, ONE "fail|rights|0|42000|229|not for you\n", ERR_DENIED);
}

static void replaces_broken_idle_connection(void **state)
{
	struct fixture *f = *state;

	fake_open(f, ONE "dead|confirm|2|08S01|10054|reset\n");
	run(f, "acme", "SELECT one");
	run(f, "acme", "SELECT one");
	assert_int_equal(recorded_count(" connect"), 2);
	assert_int_equal(recorded_count("2 prepare SELECT one"), 1);
	assert_int_equal(recorded_count("DEAD"), 0);
}

static void never_shares_connections_between_tenants(void **state)
{
	struct fixture *f = *state;

	fake_open(f, ONE);
	for (int i = 0; i < 3; i++) {
		run(f, "acme", "SELECT one");
		run(f, "vesper", "SELECT one");
		run(f, "fourth",
		    "SELECT one"); /* the longest idle connection is closed to make room */
	}
	assert_true(recorded_count("=acme") >= 2);
	assert_int_equal(recorded_count("=acme") + recorded_count("=vesper") +
				 recorded_count("=fourth"),
			 recorded_count(" connect"));
	assert_true(recorded_count(" connect") - recorded_count("disconnect") <= 2);
}

static void deadline_cancels_statement_and_discards_connection(void **state)
{
	struct fixture *f = *state;
	struct db_options options = fake_options(f, ONE "delay|execute|2|30000\n");
	struct answer a;

	options.timeout_ms = 1000; /* long enough to start the statement on a busy machine */
	assert_true(db_open(f->loop, &options, &f->db, NULL));
	start(f, "acme", false, "SELECT one", NULL, 0, &a);
	wait_for(f, &a);
	assert_int_equal(a.err.code, ERR_TIMEOUT);
	assert_true(recorded_count("1 cancel") >= 1);
	assert_int_equal(recorded_count("1 disconnect"), 1);
	run(f, "acme", "SELECT one");
	assert_int_equal(recorded_count("2 connect"), 1);
}

static void cancel_discards_connection(void **state)
{
	struct fixture *f = *state;
	struct op *op;
	struct answer a;

	fake_open(f, ONE "delay|execute|2|30000\n");
	op = start(f, "acme", false, "SELECT one", NULL, 0, &a);
	while (recorded_count("1 prepare SELECT one") == 0)
		loop_run_once(f->loop);
	op_cancel(&op);
	while (recorded_count("1 disconnect") == 0) {
		usleep(1000);
		loop_run_once(f->loop);
	}
	assert_int_equal(a.calls, 0);
}

static void classifies_errors(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *rule;
		enum err_code code;
	} cases[] = {
		{ONE "fail|execute|2|42000|229|The SELECT permission was denied on x\n",
		 ERR_DENIED},
		{ONE "fail|execute|2|42S02|208|Invalid object name x\n", ERR_NOT_FOUND},
		{ONE "fail|execute|2|42S22|207|Invalid column name x\n", ERR_NOT_FOUND},
		{ONE "fail|connect|1|28000|18456|Login failed for x\n", ERR_UPSTREAM},
		{ONE "fail|execute|2|22012|8134|Divide by zero x\n", ERR_INTERNAL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e;

		fake_open(f, cases[i].rule);
		e = query_error(f, "acme", "SELECT one");
		if (e.code != cases[i].code)
			fail_msg("%s: %s", cases[i].rule, e.text);
		assert_non_null(strstr(e.text, " x"));
		assert_false(e.may_retry);
		assert_int_equal(recorded_count(" connect"), 1); /* no retry */
		db_close(&f->db);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(sets_tenant_first_and_confirms_it_each_time),
		DB_TEST(binds_every_value_with_its_type),
		DB_TEST(binds_long_text_without_size),
		DB_TEST(binds_long_text_as_long_type_with_freetds),
		DB_TEST(reads_cells_as_text),
		DB_TEST(sends_nothing_if_tenant_cannot_be_set),
		DB_TEST(sends_nothing_under_another_tenant),
		DB_TEST(sends_nothing_without_tenant),
		DB_TEST(compares_whole_tenant_id),
		DB_TEST(refuses_database_owner),
		DB_TEST(sends_nothing_if_permissions_are_unknown),
		DB_TEST(replaces_broken_idle_connection),
		DB_TEST(never_shares_connections_between_tenants),
		DB_TEST(deadline_cancels_statement_and_discards_connection),
		DB_TEST(cancel_discards_connection),
		DB_TEST(classifies_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Storing usage events on SQL Server, observed through a recording ODBC driver. */
#include "pbi/pbi_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/vesper-rows-XXXXXX";
static char script[64], record[64], dsn[512];

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(script, sizeof(script), "%s/script", folder);
	snprintf(record, sizeof(record), "%s/record", folder);
	snprintf(dsn, sizeof(dsn), "Driver=%s;Script=%s;Record=%s", FAKE_ODBC, script, record);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(script);
	unlink(record);
	rmdir(folder);
	return 0;
}

static void write_script(const char *text)
{
	FILE *file = fopen(script, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *recorded(void)
{
	static char text[65536];
	FILE *file = fopen(record, "r");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (file)
		fclose(file);
	text[n] = '\0';
	return text;
}

static json_t *event(void)
{
	return json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "source_id", "e-1", "report_id", "r",
			 "report_name", "It's a \"report\" \xC3\xBC", "workspace_name", "w",
			 "user_email", "a@b.c", "activity_type", "ViewReport", "activity_date",
			 "2026-02-26", "created_at", "2026-02-26 08:12:01");
}

/* One statement checks for the event and adds it, within the transaction. */
static void adds_an_event_once(void **state)
{
	struct pbi_rows *rows = NULL;
	struct err e = {0};
	json_t *row = event();
	int added = 0;

	(void)state;
	write_script("rows|INSERT INTO base.pbi_activity_events|added:int|1\n");
	if (!pbi_rows_open(NULL, dsn, "acme", &rows, &e))
		fail_msg("%s", e.text);
	if (!pbi_rows_add(rows, row, &added, &e))
		fail_msg("%s", e.text);
	assert_int_equal(added, 1);
	assert_true(pbi_rows_commit(rows, &e));
	pbi_rows_close(&rows);
	json_decref(row);

	const char *statements = recorded();
	const char *context = strstr(statements, "sp_set_session_context @key = N'tenant_id'");
	const char *insert = strstr(statements, "INSERT INTO base.pbi_activity_events (tenant_id,");

	assert_non_null(context);
	assert_non_null(insert);
	assert_true(context < insert);
	assert_non_null(strstr(insert, "OUTPUT 1 AS added"));
	assert_non_null(strstr(insert, "WHERE NOT EXISTS (SELECT 1 FROM base.pbi_activity_events "
				       "k WITH (UPDLOCK, HOLDLOCK) WHERE k.tenant_id = "
				       "e.tenant_id AND k.source_id = j.source_id)"));
	assert_non_null(strstr(insert, "=acme, "));
	/* bound as ASCII, even for other characters */
	assert_non_null(strstr(insert, "\\u00FC"));
	assert_null(strstr(insert, "It's a \"report\""));
	assert_non_null(strstr(insert, "commit"));
}

/* Uncommitted events are rolled back. */
static void closing_rolls_back(void **state)
{
	struct pbi_rows *rows = NULL;
	struct err e = {0};
	json_t *row = event();
	int added = 0;

	(void)state;
	if (!pbi_rows_open(NULL, dsn, "vesper", &rows, &e) || !pbi_rows_add(rows, row, &added, &e))
		fail_msg("%s", e.text);
	pbi_rows_close(&rows);
	json_decref(row);
	const char *last = strstr(recorded(), "=vesper, ");
	assert_non_null(last);
	assert_null(strstr(last, "commit"));
	assert_non_null(strstr(last, "rollback"));
}

static void binds_a_long_event_completely(void **state)
{
	struct pbi_rows *rows = NULL;
	struct err e = {0};
	json_t *row = event();
	char name[5001];
	int added = 0;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	json_object_set_new(row, "report_name", json_string(name));
	if (!pbi_rows_open(NULL, dsn, "acme", &rows, &e) || !pbi_rows_add(rows, row, &added, &e))
		fail_msg("%s", e.text);
	pbi_rows_close(&rows);
	json_decref(row);
	assert_non_null(strstr(recorded(), "varchar(4000,0)=acme, text(5"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_an_event_once),
		cmocka_unit_test(closing_rolls_back),
		cmocka_unit_test(binds_a_long_event_completely),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* A recording ODBC driver in place of SQL Server. A script defines its replies; a record lists the
 * calls it received. */
#ifndef ODBC_TEST_H
#define ODBC_TEST_H

#include "db_test.h"

struct fake {
	char script[96];
	char record[96];
	char dsn[512];
};

static struct fake fake;

static inline struct db_options fake_options(struct fixture *f, const char *script)
{
	static struct db_tenant tenants[4] = {
		{"acme", NULL}, {"vesper", NULL}, {"zürich", NULL}, {"fourth", NULL}};
	static int number; /* the driver continues a script whose name it has seen, so names are
			      unique */
	FILE *file;

	number++;
	snprintf(fake.script, sizeof(fake.script), "%s/script%d", f->dir, number);
	snprintf(fake.record, sizeof(fake.record), "%s/record%d", f->dir, number);
	snprintf(fake.dsn, sizeof(fake.dsn), "Driver=%s;Script=%s;Record=%s", FAKE_ODBC,
		 fake.script, fake.record);
	file = fopen(fake.script, "w");
	assert_non_null(file);
	fputs(script, file);
	fclose(file);
	return (struct db_options){
		.name = "warehouse",
		.dialect = DIALECT_MSSQL,
		.dsn = fake.dsn,
		.read_only = true,
		.workers = 2,
		.tenants = tenants,
		.tenant_count = 4,
	};
}

static inline void fake_open(struct fixture *f, const char *script)
{
	struct db_options options = fake_options(f, script);
	struct err e = {0};

	if (!db_open(f->loop, &options, &f->db, &e))
		fail_msg("%s", e.text);
}

/* The calls recorded so far. */
static inline const char *recorded(void)
{
	static char text[65536];
	FILE *file = fopen(fake.record, "r");
	size_t n = 0;

	if (file) {
		n = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[n] = '\0';
	return text;
}

static inline int recorded_count(const char *part)
{
	int n = 0;

	for (const char *p = recorded(); (p = strstr(p, part)); p++)
		n++;
	return n;
}

#endif

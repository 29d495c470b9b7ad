/* The demo data: the figures behind the expected answers. The tenants' files are complete, isolated
 * and deterministic. */
#include "demo/demo_data.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "vesper/str.h"

#define SCHEMA VESPER_SOURCE_DIR "/sql/warehouse/sqlite/schema.sql"

/* Created once for all tests. Sanitizer builds use small files, since full ones take minutes. In
 * the third folder, a build was killed before the final one. */
#ifdef VESPER_CHECKED
#define IS_SMALL true
#else
#define IS_SMALL false
#endif
static char folder[] = "/tmp/vesper-demo-XXXXXX";
static char small_folder[] = "/tmp/vesper-demo-XXXXXX";
static char other_folder[] = "/tmp/vesper-demo-XXXXXX";
static sqlite3 *vesper, *acme;

static const char *path_in(const char *dir, const char *name)
{
	static char path[2][256];
	static int slot;
	slot = !slot;
	snprintf(path[slot], sizeof(path[slot]), "%s/%s", dir, name);
	return path[slot];
}

static bool exists(const char *dir, const char *name)
{
	struct stat st;
	return stat(path_in(dir, name), &st) == 0;
}

static int count_files(const char *dir)
{
	int n = 0;
	DIR *d = opendir(dir);
	assert_non_null(d);
	for (struct dirent *entry; (entry = readdir(d));)
		n += entry->d_name[0] != '.';
	closedir(d);
	return n;
}

static void make(const char *dir)
{
	struct err err = {0};
	if (!demo_data_make(SCHEMA, dir, IS_SMALL && dir != folder, &err))
		fail_msg("%s", err.text);
}

/* Opens a tenant as the daemon does: one file, read-only, under two schema names. */
static sqlite3 *open_tenant(const char *dir, const char *name)
{
	sqlite3 *db = NULL;
	assert_int_equal(
		sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, NULL), 0);
	static const char *const schemas[] = {"dbo", "Stage"};
	for (int i = 0; i < 2; i++) {
		char *sql = sqlite3_mprintf("ATTACH 'file:%s/%s.db?mode=ro' AS %s", dir, name,
					    schemas[i]);
		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_free(sql);
	}
	return db;
}

/* The whole result as text: cells separated by '|', rows by newlines, NULL as '-'. Valid until the
 * next call. */
static const char *rows(sqlite3 *db, const char *sql)
{
	static struct buf text;
	if (text.cap_bytes == 0)
		buf_init(&text, 1 << 20);
	if (!db) { /* the end of the tests */
		buf_deinit(&text);
		return NULL;
	}
	buf_reset(&text);
	sqlite3_stmt *stmt = NULL;
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sqlite3_errmsg(db), sql);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const char *cell = (const char *)sqlite3_column_text(stmt, i);
			buf_printf(&text, "%s%s", i ? "|" : "", cell ? cell : "-");
		}
		buf_char(&text, '\n');
	}
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
	assert_false(buf_over(&text));
	return buf_text(&text);
}

static void interrupt_build(const char *dir)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct err err;
		_exit(demo_data_make(SCHEMA, dir, false, &err) ? 0 : 1);
	}
	while (!exists(dir, "vesper.db.new"))
		usleep(1000);
	usleep(100000); /* the first file takes seconds */
	kill(pid, SIGKILL);
	int status = 0;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_non_null(mkdtemp(small_folder));
	assert_non_null(mkdtemp(other_folder));
	make(folder);
	make(small_folder);
	vesper = open_tenant(folder, "vesper");
	acme = open_tenant(folder, "acme");
	return 0;
}

static void remove_folder(const char *dir)
{
	static const char *const names[] = {"vesper.db", "acme.db", "broken.sql"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_in(dir, names[i]));
	rmdir(dir);
}

static int tear_down(void **state)
{
	(void)state;
	sqlite3_close(vesper);
	sqlite3_close(acme);
	rows(NULL, NULL);
	remove_folder(folder);
	remove_folder(small_folder);
	remove_folder(other_folder);
	return 0;
}

/* ---- prices ---- */

#define PRICES                                                                                     \
	" FROM Stage.mc_dayahead da JOIN Stage.mc_vendor_files vf"                                 \
	" ON da.FILE_INFO_KEY = vf.file_info_key AND da.HUBZONE_KEY = vf.hubzone_key "

static const char *averages(sqlite3 *db, const char *vendor, const char *hubzone, int year)
{
	char sql[1024];
	snprintf(sql, sizeof(sql),
		 "SELECT vf.asof, ROUND(AVG(da.DAYAHEAD_PRICE), 2), COUNT(*)" PRICES
		 "WHERE vf.vendor = '%s' AND vf.market = 'CAISO' AND vf.hubzone = '%s' "
		 "AND vf.reference = 'Base' AND da.YEAR = %d "
		 "GROUP BY vf.asof, vf.asof_date ORDER BY vf.asof_date DESC",
		 vendor, hubzone, year);
	return rows(db, sql);
}

static void averages_equal_the_expected_figures(void **state)
{
	(void)state;
	assert_string_equal(averages(vesper, "Ascend", "NP15", 2025),
			    "Jan_2025|48.73|8760\nJul_2024|49.75|8760\nJan_2024|50.83|8760\n");
	assert_string_equal(averages(vesper, "Ascend", "SP15", 2025),
			    "Jan_2025|52.14|8760\nJul_2024|53.23|8760\nJan_2024|54.38|8760\n");
	assert_string_equal(averages(vesper, "Hitachi", "SP15", 2025),
			    "Q1_2025|54.8|8760\nQ1_2024|56.88|8760\n");
	assert_string_equal(averages(acme, "Ascend", "NP15", 2025),
			    "Jan_2025|61.27|8760\nJan_2024|62.92|8760\n");
	assert_string_equal(averages(vesper, "Ascend", "NP15", 2028), "");
}

static void newest_file_is_not_the_last_by_text(void **state)
{
	(void)state;
	const char *newest =
		"SELECT vf.asof FROM Stage.mc_vendor_files vf WHERE vf.vendor = 'Ascend' AND "
		"vf.hubzone = 'NP15' AND vf.reference = 'Base' AND 2025 IN (YR, YR + 1) ORDER BY ";
	char sql[512];
	snprintf(sql, sizeof(sql), "%s asof_date DESC LIMIT 1", newest);
	assert_string_equal(rows(vesper, sql), "Jan_2025\n");
	snprintf(sql, sizeof(sql), "%s asof DESC LIMIT 1", newest);
	assert_string_equal(rows(vesper, sql), "Jul_2024\n");
}

static void every_year_is_complete(void **state)
{
	(void)state;
	/* One row per curve and year: hours, days, and whether its mean has exactly two decimals.
	 */
	const char *sql = "SELECT COUNT(*), MIN(n), MAX(n), MIN(days), MAX(days), SUM(odd), "
			  "MIN(YEAR), MAX(YEAR) FROM ("
			  "SELECT YEAR, COUNT(*) n, SUM(HOUR = 0) days,"
			  " SUM(CAST(ROUND(DAYAHEAD_PRICE * 10000) AS INTEGER)) % 876000 <> 0 odd"
			  " FROM Stage.mc_dayahead GROUP BY FILE_INFO_KEY, HUBZONE_KEY, YEAR)";
	assert_string_equal(rows(vesper, sql), "260|8760|8760|365|365|0|2024|2027\n");
	assert_string_equal(rows(acme, sql), "84|8760|8760|365|365|0|2024|2027\n");
	/* No leap day, hours 0 to 23, and YEAR and MONTH agree with DATE. */
	const char *bad =
		"SELECT COUNT(*) FROM Stage.mc_dayahead WHERE DATE LIKE '%-02-29' OR HOUR < 0 OR "
		"HOUR > 23 OR DATE <> date(DATE) OR YEAR <> substr(DATE, 1, 4) + 0 OR "
		"MONTH <> substr(DATE, 6, 2) + 0 OR typeof(DAYAHEAD_PRICE) NOT IN ('real', "
		"'integer')";
	assert_string_equal(rows(acme, bad), "0\n");
	assert_string_equal(rows(vesper, bad), "0\n");
	/* A file covers YR and the year after it, and nothing else. */
	const char *cover =
		"SELECT COUNT(*) FROM (SELECT vf.YR, MIN(da.YEAR) a, MAX(da.YEAR) b" PRICES
		"WHERE da.DATE LIKE '%-07-01' AND da.HOUR = 0 "
		"GROUP BY vf.file_info_key, vf.hubzone_key) WHERE YR <> a OR YR + 1 <> b";
	assert_string_equal(rows(vesper, cover), "0\n");
	/* Every price belongs to a file, every file has prices. */
	const char *orphans = "SELECT (SELECT COUNT(*) FROM (SELECT DISTINCT FILE_INFO_KEY, "
			      "HUBZONE_KEY FROM Stage.mc_dayahead)),"
			      " COUNT(*), SUM(composite_key = file_info_key || '_' || hubzone_key) "
			      "FROM Stage.mc_vendor_files";
	assert_string_equal(rows(vesper, orphans), "130|130|130\n");
}

static void hubzones_belong_to_their_market(void **state)
{
	(void)state;
	const char *sql =
		"SELECT market, group_concat(hubzone) FROM (SELECT DISTINCT market, hubzone FROM "
		"Stage.mc_vendor_files WHERE reference = 'Base' ORDER BY 1, 2) GROUP BY market";
	const char *all =
		"CAISO|NP15,SP15,ZP26\n"
		"ERCOT|HB_BUSAVG,HB_HOUSTON,HB_NORTH,HB_WEST,LZ_AEN,LZ_CPS,LZ_HOUSTON,LZ_NORTH,"
		"LZ_RAYBN,LZ_WEST\n";
	assert_string_equal(rows(vesper, sql), all);
	assert_string_equal(rows(acme, sql), all);
	/* Each pair of High and Low has a Base between them. */
	assert_string_equal(rows(vesper, "SELECT COUNT(*), SUM(low < base AND base < high) FROM ("
					 "SELECT MAX(CASE reference WHEN 'Low' THEN p END) low,"
					 " MAX(CASE reference WHEN 'Base' THEN p END) base,"
					 " MAX(CASE reference WHEN 'High' THEN p END) high FROM ("
					 "SELECT vf.hubzone, vf.reference, da.YEAR, "
					 "AVG(da.DAYAHEAD_PRICE) p" PRICES
					 "WHERE vf.asof = 'Jan_2025' GROUP BY 1, 2, 3) "
					 "GROUP BY hubzone, YEAR HAVING high OR low)"),
			    "14|14\n");
}

static void vendors_differ_most_in_the_evening(void **state)
{
	(void)state;
	/* The smallest gap of hours ending 16 to 21, and the largest of the others. */
	assert_string_equal(
		rows(vesper,
		     "WITH h AS (SELECT vf.vendor v, da.HOUR h, AVG(da.DAYAHEAD_PRICE) p" PRICES
		     "WHERE vf.hubzone = 'SP15' AND da.YEAR = 2025 AND vf.reference = 'Base' AND "
		     "vf.asof IN "
		     "('Jan_2025', 'Q1_2025') GROUP BY 1, 2), "
		     "gap AS (SELECT a.h, b.p - a.p d FROM h a JOIN h b ON a.h = b.h "
		     "WHERE a.v = 'Ascend' AND b.v = 'Hitachi') "
		     "SELECT MIN(CASE WHEN h BETWEEN 15 AND 20 THEN d END) > "
		     "3 * MAX(CASE WHEN h NOT BETWEEN 15 AND 20 THEN d END), ROUND(AVG(d), 2) FROM "
		     "gap"),
		"1|2.66\n");
}

static void prices_have_plausible_shapes(void **state)
{
	(void)state;
	/* Spring noons go below zero in California, and all prices stay plausible.
	 */
	assert_string_equal(rows(vesper,
				 "SELECT SUM(DAYAHEAD_PRICE < 0) BETWEEN 100 AND 400,"
				 " SUM(DAYAHEAD_PRICE < 0 AND MONTH NOT IN (3, 4, 5)),"
				 " SUM(DAYAHEAD_PRICE < 0 AND HOUR NOT BETWEEN 9 AND 15)" PRICES
				 "WHERE vf.hubzone = 'NP15' AND vf.asof = 'Jan_2025' AND "
				 "vf.reference = 'Base' AND da.YEAR = 2025"),
			    "1|0|0\n");
	assert_string_equal(rows(vesper,
				 "SELECT MIN(DAYAHEAD_PRICE) > -20, MAX(DAYAHEAD_PRICE) < 250 "
				 "FROM Stage.mc_dayahead"),
			    "1|1\n");
	/* Evenings cost more than noons, Augusts more than Aprils, working days more than Sundays.
	 */
	assert_string_equal(
		rows(vesper, "SELECT AVG(CASE WHEN HOUR = 19 THEN DAYAHEAD_PRICE END) > "
			     "2 * AVG(CASE WHEN HOUR = 12 THEN DAYAHEAD_PRICE END),"
			     " AVG(CASE WHEN MONTH = 8 THEN DAYAHEAD_PRICE END) > "
			     "1.2 * AVG(CASE WHEN MONTH = 4 THEN DAYAHEAD_PRICE END),"
			     " AVG(CASE WHEN strftime('%w', DATE) = '3' THEN DAYAHEAD_PRICE END) > "
			     "1.05 * AVG(CASE WHEN strftime('%w', DATE) = '0' THEN DAYAHEAD_PRICE "
			     "END)" PRICES "WHERE vf.hubzone = 'SP15' AND vf.asof = 'Jan_2025' AND "
			     "vf.reference = 'Base' AND "
			     "da.YEAR = 2025"),
		"1|1|1\n");
}

static void curves_are_found_by_key(void **state)
{
	(void)state;
	/* Even with LIKE, for which no index finds the file, prices must not be scanned. */
	const char *plan =
		rows(vesper, "EXPLAIN QUERY PLAN SELECT AVG(da.DAYAHEAD_PRICE)" PRICES
			     "WHERE LOWER(vf.hubzone) LIKE LOWER('np15') ESCAPE '\\' "
			     "AND LOWER(vf.vendor) LIKE LOWER('ascend') AND da.YEAR = 2025 "
			     "AND da.MONTH = 3 GROUP BY vf.asof");
	assert_non_null(strstr(
		plan,
		"SEARCH da USING PRIMARY KEY (FILE_INFO_KEY=? AND HUBZONE_KEY=? AND YEAR=?)"));
	assert_null(strstr(plan, "SCAN da"));
}

/* ---- projects ---- */

static void nazareth_has_the_planted_health(void **state)
{
	(void)state;
	assert_string_equal(
		rows(vesper,
		     "SELECT h.name, h.healthcolor, h.pctcomplete, h.due_on, h.notes "
		     "FROM dbo.per_projecthealth h JOIN dbo.per_project p ON p.gid = h.project_gid "
		     "WHERE p.name = 'Nazareth Solar' ORDER BY h.sort"),
		"Site Control|green|100|-|Site secured\n"
		"Permits|yellow|65|2025-06-30|CEQA review pending\n"
		"Interconnection|red|40|2025-09-30|Phase II study delayed\n"
		"Engineering|green|80|-|-\n"
		"Procurement|yellow|30|2025-08-31|Panel pricing TBD\n"
		"Offtake|green|100|-|PPA executed\n"
		"Financing|red|20|2025-10-31|Term sheet not yet received\n"
		"Construction|-|0|-|Not started\n"
		"Schedule|yellow|-|-|COD at risk by ~3 months\n");
	assert_string_equal(
		rows(vesper,
		     "SELECT currentprojectstage, Status_Type, Actuals_LTD, "
		     "Total_Operating_Budget FROM dbo.per_project WHERE name = 'Nazareth Solar'"),
		"Stage 4 Pre-Con & Finance|at_risk|1400000|2100000\n");
	assert_string_equal(rows(vesper,
				 "SELECT MIN(n), MAX(n), COUNT(*) FROM (SELECT COUNT(*) n FROM "
				 "dbo.per_projecthealth GROUP BY project_gid)"),
			    "9|9|20\n");
}

static void three_projects_are_off_track(void **state)
{
	(void)state;
	assert_string_equal(
		rows(vesper,
		     "SELECT name, substr(currentprojectstage, 1, 7), technology, market, "
		     "Total_Operating_Budget, Actuals_LTD, summary FROM dbo.per_project WHERE "
		     "Status_Type = 'off_track' AND (is_archived = 0 OR is_archived IS NULL) ORDER "
		     "BY name"),
		"Mojave BESS|Stage 5|BESS|CAISO|5400000|4900000|EPC contractor dispute\n"
		"Pecos Ridge Wind|Stage 4|Wind|ERCOT|3200000|3050000|Turbine delivery slipped\n"
		"Sierra Wind|Stage 3|Wind|ERCOT|800000|620000|Permitting stalled\n");
	/* A filter that ignores one of these values returns another number of projects. */
	assert_string_equal(
		rows(vesper, "SELECT is_archived, COUNT(*) FROM dbo.per_project GROUP BY 1"),
		"-|1\n0|18\n1|1\n");
	assert_string_equal(
		rows(vesper,
		     "SELECT DISTINCT substr(currentprojectstage, 7, 1) FROM dbo.per_project "
		     "ORDER BY 1"),
		"1\n2\n3\n4\n5\n6\n");
	assert_string_equal(
		rows(vesper, "SELECT DISTINCT technology FROM dbo.per_project ORDER BY 1"),
		"BESS\nHybrid\nSolar\nSolar+Storage\nWind\n");
}

static void some_project_names_are_awkward(void **state)
{
	(void)state;
	assert_string_equal(
		rows(vesper,
		     "SELECT name FROM dbo.per_project WHERE name LIKE '%Sierra%' OR name IN "
		     "('Desert Sun', 'Kern Wind', 'O''Brien Solar', '100% Solar', 'project_7') "
		     "ORDER BY name"),
		"100% Solar\nDesert Sun\nKern Wind\nO'Brien Solar\nSierra Solar\nSierra "
		"Wind\nproject_7\n");
}

static void last_week_has_five_date_changes(void **state)
{
	(void)state;
	assert_string_equal(
		rows(vesper,
		     "SELECT dateofchange, projectname, taskname, previousvalue, newvalue FROM "
		     "dbo.changes "
		     "WHERE dateofchange >= '2026-02-20' AND dateofchange <= '2026-02-27' AND "
		     "fieldchanged = 'FinishDate' ORDER BY dateofchange DESC"),
		"2026-02-26|Sierra Wind|Execute Interconnection Agreement|2026-03-15|2026-06-15\n"
		"2026-02-25|Nazareth Solar|Project Finance|2025-08-15|2025-11-15\n"
		"2026-02-24|Desert Sun|EPC FNTP|2026-04-15|2026-04-15\n"
		"2026-02-23|Mojave BESS|Mechanical Completion|2026-12-15|2027-02-15\n"
		"2026-02-21|Kern Wind|Commercial Operation|2027-06-30|2027-09-30\n");
	assert_string_equal(
		rows(vesper, "SELECT COUNT(*) > 20, COUNT(DISTINCT fieldchanged) FROM dbo.changes"),
		"1|17\n");
}

static void milestones_match_the_changes(void **state)
{
	(void)state;
	/* The newest monthly snapshot has the new dates, the one before has the old ones; the task
	 * list agrees. */
	const char *sql = "SELECT asofday, \"Commercial Operation\", \"COD Year\", \"Project "
			  "Status Color\" FROM "
			  "dbo.activeportfolio_mm WHERE \"Project Name\" = 'Kern Wind' AND "
			  "monthlysnapshot = 1 ORDER BY asofday DESC";
	assert_string_equal(rows(vesper, sql), "2026-02-27|2027-09-30|2027|yellow\n"
					       "2026-01-31|2027-06-30|2027|green\n"
					       "2025-12-31|2027-06-30|2027|green\n"
					       "2025-11-30|2027-03-30|2027|green\n");
	assert_string_equal(rows(vesper, "SELECT t.finishdate = m.\"Execute Interconnection "
					 "Agreement\", t.finishdate FROM "
					 "dbo.per_tasks t JOIN dbo.activeportfolio_mm m ON "
					 "m.\"Project Name\" = t.projectname "
					 "WHERE t.projectname = 'Sierra Wind' AND t.taskname = "
					 "'Execute Interconnection Agreement' "
					 "AND m.asofday = '2026-02-27'"),
			    "1|2026-06-15\n");
	/* The overview matches the current snapshot, which lacks the archived project. */
	assert_string_equal(
		rows(vesper,
		     "SELECT COUNT(*), SUM(\"Current Project Stage\" = currentprojectstage), "
		     "SUM(CASE Status_Type WHEN 'on_track' THEN 'green' WHEN 'at_risk' THEN "
		     "'yellow' WHEN "
		     "'off_track' THEN 'red' ELSE 'blue' END = \"Project Status Color\") FROM "
		     "dbo.activeportfolio_mm JOIN dbo.per_project ON name = \"Project Name\" "
		     "WHERE asofday = '2026-02-27'"),
		"19|19|19\n");
	/* The stage of a project matches its dates. */
	assert_string_equal(
		rows(vesper,
		     "SELECT COUNT(*) FROM dbo.activeportfolio_mm WHERE asofday = '2026-02-27' AND "
		     "substr(\"Current Project Stage\", 7, 1) + 0 <> (\"Stage 1 Early Dev\" <= "
		     "asofday) + "
		     "(\"Stage 2 Mid Dev\" <= asofday) + (\"Stage 3 Late Dev\" <= asofday) + "
		     "(\"Stage 4 Pre-Con & Finance\" <= asofday) + (\"Stage 5 Construction\" <= "
		     "asofday) + "
		     "(\"Stage 6 Operation\" <= asofday)"),
		"0\n");
}

static void tasks_and_budgets_are_consistent(void **state)
{
	(void)state;
	assert_string_equal(
		rows(vesper,
		     "SELECT taskname FROM dbo.per_tasks WHERE projectname = 'Nazareth Solar' AND "
		     "risk = 'High' ORDER BY finishdate"),
		"Phase II interconnection study\nLender term sheet\nProject Finance\n");
	assert_string_equal(
		rows(vesper,
		     "SELECT COUNT(DISTINCT risk), SUM(risk = '') > 0, SUM(risk IS NULL) > 0 "
		     "FROM dbo.per_tasks"),
		"4|1|1\n");
	/* The current lines of each project add up to its totals. */
	assert_string_equal(
		rows(vesper,
		     "SELECT COUNT(*), SUM(b = Total_Operating_Budget AND a = Actuals_LTD AND "
		     "f = Total_Operating_Forecast) FROM (SELECT p.*, "
		     "(SELECT SUM(value_numbers) FROM dbo.per_project45 q WHERE q.project_id = "
		     "p.project_id AND "
		     "metric = 'Budget' AND MonthFromFileName IS NULL) b, "
		     "(SELECT SUM(value_numbers) FROM dbo.per_project45 q WHERE q.project_id = "
		     "p.project_id AND "
		     "metric = 'Actuals LTD' AND MonthFromFileName IS NULL) a, "
		     "(SELECT SUM(value_numbers) FROM dbo.per_project45 q WHERE q.project_id = "
		     "p.project_id AND "
		     "metric = 'Forecast' AND MonthFromFileName IS NULL) f FROM dbo.per_project "
		     "p)"),
		"20|20\n");
	assert_string_equal(rows(vesper, "SELECT \"group\", COUNT(*) FROM dbo.per_project45 WHERE "
					 "project_id = 'P-1001' "
					 "AND MonthFromFileName IS NULL GROUP BY 1 ORDER BY 1"),
			    "Capital At Risk|3\nCapital Budget|9\nProject Return|2\nSchedule|2\n");
	assert_string_equal(
		rows(vesper, "SELECT DISTINCT MonthFromFileName FROM dbo.per_project45 ORDER BY 1"),
		"-\n2025-12\n2026-01\n");
}

/* ---- usage ---- */

static void usage_rankings_have_no_ties(void **state)
{
	(void)state;
	assert_string_equal(
		rows(vesper,
		     "SELECT MIN(activity_date), MAX(activity_date), COUNT(DISTINCT report_name), "
		     "COUNT(DISTINCT report_id), COUNT(DISTINCT user_email), "
		     "COUNT(*) = COUNT(DISTINCT source_id) FROM Stage.pbi_activity_events"),
		"2025-10-01|2026-02-27|8|8|25|1\n");
	/* Each month's ranking of eight reports and ten users has no ties. */
	const char *ties =
		"WITH v AS (SELECT substr(activity_date, 1, 7) m, report_name r, user_email u FROM "
		"Stage.pbi_activity_events WHERE activity_type = 'ViewReport'), "
		"r AS (SELECT m, COUNT(*) n FROM v GROUP BY m, r), "
		"u AS (SELECT m, n FROM (SELECT m, COUNT(*) n, ROW_NUMBER() OVER (PARTITION BY m "
		"ORDER BY COUNT(*) "
		"DESC) place FROM v GROUP BY m, u) WHERE place <= 10) "
		"SELECT (SELECT COUNT(*) - COUNT(DISTINCT m || '/' || n) FROM r), "
		"(SELECT COUNT(*) - COUNT(DISTINCT m || '/' || n) FROM u)";
	assert_string_equal(rows(vesper, ties), "0|0\n");
	assert_string_equal(rows(vesper, "SELECT report_name FROM Stage.pbi_activity_events WHERE "
					 "activity_type = 'ViewReport' AND "
					 "activity_date BETWEEN '2026-01-01' AND '2026-01-31' "
					 "GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 3"),
			    "Day-Ahead Curves Dashboard\nProject Overview\nPortfolio View\n");
	/* A working day has many times the views of a Sunday. */
	assert_string_equal(
		rows(vesper,
		     "SELECT SUM(strftime('%w', activity_date) = '2') > "
		     "8 * SUM(strftime('%w', activity_date) = '0') FROM Stage.pbi_activity_events"),
		"1\n");
}

/* ---- tenants ---- */

static void check_tenant_of_every_table(sqlite3 *db, const char *tenant)
{
	char tables[1024];
	snprintf(tables, sizeof(tables), "%s",
		 rows(db, "SELECT group_concat(name, ' ') FROM (SELECT name FROM dbo.sqlite_master "
			  "WHERE type = 'table' AND "
			  "name NOT LIKE 'sqlite%' ORDER BY name)"));
	assert_string_equal(
		tables,
		"activeportfolio_mm changes mc_dayahead mc_vendor_files pbi_activity_events "
		"per_project per_project45 per_projecthealth per_tasks vesper_tenant\n");
	struct str rest = str_trim(str_of(tables)), name;
	while (str_split(&rest, ' ', &name)) {
		char sql[256];
		snprintf(sql, sizeof(sql),
			 "SELECT COUNT(*) > 0, SUM(tenant_id IS NULL OR tenant_id <> '%s') FROM "
			 "dbo.%.*s",
			 tenant, STR_FMT(name));
		assert_string_equal(rows(db, sql), "1|0\n");
	}
	assert_string_equal(rows(db, "SELECT tenant_id, (SELECT COUNT(*) FROM dbo.vesper_tenant) "
				     "FROM dbo.vesper_tenant"),
			    strcmp(tenant, "acme") == 0 ? "acme|1\n" : "vesper|1\n");
}

static void every_row_has_its_tenant(void **state)
{
	(void)state;
	check_tenant_of_every_table(vesper, "vesper");
	check_tenant_of_every_table(acme, "acme");
}

static void tenants_share_nothing(void **state)
{
	(void)state;
	sqlite3 *both = open_tenant(folder, "vesper");
	char *sql = sqlite3_mprintf("ATTACH 'file:%s/acme.db?mode=ro' AS a", folder);
	assert_int_equal(sqlite3_exec(both, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_free(sql);
	static const char *const identifying_columns[][2] = {
		{"per_project", "name"},
		{"per_project", "gid"},
		{"per_project", "project_id"},
		{"per_project", "summary"},
		{"per_project", "spa"},
		{"per_project", "sponsor"},
		{"per_project", "location"},
		{"per_project", "Total_Operating_Budget"},
		{"per_projecthealth", "project_gid"},
		{"per_tasks", "projectname"},
		{"per_project45", "project_id"},
		{"activeportfolio_mm", "\"Project Name\""},
		{"changes", "projectname"},
		{"pbi_activity_events", "user_email"},
		{"pbi_activity_events", "source_id"},
		{"pbi_activity_events", "report_id"},
		{"pbi_activity_events", "workspace_name"},
		{"mc_vendor_files", "SELECTION"},
		{"mc_vendor_files", "file_info_key"},
		{"mc_vendor_files", "composite_key"},
	};
	for (size_t i = 0; i < sizeof(identifying_columns) / sizeof(identifying_columns[0]); i++) {
		char query[512];
		snprintf(query, sizeof(query),
			 "SELECT COUNT(*) FROM (SELECT %s FROM dbo.%s INTERSECT SELECT %s FROM "
			 "a.%s)",
			 identifying_columns[i][1], identifying_columns[i][0],
			 identifying_columns[i][1], identifying_columns[i][0]);
		if (strcmp(rows(both, query), "0\n") != 0)
			fail_msg("%s.%s is shared: %s", identifying_columns[i][0],
				 identifying_columns[i][1], rows(both, query));
	}
	assert_string_equal(
		rows(both, "SELECT COUNT(*) FROM a.per_project WHERE name NOT LIKE 'Acme %'"),
		"0\n");
	assert_string_equal(
		rows(both,
		     "SELECT COUNT(*) FROM a.mc_vendor_files WHERE SELECTION NOT LIKE 'Acme %'"),
		"0\n");
	assert_string_equal(rows(both, "SELECT (SELECT COUNT(*) FROM a.pbi_activity_events WHERE "
				       "user_email NOT LIKE '%@acme.example'), "
				       "(SELECT COUNT(*) FROM dbo.pbi_activity_events WHERE "
				       "user_email NOT LIKE '%@vesper.example')"),
			    "0|0\n");
	sqlite3_close(both);
}

static void files_have_the_expected_size(void **state)
{
	(void)state;
	struct stat a, b;
	assert_int_equal(stat(path_in(folder, "vesper.db"), &a), 0);
	assert_int_equal(stat(path_in(folder, "acme.db"), &b), 0);
	assert_in_range(a.st_size + b.st_size, 80 << 20, 140 << 20);
}

/* ---- creating the files ---- */

static void assert_same_bytes(const char *name)
{
	struct stat st[2];
	void *bytes[2];
	const char *dirs[2] = {small_folder, other_folder};
	for (int i = 0; i < 2; i++) {
		int fd = open(path_in(dirs[i], name), O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &st[i]), 0);
		bytes[i] = mmap(NULL, (size_t)st[i].st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		assert_true(bytes[i] != MAP_FAILED);
		close(fd);
	}
	assert_int_equal(st[0].st_size, st[1].st_size);
	assert_true(memcmp(bytes[0], bytes[1], (size_t)st[0].st_size) == 0);
	for (int i = 0; i < 2; i++)
		munmap(bytes[i], (size_t)st[i].st_size);
}

static void interrupted_build_is_repeated_identically(void **state)
{
	(void)state;
	interrupt_build(other_folder);
	assert_false(exists(other_folder, "vesper.db"));
	assert_false(exists(other_folder, "acme.db"));

	/* A file that is not a database is replaced. */
	FILE *file = fopen(path_in(other_folder, "acme.db"), "we");
	assert_non_null(file);
	fputs("not a database, but as long as the header of one would be: "
	      "0123456789012345678901234567890123456789",
	      file);
	fclose(file);
	make(other_folder);
	assert_int_equal(count_files(other_folder),
			 2); /* leftovers of the interrupted build are gone */
	assert_same_bytes("vesper.db");
	assert_same_bytes("acme.db");
}

static ino_t inode(const char *dir, const char *name)
{
	struct stat st;
	assert_int_equal(stat(path_in(dir, name), &st), 0);
	return st.st_ino;
}

static void current_files_are_kept(void **state)
{
	(void)state;
	ino_t vesper_inode = inode(folder, "vesper.db"), acme_inode = inode(folder, "acme.db");
	make(folder);
	assert_int_equal(inode(folder, "vesper.db"), vesper_inode);
	assert_int_equal(inode(folder, "acme.db"), acme_inode);
	assert_int_equal(count_files(folder), 2);
}

static void files_of_another_generator_are_replaced(void **state)
{
	(void)state;
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(path_in(other_folder, "acme.db"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "DELETE FROM per_project; PRAGMA user_version = 7", NULL,
				      NULL, NULL),
			 0);
	sqlite3_close(db);
	ino_t vesper_inode = inode(other_folder, "vesper.db");
	make(other_folder);
	assert_int_equal(inode(other_folder, "vesper.db"), vesper_inode);
	assert_same_bytes("acme.db");
}

static void invalid_schema_changes_nothing(void **state)
{
	(void)state;
	char broken[256];
	snprintf(broken, sizeof(broken), "%s/broken.sql", other_folder);
	FILE *file = fopen(broken, "we");
	assert_non_null(file);
	fputs("CREATE TABLE vesper_tenant (tenant_id nvarchar(100)); CREATE TABLE oops (", file);
	fclose(file);
	struct err err = {0};
	assert_false(demo_data_make(broken, other_folder, false, &err));
	assert_int_equal(err.code, ERR_INTERNAL);
	assert_non_null(strstr(err.text, "schema"));
	assert_int_equal(unlink(broken), 0);
	assert_int_equal(count_files(other_folder), 2);
	assert_same_bytes("vesper.db");
	assert_same_bytes("acme.db");
}

static void invalid_paths_are_rejected(void **state)
{
	(void)state;
	struct err err = {0};
	assert_false(demo_data_make("/nowhere/schema.sql", folder, false, &err));
	assert_non_null(strstr(err.text, "/nowhere/schema.sql"));
	assert_false(demo_data_make(SCHEMA, "/nowhere", false, &err));
	assert_int_equal(err.code, ERR_INPUT);
	assert_false(demo_data_make(SCHEMA, SCHEMA, false, &err)); /* a file, not a directory */
	assert_int_equal(err.code, ERR_INPUT);
	assert_int_equal(count_files(folder), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(averages_equal_the_expected_figures),
		cmocka_unit_test(newest_file_is_not_the_last_by_text),
		cmocka_unit_test(every_year_is_complete),
		cmocka_unit_test(hubzones_belong_to_their_market),
		cmocka_unit_test(vendors_differ_most_in_the_evening),
		cmocka_unit_test(prices_have_plausible_shapes),
		cmocka_unit_test(curves_are_found_by_key),
		cmocka_unit_test(nazareth_has_the_planted_health),
		cmocka_unit_test(three_projects_are_off_track),
		cmocka_unit_test(some_project_names_are_awkward),
		cmocka_unit_test(last_week_has_five_date_changes),
		cmocka_unit_test(milestones_match_the_changes),
		cmocka_unit_test(tasks_and_budgets_are_consistent),
		cmocka_unit_test(usage_rankings_have_no_ties),
		cmocka_unit_test(every_row_has_its_tenant),
		cmocka_unit_test(tenants_share_nothing),
		cmocka_unit_test(files_have_the_expected_size),
		cmocka_unit_test(interrupted_build_is_repeated_identically),
		cmocka_unit_test(current_files_are_kept),
		cmocka_unit_test(files_of_another_generator_are_replaced),
		cmocka_unit_test(invalid_schema_changes_nothing),
		cmocka_unit_test(invalid_paths_are_rejected),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * Holds recorded conversations again, in this process: the same parts as the daemon's, the recorded
 * answers for a model, a store that is gone afterwards, and no port and no network. What came of
 * each turn is compared with what is expected of it (vesper/record.h): rows and facts, never
 * wording.
 */
#include "correction.h"
#include "ctl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon.h"
#include "vesper/clock.h"
#include "vesper/file.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/record.h"
#include "vesper/uuid.h"

#define EVAL_USER     "eval"
#define EVAL_LIMIT_MS 600000 /* the whole run */

struct eval {
	struct daemon d;
	json_t *lines;   /* every turn of every conversation, with "file" */
	json_t *results; /* one each: {file, content, ok, differences[], prompts} */
	size_t at;
	size_t migrating;
	char session[UUID_BYTES];
	char ask_id[UUID_BYTES];
	struct later next;
	struct timer *limit;
	struct err err;
};

/* ---- reading ---- */

static bool read_json_file(const char *folder, const char *name, struct arena *a, json_t **out,
			   struct err *e)
{
	const char *path = arena_printf(a, "%s/%s", folder, name), *text;

	return file_read(path, LLM_REQUEST_BYTES_MAX, a, &text, e) &&
	       json_parse(text, strlen(text), LLM_REQUEST_BYTES_MAX, out, e);
}

static bool read_exchanges(struct eval *v, const char *folder, struct arena *a, struct err *e)
{
	const char *const *names;

	v->d.exchanges = json_object();
	if (!file_list(folder, a, &names, e))
		return false;
	for (; *names; names++) {
		const char *hash;
		json_t *one;

		if (!str_ends(str_of(*names), STR(RECORD_EXCHANGE_SUFFIX)))
			continue;
		if (!read_json_file(folder, *names, a, &one, e))
			return err_prefix(e, "%s", *names);
		if (!json_get_str(one, "hash", &hash, e)) {
			json_decref(one);
			return err_prefix(e, "%s", *names);
		}
		json_object_set_new(v->d.exchanges, hash, one);
	}
	return true;
}

static bool line_check(const json_t *line, struct err *e)
{
	const char *text;
	json_t *expect = NULL;
	struct date day;

	if (!json_get_str(line, "format", &text, e))
		return false;
	if (strcmp(text, RECORD_CASE_FORMAT) != 0)
		return err_set(e, ERR_INPUT, "format: must be " RECORD_CASE_FORMAT);
	if (!json_get_str(line, "tenant", &text, e) || !json_get_str(line, "content", &text, e) ||
	    !json_opt_object(line, "expect", &expect, e) || !json_get_str(line, "today", &text, e))
		return false;
	return date_parse_iso(text, &day) || err_set(e, ERR_INPUT, "today: must be a date");
}

static bool read_case(struct eval *v, const char *folder, const char *name, struct arena *a,
		      struct err *e)
{
	const char *text;
	struct str rest, one;
	size_t number = 0;

	if (!file_read(arena_printf(a, "%s/%s", folder, name), LLM_REQUEST_BYTES_MAX, a, &text, e))
		return false;
	rest = str_of(text);
	while (str_split(&rest, '\n', &one)) {
		json_t *line;

		number++;
		if (str_trim(one).n == 0)
			continue;
		if (!json_parse(one.p, one.n, LLM_REQUEST_BYTES_MAX, &line, e))
			return err_prefix(e, "%s:%zu", name, number);
		json_set_str(line, "file", name);
		json_push_take(v->lines, line);
		if (!line_check(line, e))
			return err_prefix(e, "%s:%zu", name, number);
	}
	return true;
}

/* "s.case.jsonl" has its corrections in "s.corrections.jsonl". */
static bool read_corrections(struct eval *v, const char *folder, const char *name, struct arena *a,
			     struct err *e)
{
	const char *stem, *path;
	size_t i;
	json_t *by_message, *line;
	const char *text;

	if (!str_ends(str_of(name), STR(RECORD_CASE_SUFFIX)))
		return true;
	stem = arena_strndup(a, name, strlen(name) - strlen(RECORD_CASE_SUFFIX));
	path = arena_printf(a, "%s/%s" RECORD_CORRECTIONS_SUFFIX, folder, stem);
	if (access(path, F_OK) != 0)
		return true;
	by_message = json_own(a, json_object());
	if (!file_read(path, LLM_REQUEST_BYTES_MAX, a, &text, e) ||
	    !corrections_read(by_message, text, e))
		return err_prefix(e, "%s", path);
	json_array_foreach(v->lines, i, line)
		correction_apply(by_message, line);
	return true;
}

static bool read_all(struct eval *v, const char *path, struct arena *a, struct err *e)
{
	struct stat st;
	const char *const *names, *slash = strrchr(path, '/'), *folder;

	if (stat(path, &st) != 0)
		return err_set(e, ERR_NOT_FOUND, "%s: there is no such file or folder", path);
	if (!S_ISDIR(st.st_mode)) {
		folder = slash ? arena_strndup(a, path, (size_t)(slash - path)) : ".";
		return read_exchanges(v, *folder ? folder : "/", a, e) &&
		       read_case(v, *folder ? folder : "/", slash ? slash + 1 : path, a, e) &&
		       read_corrections(v, *folder ? folder : "/", slash ? slash + 1 : path, a, e);
	}
	if (!read_exchanges(v, path, a, e) || !file_list(path, a, &names, e))
		return false;
	for (; *names; names++)
		if (str_ends(str_of(*names), STR(RECORD_CASE_SUFFIX)) &&
		    (!read_case(v, path, *names, a, e) || !read_corrections(v, path, *names, a, e)))
			return false;
	return json_array_size(v->lines) > 0 ||
	       err_set(e, ERR_NOT_FOUND, "%s: no *" RECORD_CASE_SUFFIX " in it", path);
}

/* ---- comparing ---- */

#define SHOWN_BEFORE 40 /* bytes ahead of the first that differs */

/* Long tables are shown from where they differ. */
static void differ(json_t *to, const char *what, const json_t *want, const json_t *got)
{
	char *a = want ? json_text(want) : mem_strdup("nothing");
	char *b = got ? json_text(got) : mem_strdup("nothing");
	size_t n = 0, from;
	char *text;

	while (a[n] && a[n] == b[n])
		n++;
	from = n > SHOWN_BEFORE ? n - SHOWN_BEFORE : 0;
	text = mem_printf("%s: expected %s%.200s, got %s%.200s", what, from ? "…" : "", a + from,
			  from ? "…" : "", b + from);
	json_push_take(to, json_str(text));
	mem_free(a);
	mem_free(b);
	mem_free(text);
}

static void compare(json_t *differences, const json_t *expect, const json_t *got)
{
	static const char *const members[] = {"status", "outcomes", "views", "facts"};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const json_t *want = json_object_get(expect, members[i]);
		const json_t *have = json_object_get(got, members[i]), *item;
		char where[48];
		size_t k;

		if (!want || json_equal(want, have))
			continue;
		if (!json_is_array(want) || json_array_size(want) != json_array_size(have)) {
			differ(differences, members[i], want, have);
			continue;
		}
		json_array_foreach(want, k, item) {
			snprintf(where, sizeof(where), "%s[%zu]", members[i], k);
			if (!json_equal(item, json_array_get(have, k)))
				differ(differences, where, item, json_array_get(have, k));
		}
	}
	correction_compare(differences, expect, got);
}

/* Exact decimals as what a reader of the file makes of them. */
static json_t *as_read(const json_t *value)
{
	char *text = json_text(value);
	json_t *read = NULL;

	if (!json_parse(text, strlen(text), LLM_REQUEST_BYTES_MAX, &read, NULL))
		read = json_null();
	mem_free(text);
	return read;
}

static json_t *verdict_new(const json_t *line)
{
	json_t *r = json_object();

	json_set_str(r, "file", json_string_value(json_object_get(line, "file")));
	json_set_str(r, "content", json_string_value(json_object_get(line, "content")));
	json_set_take(r, "differences", json_array());
	return r;
}

/* ---- running ---- */

static void next_turn(void *owner);

static void give_up(struct eval *v, const struct err *e)
{
	v->err = *e;
	loop_stop(v->d.loop);
}

static void on_limit(void *owner)
{
	struct err e = {0};

	err_set(&e, ERR_TIMEOUT, "not done after %d s", EVAL_LIMIT_MS / 1000);
	give_up(owner, &e);
}

static void on_turn(void *owner, json_t *take)
{
	struct eval *v = owner;
	const json_t *line = json_array_get(v->lines, v->at);
	struct llm_replay_counts counts = llm_replay_counted(v->d.replay);
	const char *ask = json_string_value(json_object_get(take, "ask_id"));
	json_t *result = verdict_new(line), *got = as_read(json_object_get(take, "expect"));

	compare(json_object_get(result, "differences"), json_object_get(line, "expect"), got);
	json_set_bool(result, "ok", json_array_size(json_object_get(result, "differences")) == 0);
	json_set_take(result, "model_calls",
		      json_pack("{s:I,s:I,s:I}", "exact", (json_int_t)counts.exact, "stood_in",
				(json_int_t)counts.stood_in, "missing",
				(json_int_t)counts.missing));
	json_push_take(v->results, result);
	snprintf(v->ask_id, sizeof(v->ask_id), "%s", ask ? ask : "");
	json_decref(got);
	json_decref(take);
	v->at++;
	loop_later(v->d.loop, &v->next, next_turn, v);
}

static bool is_new_conversation(const struct eval *v)
{
	const json_t *line = json_array_get(v->lines, v->at);
	const json_t *before = v->at ? json_array_get(v->lines, v->at - 1) : NULL;

	return !before ||
	       !json_equal(json_object_get(line, "file"), json_object_get(before, "file")) ||
	       !json_equal(json_object_get(line, "session_id"),
			   json_object_get(before, "session_id"));
}

static const char **permissions_of(struct eval *v, const json_t *line, size_t *count)
{
	const json_t *list = json_object_get(line, "permissions"), *one;
	const char **out = arena_alloc(v->d.arena, sizeof(char *) * (json_array_size(list) + 1));
	size_t i;

	*count = 0;
	json_array_foreach(list, i, one)
		if (json_is_string(one))
			out[(*count)++] = json_string_value(one);
	return out;
}

static void next_turn(void *owner)
{
	struct eval *v = owner;
	const json_t *line = json_array_get(v->lines, v->at);
	struct principal who = {.user = EVAL_USER, .expires_ms = INT64_MAX};
	struct turn_request request = {.who = &who, .session_id = v->session};
	struct stream_log *log;
	struct date today;
	struct err e = {0};

	if (!line) {
		loop_stop(v->d.loop);
		return;
	}
	if (is_new_conversation(v)) {
		struct uuid id = uuid_new();

		memcpy(v->session, id.text, sizeof(v->session));
		v->ask_id[0] = '\0';
	}
	if (date_parse_iso(json_string_value(json_object_get(line, "today")), &today))
		clock_freeze_today(today);
	who.tenant = json_string_value(json_object_get(line, "tenant"));
	who.permissions = permissions_of(v, line, &who.permission_count);
	request.content = json_string_value(json_object_get(line, "content"));
	request.filters = json_object_get(line, "filters");
	request.values = json_object_get(line, "values");
	request.ask_id = request.values && v->ask_id[0] ? v->ask_id : NULL;
	llm_replay_turn(v->d.replay, json_string_value(json_object_get(line, "turn_id")));
	if (!turn_start(v->d.turns, &request, &log, &e)) {
		json_t *result = verdict_new(line);

		json_set_bool(result, "ok", false);
		json_push_take(json_object_get(result, "differences"), json_str(e.text));
		json_push_take(v->results, result);
		v->at++;
		loop_later(v->d.loop, &v->next, next_turn, v);
	}
}

static void on_migrated(void *owner, const struct err *e)
{
	struct eval *v = owner;

	if (e)
		give_up(v, e);
	else if (--v->migrating == 0)
		next_turn(v);
}

static bool run(struct eval *v, struct err *e)
{
	struct daemon *d = &v->d;

	d->on_turn = on_turn;
	d->on_turn_owner = v;
	if (!daemon_setup(d, e) || !daemon_build(d, e))
		return false;
	v->limit = timer_new(d->loop, on_limit, v);
	timer_start(v->limit, EVAL_LIMIT_MS);
	v->migrating = d->databases.tenant_count;
	for (size_t i = 0; i < d->databases.tenant_count; i++)
		store_migrate(d->store, d->databases.tenant_ids[i], on_migrated, v);
	loop_run(d->loop);
	later_cancel(&v->next);
	timer_free(&v->limit);
	if (v->err.code != ERR_NONE) {
		*e = v->err;
		return false;
	}
	return true;
}

/* ---- where it runs ---- */

/* The warehouse is the configured one; everything else is for this run alone, and no provider and
 * no shared cache is known to it. */
static bool use_own_store(const char *folder, struct arena *a, struct err *e)
{
	static const char *const unused[] = {"ANTHROPIC_API_KEY",      "OPENAI_API_KEY",
					     "ANTHROPIC_API_KEY_FILE", "OPENAI_API_KEY_FILE",
					     "VESPER_REDIS_URL",       "VESPER_STORE_DSN"};
	struct daemon d = {0};

	for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); i++)
		unsetenv(unused[i]);
	setenv("VESPER_LLM_PROVIDERS", "[]", 1);
	setenv("VESPER_STORE_DIALECT", "sqlite", 1);
	setenv("VESPER_LOG_LEVEL", "error", 0);
	setenv("VESPER_DEMO", "1", 1);
	if (!daemon_setup(&d, e)) {
		arena_free(&d.arena);
		return false;
	}
	if (strcmp(config_text(d.config, "warehouse.dialect"), "sqlite") == 0 &&
	    !*config_text(d.config, "warehouse.dir"))
		setenv("VESPER_WAREHOUSE_DIR",
		       arena_printf(a, "%s/warehouse", config_text(d.config, "data_dir")), 1);
	setenv("VESPER_DATA_DIR", folder, 1);
	config_free(&d.config);
	arena_free(&d.arena);
	return true;
}

static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = mem_printf("%s/%s", folder, entry->d_name);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    unlink(path) != 0)
			remove_folder(path);
		mem_free(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

/* ---- saying ---- */

static void put_xml(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
}

static void print_junit(FILE *out, const json_t *results, size_t failed)
{
	const json_t *r, *difference;
	size_t i, k;

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"vesper eval\" "
		"tests=\"%zu\" failures=\"%zu\">\n",
		json_array_size(results), failed);
	json_array_foreach(results, i, r) {
		fputs("  <testcase classname=\"", out);
		put_xml(out, json_string_value(json_object_get(r, "file")));
		fputs("\" name=\"", out);
		put_xml(out, json_string_value(json_object_get(r, "content")));
		fputs("\">", out);
		json_array_foreach(json_object_get(r, "differences"), k, difference) {
			fputs("<failure message=\"", out);
			put_xml(out, json_string_value(difference));
			fputs("\"/>", out);
		}
		fputs("</testcase>\n", out);
	}
	fputs("</testsuite>\n", out);
}

static void print_lines(const json_t *results, size_t failed)
{
	const json_t *r, *difference;
	size_t i, k;

	json_array_foreach(results, i, r) {
		const json_t *calls = json_object_get(r, "model_calls");
		long long stood_in = json_integer_value(json_object_get(calls, "stood_in"));

		printf("%s %s%s\n", json_is_true(json_object_get(r, "ok")) ? "ok  " : "FAIL",
		       json_string_value(json_object_get(r, "content")),
		       stood_in ? " (its prompts have changed since)" : "");
		json_array_foreach(json_object_get(r, "differences"), k, difference)
			printf("     %s\n", json_string_value(difference));
	}
	printf("%zu turns, %zu failed\n", json_array_size(results), failed);
}

static int report(struct eval *v, int argc, char **argv)
{
	const char *junit = ctl_option(argc, argv, "--junit", NULL);
	const json_t *r;
	size_t i, failed = 0;

	json_array_foreach(v->results, i, r)
		failed += !json_is_true(json_object_get(r, "ok"));
	if (ctl_flag(argc, argv, "--json")) {
		char *text = json_text(v->results);

		puts(text);
		mem_free(text);
	} else {
		print_lines(v->results, failed);
	}
	if (junit) {
		FILE *out = fopen(junit, "we");

		if (!out)
			return ctl_fail("%s can't be written", junit);
		print_junit(out, v->results, failed);
		fclose(out);
	}
	return failed > 0;
}

int ctl_eval(int argc, char **argv)
{
	const char *path = ctl_word(argc, argv, 0);
	char folder[] = "/tmp/vesper-eval-XXXXXX";
	struct eval v = {.lines = json_array(), .results = json_array()};
	struct arena *a = arena_new(64 << 20);
	struct err e = {0};
	int status = 2;

	if (!path)
		status = ctl_misused(argv, "which folder or file?");
	else if (!mkdtemp(folder))
		status = ctl_fail("eval: no folder can be made in /tmp");
	else {
		bool ok = read_all(&v, path, a, &e) && use_own_store(folder, a, &e) && run(&v, &e);

		status = ok ? report(&v, argc, argv) : (ctl_fail("eval: %s", e.text), 2);
		daemon_take_down(&v.d);
		config_free(&v.d.config);
		remove_folder(folder);
	}
	json_decref(v.d.exchanges);
	json_decref(v.lines);
	json_decref(v.results);
	arena_free(&a);
	return status;
}

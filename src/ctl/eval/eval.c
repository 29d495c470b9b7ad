/*
 * Replays recorded conversations in this process: with the daemon's parts, recorded model answers,
 * and a temporary store; without a port or network. Each turn is compared with its expectations
 * (vesper/record.h): rows and facts, never wording.
 */
#include "correction.h"
#include "ctl.h"
#include "eval_int.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/record.h"
#include "vesper/uuid.h"

#define EVAL_USER       "eval"
#define EVAL_TIMEOUT_MS 600000     /* the whole run */
#define EVAL_BYTES_MAX  (64 << 20) /* of all files that are read */

struct eval {
	struct daemon d;
	struct eval_cases cases;
	json_t *results; /* one per turn: {file, content, ok, differences[], prompts} */
	size_t line_index;
	size_t migrating;
	char session[UUID_BYTES];
	char ask_id[UUID_BYTES];
	struct principal who; /* user of the turn that is starting */
	struct op *starting;
	struct deferred next;
	struct timer *timeout;
	struct err err;
};

/* ---- comparing ---- */

#define SHOWN_BEFORE 40 /* bytes shown before the first difference */

/* A long value is shown from its first difference. */
static void add_difference(json_t *to, const char *what, const json_t *expected, const json_t *got)
{
	char *a = expected ? json_text(expected) : mem_strdup("nothing");
	char *b = got ? json_text(got) : mem_strdup("nothing");
	size_t n = 0, from;
	char *text;

	while (a[n] && a[n] == b[n])
		n++;
	from = n > SHOWN_BEFORE ? n - SHOWN_BEFORE : 0;
	text = mem_printf("%s: expected %s%.*s, got %s%.*s", what, from ? "…" : "",
			  STR_CUT(a + from, 200), from ? "…" : "", STR_CUT(b + from, 200));
	json_push_take(to, json_str(text));
	mem_free(a);
	mem_free(b);
	mem_free(text);
}

static void compare(json_t *differences, const json_t *expect, const json_t *got)
{
	static const char *const members[] = {"status", "outcomes", "views", "facts"};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const json_t *expected = json_object_get(expect, members[i]);
		const json_t *actual = json_object_get(got, members[i]), *item;
		char where[48];
		size_t k;

		if (!expected || json_equal(expected, actual))
			continue;
		if (!json_is_array(expected) ||
		    json_array_size(expected) != json_array_size(actual)) {
			add_difference(differences, members[i], expected, actual);
			continue;
		}
		json_array_foreach(expected, k, item) {
			snprintf(where, sizeof(where), "%s[%zu]", members[i], k);
			if (!json_equal(item, json_array_get(actual, k)))
				add_difference(differences, where, item, json_array_get(actual, k));
		}
	}
	correction_compare(differences, expect, got);
}

/* Converts exact decimals to the values that a reader of the file gets. */
static json_t *reparse(const json_t *value)
{
	char *text = json_text(value);
	json_t *read = NULL;

	if (!json_parse(text, strlen(text), LLM_REQUEST_BYTES_MAX, &read, NULL))
		read = json_null();
	mem_free(text);
	return read;
}

static json_t *turn_result_new(const json_t *line)
{
	json_t *r = json_object();

	json_set_str(r, "file", json_string_value(json_object_get(line, "file")));
	json_set_str(r, "content", json_string_value(json_object_get(line, "content")));
	json_set_take(r, "differences", json_array());
	return r;
}

/* ---- running ---- */

static void next_turn(void *owner);

static void fail(struct eval *v, const struct err *e)
{
	v->err = *e;
	loop_stop(v->d.loop);
}

static void on_timeout(void *owner)
{
	struct err e = {0};

	err_set(&e, ERR_TIMEOUT, "not finished after %d s", EVAL_TIMEOUT_MS / 1000);
	fail(owner, &e);
}

static void on_turn(void *owner, json_t *take)
{
	struct eval *v = owner;
	const json_t *line = json_array_get(v->cases.lines, v->line_index);
	struct llm_replay_counts counts = llm_replay_get_counts(v->d.record.replay);
	const char *ask = json_string_value(json_object_get(take, "ask_id"));
	json_t *result = turn_result_new(line), *got = reparse(json_object_get(take, "expect"));

	compare(json_object_get(result, "differences"), json_object_get(line, "expect"), got);
	json_set_bool(result, "ok", json_array_size(json_object_get(result, "differences")) == 0);
	json_set_take(result, "model_calls",
		      json_make({"exact", json_int((int64_t)counts.exact)},
				{"stood_in", json_int((int64_t)counts.stood_in)},
				{"missing", json_int((int64_t)counts.missing)}));
	json_push_take(v->results, result);
	snprintf(v->ask_id, sizeof(v->ask_id), "%s", ask ? ask : "");
	json_decref(got);
	json_decref(take);
	v->line_index++;
	loop_defer(v->d.loop, &v->next, next_turn, v);
}

static bool is_new_conversation(const struct eval *v)
{
	const json_t *line = json_array_get(v->cases.lines, v->line_index);
	const json_t *before =
		v->line_index ? json_array_get(v->cases.lines, v->line_index - 1) : NULL;

	return !before ||
	       !json_equal(json_object_get(line, "file"), json_object_get(before, "file")) ||
	       !json_equal(json_object_get(line, "session_id"),
			   json_object_get(before, "session_id"));
}

static const char **read_permissions(struct eval *v, const json_t *line, size_t *count)
{
	const json_t *list = json_object_get(line, "permissions"), *item;
	const char **out = arena_alloc(v->d.arena, sizeof(char *) * (json_array_size(list) + 1));
	size_t i;

	*count = 0;
	json_array_foreach(list, i, item)
		if (json_is_string(item))
			out[(*count)++] = json_string_value(item);
	return out;
}

static void next_turn(void *owner);

static void on_started(void *owner, struct stream_log *log, const struct err *e)
{
	struct eval *v = owner;
	json_t *result;

	(void)log; /* on_turn is called at its end */
	v->starting = NULL;
	if (!e)
		return;
	result = turn_result_new(json_array_get(v->cases.lines, v->line_index));
	json_set_bool(result, "ok", false);
	json_push_take(json_object_get(result, "differences"), json_str(e->text));
	json_push_take(v->results, result);
	v->line_index++;
	loop_defer(v->d.loop, &v->next, next_turn, v);
}

static void next_turn(void *owner)
{
	struct eval *v = owner;
	const json_t *line = json_array_get(v->cases.lines, v->line_index);
	struct turn_request request = {.who = &v->who, .session_id = v->session};
	struct date today;

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
	v->who = (struct principal){.user = EVAL_USER, .expires_ms = INT64_MAX};
	v->who.tenant = json_string_value(json_object_get(line, "tenant"));
	v->who.permissions = read_permissions(v, line, &v->who.permission_count);
	request.content = json_string_value(json_object_get(line, "content"));
	request.filters = json_object_get(line, "filters");
	request.values = json_object_get(line, "values");
	request.ask_id = request.values && v->ask_id[0] ? v->ask_id : NULL;
	llm_replay_turn(v->d.record.replay, json_string_value(json_object_get(line, "turn_id")));
	v->starting = turn_start(v->d.turns, &request, on_started, v);
}

static void on_migrated(void *owner, const struct err *e)
{
	struct eval *v = owner;

	if (e)
		fail(v, e);
	else if (--v->migrating == 0)
		next_turn(v);
}

static bool run(struct eval *v, struct err *e)
{
	struct daemon *d = &v->d;

	d->record.exchanges = v->cases.exchanges;
	d->record.on_turn = on_turn;
	d->record.owner = v;
	if (!daemon_setup(d, e) || !daemon_build(d, e))
		return false;
	v->timeout = timer_new(d->loop, on_timeout, v);
	timer_start(v->timeout, EVAL_TIMEOUT_MS);
	v->migrating = d->databases.tenant_count;
	for (size_t i = 0; i < d->databases.tenant_count; i++)
		store_migrate(d->store, d->databases.tenant_ids[i], on_migrated, v);
	loop_run(d->loop);
	deferred_cancel(&v->next);
	op_cancel(&v->starting);
	timer_free(&v->timeout);
	if (v->err.code != ERR_NONE) {
		*e = v->err;
		return false;
	}
	return true;
}

/* ---- environment ---- */

/* Uses the warehouse files of the daemon with this configuration. Without them every turn would
 * fail. */
static bool use_warehouse(const struct daemon *d, struct arena *a, struct err *e)
{
	const char *dir = config_text(d->config, "warehouse.dir");

	if (!*dir)
		dir = arena_printf(a, "%s/warehouse", config_text(d->config, "data_dir"));
	if (access(dir, R_OK) != 0)
		return err_set(e, ERR_NOT_FOUND,
			       "no warehouse at %.*s; set VESPER_DATA_DIR or VESPER_WAREHOUSE_DIR",
			       STR_CUT(dir, 80));
	setenv("VESPER_WAREHOUSE_DIR", dir, 1);
	return true;
}

/* Uses the configured warehouse; everything else is for this run only, without model providers and
 * without a shared cache. */
static bool use_temporary_store(const char *folder, struct arena *a, struct err *e)
{
	static const char *const unset_variables[] = {
		"ANTHROPIC_API_KEY",   "OPENAI_API_KEY",   "ANTHROPIC_API_KEY_FILE",
		"OPENAI_API_KEY_FILE", "VESPER_REDIS_URL", "VESPER_STORE_DSN"};
	struct daemon d = {0};
	bool ok;

	for (size_t i = 0; i < sizeof(unset_variables) / sizeof(unset_variables[0]); i++)
		unsetenv(unset_variables[i]);
	setenv("VESPER_LLM_PROVIDERS", "[]", 1);
	setenv("VESPER_STORE_DIALECT", "sqlite", 1);
	setenv("VESPER_LOG_LEVEL", "error", 0);
	setenv("VESPER_DEMO", "1", 1);
	if (!daemon_setup(&d, e)) {
		arena_free(&d.arena);
		return false;
	}
	ok = strcmp(config_text(d.config, "warehouse.dialect"), "sqlite") != 0 ||
	     use_warehouse(&d, a, e);
	setenv("VESPER_DATA_DIR", folder, 1);
	config_free(&d.config);
	arena_free(&d.arena);
	return ok;
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

/* The result file is opened first, so that a wrong path fails before the run. */
static int eval_run(struct eval *v, const char *path, const char *junit, bool as_json,
		    const char *folder, struct arena *a)
{
	FILE *out = junit ? fopen(junit, "we") : NULL;
	struct err e = {0};
	int status = 2;

	if (junit && !out)
		ctl_fail("eval: cannot write %s", junit);
	else if (!eval_read(&v->cases, path, a, &e) || !use_temporary_store(folder, a, &e) ||
		 !run(v, &e))
		ctl_fail("eval: %s", e.text);
	else
		status = eval_report(v->results, out, as_json);
	if (out)
		fclose(out);
	return status;
}

int ctl_eval(const struct command *cmd)
{
	const char *path = ctl_arg(cmd, 0);
	char folder[] = "/tmp/vesper-eval-XXXXXX";
	struct eval v = {0};
	struct arena *a;
	int status;

	if (!path)
		return ctl_usage_error(cmd, "give a folder or file");
	if (!mkdtemp(folder))
		return ctl_fail("eval: cannot create a folder in /tmp");
	v.results = json_array();
	v.cases = (struct eval_cases){json_array(), json_object()};
	a = arena_new(EVAL_BYTES_MAX);
	status = eval_run(&v, path, ctl_option(cmd, "junit", NULL), ctl_flag(cmd, "json"), folder,
			  a);
	daemon_free_parts(&v.d);
	config_free(&v.d.config);
	remove_folder(folder);
	json_decref(v.cases.exchanges);
	json_decref(v.cases.lines);
	json_decref(v.results);
	arena_free(&a);
	return status;
}

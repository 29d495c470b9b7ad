/*
 * The verbs `source` and `document`: users' data sources and documents at a running daemon. They
 * use the same HTTP routes as the web page.
 */
#include "ctl.h"
#include "remote.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "vesper/json.h"
#include "vesper/mem.h"
#include "vesper/str.h"

#define PATH          "/api/v1/data-sources"
#define DOCUMENTS     "/api/v1/documents"
#define SEARCH        "/api/v1/tools/search_documents"
#define POLL_US       200000
#define EXIT_QUESTION 3 /* a clarifying question is open */

struct source_cmd {
	const struct command *cmd;
	bool documents; /* false: tables */
	char *token;
	struct err err;
};

static bool send_call(struct source_cmd *s, const char *method, const char *path,
		      const json_t *json, json_t **out)
{
	const struct remote_request r = {
		.method = method, .path = path, .token = s->token, .json = json};

	return remote_call(&r, out, &s->err);
}

/* All pages of the list as one array. New reference; NULL: failed, with the reason in s->err. */
static json_t *list_all(struct source_cmd *s)
{
	const char *path = s->documents ? PATH "?kind=document" : PATH "?kind=table";
	json_t *all = json_array(), *page;
	char *next = mem_strdup(path);

	while (next) {
		bool ok = send_call(s, "GET", next, NULL, &page);
		const char *cursor = ok ? json_text_at(page, "next_cursor") : "";

		mem_free(next);
		next = *cursor ? mem_printf("%s&cursor=%s", path, cursor) : NULL;
		if (!ok) {
			json_decref(all);
			return NULL;
		}
		/* this page is older than those read before */
		json_array_extend(json_object_get(page, "sources"), all);
		json_decref(all);
		all = json_incref(json_object_get(page, "sources"));
		json_decref(page);
	}
	return all;
}

/* Prints all items with this name on stderr, with the IDs that tell them apart. */
static void print_same_named(const json_t *all, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)all, i, item)
		if (strcmp(json_text_at(item, "name"), name) == 0)
			fprintf(stderr, "%s  %s  %lld rows, of %s\n", json_text_at(item, "id"),
				name, (long long)json_integer_value(json_object_get(item, "rows")),
				json_text_at(item, "owner"));
}

/* The ID of the source with this ID, or of the only one with this name. NULL: s->err says why, or
 * no name was given. */
static char *find_source_id(struct source_cmd *s, const char *id_or_name)
{
	const char *kind = s->documents ? "document" : "source";
	const json_t *found = NULL;
	json_t *all, *item;
	size_t i, match_count = 0;
	char *id;

	if (!id_or_name || !(all = list_all(s)))
		return NULL;
	json_array_foreach(all, i, item) {
		if (strcmp(json_text_at(item, "id"), id_or_name) == 0) {
			found = item;
			match_count = 1;
			break;
		}
		if (strcmp(json_text_at(item, "name"), id_or_name) == 0) {
			found = item;
			match_count++;
		}
	}
	if (match_count == 0)
		err_set(&s->err, ERR_NOT_FOUND, "unknown %s %s; see vesperctl %s list",
			s->documents ? kind : "data source", id_or_name, kind);
	else if (match_count > 1) {
		print_same_named(all, id_or_name);
		err_set(&s->err, ERR_INPUT, "%zu are named %s; use the ID of one", match_count,
			id_or_name);
	}
	id = match_count == 1 ? mem_strdup(json_text_at(found, "id")) : NULL;
	json_decref(all);
	return id;
}

/* ---- output ---- */

static void print_source(const json_t *o)
{
	printf("%s  %-8s %9lld rows  %s\n", json_text_at(o, "id"), json_text_at(o, "state"),
	       (long long)json_integer_value(json_object_get(o, "rows")), json_text_at(o, "name"));
}

static void print_column(const json_t *c)
{
	char *sum = json_object_get(c, "sum") ? json_text(json_object_get(c, "sum")) : NULL;

	printf("  %-30s %-9s %-10s %lld empty, %lld distinct%s%s\n", json_text_at(c, "name"),
	       json_text_at(c, "type"), json_text_at(c, "role"),
	       (long long)json_integer_value(json_object_get(c, "nulls")),
	       (long long)json_integer_value(json_object_get(c, "distinct")), sum ? ", sum " : "",
	       sum ? sum : "");
	mem_free(sum);
}

static void print_meaning(const json_t *meaning)
{
	json_t *words = json_object_get(meaning, "synonyms"), *word;
	size_t i;

	printf("  %-30s is %s, %s", json_text_at(meaning, "name"), json_text_at(meaning, "label"),
	       json_text_at(meaning, "role"));
	if (*json_text_at(meaning, "unit"))
		printf(", in %s", json_text_at(meaning, "unit"));
	json_array_foreach(words, i, word)
		printf("%s%s", i == 0 ? "; also: " : ", ", json_string_value(word));
	printf("\n");
}

static void print_join(const json_t *join)
{
	const json_t *pair = json_array_get(json_object_get(join, "on"), 0);

	printf("  joined with %s on %s = %s, %s%s\n", json_text_at(join, "name"),
	       json_string_value(json_array_get(pair, 0)),
	       json_string_value(json_array_get(pair, 1)), json_text_at(join, "cardinality"),
	       json_is_true(json_object_get(join, "in_use")) ? "" : ", not in use");
}

static void print_profile(const json_t *o)
{
	const json_t *item;
	size_t i;

	print_source(o);
	if (*json_text_at(o, "expires_at"))
		printf("  until %s (%s)\n", json_text_at(o, "expires_on"),
		       json_text_at(o, "expires_at"));
	json_array_foreach(json_object_get(json_object_get(o, "profile"), "columns"), i, item)
		print_column(item);
	json_array_foreach(json_object_get(json_object_get(o, "semantic_profile"), "columns"), i,
			   item)
		print_meaning(item);
	json_array_foreach(json_object_get(o, "joins"), i, item)
		print_join(item);
}

static int show(struct source_cmd *s, json_t *take, void (*print)(const json_t *o))
{
	if (ctl_flag(s->cmd, "json"))
		ctl_print_json(json_incref(take));
	else
		print(take);
	json_decref(take);
	return 0;
}

static void print_list(const json_t *o)
{
	const json_t *item;
	size_t i;

	json_array_foreach(json_object_get(o, "sources"), i, item)
		print_source(item);
}

static void print_rows(const json_t *o)
{
	ctl_print_json(json_incref((json_t *)o));
}

/* ---- upload ---- */

static int fail_with_fault(const json_t *load)
{
	const json_t *fault = json_object_get(load, "fault");
	json_int_t line = json_integer_value(json_object_get(fault, "line"));

	if (line > 0)
		return ctl_fail("%s, line %lld: %s", json_text_at(fault, "code"), (long long)line,
				json_text_at(fault, "message"));
	return ctl_fail("%s: %s", json_text_at(fault, "code"), json_text_at(fault, "message"));
}

static int print_question(const json_t *load)
{
	const json_t *ask = json_object_get(load, "ask"), *option;
	size_t i;

	printf("%s\n", json_text_at(ask, "prompt"));
	json_array_foreach(json_object_get(ask, "options"), i, option)
		printf("  %s  %s\n", json_text_at(option, "value"), json_text_at(option, "label"));
	printf("ask_id %s\n", json_text_at(ask, "ask_id"));
	return EXIT_QUESTION;
}

/* Polls a load until it is ready, has failed or asks a question. Returns the exit status. */
static int wait_for_load(struct source_cmd *s, const char *id)
{
	char *path = mem_printf(PATH "/%s", id);
	json_t *o = NULL;
	int status = -1;

	while (status < 0) {
		const json_t *load;
		const char *state;

		if (!send_call(s, "GET", path, NULL, &o)) {
			status = ctl_fail("%s", s->err.text);
			break;
		}
		load = json_object_get(o, "load");
		state = json_text_at(load ? load : o, "state");
		if (strcmp(state, "failed") == 0)
			status = fail_with_fault(load);
		else if (strcmp(state, "asking") == 0)
			status = print_question(load);
		else if (!load && strcmp(state, "ready") == 0)
			status = show(s, json_incref(o),
				      s->documents ? print_source : print_profile);
		else
			usleep(POLL_US);
		json_decref(o);
	}
	mem_free(path);
	return status;
}

static const char *document_type_of(const char *file)
{
	static const char *const types[][2] = {{".md", "text/markdown"},
					       {".markdown", "text/markdown"},
					       {".txt", "text/plain"},
					       {".html", "text/html"},
					       {".htm", "text/html"}};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (str_ends(str_of(file), str_of(types[i][0])))
			return types[i][1];
	return "application/octet-stream"; /* the server's error lists the types that it accepts */
}

static const char *type_of(const char *file)
{
	const char *dot = strrchr(file, '.');

	if (dot && (strcmp(dot, ".tsv") == 0 || strcmp(dot, ".tab") == 0))
		return "text/tab-separated-values";
	if (dot && (strcmp(dot, ".jsonl") == 0 || strcmp(dot, ".ndjson") == 0))
		return "application/x-ndjson";
	return "text/csv";
}

static int upload(struct source_cmd *s, const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	CURL *curl;
	char *name, *path;
	json_t *o = NULL;
	int status;

	if (!file)
		return ctl_usage_error(s->cmd, "give a file");
	curl = curl_easy_init();
	name = curl_easy_escape(curl, ctl_option(s->cmd, "name", slash ? slash + 1 : file), 0);
	path = mem_printf("%s?name=%s", s->documents ? DOCUMENTS : PATH, name);
	if (remote_call(&(struct remote_request){.method = "POST",
						 .path = path,
						 .token = s->token,
						 .file = file,
						 .type = s->documents ? document_type_of(file)
								      : type_of(file)},
			&o, &s->err))
		status = wait_for_load(s, json_text_at(o, "id"));
	else
		status = ctl_fail("%s", s->err.text);
	json_decref(o);
	mem_free(path);
	curl_free(name);
	curl_easy_cleanup(curl);
	return status;
}

/* ---- requests about one source ---- */

static int send_request(struct source_cmd *s, const char *method, const char *id,
			const char *suffix, json_t *json_take, void (*print)(const json_t *o))
{
	char *path = mem_printf(PATH "/%s%s", id, suffix);
	json_t *o = NULL;
	int status = 0;

	if (!send_call(s, method, path, json_take, &o))
		status = ctl_fail("%s", s->err.text);
	else if (print)
		status = show(s, json_incref(o), print);
	json_decref(o);
	json_decref(json_take);
	mem_free(path);
	return status;
}

static json_t *sharing_json(const char *with)
{
	json_t *out = json_object(), *roles;
	struct str rest, item;

	if (strcmp(with, "private") == 0 || strcmp(with, "tenant") == 0) {
		json_set_str(out, "visibility", with);
		return out;
	}
	roles = json_array();
	rest = str_of(with);
	while (str_split(&rest, ',', &item))
		json_push_take(roles, json_strn(item.p, item.n));
	json_set_str(out, "visibility", "roles");
	json_set_take(out, "roles", roles);
	return out;
}

static const char *cell_of(const json_t *table, const char *column, size_t row)
{
	const char *text = json_string_value(json_array_get(json_object_get(table, column), row));

	return text ? text : "";
}

static void print_passages(const json_t *o)
{
	const json_t *sets = json_object_get(json_object_get(o, "result"), "sets"), *set;
	const json_t *table = NULL;
	const char *name;

	json_object_foreach((json_t *)sets, name, set)
		table = json_object_get(set, "data_dict");
	for (size_t i = 0; i < json_array_size(json_object_get(table, "Text")); i++)
		printf("[%zu] %s, %s\n%s\n\n", i + 1, cell_of(table, "Document", i),
		       cell_of(table, "Heading", i), cell_of(table, "Text", i));
	if (json_array_size(json_object_get(table, "Text")) == 0)
		printf("%s\n", json_text_at(o, "message"));
}

static int search(struct source_cmd *s, const char *words)
{
	json_t *args, *o = NULL;
	int status = 0;

	if (!words)
		return ctl_usage_error(s->cmd, "give the words to search for");
	args = json_make({"question", json_str(words)});
	if (send_call(s, "POST", SEARCH, args, &o))
		status = show(s, o, print_passages);
	else
		status = ctl_fail("%s", s->err.text);
	json_decref(args);
	return status;
}

/* ---- joins, meanings and expiry ---- */

/* The stated joins of a source, except the one with `to`. New reference. */
static json_t *joins_except(const json_t *source, const char *to)
{
	json_t *list = json_array(), *join;
	size_t i;

	json_array_foreach(json_object_get(source, "joins"), i, join)
		if (json_is_true(json_object_get(join, "stated")) &&
		    strcmp(json_text_at(join, "to"), to) != 0)
			json_push_take(list,
				       json_make({"to", json_str(json_text_at(join, "to"))},
						 {"on", json_incref(json_object_get(join, "on"))}));
	return list;
}

/* `columns`: "customer=customer_no", or one name that both columns have. New reference. */
static json_t *join_json(const char *to, const char *columns)
{
	const char *equals = strchr(columns, '=');
	json_t *pair = json_array();

	json_push_take(pair,
		       json_strn(columns, equals ? (size_t)(equals - columns) : strlen(columns)));
	json_push_take(pair, json_str(equals ? equals + 1 : columns));
	return json_make({"to", json_str(to)}, {"on", json_list_of(pair)});
}

static int join(struct source_cmd *s, const char *id, const char *columns)
{
	const char *with = ctl_arg(s->cmd, 2);
	char *to = find_source_id(s, with), *path = mem_printf(PATH "/%s", id);
	json_t *o = NULL, *list;
	int status;

	if (!to || !send_call(s, "GET", path, NULL, &o)) {
		status = with ? ctl_fail("%s", s->err.text)
			      : ctl_usage_error(s->cmd,
						"give the ID or name of the other data source");
	} else {
		list = joins_except(o, to);
		if (columns)
			json_push_take(list, join_json(to, columns));
		status = send_request(s, "PUT", id, "/joins", json_make({"joins", list}), NULL);
	}
	json_decref(o);
	mem_free(path);
	mem_free(to);
	return status;
}

static json_t *words_json(const char *words)
{
	struct str rest = str_of(words), item;
	json_t *list = json_array();

	while (str_split(&rest, ',', &item))
		if (item.n > 0)
			json_push_take(list, json_strn(item.p, item.n));
	return list;
}

static int set_meaning(struct source_cmd *s, const char *id, const char *column)
{
	static const char *const texts[][2] = {
		{"label", "label"}, {"unit", "unit"}, {"about", "description"}, {"as", "role"}};
	const char *words = ctl_option(s->cmd, "words", NULL);
	const char *sum = ctl_option(s->cmd, "sum", NULL);
	json_t *meaning = json_object(), *columns;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		json_set_str(meaning, texts[i][1], ctl_option(s->cmd, texts[i][0], NULL));
	if (words)
		json_set_take(meaning, "synonyms", words_json(words));
	if (sum)
		json_set_bool(meaning, "additive", strcmp(sum, "yes") == 0);
	if (json_object_size(meaning) == 0) {
		json_decref(meaning);
		return ctl_usage_error(s->cmd,
				       "give --label, --unit, --about, --as, --words or --sum");
	}
	columns = json_object();
	json_set_take(columns, column, meaning);
	return send_request(s, "PATCH", id, "",
			    json_make({"semantic_profile", json_make({"columns", columns})}), NULL);
}

/* `when`: a time, "never", or a day, at whose end in the tenant's zone the source expires. */
static int expire(struct source_cmd *s, const char *id, const char *when)
{
	bool never = strcmp(when, "never") == 0;
	json_t *edit = json_make({"expires_at", never ? json_null() : json_str(when)});

	return send_request(s, "PATCH", id, "", edit, NULL);
}

static int run_meaning_verb(struct source_cmd *s, const char *verb, const char *id)
{
	const char *second = ctl_arg(s->cmd, 2), *third = ctl_arg(s->cmd, 3);

	if (strcmp(verb, "join") == 0 && third)
		return join(s, id, third);
	if (strcmp(verb, "apart") == 0)
		return join(s, id, NULL);
	if (strcmp(verb, "mean") == 0 && second)
		return set_meaning(s, id, second);
	if (strcmp(verb, "expire") == 0 && second)
		return expire(s, id, second);
	return ctl_usage_error(s->cmd, "unknown verb, or an argument is missing");
}

static int run_source_verb(struct source_cmd *s, const char *verb, const char *id)
{
	const char *with = ctl_arg(s->cmd, 2);

	if (!s->documents && strcmp(verb, "profile") == 0)
		return send_request(s, "GET", id, "", NULL, print_profile);
	if (strcmp(verb, "rows") == 0)
		return send_request(s, "GET", id, "/rows", NULL, print_rows);
	if (strcmp(verb, "share") == 0 && with)
		return send_request(s, "PATCH", id, "", sharing_json(with), NULL);
	if (strcmp(verb, s->documents ? "rm" : "delete") == 0)
		return send_request(s, "DELETE", id, "", NULL, NULL);
	return s->documents ? ctl_usage_error(s->cmd, "unknown verb, or an argument is missing")
			    : run_meaning_verb(s, verb, id);
}

static int run(struct source_cmd *s, const char *verb)
{
	json_t *all = NULL;
	char *id;
	int status;

	if (strcmp(verb, "list") == 0 && !(all = list_all(s)))
		return ctl_fail("%s", s->err.text);
	if (all)
		return show(s, json_make({"sources", all}), print_list);
	if (strcmp(verb, s->documents ? "add" : "upload") == 0)
		return upload(s, ctl_arg(s->cmd, 1));
	if (s->documents && strcmp(verb, "search") == 0)
		return search(s, ctl_arg(s->cmd, 1));
	id = find_source_id(s, ctl_arg(s->cmd, 1));
	if (!id)
		return ctl_arg(s->cmd, 1) ? ctl_fail("%s", s->err.text)
					  : ctl_usage_error(s->cmd, "give the ID or name");
	status = run_source_verb(s, verb, id);
	mem_free(id);
	return status;
}

static int run_verb(const struct command *cmd, bool documents)
{
	struct source_cmd s = {.cmd = cmd, .documents = documents};
	int status;

	if (!ctl_arg(cmd, 0))
		return ctl_usage_error(cmd, "give a verb, such as list");
	s.token = remote_token(cmd, "analyst", &s.err);
	if (!s.token)
		return ctl_fail("%s", s.err.text);
	status = run(&s, ctl_arg(cmd, 0));
	mem_free(s.token);
	return status;
}

int ctl_source(const struct command *cmd)
{
	return run_verb(cmd, false);
}

int ctl_document(const struct command *cmd)
{
	return run_verb(cmd, true);
}

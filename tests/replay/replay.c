/*
 * Plays whole turns from a text file: the real turn, catalogue, understanding, tools, plans and
 * store, with a scripted model and a scripted warehouse. One argument: the .turn file, whose
 * language is described in docs/replays.md.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_db.h"
#include "fake_llm.h"
#include "sources_of.h"
#include "vesper/clock.h"
#include "vesper/domain.h"
#include "vesper/file.h"
#include "vesper/health.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/log.h"
#include "vesper/mem.h"
#include "vesper/metric.h"
#include "vesper/overlay.h"
#include "vesper/source.h"
#include "vesper/store.h"
#include "vesper/turn.h"
#include "vesper/uuid.h"
#include "vesper/wire.h"
#include "wires.h"

#define GUARD_MS 20000

struct trigger {
	char kind; /* 'c'ancel, 'l'eave, 'd'rain, or 0 */
	char type[32];
	int n;
};

struct stage {
	const char *path;
	int line;
	struct arena *arena;
	struct loop *loop;
	struct db *stored, *warehouse;
	struct store *store;
	struct fake_db *fake_db;
	struct fake_llm *fake_llm;
	struct llm *llm;
	struct stream_hub *streams;
	struct turns *turns;
	struct principal who;
	struct uuid session;
	struct timer *guard, *later;
	char folder[64];
	bool in_db; /* indented lines belong to a db answer, else to a model's */
	struct trigger trigger;
	/* the last turn */
	struct wire_reader *watch;
	char turn_id[UUID_BYTES];
	struct buf text, frames, all, states;
	char last_type[32];
	char ask_id[UUID_BYTES];
	bool closed, drained;
	/* what the next one brings along */
	struct client_message outside[CLIENT_HISTORY_MESSAGES_MAX];
	size_t outside_count;
	FILE *record; /* VESPER_RECORD, or NULL */
};

static void __attribute__((noreturn, format(printf, 2, 3)))
fail(const struct stage *s, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "%s:%d: ", s->path, s->line);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n  states: %s\n  frames: %s\n  text: %s\n%s", buf_text(&s->states),
		buf_text(&s->frames), buf_text(&s->text), buf_text(&s->all));
	if (fake_llm_complaint(s->fake_llm))
		fprintf(stderr, "  model: %s\n", fake_llm_complaint(s->fake_llm));
	if (fake_db_complaint(s->fake_db))
		fprintf(stderr, "  db: %s\n", fake_db_complaint(s->fake_db));
	exit(1);
}

/* ---- the stage ---- */

/* "turn.state" lines tell the moves: "<id> ACCEPT -> LOAD". */
static void on_log(void *owner, const char *text)
{
	struct stage *s = owner;
	const char *arrow = strstr(text, "turn.state") ? strstr(text, " -> ") : NULL;

	if (!arrow)
		return;
	arrow += 4;
	buf_char(&s->states, ' ');
	buf_add(&s->states, arrow, strspn(arrow, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
}

static void on_guard(void *owner)
{
	fail(owner, "nothing happened for %d ms", GUARD_MS);
}

static void on_stored(void *owner, const struct err *e)
{
	struct stage *s = owner;

	if (e)
		fail(s, "store: %s", e->text);
	loop_stop(s->loop);
}

static void open_store(struct stage *s)
{
	struct db_tenant tenant = {"vesper", arena_printf(s->arena, "%s/store.db", s->folder)};
	struct db_options o = {.name = "store",
			       .dialect = DIALECT_SQLITE,
			       .dsn = "",
			       .create = true,
			       .workers = 1,
			       .tenants = &tenant,
			       .tenant_count = 1};
	struct err e = {0};

	if (!db_open(s->loop, &o, &s->stored, &e) ||
	    !store_new(s->loop, s->stored, VESPER_SOURCE_DIR, &s->store, &e))
		fail(s, "%s", e.text);
	store_migrate(s->store, "vesper", on_stored, s);
	loop_run(s->loop);
}

/* A table that the tenant has beside its packs, in the warehouse. */
static void add_source(struct stage *s, struct catalog **catalog, const char *file)
{
	const struct catalog_overlay *own;
	struct catalog_overlay o = {.tenant = "vesper", .version = 1, .source = SOURCE_WAREHOUSE};
	struct catalog *with;
	struct err e = {0};
	const char *text;
	json_t *schema;

	own = &o;
	if (!file_read(arena_printf(s->arena, VESPER_SOURCE_DIR "/tests/replay/%s", file),
		       JSON_FILE_BYTES_MAX, s->arena, &text, &e) ||
	    !json_parse(text, strlen(text), JSON_FILE_BYTES_MAX, &schema, &e))
		fail(s, "%s: %s", file, e.text);
	o.schema = json_own(s->arena, schema);
	if (!catalog_with_overlays(*catalog, &own, 1, &with, &e))
		fail(s, "%s: %s", file, e.text);
	catalog_unref(catalog);
	*catalog = with;
}

static void load_knowledge(struct stage *s, struct turn_knowledge *k, const char *source)
{
	struct toolbox_options o = {.loop = s->loop,
				    .sources = sources_of(s->warehouse),
				    .modules = domain_modules,
				    .derivations = domain_derivations};
	struct err e = {0};

	if (!catalog_load((const char *const[]){VESPER_SOURCE_DIR, NULL}, NULL, &k->catalog, &e))
		fail(s, "%s", e.text);
	if (*source)
		add_source(s, &k->catalog, source);
	k->nlu = nlu_new(k->catalog);
	o.catalog = k->catalog;
	o.names = nlu_names(k->nlu);
	if (!toolbox_new(&o, &k->tools, &e))
		fail(s, "%s", e.text);
}

static const char *setting(const char *rest, const char *name, const char *fallback,
			   struct arena *a)
{
	size_t n = strlen(name);

	for (const char *p = rest; p && *p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL)
		if (strncmp(p, name, n) == 0 && p[n] == '=')
			return arena_strndup(a, p + n + 1, strcspn(p + n + 1, " "));
	return fallback;
}

static void open_stage(struct stage *s, const char *config)
{
	struct turn_settings *settings = settings_new(arena_new(SETTINGS_BYTES), sizeof(*settings));
	struct turns_options o = {.settings = settings};
	struct turn_knowledge k = {0};
	struct knowledge_set *set;
	struct knowledge *all;
	struct date today;
	struct err e = {0};

	if (!loop_new(&s->loop, &e))
		fail(s, "%s", e.text);
	date_parse_iso(setting(config, "today", "2026-02-27", s->arena), &today);
	clock_freeze_today(today);
	s->fake_db = fake_db_new(s->loop, DIALECT_SQLITE);
	s->fake_llm = fake_llm_new(s->loop);
	s->warehouse = fake_db_db(s->fake_db);
	if (strcmp(setting(config, "model", "no", s->arena), "yes") == 0)
		s->llm = llm_from_driver(s->loop, &fake_llm_driver, s->fake_llm);
	open_store(s);
	s->streams = stream_hub_new(s->loop);
	o.loop = s->loop;
	o.streams = s->streams;
	o.store = s->store;
	o.llm = s->llm;
	settings->deadline_ms = atoll(setting(config, "deadline_ms", "20000", s->arena));
	settings->grace_ms = atoll(setting(config, "grace_ms", "30000", s->arena));
	settings->prompt_tokens =
		strtoul(setting(config, "prompt_tokens", "0", s->arena), NULL, 10);
	if (!guard_policy_parse(setting(config, "numbers", "flag", s->arena), &settings->numbers))
		fail(s, "numbers=flag, rewrite or withhold");
	settings->checks_questions =
		strcmp(setting(config, "guardrails", "code", s->arena), "model") == 0;
	s->turns = turns_new(&o);
	settings_release(settings);
	load_knowledge(s, &k, setting(config, "source", "", s->arena));
	k.key = "all";
	set = knowledge_set_new();
	all = knowledge_new(&k, NULL);
	knowledge_set_add(set, NULL, all);
	knowledge_unref(&all);
	turns_set_knowledge(s->turns, set);
	s->who = (struct principal){.user = "ann", .tenant = "vesper"};
	s->who.permissions = catalog_role(k.catalog, setting(config, "role", "analyst", s->arena));
	while (s->who.permissions && s->who.permissions[s->who.permission_count])
		s->who.permission_count++;
	s->session = uuid_new();
	s->guard = timer_new(s->loop, on_guard, s);
}

static void close_stage(struct stage *s)
{
	timer_free(&s->guard);
	wire_reader_free(&s->watch);
	turns_free(&s->turns);
	stream_hub_free(&s->streams);
	llm_free(&s->llm);
	store_free(&s->store);
	db_close(&s->stored);
	db_close(&s->warehouse);
	sources_free();
	fake_db_free(&s->fake_db);
	fake_llm_free(&s->fake_llm);
	loop_free(&s->loop);
	health_reset();
	metric_reset();
}

/* ---- a turn ---- */

/* The frame's type without "chat.". */
static const char *note_frame(struct stage *s, struct str frame)
{
	json_t *body = NULL;
	const char *type, *token, *ask_id;

	if (!json_parse(frame.p, frame.n, frame.n, &body, NULL))
		fail(s, "not a frame: %.*s", STR_FMT(frame));
	type = arena_strdup(s->arena, json_string_value(json_object_get(body, "type")));
	if (strcmp(type, s->last_type) != 0)
		buf_printf(&s->frames, " %s", type + strlen("chat."));
	snprintf(s->last_type, sizeof(s->last_type), "%s", type);
	buf_printf(&s->all, "  %s ", type);
	token = json_string_value(json_object_get(body, "token"));
	if (token) {
		buf_str(&s->text, token);
		buf_json_str(&s->all, token, strlen(token));
		if (json_object_get(body, "mark"))
			buf_json(&s->all, json_object_get(body, "mark"));
	} else {
		buf_add(&s->all, frame.p, frame.n);
	}
	buf_char(&s->all, '\n');
	ask_id = json_string_value(json_object_get(body, "ask_id"));
	if (ask_id)
		snprintf(s->ask_id, sizeof(s->ask_id), "%s", ask_id);
	json_decref(body);
	s->closed =
		s->closed || strcmp(type, "chat.complete") == 0 || strcmp(type, "chat.error") == 0;
	return type + strlen("chat.");
}

static void on_drained(void *owner)
{
	struct stage *s = owner;

	s->drained = true;
	if (s->closed)
		loop_stop(s->loop);
}

static void pull(struct stage *s, const char *type)
{
	struct trigger *t = &s->trigger;

	if (!t->kind || strcmp(type, t->type) != 0 || --t->n > 0)
		return;
	switch (t->kind) {
	case 'c':
		turn_cancel(s->turns, s->turn_id, &s->who, CANCEL_USER, NULL, NULL);
		break;
	case 'd':
		turns_drain(s->turns, on_drained, s);
		break;
	default:
		break;
	}
	if (t->kind != 'l')
		t->kind = 0;
}

static void on_entries(void *owner)
{
	struct stage *s = owner;
	struct str frame;

	while (s->watch && wire_next(s->watch, false, &frame)) {
		pull(s, note_frame(s, frame));
		if (s->trigger.kind == 'l' && s->trigger.n <= 0) {
			s->trigger.kind = 0;
			wire_reader_free(&s->watch);
			return;
		}
	}
	if (s->closed)
		loop_stop(s->loop);
}

static void forget_turn(struct stage *s)
{
	wire_reader_free(&s->watch);
	buf_reset(&s->text);
	buf_reset(&s->frames);
	buf_reset(&s->all);
	buf_reset(&s->states);
	buf_str(&s->states, " ACCEPT");
	s->last_type[0] = '\0';
	s->closed = false;
}

/* After the closing frame, or after the user left, the turn still has to let go. */
static void on_look(void *owner)
{
	struct stage *s = owner;

	if (turns_running(s->turns) == 0)
		loop_stop(s->loop);
}

struct looked {
	struct stage *stage;
	const struct message *messages;
	size_t count;
	bool done;
};

static void on_messages(void *owner, const struct message *messages, size_t count, bool has_more,
			const struct err *e)
{
	struct looked *l = owner;

	(void)has_more;
	if (e)
		fail(l->stage, "history: %s", e->text);
	l->messages = messages;
	l->count = count;
	l->done = true;
	loop_stop(l->stage->loop);
}

static struct looked stored_messages(struct stage *s)
{
	struct looked l = {.stage = s};

	store_messages(s->store, &s->who, s->session.text, NULL, 100, s->arena, on_messages, &l);
	while (!l.done) /* a drain that ends may stop the loop, too */
		loop_run(s->loop);
	return l;
}

/* What every wire says of the last turn and what was stored of it, for golden.py. */
static void record_turn(struct stage *s)
{
	struct stream_log *log;
	struct looked l;

	if (!s->record)
		return;
	log = stream_find_readable(s->streams, s->turn_id, &s->who);
	if (log)
		wires_write(s->record, log);
	l = stored_messages(s);
	for (size_t i = 0; i < l.count; i++)
		if (strcmp(l.messages[i].turn_id, s->turn_id) == 0)
			wires_write_stored(s->record, &l.messages[i]);
}

struct started {
	struct stream_log *log;
	struct err err;
	bool done;
};

static void on_started(void *owner, struct stream_log *log, const struct err *e)
{
	struct started *started = owner;

	started->log = log;
	started->done = true;
	if (e)
		started->err = *e;
}

static void play(struct stage *s, const char *content, json_t *values)
{
	struct turn_request r = {.who = &s->who,
				 .session_id = s->session.text,
				 .content = content,
				 .ask_id = values ? s->ask_id : NULL,
				 .values = values,
				 .origin = s->outside_count > 0 ? "replay" : NULL,
				 .history = s->outside,
				 .history_count = s->outside_count};
	struct started started = {0};
	struct prepare *each;

	forget_turn(s);
	turn_start(s->turns, &r, on_started, &started);
	while (!started.done)
		loop_run_once(s->loop);
	if (!started.log)
		fail(s, "refused: %s", started.err.text);
	snprintf(s->turn_id, sizeof(s->turn_id), "%s", stream_turn_id(started.log));
	s->watch = wire_reader_new(started.log, &wire_chat, 0, on_entries, s);
	timer_start(s->guard, GUARD_MS);
	s->later = timer_new(s->loop, on_look, s);
	timer_repeat(s->later, 5);
	/* Watches are told at the end of a chain of steps; a story may do something between two. */
	each = prepare_new(s->loop, on_entries, s);
	while (turns_running(s->turns) > 0 || (s->watch && !s->closed))
		loop_run(s->loop);
	prepare_free(&each);
	timer_free(&s->later);
	timer_stop(s->guard);
	s->outside_count = 0;
	json_decref(values);
	record_turn(s);
}

/* ---- expectations ---- */

static void on_wake(void *owner)
{
	(void)owner; /* the turn has ended */
}

static void expect_list(const struct stage *s, const char *what, const char *have, const char *want)
{
	if (strcmp(*have == ' ' ? have + 1 : have, want) != 0)
		fail(s, "%s are\n    %s\n  and not\n    %s", what, have, want);
}

static bool frame_holds(const struct stage *s, const char *type, const char *words)
{
	struct str rest = str_of(buf_text(&s->all)), line;
	char *prefix = mem_printf("  chat.%s ", type);
	bool found = false;

	while (!found && str_split(&rest, '\n', &line))
		found = str_starts(line, str_of(prefix)) &&
			memmem(line.p, line.n, words, strlen(words));
	mem_free(prefix);
	return found;
}

/* An event of the stream of this type holds the words. */
static bool event_holds(struct stage *s, const char *type, const char *words)
{
	struct stream_log *log = stream_find_readable(s->streams, s->turn_id, &s->who);
	const char *head = arena_printf(s->arena, "\nevent: %s\n", type);
	struct wire_reader *r;
	bool found = false;
	struct str item;

	if (!log)
		fail(s, "the log of the turn is gone");
	r = wire_reader_new(log, &wire_sse, 0, on_wake, NULL);
	while (!found && wire_next(r, false, &item))
		found = memmem(item.p, item.n, head, strlen(head)) &&
			memmem(item.p, item.n, words, strlen(words));
	wire_reader_free(&r);
	return found;
}

static void expect_stored(struct stage *s, char *rest)
{
	char *role = strsep(&rest, " "), *status = strsep(&rest, " ");
	struct looked l = stored_messages(s);

	for (size_t i = l.count; i-- > 0;) {
		const struct message *m = &l.messages[i];

		if (strcmp(m->role, role) != 0)
			continue;
		if (strcmp(message_status_name(m->status), status) != 0)
			fail(s, "the %s's message is stored as %s, not %s", role,
			     message_status_name(m->status), status);
		if (rest && !strstr(m->content, rest))
			fail(s, "the %s's message is stored as \"%s\"", role, m->content);
		return;
	}
	fail(s, "no message of the %s is stored", role);
}

static void expect(struct stage *s, char *rest)
{
	bool negated = strncmp(rest, "not ", 4) == 0;
	char *what, *type;

	if (negated)
		rest += 4;
	what = strsep(&rest, " ");
	if (strcmp(what, "states") == 0) {
		expect_list(s, "states", buf_text(&s->states), rest);
	} else if (strcmp(what, "frames") == 0) {
		expect_list(s, "frames", buf_text(&s->frames), rest);
	} else if (strcmp(what, "text") == 0) {
		if ((strstr(buf_text(&s->text), rest) != NULL) == negated)
			fail(s, "the answer %s \"%s\"", negated ? "holds" : "lacks", rest);
	} else if (strcmp(what, "frame") == 0) {
		type = strsep(&rest, " ");
		if (frame_holds(s, type, rest ? rest : "") == negated)
			fail(s, "%s frame chat.%s holds %s", negated ? "a" : "no", type, rest);
	} else if (strcmp(what, "sse") == 0) {
		type = strsep(&rest, " ");
		if (event_holds(s, type, rest ? rest : "") == negated)
			fail(s, "%s event %s holds %s", negated ? "an" : "no", type, rest);
	} else if (strcmp(what, "stored") == 0) {
		expect_stored(s, rest);
	} else if (strcmp(what, "request") == 0) {
		size_t n = strtoul(strsep(&rest, " "), NULL, 10);
		const char *request = fake_llm_request(s->fake_llm, n);

		if ((strstr(request, rest) != NULL) == negated)
			fail(s, "the request %s \"%s\":\n%s", negated ? "holds" : "lacks", rest,
			     request);
	} else if (strcmp(what, "calls") == 0) {
		if (fake_llm_calls(s->fake_llm) != strtoul(rest, NULL, 10))
			fail(s, "%zu model calls were made, not %s", fake_llm_calls(s->fake_llm),
			     rest);
	} else if (strcmp(what, "unsaid") == 0) {
		if (s->closed)
			fail(s, "a closing frame was seen");
	} else {
		fail(s, "expect %s?", what);
	}
}

/* ---- the script ---- */

static enum err_code err_named(const struct stage *s, const char *name)
{
	for (int code = ERR_INPUT; code <= ERR_INTERNAL; code++)
		if (strcmp(err_code_name((enum err_code)code), name) == 0)
			return (enum err_code)code;
	fail(s, "no error is called %s", name);
}

/* \n is a line end, \s a space (a line of the script is trimmed). */
static char *unescape(struct stage *s, const char *text)
{
	char *out = arena_strdup(s->arena, text), *to = out;

	for (const char *p = out; *p; p++) {
		bool escaped = p[0] == '\\' && (p[1] == 'n' || p[1] == 's');

		*to++ = !escaped ? *p : p[1] == 'n' ? '\n' : ' ';
		p += escaped;
	}
	*to = '\0';
	return out;
}

static void expect_tool(struct stage *s, char *rest)
{
	const char *name = arena_strdup(s->arena, strsep(&rest, " "));

	fake_llm_tool(s->fake_llm, name, rest);
}

/* Indented lines: what the model or the database answers. */
static void answer_line(struct stage *s, const char *word, char *rest)
{
	if (strcmp(word, "columns") == 0)
		fake_db_columns(s->fake_db, rest);
	else if (strcmp(word, "row") == 0)
		fake_db_row(s->fake_db, rest);
	else if (strcmp(word, "fail") == 0 && s->in_db)
		fake_db_fail(s->fake_db, err_named(s, rest), true);
	else if (strcmp(word, "stall") == 0 && s->in_db)
		fake_db_stall(s->fake_db);
	else if (strcmp(word, "text") == 0)
		fake_llm_text(s->fake_llm, unescape(s, rest));
	else if (strcmp(word, "tool") == 0)
		expect_tool(s, rest);
	else if (strcmp(word, "fail") == 0)
		fake_llm_fail(s->fake_llm, err_named(s, rest), false);
	else if (strcmp(word, "stall") == 0)
		fake_llm_stall(s->fake_llm);
	else
		fail(s, "%s?", word);
}

static void expect_model(struct stage *s, char *rest)
{
	char *role = strsep(&rest, " ");

	s->in_db = false;
	for (int r = 0; r < LLM_ROLE_COUNT; r++)
		if (strcmp(llm_role_name((enum llm_role)r), role) == 0) {
			fake_llm_expect(s->fake_llm, (enum llm_role)r,
					rest && *rest == '~' ? arena_strdup(s->arena, rest + 1)
							     : NULL);
			return;
		}
	fail(s, "no model role is called %s", role);
}

static void set_trigger(struct stage *s, char kind, char *rest)
{
	s->trigger.kind = kind;
	snprintf(s->trigger.type, sizeof(s->trigger.type), "%s", strsep(&rest, " "));
	s->trigger.n = rest ? (int)strtol(rest, NULL, 10) : 1;
}

/* A message of a conversation that a client keeps: outside ROLE TEXT. */
static void add_outside(struct stage *s, const char *role, const char *text)
{
	static const char *const roles[] = {"system", "user", "assistant"};
	size_t i = 0;

	while (i < 3 && strcmp(roles[i], role) != 0)
		i++;
	if (i == 3 || s->outside_count == CLIENT_HISTORY_MESSAGES_MAX)
		fail(s, "outside %s?", role);
	s->outside[s->outside_count++] =
		(struct client_message){(enum client_role)i, str_of(unescape(s, text))};
}

static void script_line(struct stage *s, const char *word, char *rest)
{
	if (!s->loop && strcmp(word, "config") == 0) {
		open_stage(s, rest);
		return;
	}
	if (!s->loop)
		open_stage(s, "");
	if (strcmp(word, "model") == 0) {
		expect_model(s, rest);
	} else if (strcmp(word, "db") == 0) {
		s->in_db = true;
		char *name = strsep(&rest, " ");

		fake_db_expect(s->fake_db, name, rest);
	} else if (strcmp(word, "cancel") == 0 || strcmp(word, "leave") == 0 ||
		   strcmp(word, "drain") == 0) {
		set_trigger(s, *word, rest);
	} else if (strcmp(word, "outside") == 0) {
		const char *role = strsep(&rest, " ");

		add_outside(s, role, rest);
	} else if (strcmp(word, "say") == 0) {
		play(s, rest, NULL);
	} else if (strcmp(word, "select") == 0) {
		json_t *values = json_array();

		for (char *one; (one = strsep(&rest, "|"));)
			json_push_take(values, json_str(one));
		play(s, NULL, values);
	} else if (strcmp(word, "expect") == 0) {
		expect(s, rest);
	} else {
		answer_line(s, word, rest);
	}
}

static void run_script(struct stage *s)
{
	const char *text;
	struct str rest, line;
	struct err e = {0};

	if (!file_read(s->path, 1 << 20, s->arena, &text, &e))
		fail(s, "%s", e.text);
	rest = str_of(text);
	while (str_split(&rest, '\n', &line)) {
		char *copy, *word;

		s->line++;
		line = str_trim(line);
		if (line.n == 0 || line.p[0] == ';')
			continue;
		copy = arena_strndup(s->arena, line.p, line.n);
		word = strsep(&copy, " ");
		while (copy && *copy == ' ')
			copy++;
		script_line(s, word, copy ? copy : arena_strdup(s->arena, ""));
	}
	if (fake_llm_complaint(s->fake_llm) || fake_db_complaint(s->fake_db))
		fail(s, "something came that was not expected");
	if (fake_llm_unmet(s->fake_llm) || fake_db_unmet(s->fake_db))
		fail(s, "%zu model calls and %zu statements that were expected did not come",
		     fake_llm_unmet(s->fake_llm), fake_db_unmet(s->fake_db));
}

int main(int argc, char **argv)
{
	struct stage s = {.path = argc > 1 ? argv[1] : "", .folder = "/tmp/vesper-replay-XXXXXX"};

	if (argc != 2 || !mkdtemp(s.folder)) {
		fprintf(stderr, "usage: replay FILE.turn\n");
		return 2;
	}
	log_setup(LOG_DEBUG, LOG_TEXT);
	log_capture(on_log, &s);
	s.arena = arena_new(64 << 20);
	buf_init(&s.text, 1 << 20);
	buf_init(&s.frames, 1 << 20);
	buf_init(&s.all, 8 << 20);
	buf_init(&s.states, 1 << 16);
	if (getenv("VESPER_RECORD") && !(s.record = fopen(getenv("VESPER_RECORD"), "w"))) {
		perror("VESPER_RECORD");
		return 2;
	}
	run_script(&s);
	close_stage(&s);
	if (s.record && fclose(s.record) != 0)
		return 2;
	log_capture(NULL, NULL);
	printf("%s: ok\n", s.path);
	buf_deinit(&s.text);
	buf_deinit(&s.frames);
	buf_deinit(&s.all);
	buf_deinit(&s.states);
	arena_free(&s.arena);
	for (size_t i = 0; i < 3; i++) {
		static const char *const files[] = {"store.db", "store.db-wal", "store.db-shm"};
		char path[128];

		snprintf(path, sizeof(path), "%s/%s", s.folder, files[i]);
		unlink(path);
	}
	rmdir(s.folder);
	return 0;
}

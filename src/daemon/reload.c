/*
 * Reloads the configuration while the process runs. A reload replaces the settings of all folders
 * in one iteration of the loop, or none of them: every error is logged, and the current settings
 * stay. Running calls and turns keep the settings they began with.
 */
#include <string.h>
#include <unistd.h>

#include "daemon.h"
#include "vesper/health.h"
#include "vesper/log.h"

#define CHECK "configuration"

/* ---- all settings ---- */

typedef void (*error_cb)(void *owner, const struct err *e);

/* Reads all settings, even after an error in some of them. */
#define READ(part)                                                                                 \
	do {                                                                                       \
		struct err why = {0};                                                              \
		if (!part##_settings_read(c, arena_new(SETTINGS_BYTES), &s->part, &why)) {         \
			s->part = NULL;                                                            \
			ok = false;                                                                \
			on_fault(owner, &why);                                                     \
		}                                                                                  \
	} while (0)

static bool read_all(const struct config *c, struct daemon_settings *s, error_cb on_fault,
		     void *owner)
{
	bool ok = true;

	*s = (struct daemon_settings){0};
	READ(turn);
	READ(llm);
	READ(budget);
	READ(identity);
	READ(transport);
	READ(pbi);
	READ(names);
	READ(store);
	return ok;
}

static void on_first_error(void *owner, const struct err *e)
{
	struct err *first = owner;

	if (first->code == ERR_NONE)
		*first = *e;
}

bool settings_read(const struct config *c, struct daemon_settings *out, struct err *e)
{
	struct err first = {0};

	if (read_all(c, out, on_first_error, &first))
		return true;
	settings_free(out);
	*e = first;
	return false;
}

void settings_free(struct daemon_settings *s)
{
	settings_release(s->turn);
	settings_release(s->llm);
	settings_release(s->budget);
	settings_release(s->identity);
	settings_release(s->transport);
	settings_release(s->pbi);
	settings_release(s->names);
	settings_release(s->store);
	*s = (struct daemon_settings){0};
}

/* ---- the log ---- */

bool log_settings_use(const struct config *c, struct err *e)
{
	static const struct choice formats[] = {
		{"auto", LOG_AUTO}, {"json", LOG_JSON}, {"text", LOG_TEXT}, {NULL, 0}};
	enum log_level level = LOG_INFO;

	if (!log_level_parse(config_text(c, "log.level"), &level))
		return err_set(e, ERR_INPUT, "log.level: must be debug, info, warn or error");
	log_setup(level, (enum log_format)choice_of(formats, config_text(c, "log.format")));
	return true;
}

/* ---- a reload ---- */

struct reload {
	struct daemon *daemon;
	struct config *config;
	struct daemon_settings settings;
	struct llm *llm; /* NULL: none, or the current one */
	struct pbi *pbi;
	bool llm_changed, pbi_changed;
	struct staged_knowledge *knowledge;
	struct arena *sources; /* arena of new sources; NULL: nothing is staged */
	size_t source_count;   /* number of sources before the reload */
	struct err first;      /* the first error */
};

static void on_reload_error(void *owner, const struct err *e)
{
	struct reload *r = owner;

	log_error("config.refused", "%s", e->text);
	on_first_error(&r->first, e);
}

static void on_needs_restart(void *owner, const char *name)
{
	(void)owner;
	log_warn("config.needs_restart",
		 "%s: a change needs a restart; the initial value stays in use", name);
}

static bool log_failure(struct reload *r, bool ok, const struct err *e)
{
	if (!ok)
		on_reload_error(r, e);
	return ok;
}

/* Circuit breakers and detected properties of models are kept if the llm settings are unchanged. */
static bool stage_llm(struct reload *r)
{
	struct daemon *d = r->daemon;
	struct budget *trial;
	struct err e = {0};
	bool ok;

	r->llm_changed = !d->record.exchanges && !config_same(d->config, r->config, "llm.");
	if (!r->llm_changed)
		return true;
	trial = budget_new(r->settings.budget->prices, r->settings.budget->price_count,
			   r->settings.budget->limits, r->settings.budget->limit_count);
	ok = daemon_new_llm(d, r->settings.llm, true, &r->llm, &e) &&
	     llm_check_prices(r->llm, trial, &e);
	budget_free(&trial);
	return log_failure(r, ok, &e);
}

static bool stage_pbi(struct reload *r)
{
	struct err e = {0};

	r->pbi_changed = !config_same(r->daemon->config, r->config, "pbi.");
	return !r->pbi_changed ||
	       log_failure(r, daemon_new_pbi(r->daemon, r->settings.pbi, &r->pbi, &e), &e);
}

/* Opens new sources, because a tool may read them. They receive no statement before the reload
 * succeeds. */
static bool stage_sources(struct reload *r)
{
	struct daemon *d = r->daemon;
	struct databases all;
	struct err e = {0};

	r->sources = arena_new(SETTINGS_BYTES);
	r->source_count = d->sources.table.count;
	config_retain(r->config, r->sources);
	return log_failure(
		r,
		databases_read(r->config, r->sources, &all, &e) &&
			databases_open_sources(&all, d->loop, r->sources, &d->sources, &e),
		&e);
}

static bool stage_knowledge(struct reload *r)
{
	struct err e = {0};

	return log_failure(r, knowledge_stage(r->daemon, r->config, &r->knowledge, &e), &e);
}

/* All steps that can fail. */
static bool prepare(struct reload *r)
{
	struct daemon *d = r->daemon;
	struct err e = {0};
	bool ok;

	if (!log_failure(r,
			 config_reload(d->config, d->config_path, environ, on_needs_restart, NULL,
				       &r->config, &e),
			 &e) ||
	    !read_all(r->config, &r->settings, on_reload_error, r))
		return false;
	ok = log_failure(r, identity_can_apply(d->identity, r->settings.identity, &e), &e);
	ok = stage_llm(r) && ok;
	ok = stage_pbi(r) && ok;
	return stage_sources(r) && stage_knowledge(r) && ok;
}

static void use_llm(struct reload *r)
{
	struct daemon *d = r->daemon;

	budget_set_limits(d->budget, r->settings.budget);
	spending_reread(d->spending);
	llm_replace_in_health(r->llm, d->llm);
	llm_free(&d->llm);
	d->llm = r->llm;
	r->llm = NULL;
	turns_set_llm(d->turns, d->llm);
	spending_start(d->spending);
	llm_check(d->llm);
}

static void free_arena(void *object)
{
	struct arena *a = object;

	arena_free(&a);
}

static void apply(struct reload *r)
{
	struct daemon *d = r->daemon;
	struct config *previous = d->config;
	struct daemon_settings old = d->settings;
	struct err e = {0};

	d->config = r->config;
	d->settings = r->settings;
	r->config = previous;
	r->settings = old;
	if (!log_settings_use(d->config, &e))
		log_error("config.refused", "%s",
			  e.text); /* cannot happen: config_reload has checked it */
	turns_set_settings(d->turns, d->settings.turn);
	if (r->llm_changed)
		use_llm(r);
	if (r->pbi_changed) {
		pbi_free(&d->pbi);
		d->pbi = r->pbi;
		r->pbi = NULL;
	}
	identity_apply_settings(d->identity, d->settings.identity);
	if (d->transport)
		transport_apply_settings(d->transport, d->settings.transport, d->pbi);
	knowledge_use(d, &r->knowledge);
	daemon_watch_sources(d);
	if (d->sources.table.count > r->source_count) {
		arena_defer(d->arena, free_arena, r->sources);
		r->sources = NULL;
	}
}

static void end(struct reload *r)
{
	knowledge_discard(&r->knowledge); /* refers to the sources that are closed next */
	if (r->sources)
		databases_close_sources(&r->daemon->sources, r->source_count);
	arena_free(&r->sources);
	llm_free(&r->llm);
	pbi_free(&r->pbi);
	settings_free(&r->settings);
	config_free(&r->config);
}

void daemon_reload(struct daemon *d)
{
	struct reload r = {.daemon = d};

	if (prepare(&r)) {
		apply(&r);
		health_remove(CHECK);
		log_info("config.loaded", "%s", d->config_path);
	} else {
		health_set(CHECK, HEALTH_OPTIONAL, HEALTH_DEGRADED, "%s", r.first.text);
		log_error("config.refused", "nothing was changed");
	}
	end(&r);
}

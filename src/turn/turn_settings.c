/* Reads the turn settings from the configuration. */
#include "turn_int.h"

#include <string.h>

#include "vesper/choice.h"
#include "vesper/dates.h"
#include "vesper/json.h"
#include "vesper/limits.h"

static const struct choice busy_words[] = {
	{"reject", TURN_BUSY_REJECT},
	{"queue", TURN_BUSY_QUEUE},
	{"interrupt", TURN_BUSY_INTERRUPT},
	{NULL, 0},
};
static const struct choice switch_words[] = {{"off", false}, {"on", true}, {NULL, 0}};
static const struct choice guardrail_words[] = {{"code", false}, {"model", true}, {NULL, 0}};

static void on_zone_freed(void *zone)
{
	struct zone *z = zone;

	zone_free(&z);
}

static const char *tenant_zone_name(const json_t *tenants, const char *tenant)
{
	return json_string_value(json_object_get(json_object_get(tenants, tenant), "timezone"));
}

/* Tenants with the same zone share one object. */
static bool read_tenant_zone(const struct config *c, struct arena *a, struct tenant_zone *places,
			     size_t at, struct err *e)
{
	const json_t *tenants = config_json(c, "tenants");
	const char *tenant = places[at].tenant, *own = tenant_zone_name(tenants, tenant), *other;

	for (size_t i = 0; i < at; i++) {
		other = tenant_zone_name(tenants, places[i].tenant);
		if (own && other ? strcmp(own, other) == 0 : own == other) {
			places[at].zone = places[i].zone;
			return true;
		}
	}
	if (!zone_load(own ? own : config_text(c, "calendar.timezone"), &places[at].zone, e))
		return own ? err_prefix(e, "tenants.%s.timezone", tenant)
			   : err_prefix(e, "calendar.timezone");
	arena_defer(a, on_zone_freed, places[at].zone);
	return true;
}

static bool read_tenant_zones(const struct config *c, struct arena *a, struct turn_settings *s,
			      struct err *e)
{
	const json_t *tenants = config_json(c, "tenants");
	struct tenant_zone *places = arena_alloc(a, json_object_size(tenants) * sizeof(*places));
	const char *tenant;
	json_t *def;

	json_object_foreach((json_t *)tenants, tenant, def) {
		places[s->place_count].tenant = tenant;
		if (!read_tenant_zone(c, a, places, s->place_count++, e))
			return false;
	}
	s->places = places;
	return true;
}

bool turn_settings_read(const struct config *c, struct arena *take, struct turn_settings **out,
			struct err *e)
{
	struct turn_settings *s = settings_new(take, sizeof(*s));

	config_retain(c, take);
	s->deadline_ms = config_int(c, "llm.timeouts_ms.turn");
	s->turns_max = (size_t)config_int(c, "limits.turns");
	s->grace_ms = config_int(c, "limits.grace_s") * 1000;
	s->busy = (enum turn_busy)choice_of(busy_words, config_text(c, "limits.busy"));
	s->prompt_tokens = (size_t)config_int(c, "llm.prompt_tokens");
	s->hide_existence = config_bool(c, "checks.hide_existence");
	s->checks_questions = choice_of(guardrail_words, config_text(c, "checks.guardrails"));
	s->no_charts = !choice_of(switch_words, config_text(c, "checks.charts"));
	s->link_hosts = config_texts(c, "checks.link_hosts", take);
	s->calendar = (struct company_calendar){
		.fiscal_start_month = (int)config_int(c, "calendar.fiscal_start_month"),
		.week_start = calendar_weekday(config_text(c, "calendar.week_start"))};
	if (!guard_policy_parse(config_text(c, "checks.numbers"), &s->numbers) ||
	    !read_tenant_zones(c, take, s, e)) {
		settings_release(s);
		return false;
	}
	*out = s;
	return true;
}

const struct zone *turn_settings_zone(const struct turn_settings *s, const char *tenant)
{
	for (size_t i = 0; i < s->place_count; i++)
		if (strcmp(s->places[i].tenant, tenant) == 0)
			return s->places[i].zone;
	return NULL;
}

const struct zone *turns_zone(const struct turns *all, const char *tenant)
{
	return turn_settings_zone(all->settings, tenant);
}

void turns_set_settings(struct turns *all, const struct turn_settings *settings)
{
	settings_replace(&all->settings, settings);
}

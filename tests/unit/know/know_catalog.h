/*
 * A catalogue made by hand: prices of goods by seller, region and zone, and parcels by depot. None
 * of its names is one of the real domains', so what passes here is general.
 */
#ifndef TESTS_KNOW_CATALOG_H
#define TESTS_KNOW_CATALOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "know_int.h"
#include "router_weights.h"
#include "vesper/json.h"
#include "vesper/mem.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define TEXT(n, ...)                                                                               \
	{                                                                                          \
		.name = n, .type = PARAM_TEXT, .filter = n, __VA_ARGS__                            \
	}
#define YEAR(...)                                                                                  \
	{                                                                                          \
		.name = "year", .type = PARAM_INT, .filter = "year", .has_min = true,              \
		.has_max = true, .min = 2000, .max = 2100, .about = "Year of the prices",          \
		__VA_ARGS__                                                                        \
	}

static const struct param_def average_params[] = {
	TEXT("seller", .entity = "seller", .required = true, .about = "Who sells"),
	TEXT("zone", .entity = "zone", .required = true, .about = "Where it is sold"),
	YEAR(.required = true),
	TEXT("region", .entity = "region", .about = "Region of the zone"),
	{.name = "asof",
	 .type = PARAM_TEXT,
	 .filter = "asof_date",
	 .entity = "asof",
	 .about = "Label of the list"},
	TEXT("grade", .entity = "grade", .default_text = "Base", .about = "Grade of the goods"),
};
static const struct param_def hourly_params[] = {
	TEXT("zone", .entity = "zone", .required = true, .about = "Where it is sold"),
	YEAR(.required = true),
	TEXT("seller", .entity = "seller", .about = "Who sells"),
	TEXT("region", .entity = "region", .about = "Region of the zone"),
	{.name = "months", .type = PARAM_INT, .filter = "month", .is_list = true, .list_max = 12},
	{.name = "hours", .type = PARAM_INT, .filter = "hour", .is_list = true, .list_max = 6},
	TEXT("grade", .entity = "grade", .default_text = "Base", .about = "Grade of the goods"),
};
static const struct param_def list_params[] = {
	TEXT("seller", .entity = "seller", .about = "Who sells"),
	TEXT("zone", .entity = "zone", .about = "Where it is sold"),
	TEXT("region", .entity = "region", .about = "Region of the zone"),
	YEAR(.required = false),
	{.name = "asof", .type = PARAM_TEXT, .filter = "asof_date", .entity = "asof"},
	{.name = "from", .type = PARAM_DATE, .filter = "date_range_start"},
	{.name = "to", .type = PARAM_DATE, .filter = "date_range_end"},
};
static const struct param_def compare_params[] = {
	TEXT("zone", .entity = "zone", .required = true, .about = "Where it is sold"),
	YEAR(.required = true),
	{.name = "sellers",
	 .type = PARAM_TEXT,
	 .filter = "seller",
	 .entity = "seller",
	 .is_list = true,
	 .list_max = 2,
	 .about = "Sellers to compare; without them all"},
	TEXT("region", .entity = "region", .about = "Region of the zone"),
	TEXT("grade", .entity = "grade", .default_text = "Base", .about = "Grade of the goods"),
};
static const struct param_def parcel_params[] = {
	TEXT("depot", .entity = "depot", .required = true, .about = "Depot that sends"),
	{.name = "since", .type = PARAM_DATE, .filter = "date_range_start"},
	{.name = "until", .type = PARAM_DATE, .filter = "date_range_end"},
};
static const struct param_def top_params[] = {
	{.name = "most",
	 .type = PARAM_INT,
	 .filter = "top_n",
	 .default_text = "10",
	 .has_min = true,
	 .has_max = true,
	 .min = 1,
	 .max = 50},
	{.name = "since", .type = PARAM_DATE, .filter = "date_range_start"},
	{.name = "until", .type = PARAM_DATE, .filter = "date_range_end"},
};

static const char *const price_agents[] = {"price_agent", NULL};
static const char *const parcel_agents[] = {"parcel_agent", NULL};

#define TOOL(n, p, who, ...)                                                                       \
	{                                                                                          \
		.name = n, .params = p, .param_count = COUNT(p), .agents = who, .visible = true,   \
		__VA_ARGS__                                                                        \
	}
static const struct tool_def fixture_tools[] = {
	TOOL("compare_sellers", compare_params, price_agents,
	     .about = "Average price of several sellers side by side for one zone and year."),
	TOOL("count_parcels", parcel_params, parcel_agents, .permission = "parcels",
	     .about = "How many parcels a depot sent between two days."),
	TOOL("get_average_price", average_params, price_agents,
	     .about = "Average price of one seller, zone and year."),
	TOOL("get_hourly_prices", hourly_params, price_agents,
	     .about = "Price by hour of day of a zone and year: average, lowest and highest."),
	TOOL("get_top_depots", top_params, parcel_agents, .permission = "parcels",
	     .about = "Depots that sent most parcels between two days, the busiest first."),
	TOOL("list_price_files", list_params, price_agents,
	     .about = "Price files there are, newest first."),
};
static const struct tool_def *const price_tools[] = {&fixture_tools[2], &fixture_tools[3],
						     &fixture_tools[5], &fixture_tools[0]};
static const struct tool_def *const parcel_tools[] = {&fixture_tools[1], &fixture_tools[4]};

static const char *const price_examples[] = {
	"What was the average price in EP10 in EAST for 2025 from Acorn?",
	"Compare Acorn vs Birch for WZ_BETA for 2026", NULL};
static const char *const parcel_examples[] = {
	"How many parcels were sent by Harbour Depot last week?", NULL};
static const struct domain_def fixture_domains[] = {
	{.name = "prices",
	 .agent = "price_agent",
	 .intent = "price_question",
	 .about = "Prices of goods by seller and zone.",
	 .examples = price_examples,
	 .tools = price_tools,
	 .tool_count = COUNT(price_tools),
	 .order = 1},
	{.name = "parcels",
	 .agent = "parcel_agent",
	 .intent = "parcel_question",
	 .about = "Parcels that depots sent.",
	 .examples = parcel_examples,
	 .tools = parcel_tools,
	 .tool_count = COUNT(parcel_tools),
	 .order = 2},
};

static const char *const sellers[] = {"Acorn", "Birchwood", NULL};
static const char *const regions[] = {"EAST", "WEST", "NORD", NULL};
static const char *const zones[] = {"EP10", "EP20", "HUB_ALPHA", "WZ_ALPHA", "WZ_BETA", NULL};
static const char *const zone_parents[] = {"EAST", "EAST", "EAST", "WEST", "WEST", NULL};
static const char *const grades[] = {"Base", "Fine", "Low", NULL};
static const char *const depots[] = {"Harbour Depot", "River Depot", "Hill Yard", NULL};
static const struct alias_def seller_aliases[] = {{"bw", "Birchwood", NULL},
						  {"birch trading", "Birchwood", NULL}};
static const struct alias_def region_aliases[] = {{"far east", "EAST", NULL}};
static const struct alias_def zone_aliases[] = {{"sunny", "EP10", "region=EAST"},
						{"sunny", "WZ_BETA", "region=WEST"},
						{"alpha hub", "HUB_ALPHA", NULL},
						{"rainy", "EP20", "region=EAST"}};
static const struct alias_def grade_aliases[] = {{"low grade", "Low", NULL}};

static const struct dimension_def fixture_dimensions[] = {
	{.name = "seller",
	 .filter = "seller",
	 .label = "seller",
	 .values = sellers,
	 .aliases = seller_aliases,
	 .alias_count = COUNT(seller_aliases)},
	{.name = "region",
	 .filter = "region",
	 .label = "region",
	 .values = regions,
	 .aliases = region_aliases,
	 .alias_count = COUNT(region_aliases)},
	{.name = "zone",
	 .filter = "zone",
	 .label = "sales zone",
	 .values = zones,
	 .parent = "region",
	 .parents = zone_parents,
	 .aliases = zone_aliases,
	 .alias_count = COUNT(zone_aliases)},
	{.name = "asof", .filter = "asof_date", .label = "as-of"},
	{.name = "grade",
	 .filter = "grade",
	 .label = "grade",
	 .values = grades,
	 .aliases = grade_aliases,
	 .alias_count = COUNT(grade_aliases)},
	{.name = "depot", .filter = "depot", .label = "depot", .values = depots},
};

static const struct catalog fixture_catalog = {
	.tools = fixture_tools,
	.tool_count = COUNT(fixture_tools),
	.domains = fixture_domains,
	.domain_count = COUNT(fixture_domains),
	.dimensions = fixture_dimensions,
	.dimension_count = COUNT(fixture_dimensions),
	.calendar = {.peak_first_hour = 7, .peak_last_hour = 22},
	.router = FAKE_ROUTER_WEIGHTS,
};

/* ---- one test's things ---- */

struct fixture {
	struct know *know;
	struct arena *arena;
	struct catalog_view view;
	json_t *standing;
	struct understanding u;
};

static const char *const all_permissions[] = {"parcels"};
static const struct principal everybody = {
	.user = "u", .tenant = "t", .permissions = all_permissions, .permission_count = 1};
static const struct principal nobody = {.user = "n", .tenant = "t"};

static inline int fixture_setup(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	f->know = know_new(&fixture_catalog);
	f->arena = arena_new(1 << 24);
	catalog_for(&fixture_catalog, &everybody, f->arena, &f->view);
	*state = f;
	return 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	json_decref(f->standing);
	know_free(&f->know);
	arena_free(&f->arena);
	mem_free(f);
	return 0;
}

static const struct date fixture_today = {2026, 2, 27};

static inline const struct understanding *fixture_edit(struct fixture *f, const char *question,
						       const char *filters)
{
	struct know_input in = {.question = question,
				.may = &f->view,
				.today = fixture_today,
				.standing = f->standing};

	if (filters) {
		json_t *edited;
		struct err e;

		assert_true(json_parse(filters, strlen(filters), 4096, &edited, &e));
		in.edited_filters = json_own(f->arena, edited);
	}
	know_understand(f->know, &in, f->arena, &f->u);
	return &f->u;
}

static inline const struct understanding *fixture_ask(struct fixture *f, const char *question)
{
	return fixture_edit(f, question, NULL);
}

/* As a turn does it: what was understood stands, with what was asked back. */
static inline void fixture_stand(struct fixture *f)
{
	json_decref(f->standing);
	f->standing = know_standing(&f->u);
	if (f->u.ask.text) {
		json_t *ask = json_object(), *options = json_array();

		for (size_t i = 0; i < f->u.ask.option_count; i++)
			json_push_take(options,
				       json_pack("{s:s,s:s}", "value", f->u.ask.options[i].value,
						 "label", f->u.ask.options[i].label));
		json_set_str(ask, "ask_id", "a");
		json_set_str(ask, "filter", f->u.ask.filter);
		json_set_take(ask, "options", options);
		json_set_take(f->standing, "ask", ask);
	}
}

static inline void fixture_said(struct fixture *f, const char *question)
{
	fixture_ask(f, question);
	fixture_stand(f);
}

/* The route object without its confidence, as text. */
static inline const char *fixture_route(struct fixture *f, const char *question)
{
	json_t *route = know_route_json(fixture_ask(f, question));
	const char *copy;
	char *text;

	json_object_del(route, "confidence");
	text = json_text(route);
	copy = arena_strdup(f->arena, text);
	mem_free(text);
	json_decref(route);
	return copy;
}

/* "name arg=value arg=a,b; name …" of the calls. */
static inline const char *calls_text(struct fixture *f, const struct understanding *u)
{
	struct buf b;
	const char *text;

	buf_init(&b, 65536);
	for (size_t i = 0; i < u->tool_count; i++) {
		const struct args *args = &u->tools[i].args;

		buf_printf(&b, "%s%s", i ? "; " : "", u->tools[i].tool->name);
		for (size_t n = 0; n < args->count; n++) {
			buf_printf(&b, " %s=", args->items[n].name);
			for (size_t v = 0; v < args->items[n].count; v++)
				buf_printf(&b, "%s%s", v ? "," : "",
					   value_words(&args->items[n].values[v], f->arena));
		}
	}
	text = arena_strdup(f->arena, buf_text(&b));
	buf_deinit(&b);
	return text;
}

static inline const char *fixture_calls(struct fixture *f, const char *question)
{
	return calls_text(f, fixture_ask(f, question));
}

static inline const struct filter *filter_of(const struct understanding *u, const char *name)
{
	for (size_t i = 0; i < u->filter_count; i++)
		if (strcmp(u->filters[i].name, name) == 0)
			return &u->filters[i];
	return NULL;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

#endif

/*
 * Slots of parameters, with a catalogue of panels that has one of each kind: what a question says
 * beside values fills them, converted to their units; what the tool cannot take is asked about.
 */
#include "nlu_test.h"
#include "shipped_units.h"

static struct unit_def kw, usd_kwh, usd_mwh;

static struct param_def output_params[] = {
	{.name = "day", .type = PARAM_DATE, .filter = "day", .slot = SLOT_DAY, .required = true},
};
static struct param_def fault_params[] = {
	{.name = "days",
	 .type = PARAM_INT,
	 .filter = "days",
	 .slot = SLOT_DAYS,
	 .has_min = true,
	 .has_max = true,
	 .min = 1,
	 .max = 90,
	 .about = "Days to look at"},
};
static struct param_def forecast_params[] = {
	{.name = "days_ahead",
	 .type = PARAM_INT,
	 .filter = "days_ahead",
	 .slot = SLOT_DAYS_AHEAD,
	 .required = true,
	 .has_min = true,
	 .has_max = true,
	 .min = 1,
	 .max = 60,
	 .about = "Days to look ahead"},
};
static struct param_def saving_params[] = {
	{.name = "rate",
	 .type = PARAM_DECIMAL,
	 .filter = "rate",
	 .unit = &usd_kwh,
	 .about = "What power is paid with"},
	{.name = "capacity",
	 .type = PARAM_DECIMAL,
	 .filter = "capacity",
	 .unit = &kw,
	 .about = "How big it is"},
};
#define BOUND(n, s, u)                                                                             \
	{.name = n,                                                                                \
	 .type = PARAM_DECIMAL,                                                                    \
	 .filter = n,                                                                              \
	 .slot = s,                                                                                \
	 .unit = u,                                                                                \
	 .about = "Price of an hour"},                                                             \
	{                                                                                          \
		.name = n "_incl", .type = PARAM_INT, .filter = n "_incl", .bound_of = n,          \
		.has_max = true, .max = 1, .has_min = true, .about = "Whether it counts"           \
	}
static struct param_def offer_params[] = {
	BOUND("min_price", SLOT_ABOVE, &usd_mwh),
	BOUND("max_price", SLOT_BELOW, &usd_mwh),
	BOUND("min_size", SLOT_ABOVE, &kw),
	{.name = "order",
	 .type = PARAM_TEXT,
	 .filter = "order",
	 .slot = SLOT_ORDER,
	 .default_text = "desc"},
	TEXT("color", .entity = "color", .about = "Color"),
	{.name = "not_color",
	 .type = PARAM_TEXT,
	 .filter = "not_color",
	 .is_list = true,
	 .list_min = 1,
	 .list_max = 3,
	 .entity = "color",
	 .slot = SLOT_NOT},
};
static struct param_def deal_params[] = {
	BOUND("min_cost", SLOT_ABOVE, &usd_mwh),
	BOUND("min_fee", SLOT_ABOVE, &usd_mwh),
};

static const char *const sun_agents[] = {"sun_agent", NULL};
static const struct tool_def sun_tools[] = {
	TOOL("get_output", output_params, sun_agents, .index = 0,
	     .about = "Output of the panels on a day."),
	TOOL("get_faults", fault_params, sun_agents, .index = 1, .about = "Faults of inverters."),
	TOOL("get_forecast", forecast_params, sun_agents, .index = 2,
	     .about = "Forecast of production."),
	TOOL("get_savings", saving_params, sun_agents, .index = 3, .about = "Savings of a system."),
	TOOL("list_offers", offer_params, sun_agents, .index = 4,
	     .about = "Offers of suppliers by color, the highest or the lowest price first, and "
		      "the average."),
	TOOL("list_deals", deal_params, sun_agents, .index = 5, .about = "Deals that were closed."),
};
static const struct tool_def *const sun_list[] = {&sun_tools[0], &sun_tools[1], &sun_tools[2],
						  &sun_tools[3], &sun_tools[4], &sun_tools[5]};
static const char *const sun_examples[] = {"What are the savings of a system?", NULL};
static const struct domain_def sun_domains[] = {{.name = "sun",
						 .agent = "sun_agent",
						 .intent = "sun_question",
						 .about = "Panels and what they give.",
						 .examples = sun_examples,
						 .tools = sun_list,
						 .tool_count = COUNT(sun_list)}};
static const char *const colors[] = {"black", "blue", "silver", "white", NULL};
static const char *const hues[] = {"RAL-5010", "RAL-9003", "RAL-1111", NULL};
static const char *const hue_colors[] = {"blue", "white", NULL, NULL};
static const struct dimension_def sun_dimensions[] = {
	{.name = "color", .index = 0, .filter = "color", .label = "color", .values = colors},
	{.name = "hue",
	 .index = 1,
	 .filter = "hue",
	 .label = "hue",
	 .resolves = "color",
	 .by = "color",
	 .values = hues,
	 .parents = hue_colors}};
static struct catalog sun_catalog = {.tools = sun_tools,
				     .tool_count = COUNT(sun_tools),
				     .domains = sun_domains,
				     .domain_count = COUNT(sun_domains),
				     .dimensions = sun_dimensions,
				     .dimension_count = COUNT(sun_dimensions),
				     .calendar = {.peak_first_hour = 7, .peak_last_hour = 22},
				     .router = FAKE_ROUTER_WEIGHTS,
				     .words = FAKE_PACK_WORDS};

static int sun_setup(void **state)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	kw = *units_find(shipped_units(), "kW");
	usd_kwh = *units_find(shipped_units(), "$/kWh");
	usd_mwh = *units_find(shipped_units(), "$/MWh");
	sun_catalog.units = *shipped_units();
	f->nlu = nlu_new(speaking(&sun_catalog));
	f->arena = arena_new(1 << 24);
	catalog_for(&sun_catalog, &everybody, f->arena, &f->view);
	*state = f;
	return 0;
}

struct said_case {
	const char *question, *calls;
};

static void check(struct fixture *f, const struct said_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *got = fixture_calls(f, cases[i].question);

		if (strcmp(got, cases[i].calls) != 0)
			fail_msg("\"%s\": got \"%s\" (%s)", cases[i].question, got,
				 f->u.ask.text ? f->u.ask.text : "");
		if (f->u.unused_count > 0)
			fail_msg("\"%s\": \"%s\" is not used", cases[i].question, f->u.unused[0]);
	}
}

/* No call, and a clarifying question about this filter that says so. */
static void check_asked(struct fixture *f, const char *question, const char *filter,
			const char *says)
{
	const struct understanding *u = fixture_ask(f, question);

	if (u->tool_count > 0 || !u->ask.text)
		fail_msg("\"%s\" was not asked about: kind %d, \"%s\"", question, (int)u->kind,
			 calls_text(f, u));
	assert_string_equal(u->ask.filter, filter);
	if (!strstr(u->ask.text, says))
		fail_msg("\"%s\": %s", question, u->ask.text);
}

static void times_fill_slots(void **state)
{
	static const struct said_case cases[] = {
		{"output of the panels on 14 March 2025", "get_output day=2025-03-14"},
		{"output of the panels yesterday", "get_output day=2026-02-26"},
		{"output of the panels tomorrow", "get_output day=2026-02-28"},
		{"faults of inverters in the last 7 days", "get_faults days=7"},
		{"faults of inverters in the past two weeks", "get_faults days=14"},
		{"faults of inverters", "get_faults"},
		{"forecast of production for the next 30 days", "get_forecast days_ahead=30"},
		{"forecast of production for the coming week", "get_forecast days_ahead=7"},
		{"forecast of production within 10 days", "get_forecast days_ahead=10"},
	};

	check(*state, cases, COUNT(cases));
}

static void days_out_of_range_are_asked_about(void **state)
{
	struct fixture *f = *state;

	check_asked(f, "faults of inverters in the last 400 days", "days", "from 1 to 90");
	check_asked(f, "forecast of production for the next 0 days", FILTER_START, "next 0 days");
	check_asked(f, "faults of inverters in the last -3 days", FILTER_START, "-3 days");
	check_asked(f, "forecast of production for the last 7 days", FILTER_START, "narrowed");
	check_asked(f, "output of the panels from 3 March to 5 March 2025", FILTER_START,
		    "narrowed");
}

static void amounts_are_converted(void **state)
{
	static const struct said_case cases[] = {
		{"savings of a system at $0.12 per kWh", "get_savings rate=0.12"},
		{"savings of a system at 12 cents a kWh", "get_savings rate=0.12"},
		{"savings of a system at 120 $/MWh", "get_savings rate=0.12"},
		{"savings of a 6 kW system", "get_savings capacity=6"},
		{"savings of a 0.5 MW system", "get_savings capacity=500"},
		{"savings of a 6 kW system at $0.2 per kWh", "get_savings rate=0.2 capacity=6"},
	};

	check(*state, cases, COUNT(cases));
	/* twice: nothing is guessed */
	check_asked(*state, "savings of a 6 kW system or 7 kW", FILTER_BOUND, "6 kW");
}

static void bounds_fill_slots(void **state)
{
	static const struct said_case cases[] = {
		{"offers of suppliers above $60",
		 "list_offers min_price=60 min_price_incl=0 order=desc"},
		{"offers of suppliers above $3 million",
		 "list_offers min_price=3000000 min_price_incl=0 order=desc"},
		{"offers of suppliers at least 60 $/MWh",
		 "list_offers min_price=60 min_price_incl=1 order=desc"},
		{"offers of suppliers under $0.02 per kWh",
		 "list_offers max_price=20 max_price_incl=0 order=desc"},
		{"offers of suppliers between 40 and 50 $/MWh",
		 "list_offers min_price=40 min_price_incl=1 max_price=50 max_price_incl=1 "
		 "order=desc"},
		{"offers of suppliers above 0.5 MW",
		 "list_offers min_size=500 min_size_incl=0 order=desc"},
		{"offers of suppliers below 20",
		 "list_offers max_price=20 max_price_incl=0 order=desc"},
		{"offers of suppliers not above $60",
		 "list_offers max_price=60 max_price_incl=1 order=desc"},
	};

	check(*state, cases, COUNT(cases));
}

static void bounds_that_no_slot_takes_are_asked_about(void **state)
{
	struct fixture *f = *state;

	check_asked(f, "faults of inverters above 60", FILTER_BOUND, "above 60");
	/* "12 cents" is no price of a MWh: per what? */
	check_asked(f, "offers of suppliers above 12 cents", FILTER_BOUND, "above 12 cents");
	check_asked(f, "offers of suppliers above sixty dollars or below 20", FILTER_BOUND,
		    "can't be narrowed");
	check_asked(f, "offers of suppliers above $60 and above $80", FILTER_BOUND, "above $60");
	/* the average is bounded, not each price */
	check_asked(f, "offers of suppliers that average above $60", FILTER_BOUND, "above $60");
	/* without a unit: a price or a size? */
	check_asked(f, "offers of suppliers above 60", FILTER_BOUND, "not clear");
}

static void ambiguous_number_offers_both_parameters(void **state)
{
	struct fixture *f = *state;
	const struct understanding *u = fixture_ask(f, "deals that were closed above $60");

	assert_int_equal(u->tool_count, 0);
	assert_int_equal(u->ask.option_count, 2);
	assert_string_equal(u->ask.options[0].value, "min_cost>60");
	assert_string_equal(u->ask.options[1].value, "min_fee>60");
	fixture_store_context(f);
	assert_string_equal(fixture_calls(f, "2"), "list_deals min_fee=60 min_fee_incl=0");
	fixture_ask_and_store(f, "deals that were closed at least $60");
	assert_string_equal(fixture_calls(f, "min_cost=60"),
			    "list_deals min_cost=60 min_cost_incl=1");
}

static void orders_fill_slots(void **state)
{
	static const struct said_case cases[] = {
		{"offers of suppliers, the lowest first", "list_offers order=asc"},
		{"offers of suppliers from the bottom", "list_offers order=asc"},
		{"offers of suppliers, the highest first", "list_offers order=desc"},
		{"offers of suppliers", "list_offers order=desc"},
	};
	struct fixture *f = *state;

	check(f, cases, COUNT(cases));
	check_asked(f, "the lowest and the highest offers of suppliers", "order",
		    "the highest first or the lowest first");
	fixture_store_context(f);
	assert_string_equal(fixture_calls(f, "the lowest first"), "list_offers order=asc");
}

static void excludes_values(void **state)
{
	static const struct said_case cases[] = {
		{"offers of suppliers that aren't blue", "list_offers order=desc not_color=blue"},
		{"offers of suppliers, not blue and not white",
		 "list_offers order=desc not_color=blue,white"},
		{"offers of suppliers except blue, white",
		 "list_offers order=desc not_color=blue,white"},
	};
	struct fixture *f = *state;

	check(f, cases, COUNT(cases));
	check_asked(f, "faults of inverters that aren't blue", "color", "blue");
	check_asked(f, "blue offers of suppliers, not blue", "color", "blue");
	/* all but one are gone: the one that is left */
	assert_string_equal(
		fixture_calls(f, "offers of suppliers, not blue and not white and not silver"),
		"list_offers order=desc color=black");
	fixture_ask(f, "offers of suppliers except all of them");
	assert_true(f->u.confidence < NLU_CONFIDENT);
}

/* What stands is kept, and replaced by what is said of the same. */
static void slots_are_carried(void **state)
{
	struct fixture *f = *state;

	fixture_ask_and_store(f, "offers of suppliers above $60 that aren't blue");
	fixture_ask_and_store(f, "and the lowest first?");
	assert_string_equal(calls_text(f, &f->u),
			    "list_offers min_price=60 min_price_incl=0 order=asc not_color=blue");
	fixture_ask_and_store(f, "and at least $80?");
	assert_string_equal(calls_text(f, &f->u),
			    "list_offers min_price=80 min_price_incl=1 order=asc not_color=blue");
	fixture_ask_and_store(f, "and the blue ones?");
	assert_string_equal(calls_text(f, &f->u),
			    "list_offers min_price=80 min_price_incl=1 order=asc color=blue");
	fixture_ask_and_store(f, "and below $20?");
	assert_string_equal(calls_text(f, &f->u),
			    "list_offers max_price=20 max_price_incl=0 order=asc color=blue");
	fixture_ask_and_store(f, "output of the panels yesterday");
	assert_string_equal(fixture_calls(f, "and on 14 March 2025?"), "get_output day=2025-03-14");
}

static void filters_are_edited(void **state)
{
	struct fixture *f = *state;

	fixture_ask_and_store(f, "offers of suppliers above $60 that aren't blue");
	assert_string_equal(
		calls_text(f, fixture_edit(f, "",
					   "{\"min_price\":70.5,\"not_color\":[\"white\"],"
					   "\"order\":\"asc\"}")),
		"list_offers min_price=70.5 min_price_incl=0 order=asc not_color=white");
	assert_string_equal(calls_text(f, fixture_edit(f, "", "{\"min_price\":null}")),
			    "list_offers order=desc not_color=blue");
	fixture_edit(f, "", "{\"order\":\"up\"}");
	assert_int_equal(f->u.tool_count, 0);
	assert_string_equal(f->u.ask.filter, "order");
	fixture_edit(f, "", "{\"not_color\":[\"pink\"]}");
	assert_int_equal(f->u.tool_count, 0);
	assert_string_equal(f->u.ask.filter, "not_color");
	fixture_edit(f, "", "{\"threshold\":\"nothing>x\"}");
	assert_string_equal(calls_text(f, &f->u),
			    "list_offers min_price=60 min_price_incl=0 order=desc not_color=blue");
}

/* A bound is one filter, which shows its side as it may be typed. */
static void bounds_are_shown_and_typed(void **state)
{
	static const struct {
		const char *typed, *calls;
	} cases[] = {
		{"{\"min_price\":\">80\"}", "list_offers min_price=80 min_price_incl=0 order=desc"},
		{"{\"min_price\":\"≥ 80.5\"}",
		 "list_offers min_price=80.5 min_price_incl=1 order=desc"},
		{"{\"min_price\":\">=80\"}",
		 "list_offers min_price=80 min_price_incl=1 order=desc"},
		{"{\"min_price\":\"80\"}", "list_offers min_price=80 min_price_incl=0 order=desc"},
	};
	struct fixture *f = *state;
	struct json_out j;
	struct buf b;

	buf_init(&b, 4096);
	jo_init(&j, &b);
	nlu_filters_write(fixture_ask(f, "offers of suppliers above $60"),
			  f->nlu->catalog->language, &j);
	assert_non_null(strstr(buf_text(&b), "\"value\":60,\"label\":\">60\""));
	assert_null(strstr(buf_text(&b), "incl"));
	buf_deinit(&b);
	for (size_t i = 0; i < COUNT(cases); i++) {
		fixture_ask_and_store(f, "offers of suppliers above $60");
		assert_string_equal(calls_text(f, fixture_edit(f, "", cases[i].typed)),
				    cases[i].calls);
	}
	fixture_edit(f, "", "{\"min_price\":\">cheap\"}");
	assert_int_equal(f->u.tool_count, 0);
	assert_string_equal(f->u.ask.filter, "min_price");
}

/* Lists of what is left out keep their name, also one of a single value. */
static void names_on_the_wire(void **state)
{
	struct fixture *f = *state;

	assert_non_null(strstr(fixture_route(f, "offers of suppliers that aren't blue"),
			       "\"filters\":{\"not_color\":[\"blue\"]}"));
	assert_non_null(strstr(fixture_route(f, "offers of suppliers above $60"),
			       "\"filters\":{\"min_price\":60,\"min_price_incl\":0}"));
}

/* A value that stands for another dimension's becomes that filter. */
static void resolves_name_to_another_value(void **state)
{
	struct fixture *f = *state;
	const struct filter *color;
	struct json_out j;
	struct buf b;

	assert_string_equal(fixture_calls(f, "offers of suppliers in RAL-5010"),
			    "list_offers order=desc color=blue");
	assert_null(filter_of(&f->u, "hue"));
	color = filter_of(&f->u, "color");
	assert_int_equal(color->source, SOURCE_ALIAS);
	assert_string_equal(color->resolved_from, "RAL-5010");
	buf_init(&b, 4096);
	jo_init(&j, &b);
	nlu_filters_write(&f->u, f->nlu->catalog->language, &j);
	assert_non_null(strstr(buf_text(&b), "\"source\":\"alias\",\"said\":\"RAL-5010\""));
	buf_deinit(&b);
	fixture_store_context(f);
	assert_string_equal(calls_text(f, fixture_edit(f, "", "{\"hue\":\"RAL-9003\"}")),
			    "list_offers order=desc color=white");
	fixture_edit(f, "", "{\"hue\":\"RAL-7777\"}");
	assert_int_equal(f->u.tool_count, 0);
	assert_string_equal(f->u.ask.filter, "hue");
	fixture_edit(f, "", "{\"hue\":\"RAL-1111\"}"); /* of which the color is not known */
	assert_int_equal(f->u.tool_count, 0);
	assert_string_equal(calls_text(f, fixture_edit(f, "", "{\"hue\":null}")),
			    "list_offers order=desc");
}

#define SUN(f) cmocka_unit_test_setup_teardown(f, sun_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SUN(times_fill_slots),
		SUN(days_out_of_range_are_asked_about),
		SUN(amounts_are_converted),
		SUN(bounds_fill_slots),
		SUN(bounds_that_no_slot_takes_are_asked_about),
		SUN(ambiguous_number_offers_both_parameters),
		SUN(orders_fill_slots),
		SUN(excludes_values),
		SUN(slots_are_carried),
		SUN(filters_are_edited),
		SUN(bounds_are_shown_and_typed),
		SUN(names_on_the_wire),
		SUN(resolves_name_to_another_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

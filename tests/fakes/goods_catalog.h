/*
 * A handwritten catalogue: prices of goods by seller, region and zone, and parcels by depot. The
 * real domains use none of its names, so the tests show that the code is generic.
 */
#ifndef FAKES_GOODS_CATALOG_H
#define FAKES_GOODS_CATALOG_H

#include "pack_words.h"
#include "router_weights.h"
#include "vesper/catalog.h"

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
		.name = n, .params = p, .param_count = COUNT(p), .callers.agents = who,            \
		.callers.visible = true, __VA_ARGS__                                               \
	}
static const struct tool_def fixture_tools[] = {
	TOOL("compare_sellers", compare_params, price_agents, .index = 0,
	     .about = "Average price of several sellers side by side for one zone and year."),
	TOOL("count_parcels", parcel_params, parcel_agents, .callers.permission = "parcels",
	     .index = 1, .about = "How many parcels a depot sent between two days."),
	TOOL("get_average_price", average_params, price_agents, .index = 2,
	     .about = "Average price of one seller, zone and year."),
	TOOL("get_hourly_prices", hourly_params, price_agents, .index = 3,
	     .about = "Price by hour of day of a zone and year: average, lowest and highest."),
	TOOL("get_top_depots", top_params, parcel_agents, .callers.permission = "parcels",
	     .index = 4,
	     .about = "Depots that sent most parcels between two days, the busiest first."),
	TOOL("list_price_files", list_params, price_agents, .index = 5,
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
	 .index = 0,
	 .agent = "price_agent",
	 .intent = "price_question",
	 .about = "Prices of goods by seller and zone.",
	 .examples = price_examples,
	 .tools = price_tools,
	 .tool_count = COUNT(price_tools),
	 .order = 1},
	{.name = "parcels",
	 .index = 1,
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
static const struct alias_def seller_aliases[] = {{"bw", "Birchwood", NULL, NULL},
						  {"birch trading", "Birchwood", NULL, NULL}};
static const struct alias_def region_aliases[] = {{"far east", "EAST", NULL, NULL}};
static const struct alias_def zone_aliases[] = {{"sunny", "EP10", "region=EAST", NULL},
						{"sunny", "WZ_BETA", "region=WEST", NULL},
						{"alpha hub", "HUB_ALPHA", NULL, NULL},
						{"rainy", "EP20", "region=EAST", NULL}};
static const struct alias_def grade_aliases[] = {{"low grade", "Low", NULL, NULL}};

static const struct dimension_def fixture_dimensions[] = {
	{.name = "seller",
	 .index = 0,
	 .filter = "seller",
	 .label = "seller",
	 .values = sellers,
	 .aliases = seller_aliases,
	 .alias_count = COUNT(seller_aliases)},
	{.name = "region",
	 .index = 1,
	 .filter = "region",
	 .label = "region",
	 .values = regions,
	 .aliases = region_aliases,
	 .alias_count = COUNT(region_aliases)},
	{.name = "zone",
	 .index = 2,
	 .filter = "zone",
	 .label = "sales zone",
	 .values = zones,
	 .parent = "region",
	 .parents = zone_parents,
	 .aliases = zone_aliases,
	 .alias_count = COUNT(zone_aliases)},
	{.name = "asof", .index = 3, .filter = "asof_date", .label = "as-of"},
	{.name = "grade",
	 .index = 4,
	 .filter = "grade",
	 .label = "grade",
	 .values = grades,
	 .aliases = grade_aliases,
	 .alias_count = COUNT(grade_aliases)},
	{.name = "depot", .index = 5, .filter = "depot", .label = "depot", .values = depots},
};

static struct catalog goods_catalog = {
	.tools = fixture_tools,
	.tool_count = COUNT(fixture_tools),
	.domains = fixture_domains,
	.domain_count = COUNT(fixture_domains),
	.dimensions = fixture_dimensions,
	.dimension_count = COUNT(fixture_dimensions),
	.calendar = {.peak_first_hour = 7, .peak_last_hour = 22},
	.router = FAKE_ROUTER_WEIGHTS,
	.words = FAKE_PACK_WORDS,
};

#endif

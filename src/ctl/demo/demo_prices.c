/*
 * The price files. A curve is a daily shape, scaled by season, weekday and weather, and then
 * shifted so that its mean is exactly the figure in the tables below. Answers that are verified by
 * hand follow from these figures.
 */
#include "demo_int.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { HOURS_PER_DAY = 24, DAYS_PER_YEAR = 365, HOURS_PER_YEAR = HOURS_PER_DAY * DAYS_PER_YEAR };
enum { YEARS_PER_FILE = 2 };
enum { UNITS_PER_CENT = 100 }; /* prices are computed in units of 10^-4 dollars */

enum market { CAISO, ERCOT, MARKET_COUNT };
static const char *const market_names[] = {"CAISO", "ERCOT"};

/* Mean price of 2025 in cents, for the first vendor of the first tenant. */
static const struct hubzone {
	enum market market;
	const char *name;
	int level_cents;
} hubzones[] = {
	{CAISO, "NP15", 4873},      {CAISO, "SP15", 5214},       {CAISO, "ZP26", 4938},
	{ERCOT, "HB_NORTH", 4126},  {ERCOT, "HB_HOUSTON", 4317}, {ERCOT, "HB_WEST", 3784},
	{ERCOT, "HB_BUSAVG", 4091}, {ERCOT, "LZ_NORTH", 4188},   {ERCOT, "LZ_HOUSTON", 4395},
	{ERCOT, "LZ_AEN", 4067},    {ERCOT, "LZ_CPS", 4212},     {ERCOT, "LZ_RAYBN", 4154},
	{ERCOT, "LZ_WEST", 3949},
};
enum { HUBZONE_COUNT = DEMO_COUNT(hubzones) };

enum reference { BASE, HIGH, LOW };
static const char *const reference_names[] = {"Base", "High", "Low"};
static const int reference_permille[] = {1000, 1180, 845};

/*
 * What a vendor published on a day: one file per market and case. Labels do not sort by date:
 * "Jul_2024" sorts after "Jan_2025".
 */
struct release {
	const char *vendor, *asof, *asof_date;
	int first_year;
	int view_permille; /* price level of this release relative to the others */
	enum reference reference;
	int hubs[MARKET_COUNT];  /* number of hub-zones of each market, from the first */
	int small[MARKET_COUNT]; /* the same for small data */
};

static const struct release vesper_releases[] = {
	{"Ascend", "Jan_2024", "2024-01-17", 2024, 1043, BASE, {3, 10}, {0, 0}},
	{"Ascend", "Jul_2024", "2024-07-16", 2024, 1021, BASE, {3, 10}, {0, 0}},
	{"Ascend", "Jan_2025", "2025-01-15", 2025, 1000, BASE, {3, 10}, {2, 1}},
	{"Ascend", "Jan_2025", "2025-01-15", 2025, 1000, HIGH, {3, 4}, {1, 0}},
	{"Ascend", "Jan_2025", "2025-01-15", 2025, 1000, LOW, {3, 4}, {0, 0}},
	{"Ascend", "Jan_2026", "2026-01-14", 2026, 984, BASE, {3, 10}, {0, 0}},
	{"Ascend", "Jan_2026", "2026-01-14", 2026, 984, HIGH, {3, 0}, {0, 0}},
	{"Ascend", "Jan_2026", "2026-01-14", 2026, 984, LOW, {3, 0}, {0, 0}},
	{"Hitachi", "Q1_2024", "2024-02-08", 2024, 1038, BASE, {3, 10}, {0, 0}},
	{"Hitachi", "Q1_2025", "2025-02-06", 2025, 1000, BASE, {3, 10}, {2, 0}},
	{"Hitachi", "Q3_2025", "2025-08-07", 2026, 1012, BASE, {3, 10}, {0, 0}},
	{"Hitachi", "Q1_2026", "2026-02-05", 2026, 991, BASE, {3, 10}, {0, 0}},
	{"Hitachi", "Q1_2026", "2026-02-05", 2026, 991, HIGH, {3, 0}, {0, 0}},
	{"Hitachi", "Q1_2026", "2026-02-05", 2026, 991, LOW, {3, 0}, {0, 0}},
};

static const struct release acme_releases[] = {
	{"Ascend", "Jan_2024", "2024-01-17", 2024, 1027, BASE, {3, 0}, {0, 0}},
	{"Ascend", "Jan_2025", "2025-01-15", 2025, 1000, BASE, {3, 10}, {2, 1}},
	{"Ascend", "Jan_2025", "2025-01-15", 2025, 1000, HIGH, {3, 0}, {0, 0}},
	{"Ascend", "Jan_2026", "2026-01-14", 2026, 1016, BASE, {3, 4}, {0, 0}},
	{"Hitachi", "Q1_2025", "2025-02-06", 2025, 1000, BASE, {3, 10}, {0, 0}},
	{"Hitachi", "Q1_2026", "2026-02-05", 2026, 1009, BASE, {3, 0}, {0, 0}},
};

/* What distinguishes the tenants: keys, price level, and a tag in SELECTION. */
static const struct book {
	const struct release *releases;
	size_t release_count;
	int first_file_key;
	int level_shift_cents;
	const char *tag;
} books[DEMO_TENANT_COUNT] = {
	[DEMO_VESPER] = {vesper_releases, DEMO_COUNT(vesper_releases), 11, 0, ""},
	[DEMO_ACME] = {acme_releases, DEMO_COUNT(acme_releases), 71, 1254, "Acme "},
};

enum season { WINTER, SPRING, SUMMER, AUTUMN, SEASON_COUNT };

static enum season season_of(int month)
{
	return (enum season)(month % 12 / 3);
}

/* Price of an hour relative to the day's level, per mille. Solar power lowers prices at midday in
 * California. */
static const int hour_permille[MARKET_COUNT][SEASON_COUNT][HOURS_PER_DAY] = {
	[CAISO] =
		{
			[WINTER] = {900,  880,  870,  870,  900,  980,  1100, 1180,
				    1080, 860,  720,  650,  620,  630,  680,  800,
				    1050, 1420, 1560, 1500, 1380, 1240, 1080, 980},
			[SPRING] = {1080, 1040, 1010, 1000, 1040, 1150, 1220, 1050,
				    640,  300,  90,   -20,  -60,  -70,  -30,  120,
				    480,  1050, 1850, 2250, 2080, 1720, 1420, 1220},
			[SUMMER] = {880,  840,  810,  800,  820,  870,  900,  800,
				    660,  580,  560,  590,  640,  720,  830,  1000,
				    1220, 1500, 1850, 2050, 1750, 1350, 1120, 980},
			[AUTUMN] = {940,  910,  890,  890,  920,  1010, 1120, 1080,
				    820,  600,  470,  410,  400,  430,  520,  700,
				    1050, 1600, 1900, 1750, 1480, 1250, 1080, 1000},
		},
	[ERCOT] =
		{
			[WINTER] = {920,  900,  890,  890,  920,  1050, 1250, 1300,
				    1150, 1020, 960,  920,  890,  870,  860,  880,
				    960,  1150, 1260, 1220, 1140, 1050, 980,  940},
			[SPRING] = {850,  820,  800,  800,  830,  920,  1010, 960,
				    880,  830,  820,  840,  880,  930,  1000, 1090,
				    1200, 1350, 1480, 1420, 1220, 1060, 950,  890},
			[SUMMER] = {700,  660,  630,  610,  610,  640,  690,  730,
				    770,  840,  930,  1040, 1160, 1280, 1420, 1600,
				    1780, 1850, 1760, 1500, 1230, 1020, 880,  770},
			[AUTUMN] = {860,  830,  810,  805,  830,  910,  990,  950,
				    880,  840,  840,  870,  920,  980,  1060, 1150,
				    1250, 1380, 1460, 1360, 1180, 1040, 940,  890},
		},
};

static const int month_permille[MARKET_COUNT][12] = {
	[CAISO] = {1120, 1040, 830, 720, 740, 880, 1120, 1240, 1180, 980, 1010, 1140},
	[ERCOT] = {1050, 1020, 840, 830, 880, 1020, 1260, 1420, 1130, 880, 860, 910},
};
static const int weekday_permille[7] = {915, 1025, 1030, 1030, 1025, 1015, 955};
static const int year_permille[] = {972, 1000, 1034, 1061}; /* 2024 and later */

/* Hitachi's prices are higher overall, and most of all in the evening ramp (hours ending 16 to
 * 21). */
enum { HITACHI_PERMILLE = 1051, HITACHI_EVENING_PERMILLE = 110 };

static bool is_hitachi(const struct release *release)
{
	return strcmp(release->vendor, "Hitachi") == 0;
}

static bool is_evening_ramp(int hour)
{
	return hour >= 15 && hour <= 20;
}

static int64_t scale(int64_t value, int permille)
{
	return (value * permille + 500) / 1000;
}

/* The exact mean of the year's 8,760 prices. */
static int64_t target_cents(const struct book *book, const struct release *release, int hub,
			    int year)
{
	int64_t cents = hubzones[hub].level_cents + book->level_shift_cents;
	cents = scale(cents, year_permille[year - 2024]);
	if (is_hitachi(release))
		cents = scale(cents, HITACHI_PERMILLE);
	return scale(scale(cents, release->view_permille), reference_permille[release->reference]);
}

struct series {
	int64_t price[HOURS_PER_YEAR]; /* in units of 10^-4 dollars */
};

/* The day of the year, skipping 29 February. */
static int day_number(int year, int day_of_year)
{
	bool after_february = day_of_year >= 31 + 28;
	return (after_february ? demo_day(year, 3, 1) - 59 : demo_day(year, 1, 1)) + day_of_year;
}

static int month_of(int day_of_year)
{
	static const int ends[] = {31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
	int month = 0;
	while (day_of_year >= ends[month])
		month++;
	return month + 1;
}

/* Weather of a market, the same for both vendors: a slow random walk around 0, per mille of the
 * level. */
static void make_weather(int weather_permille[DAYS_PER_YEAR], const char *tenant_id, int hub,
			 int year)
{
	struct demo_random random = {
		demo_hash(demo_hash((uint64_t)year, tenant_id), hubzones[hub].name)};
	int state = 0;
	for (int day = 0; day < DAYS_PER_YEAR; day++) {
		state = (state * 3) / 4 + demo_random_around(&random, 60);
		weather_permille[day] = state;
	}
}

static void make_shape(struct series *series, const struct demo_db *db,
		       const struct release *release, int hub, int year, int64_t level)
{
	int weather_permille[DAYS_PER_YEAR];
	make_weather(weather_permille, db->tenant_id, hub, year);
	struct demo_random random = {demo_hash((uint64_t)(year * 64 + hub), release->asof)};
	enum market market = hubzones[hub].market;
	int64_t evening = is_hitachi(release) ? level * HITACHI_EVENING_PERMILLE / 1000 : 0;

	int64_t *price = series->price;
	for (int day = 0; day < DAYS_PER_YEAR; day++) {
		int month = month_of(day);
		const int *hours = hour_permille[market][season_of(month)];
		int64_t day_level = scale(level, month_permille[market][month - 1]);
		day_level =
			scale(day_level, weekday_permille[demo_day_weekday(day_number(year, day))]);
		for (int hour = 0; hour < HOURS_PER_DAY; hour++) {
			int permille = hours[hour] + weather_permille[day] +
				       demo_random_around(&random, 45);
			*price++ =
				day_level * permille / 1000 + (is_evening_ramp(hour) ? evening : 0);
		}
	}
}

static void shift_mean(struct series *series, int64_t mean)
{
	int64_t missing = mean * HOURS_PER_YEAR;
	for (int i = 0; i < HOURS_PER_YEAR; i++)
		missing -= series->price[i];
	int64_t each = missing / HOURS_PER_YEAR;
	int64_t rest = missing % HOURS_PER_YEAR; /* has the sign of missing, like each */
	int64_t step = rest < 0 ? -1 : 1;
	for (int i = 0; i < HOURS_PER_YEAR; i++)
		series->price[i] += each + (i < rest * step ? step : 0);
}

static bool write_year(struct demo_insert *insert, int file_key, int hub, int year,
		       const struct series *series, struct err *err)
{
	for (int i = 0; i < HOURS_PER_YEAR;) {
		int day = i / HOURS_PER_DAY;
		struct demo_date date = demo_day_text(day_number(year, day));
		int month = month_of(day);
		for (int hour = 0; hour < HOURS_PER_DAY; hour++, i++) {
			if (!demo_insert(insert, err, demo_int(file_key), demo_int(hub + 1),
					 demo_int(year), demo_text(date.text), demo_int(hour),
					 demo_int(month), demo_decimal(series->price[i])))
				return false;
		}
	}
	return true;
}

static bool write_curve(const struct demo_db *db, struct demo_insert *prices,
			const struct release *release, int file_key, int hub, struct err *err)
{
	const struct book *book = &books[db->tenant];
	for (int year = release->first_year; year < release->first_year + YEARS_PER_FILE; year++) {
		int64_t mean = target_cents(book, release, hub, year) * UNITS_PER_CENT;
		struct series series;
		make_shape(&series, db, release, hub, year, mean);
		shift_mean(&series, mean);
		if (!write_year(prices, file_key, hub, year, &series, err))
			return false;
	}
	return true;
}

static bool write_file_row(struct demo_insert *files, const struct book *book,
			   const struct release *release, int file_key, int hub, struct err *err)
{
	const char *market = market_names[hubzones[hub].market];
	const char *reference = reference_names[release->reference];
	char composite[32], selection[96];
	snprintf(composite, sizeof(composite), "%d_%d", file_key, hub + 1);
	snprintf(selection, sizeof(selection), "%s%s %s %s %s", book->tag, release->vendor, market,
		 release->asof, reference);
	return demo_insert(files, err, demo_int(file_key), demo_int(hub + 1), demo_text(composite),
			   demo_text(release->vendor), demo_text(market),
			   demo_text(hubzones[hub].name), demo_text(release->asof),
			   demo_text(release->asof_date), demo_int(release->first_year),
			   demo_text(reference), demo_text(selection));
}

static bool write_files(const struct demo_db *db, struct demo_insert *files,
			struct demo_insert *prices, struct err *err)
{
	const struct book *book = &books[db->tenant];
	int file_key = book->first_file_key;
	for (size_t r = 0; r < book->release_count; r++) {
		const struct release *release = &book->releases[r];
		for (int market = 0; market < MARKET_COUNT; market++, file_key++) {
			int hub_count = db->small ? release->small[market] : release->hubs[market];
			for (int hub = 0; hub < HUBZONE_COUNT && hub_count > 0; hub++) {
				if ((int)hubzones[hub].market != market)
					continue;
				hub_count--;
				if (!write_file_row(files, book, release, file_key, hub, err) ||
				    !write_curve(db, prices, release, file_key, hub, err))
					return false;
			}
			assert(hub_count == 0);
		}
	}
	return true;
}

bool demo_prices_write(const struct demo_db *db, struct err *err)
{
	struct demo_insert files = {0}, prices = {0};
	bool done = demo_insert_open(
			    &files, db,
			    "mc_vendor_files (file_info_key, hubzone_key, composite_key, vendor, "
			    "market, hubzone, asof, asof_date, YR, reference, SELECTION)",
			    err) &&
		    demo_insert_open(
			    &prices, db,
			    "mc_dayahead (FILE_INFO_KEY, HUBZONE_KEY, YEAR, DATE, HOUR, MONTH, "
			    "DAYAHEAD_PRICE)",
			    err) &&
		    write_files(db, &files, &prices, err);
	done = demo_insert_close(&files, done, err);
	return demo_insert_close(&prices, done, err);
}

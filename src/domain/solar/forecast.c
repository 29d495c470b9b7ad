/*
 * Forecast of daily energy. E_clear(d) = s·H0(d), where H0 is the extraterrestrial insolation on a
 * horizontal plane and s the 95th percentile of E/H0 over days within 30 days of the year. The
 * forecast variable is K = E/E_clear in [0, 1.1], by the best of four simple methods in a backtest
 * (calc_forecast).
 *
 * Days with H0 below 0.1 kWh/m2 are left out, and so is the current day. There is no forecast for a
 * logger that has been silent for more than 28 days.
 */
#include "solar_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domain_int.h"
#include "vesper/calc_series.h"
#include "vesper/calc_summary.h"
#include "vesper/limits.h"

#define SOLAR_CONSTANT 1.361 /* kW/m2 */
#define H0_MIN         0.1
#define K_MAX          1.1
#define CLEAR_SHARE    0.95
#define SEASON_DAYS    30
#define SEASON_MIN     20
#define WEEK           7
#define BEFORE         30
#define HISTORY_MIN    37
#define SILENT_MAX     28 /* days; older data do not predict anything */
#define DEGREES        (M_PI / 180)

static int day_of_year(int64_t day)
{
	struct date d = date_from_days(day);

	return (int)(day - date_to_days((struct date){d.year, 1, 1})) + 1;
}

/* Duffie & Beckman; the sunset hour angle is clipped for polar day and night. */
static double extraterrestrial_insolation(double latitude, int64_t day)
{
	int n = day_of_year(day);
	double phi = latitude * DEGREES;
	double delta = 23.45 * DEGREES * sin(2 * M_PI * (284 + n) / 365);
	double x = -tan(phi) * tan(delta);
	double omega = acos(x < -1 ? -1 : x > 1 ? 1 : x);

	return 24 / M_PI * SOLAR_CONSTANT * (1 + 0.033 * cos(2 * M_PI * n / 365)) *
	       (cos(phi) * cos(delta) * sin(omega) + omega * sin(phi) * sin(delta));
}

struct history {
	double latitude;
	int64_t first; /* day */
	size_t n;      /* days up to yesterday */
	size_t known;
	int64_t last;   /* last day with data */
	double *energy; /* NAN: no data */
	double *h0;     /* of these days and the forecast days */
	int *of_year;   /* the same: day of the year, from 1 */
};

/* False: there is no complete day. */
static bool read_history(const struct solar *s, const struct frame *f, int64_t today,
			 struct history *h)
{
	const struct frame_column *day = frame_column(f, "day"), *e = frame_column(f, "energy");

	if (f->rows == 0)
		return false;
	h->first = day->v.day[0];
	if (today - h->first > CALC_SERIES_MAX)
		h->first = today - CALC_SERIES_MAX;
	h->n = today > h->first ? (size_t)(today - h->first) : 0;
	h->energy = arena_alloc(s->a, (h->n + 1) * sizeof(*h->energy));
	for (size_t i = 0; i < h->n; i++)
		h->energy[i] = (double)NAN;
	for (size_t i = 0; i < f->rows; i++) {
		int64_t at = day->v.day[i] - h->first;
		double energy = frame_number(e, i);

		if (at < 0 || at >= (int64_t)h->n || !(energy >= 0))
			continue;
		h->energy[at] = energy;
		h->known++;
		h->last = day->v.day[i];
	}
	return h->known > 0;
}

static void set_sun(const struct solar *s, struct history *h, size_t ahead)
{
	h->h0 = arena_alloc(s->a, (h->n + ahead) * sizeof(*h->h0));
	h->of_year = arena_alloc(s->a, (h->n + ahead) * sizeof(*h->of_year));
	for (size_t i = 0; i < h->n + ahead; i++) {
		h->h0[i] = extraterrestrial_insolation(h->latitude, h->first + (int64_t)i);
		h->of_year[i] = day_of_year(h->first + (int64_t)i);
	}
}

static bool is_near(int a, int b)
{
	int apart = abs(a - b);

	return apart <= SEASON_DAYS || apart >= 365 - SEASON_DAYS;
}

/* E/H0 of clear days around a day of the year. */
static double clear_share(const struct solar *s, const struct history *h, int of_year)
{
	double *near = arena_alloc(s->a, (h->n + 1) * sizeof(*near));
	double *all = arena_alloc(s->a, (h->n + 1) * sizeof(*all));
	double share = CLEAR_SHARE, out = (double)NAN;
	size_t near_n = 0, n = 0, present;
	struct err e;

	for (size_t i = 0; i < h->n; i++) {
		if (isnan(h->energy[i]) || h->h0[i] < H0_MIN)
			continue;
		all[n++] = h->energy[i] / h->h0[i];
		if (is_near(h->of_year[i], of_year))
			near[near_n++] = h->energy[i] / h->h0[i];
	}
	return calc_quantiles(&s->calc, near_n < SEASON_MIN ? all : near,
			      near_n < SEASON_MIN ? n : near_n, &share, 1, &out, &present, &e)
		       ? out
		       : (double)NAN;
}

/* The clear-sky energy of each day of the history and of `ahead` more. */
static double *clear_energy(const struct solar *s, const struct history *h, size_t ahead)
{
	double *clear = arena_alloc(s->a, (h->n + ahead) * sizeof(*clear));
	double share[367];

	for (size_t i = 0; i < sizeof(share) / sizeof(share[0]); i++)
		share[i] = -1;
	for (size_t i = 0; i < h->n + ahead; i++) {
		int n = h->of_year[i];

		if (share[n] < 0)
			share[n] = clear_share(s, h, n);
		clear[i] = share[n] * h->h0[i];
	}
	return clear;
}

static const char *method_name(const struct calc_forecast *f)
{
	static const char *const names[CALC_METHODS] = {
		[CALC_LAST] = "last day's clearness",
		[CALC_MEAN] = "mean clearness of the last 7 days",
		[CALC_SEASONAL] = "clearness of the same weekday before",
		[CALC_SMOOTH] = "exponential smoothing of the clearness",
	};

	return f->status == CALC_OK ? names[f->method] : "mean, too little history";
}

static double clamp(double value, double max)
{
	return isnan(value) ? value : value < 0 ? 0 : value > max ? max : value;
}

static void begin_days(const struct solar *s, struct solar_rows *w)
{
	solar_rows_begin(w, s->a);
	solar_rows_column(w, "date", COLUMN_DATE);
	solar_rows_column(w, "forecast", COLUMN_DECIMAL);
	solar_rows_column(w, "low80", COLUMN_DECIMAL);
	solar_rows_column(w, "high80", COLUMN_DECIMAL);
	solar_rows_column(w, "low95", COLUMN_DECIMAL);
	solar_rows_column(w, "high95", COLUMN_DECIMAL);
	solar_rows_column(w, "clear_sky", COLUMN_DECIMAL);
}

static void clear_days(const struct solar *s, struct table *t)
{
	struct solar_rows w;

	begin_days(s, &w);
	solar_rows_end(&w, t);
}

/* Writes one row per day; the bands are for single days. */
static double show_days(struct solar *s, const struct history *h, const struct calc_forecast *f,
			const double *clear, size_t ahead, struct table *t)
{
	struct calc_sum max = {0};
	struct solar_rows w;

	begin_days(s, &w);
	for (size_t i = 0; i < ahead; i++) {
		double c = clear[h->n + i], top = c * K_MAX;
		struct calc_band b80 = {NAN, NAN}, b95 = {NAN, NAN};

		if (f->band80)
			b80 = f->band80[i];
		if (f->band95)
			b95 = f->band95[i];
		calc_sum_add(&max, c);
		solar_rows_add(&w, (const char *const[]){
					   solar_iso(s->a, h->first + (int64_t)(h->n + i)),
					   solar_digits(s->a, clamp(f->values[i] * c, top), 1),
					   solar_digits(s->a, clamp(b80.low * c, top), 1),
					   solar_digits(s->a, clamp(b80.high * c, top), 1),
					   solar_digits(s->a, clamp(b95.low * c, top), 1),
					   solar_digits(s->a, clamp(b95.high * c, top), 1),
					   solar_digits(s->a, c, 1)});
	}
	solar_rows_end(&w, t);
	return calc_sum_total(&max);
}

static void add_totals(struct solar *s, const struct calc_forecast *f, double max)
{
	static const char *const names[CALC_METHODS] = {[CALC_LAST] = "maeLast",
							[CALC_MEAN] = "maeMean7",
							[CALC_SEASONAL] = "maeNaive7",
							[CALC_SMOOTH] = "maeSes"};

	solar_add(s, "total", "Total", clamp(f->total, max), 1, "kWh", NULL);
	solar_add(s, "low80", "Lower end, 80 %", clamp(f->total80.low, max), 1, "kWh", NULL);
	solar_add(s, "high80", "Upper end, 80 %", clamp(f->total80.high, max), 1, "kWh", NULL);
	solar_add_words(s, "method", "Method", method_name(f));
	if (f->status == CALC_OK) {
		solar_add(s, "backtestMae", "Mean error of the total in the backtest",
			  f->mae[f->method], 1, "kWh",
			  arena_printf(s->a, "%zu origins", f->origins));
		solar_add(s, "coverage", "Backtest totals inside the 80 % interval",
			  100 * f->coverage80, 1, "%", NULL);
	}
	for (size_t m = 0; f->status == CALC_OK && m < CALC_METHODS; m++)
		solar_add(s, names[m], "Mean error of a method", f->mae[m], 1, "kWh", NULL);
	if (isnan(f->total80.low))
		solar_note(s, "No interval is given: the history is too short for a backtest.");
}

static void forecast(struct solar *s, const struct history *h, size_t ahead, struct table *t)
{
	double *clear = clear_energy(s, h, ahead);
	double *k = arena_alloc(s->a, (h->n + 1) * sizeof(*k));
	const struct calc_forecast_options options = {
		.horizon = ahead, .season = WEEK, .before = BEFORE, .scale = clear};
	struct calc_forecast f;
	struct err e = {0};

	for (size_t i = 0; i < h->n; i++)
		k[i] = h->h0[i] < H0_MIN || !(clear[i] > 0) ? (double)NAN
							    : clamp(h->energy[i] / clear[i], K_MAX);
	if (!calc_forecast(&s->calc, k, h->n, &options, &f, &e)) {
		solar_note(s, "No forecast was made: %s.", e.text);
		return;
	}
	add_totals(s, &f, show_days(s, h, &f, clear, ahead, t) * K_MAX);
}

/* The reason why there is no forecast; NULL: there is one. */
static const char *missing_reason(const struct solar *s, const struct history *h, bool has_history,
				  int64_t today)
{
	if (!has_history || isnan(h->latitude))
		return "There is no complete day of data to forecast from.";
	if (today - h->last > SILENT_MAX)
		return arena_printf(s->a,
				    "The newest data is from %s; a forecast needs some data from "
				    "the last %d days.",
				    solar_iso(s->a, h->last), SILENT_MAX);
	return NULL;
}

void solar_forecast(struct result *r, struct arena *a)
{
	struct solar s = solar_begin(r, a);
	struct table *t = r->tables[0];
	const struct zone *z = solar_zone(&s, table_cell(t, 0, "timezone"));
	const struct arg *days = args_find(&r->args, "days_ahead");
	int64_t today = solar_local_day(z, s.now_ms);
	size_t ahead = days ? (size_t)days->values[0].number : WEEK;
	struct history h = {.latitude = solar_cell(t, 0, "latitude")};
	bool has_history = read_history(&s, result_frame(r, "daily"), today, &h);
	const char *reason = missing_reason(&s, &h, has_history, today);

	solar_add_words(
		&s, "period", "Period",
		domain_period(a, solar_iso(a, today), solar_iso(a, today + (int64_t)ahead - 1)));
	if (reason) {
		solar_note(&s, "%s", reason);
		solar_add_words(&s, "method", "Method", "none");
		clear_days(&s, t);
		return;
	}
	set_sun(&s, &h, ahead);
	domain_add_number(r, a, "historyDays", "Days of history", decimal_int((int64_t)h.known),
			  "days", NULL);
	domain_add_number(r, a, "missingDays", "Days of history without data",
			  decimal_int((int64_t)(h.n - h.known)), "days", NULL);
	if (h.known < HISTORY_MIN)
		solar_note(&s,
			   "Only %zu days of history exist; %d are needed to forecast more than "
			   "their mean.",
			   h.known, HISTORY_MIN);
	forecast(&s, &h, ahead, t);
}

/* Writes the rows of a plant: loggers, readings, and the meaning of its models' error codes. */
#include "demo_solar.h"

#include <stdio.h>
#include <string.h>

#define NOW_UTC_S (1772217900) /* 2026-02-27 18:45: the newest reading */

static const struct {
	const char *code, *title, *severity, *meaning, *action;
} codes[] = {
	{"301", "Grid loss", "critical",
	 "The inverter sees no voltage of the grid and has stopped.",
	 "Check the breaker and the grid connection, then restart the inverter."},
	{"102", "Low insulation", "warning",
	 "The insulation of the direct-current side is below its limit, often by dew in the "
	 "morning.",
	 "Measure the insulation of the strings if it comes again on a dry day."},
	{"207", "Fan slow", "info", "The fan turns slower than it should.",
	 "Clean the fan at the next visit."},
};

static struct demo_value kilo(int watts)
{
	return watts > 0 ? demo_decimal((int64_t)watts * 10) : demo_null();
}

static bool write_loggers(const struct demo_db *db, const struct demo_site *site, struct err *err)
{
	struct demo_insert insert = {0};
	bool done = demo_insert_open(
		&insert, db,
		"loggers (logger_id, name, kind, group_name, model, capacity_kw, ac_rating_kw, "
		"gamma_pct_per_c, timezone, latitude, longitude, tilt_deg, azimuth_deg, "
		"meteo_logger_id, tariff_per_kwh, currency, commissioned_on, retired_on)",
		err);

	for (size_t i = 0; done && i < site->logger_count; i++) {
		const struct demo_logger *l = &site->loggers[i];
		bool inverter = l->kind == DEMO_INVERTER;

		done = demo_insert(&insert, err, demo_text(l->id), demo_text(l->name),
				   demo_text(inverter ? "inverter" : "meteo"),
				   demo_text(inverter ? "Inverters" : "Meteo"), demo_text(l->model),
				   kilo(l->capacity_w), kilo(l->rating_w),
				   inverter ? demo_decimal(-4000) : demo_null(),
				   demo_text(site->zone_name),
				   demo_decimal((int64_t)site->latitude * 10),
				   demo_decimal((int64_t)site->longitude * 10),
				   demo_decimal((int64_t)site->tilt * 10), demo_decimal(1800000),
				   inverter ? demo_text(site->meteo) : demo_null(),
				   inverter ? demo_decimal(site->tariff) : demo_null(),
				   demo_text(site->currency), demo_text(l->commissioned),
				   demo_text(l->retired));
	}
	return demo_insert_close(&insert, done, err) && done;
}

static bool write_codes(const struct demo_db *db, struct err *err)
{
	static const char *const models[] = {"Helio 45", "Helio 27"};
	struct demo_insert insert = {0};
	bool done = demo_insert_open(
		&insert, db, "error_codes (model, code, title, severity, meaning, action)", err);

	for (size_t m = 0; m < DEMO_COUNT(models); m++)
		for (size_t i = 0; done && i < DEMO_COUNT(codes); i++)
			done = demo_insert(&insert, err, demo_text(models[m]),
					   demo_text(codes[i].code), demo_text(codes[i].title),
					   demo_text(codes[i].severity),
					   demo_text(codes[i].meaning), demo_text(codes[i].action));
	return demo_insert_close(&insert, done, err) && done;
}

/* ---- readings ---- */

/* Sets the instant, and the day and minute of the site's local time. */
static void set_times(const struct zone *z, int64_t unix_s, struct demo_reading *r)
{
	int64_t local = unix_s + zone_offset_s(z, unix_s);

	r->unix_s = unix_s;
	r->local_day = (int)(local / DEMO_DAY_S);
	r->minute = (int)(local % DEMO_DAY_S / 60);
}

static int64_t midnight(const struct zone *z, int local_day)
{
	return zone_day_ms(z, local_day) / 1000;
}

/* The energy counter of the day in 10^-4 kWh, to three decimals. Counters of acme end in .777. */
static int64_t counter(const struct demo_site *site, int64_t tenths_of_watts)
{
	int64_t wh = tenths_of_watts / 40;

	if (wh > 0 && strcmp(site->tenant_id, "acme") == 0)
		wh = wh / 1000 * 1000 + 777;
	return wh * 10;
}

static bool write_reading(struct demo_insert *insert, const struct demo_site *site,
			  const struct demo_logger *l, const struct demo_reading *r, int64_t sum,
			  struct err *err)
{
	struct demo_date utc = demo_day_text((int)(r->unix_s / DEMO_DAY_S));
	struct demo_date local = demo_day_text(r->local_day);
	int s = (int)(r->unix_s % DEMO_DAY_S);
	bool inverter = l->kind == DEMO_INVERTER;
	char ts[48];

	snprintf(ts, sizeof(ts), "%s %02d:%02d:00", utc.text, s / 3600, s / 60 % 60);
	return demo_insert(insert, err, demo_text(l->id), demo_text(ts), demo_text(local.text),
			   inverter ? demo_decimal((int64_t)r->power * 1000) : demo_null(),
			   inverter ? demo_decimal(counter(site, sum)) : demo_null(),
			   inverter ? demo_null() : demo_decimal((int64_t)r->irradiance * 100),
			   inverter ? demo_null() : demo_decimal((int64_t)r->celsius * 100),
			   demo_text(r->metadata));
}

static bool write_logger(struct demo_insert *insert, const struct demo_db *db,
			 const struct demo_site *site, const struct demo_logger *l,
			 const struct zone *z, struct err *err)
{
	const char *first = l->first ? l->first : db->small ? site->first_small : site->first;
	int64_t end =
		l->last ? midnight(z, demo_day_parse(l->last) + 1) - DEMO_QUARTER_S : NOW_UTC_S;
	struct demo_reading r = {0};
	int64_t sum = 0;
	int day = -1;

	for (int64_t t = midnight(z, demo_day_parse(first)); t <= end && t <= NOW_UTC_S;
	     t += DEMO_QUARTER_S) {
		set_times(z, t, &r);
		if (r.local_day != day)
			sum = 0;
		day = r.local_day;
		demo_solar_read(site, l, &r);
		if (r.is_absent)
			continue;
		sum += r.power > 0 ? r.power : 0;
		if (!write_reading(insert, site, l, &r, sum, err))
			return false;
	}
	return true;
}

static bool write_readings(const struct demo_db *db, const struct demo_site *site,
			   const struct zone *z, struct err *err)
{
	struct demo_insert insert = {0};
	bool done = demo_insert_open(
		&insert, db,
		"measurements (logger_id, ts_utc, local_date, active_power_w, energy_day_kwh, "
		"irradiance_w_m2, module_temp_c, metadata)",
		err);

	for (size_t i = 0; done && i < site->logger_count; i++)
		done = write_logger(&insert, db, site, &site->loggers[i], z, err);
	return demo_insert_close(&insert, done, err) && done;
}

bool demo_plant_write(const struct demo_db *db, struct err *err)
{
	const struct demo_site *site = demo_site_of(db->tenant_id);
	struct zone *z = NULL;
	bool done = zone_load(site->zone_name, &z, err) && write_loggers(db, site, err) &&
		    write_codes(db, err) && write_readings(db, site, z, err);

	zone_free(&z);
	return done;
}

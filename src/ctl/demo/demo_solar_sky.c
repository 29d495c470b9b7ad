/* Sun, clouds and inverters of the demo's plant, in integer arithmetic. */
#include <stdio.h>

#include "demo_solar.h"

#define ONE 65536 /* 1.0 for sines and cosines */

/* `degrees` is in 1/1000. Bhaskara's approximation, within 0.2 %. */
static int64_t sine(int64_t degrees)
{
	int64_t x = ((degrees % 360000) + 360000) % 360000;
	int64_t sign = x >= 180000 ? -1 : 1, p;

	x %= 180000;
	p = x * (180000 - x);
	return sign * ONE * 4 * p / (40500000000 - p);
}

static int64_t cosine(int64_t degrees)
{
	return sine(degrees + 90000);
}

static int64_t times(int64_t a, int64_t b)
{
	return a * b / ONE;
}

static uint32_t noise(const char *name, int64_t at, uint32_t limit)
{
	char text[64];
	struct demo_random r;

	snprintf(text, sizeof(text), "%s/%lld", name, (long long)at);
	r.state = demo_hash(0, text);
	return demo_random_below(&r, limit);
}

static int day_of_year(int day)
{
	struct demo_date d = demo_day_text(day);
	int year;

	return sscanf(d.text, "%4d", &year) == 1 ? day - demo_day(year, 1, 1) + 1 : 1;
}

/* Clear-sky irradiance in the plane of the array, 0.01 W/m2. */
static int64_t clear_sky(const struct demo_site *site, int64_t unix_s, int local_day)
{
	int64_t declination =
		23450 * sine((int64_t)360000 * (284 + day_of_year(local_day)) / 365) / ONE;
	int64_t solar_s = unix_s % DEMO_DAY_S + (int64_t)site->longitude * 240 / 1000;
	int64_t hour_angle = (solar_s - DEMO_DAY_S / 2) * 1000 / 240;
	int64_t sin_d = sine(declination), cos_d = cosine(declination), cos_h = cosine(hour_angle);
	int64_t height = times(sin_d, sine(site->latitude)) +
			 times(times(cos_d, cosine(site->latitude)), cos_h);
	int64_t face = times(sin_d, sine(site->latitude - site->tilt)) +
		       times(times(cos_d, cosine(site->latitude - site->tilt)), cos_h);

	if (height <= 0)
		return 0;
	if (face < 0)
		face = 0;
	return 106000 * face / ONE * height / (height + ONE / 12) + 6000 * height / ONE;
}

/* Clearness of a day, per mille of a clear sky. Each earlier day contributes half as much noise. */
static int sky_of(const struct demo_site *site, int local_day)
{
	int planted = demo_solar_fixed_sky(site, local_day), sum = 0;

	if (planted)
		return planted;
	for (int k = 0; k < 6; k++)
		sum += ((int)noise(site->tenant_id, local_day - k, 1001) - 500) >> k;
	sum = 850 + sum * 2 / 5;
	return sum > 1000 ? 1000 : sum < 250 ? 250 : sum;
}

static int64_t irradiance(const struct demo_site *site, const struct demo_reading *r)
{
	int sky = sky_of(site, r->local_day);
	int spread = (1000 - sky) / 3;
	int now = sky - spread + (int)noise(site->zone_name, r->unix_s, (uint32_t)(2 * spread + 1));

	return clear_sky(site, r->unix_s, r->local_day) * now / 1000;
}

/* Module temperature in 0.01 degree: air temperature of the season, plus 3 degrees per 100 W/m2. */
static int celsius(const struct demo_reading *r, int64_t g)
{
	int64_t air = 1350 -
		      1200 * cosine((int64_t)360000 * (day_of_year(r->local_day) - 15) / 365) / ONE;

	return (int)(air + g * 3 / 100);
}

/* Power in 0.1 W. Temperature costs 0.4 % per degree above 25; the inverter loses 3 % plus a small
 * constant; its rating limits the power. */
static int power(const struct demo_logger *l, const struct demo_reading *r, int64_t g)
{
	int64_t dc = (int64_t)l->capacity_w * 10 * g / 100000;
	int64_t ac;

	dc = dc * (1000000 - 40 * ((int64_t)r->celsius - 2500)) / 1000000;
	dc = dc * l->yield / 1000;
	ac = dc * 97 / 100 - (int64_t)l->capacity_w * 10 * 4 / 1000;
	ac = ac * (9960 + (int64_t)noise(l->id, r->unix_s, 81)) / 10000;
	if (ac < 0)
		ac = 0;
	return (int)(ac > (int64_t)l->rating_w * 10 ? (int64_t)l->rating_w * 10 : ac);
}

void demo_solar_read(const struct demo_site *site, const struct demo_logger *logger,
		     struct demo_reading *r)
{
	int64_t g = irradiance(site, r);

	r->is_absent = false;
	r->metadata = NULL;
	r->irradiance = (int)g;
	r->celsius = celsius(r, g);
	r->power = logger->kind == DEMO_INVERTER ? power(logger, r, g) : 0;
	demo_solar_apply_faults(site, logger, r);
}

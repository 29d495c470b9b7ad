/* The demo's plants and their faults. tests/solar/planted.json lists the same faults. */
#include <assert.h>
#include <string.h>

#include "demo_solar.h"

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static const struct demo_logger mesa_loggers[] = {
	{"921", "Inverter 921", DEMO_INVERTER, "Helio 45", 50000, 45000, 862, "2024-10-01", NULL,
	 NULL, NULL},
	{"922", "Inverter 922", DEMO_INVERTER, "Helio 45", 50000, 45000, 858, "2024-10-01", NULL,
	 NULL, NULL},
	{"923", "Inverter 923", DEMO_INVERTER, "Helio 45", 50000, 45000, 870, "2024-10-01", NULL,
	 NULL, NULL},
	{"924", "Inverter 924", DEMO_INVERTER, "Helio 45", 50000, 45000, 851, "2024-10-01", NULL,
	 NULL, NULL},
	{"925", "Inverter 925", DEMO_INVERTER, "Helio 45", 50000, 45000, 866, "2024-10-01", NULL,
	 NULL, NULL},
	{"926", "Inverter 926", DEMO_INVERTER, "Helio 27", 30000, 27000, 860, "2024-10-01", NULL,
	 NULL, NULL},
	{"927", "Inverter 927", DEMO_INVERTER, "Helio 27", 30000, 27000, 1120, "2024-10-01", NULL,
	 NULL, NULL},
	{"928", "Inverter 928", DEMO_INVERTER, "Helio 27", 30000, 27000, 880, "2024-10-01", NULL,
	 NULL, NULL},
	{"929", "Inverter 929", DEMO_INVERTER, "Helio 27", 30000, 27000, 855, "2024-10-01", NULL,
	 NULL, NULL},
	{"930", "Inverter 930", DEMO_INVERTER, "Helio 27", 30000, 27000, 864, "2024-10-01", NULL,
	 NULL, NULL},
	{"940", "Inverter 940", DEMO_INVERTER, "Helio 27", 30000, 27000, 840, "2024-10-01",
	 "2025-01-10", "2024-12-01", "2025-01-10"},
	{"950", "Inverter 950", DEMO_INVERTER, "Helio 45", 50000, 45000, 870, "2026-03-15", NULL,
	 "2026-03-15", "2026-03-15"},
	{"M01", "Weather station M01", DEMO_METEO, "Sky 2", 0, 0, 0, "2024-10-01", NULL, NULL,
	 NULL},
	{"M02", "Weather station M02", DEMO_METEO, "Sky 2", 0, 0, 0, "2024-10-01", NULL, NULL,
	 NULL},
};

static const struct demo_logger acme_loggers[] = {
	{"A-1", "Tetto Nord", DEMO_INVERTER, "Helio 27", 30000, 27000, 860, "2025-09-01", NULL,
	 NULL, NULL},
	{"A-2", "Tetto Sud", DEMO_INVERTER, "Helio 27", 30000, 27000, 870, "2025-09-01", NULL, NULL,
	 NULL},
	{"A-3", "Pensilina", DEMO_INVERTER, "Helio 27", 30000, 27000, 850, "2025-09-01", NULL, NULL,
	 NULL},
};

const struct demo_site demo_sites[] = {
	{"mesa", "America/Denver", 35050, -106550, 25000, 1200, "USD", "2024-11-01", "2025-10-31",
	 "M01", mesa_loggers, COUNT_OF(mesa_loggers)},
	{"acme", "Europe/Rome", 41900, 12500, 20000, 2100, "EUR", "2025-12-30", "2025-12-30", NULL,
	 acme_loggers, COUNT_OF(acme_loggers)},
};
const size_t demo_site_count = COUNT_OF(demo_sites);

const struct demo_site *demo_site_of(const char *tenant_id)
{
	size_t i = 0;

	while (i + 1 < demo_site_count && strcmp(demo_sites[i].tenant_id, tenant_id) != 0)
		i++;
	assert(strcmp(demo_sites[i].tenant_id, tenant_id) == 0);
	return &demo_sites[i];
}

/* ---- faults ---- */

enum fault { SILENT, GAP, OUTAGE, FROZEN, SPIKE, WEAK, CODE };

/* Lasts from minute `from` of the day until minute `to`, exclusive; SILENT has no end. */
struct planted {
	const char *logger;
	const char *day;
	int from, to;
	enum fault fault;
	const char *metadata; /* of CODE */
};

#define AT(hour, minute) ((hour)*60 + (minute))

static const struct planted mesa_faults[] = {
	{"929", "2026-02-23", AT(14, 15), AT(14, 30), CODE,
	 "{\"code\":\"301\",\"state\":\"stopped\"}"},
	{"929", "2026-02-23", AT(14, 30), 0, SILENT, NULL},
	{"930", "2026-02-26", AT(16, 15), 0, SILENT, NULL},
	{"925", "2026-02-22", AT(10, 15), AT(12, 30), OUTAGE, NULL},
	{"925", "2026-02-24", AT(13, 0), AT(14, 30), FROZEN, NULL},
	{"925", "2026-02-20", AT(11, 45), AT(12, 0), SPIKE, NULL},
	{"925", "2026-02-25", AT(0, 0), AT(24, 0), WEAK, NULL},
	{"926", "2026-02-18", AT(8, 0), AT(14, 0), GAP, NULL},
	{"923", "2026-02-21", AT(6, 45), AT(7, 30), CODE, "{\"code\":\"102\"}"},
	{"924", "2026-02-12", AT(12, 0), AT(12, 15), CODE, "{\"code\":\"207\"}"},
	{"922", "2026-02-19", AT(10, 0), AT(10, 15), CODE, "{\"code\":\"0\"}"},
	{"922", "2026-02-19", AT(11, 0), AT(11, 15), CODE, "{\"code\": not JSON"},
};

static const struct {
	const char *day;
	int per_mille;
} mesa_skies[] = {{"2026-02-20", 800},
		  {"2026-02-22", 1000},
		  {"2026-02-24", 950},
		  {"2026-02-25", 950},
		  {"2026-02-27", 1000}};

static bool is_mesa(const struct demo_site *site)
{
	return site == &demo_sites[0];
}

int demo_solar_fixed_sky(const struct demo_site *site, int local_day)
{
	for (size_t i = 0; is_mesa(site) && i < COUNT_OF(mesa_skies); i++)
		if (demo_day_parse(mesa_skies[i].day) == local_day)
			return mesa_skies[i].per_mille;
	return 0;
}

static bool is_at(const struct planted *p, const struct demo_reading *r)
{
	int day = demo_day_parse(p->day);

	if (p->fault == SILENT)
		return r->local_day > day || (r->local_day == day && r->minute >= p->from);
	return r->local_day == day && r->minute >= p->from && r->minute < p->to;
}

static void apply(const struct planted *p, struct demo_reading *r)
{
	switch (p->fault) {
	case SILENT:
	case GAP:
		r->is_absent = true;
		break;
	case OUTAGE:
		r->power = 0;
		break;
	case FROZEN:
		r->power = 312345;
		break;
	case SPIKE:
		r->power += 140000;
		break;
	case WEAK:
		r->power = r->power * 72 / 100;
		break;
	case CODE:
		r->metadata = p->metadata;
		break;
	}
}

void demo_solar_apply_faults(const struct demo_site *site, const struct demo_logger *logger,
			     struct demo_reading *r)
{
	int months;

	if (!is_mesa(site))
		return;
	for (size_t i = 0; i < COUNT_OF(mesa_faults); i++)
		if (strcmp(mesa_faults[i].logger, logger->id) == 0 && is_at(&mesa_faults[i], r))
			apply(&mesa_faults[i], r);
	if (strcmp(logger->id, "928") == 0) { /* 0.4 % a month */
		months = (r->local_day - demo_day(2024, 11, 1)) / 30;
		r->power = (int)((int64_t)r->power * (1000 - 4 * months) / 1000);
	}
	if (strcmp(logger->id, "926") == 0 && r->power == 0) /* standby consumption at night */
		r->power = -30 - (int)(r->unix_s / DEMO_QUARTER_S % 51);
}

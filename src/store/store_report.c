/* Sums for administrators: costs of models, results of answers, unanswered questions. */
#include "vesper/store_report.h"

#include "store_int.h"
#include "vesper/clock.h"
#include "vesper/limits.h"

struct report_call {
	struct call call;
	store_report_cb cb;
	void *owner;
};

static void on_report(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct report_call *k = list_item(c, struct report_call, call);

	(void)count;
	k->cb(k->owner, e ? NULL : tables, e);
}

static struct op *report(struct store *s, const struct principal *who,
			 const struct report_days *days, const char *const *queries,
			 store_report_cb cb, void *owner)
{
	struct report_call *k = store_call_new_for(s, who, sizeof(*k));
	struct call *c = &k->call;
	int64_t first = date_to_days(zone_date(days->zone, days->now_ms)) - days->count + 1;
	char day[DATE_ISO_BYTES];

	k->cb = cb;
	k->owner = owner;
	c->finish = on_report;
	/* the ledger has local days, other rows the moment in UTC */
	date_iso(date_from_days(first), day);
	store_call_text(c, "first_day", day);
	store_call_time(c, "since", zone_day_ms(days->zone, first));
	store_call_int(c, "limit", STORE_PAGE_MAX);
	for (; *queries; queries++)
		store_call_add(c, *queries);
	return store_call_read(c, STORE_PAGE_MAX);
}

struct op *store_report_usage(struct store *s, const struct principal *who,
			      const struct report_days *days, store_report_cb cb, void *owner)
{
	static const char *const queries[REPORT_USAGE_TABLES + 1] = {
		[REPORT_USERS] = "report_users",
		[REPORT_MODELS] = "report_models",
		[REPORT_DAYS] = "report_days",
	};

	return report(s, who, days, queries, cb, owner);
}

struct op *store_report_quality(struct store *s, const struct principal *who,
				const struct report_days *days, store_report_cb cb, void *owner)
{
	static const char *const queries[REPORT_QUALITY_TABLES + 1] = {
		[REPORT_STATUSES] = "report_statuses",     [REPORT_PROVIDERS] = "report_providers",
		[REPORT_NUMBERS] = "report_numbers",       [REPORT_RATINGS] = "report_ratings",
		[REPORT_UNANSWERED] = "report_unanswered",
	};

	return report(s, who, days, queries, cb, owner);
}

/*
 * Usage reports for a tenant's administrators: sums over answers, model calls and feedback,
 * without any row of data. Each table is the result of one statement in sql/store/store.sql.
 */
#ifndef VESPER_STORE_REPORT_H
#define VESPER_STORE_REPORT_H

#include "vesper/store.h"
#include "vesper/table.h"
#include "vesper/zone.h"

/* Indexes of the callback's tables, with their columns. */
enum store_report_usage {
	REPORT_USERS,  /* user, calls, input_tokens, output_tokens, tokens, nano_usd */
	REPORT_MODELS, /* provider, model, the same */
	REPORT_DAYS,   /* day, the same */
	REPORT_USAGE_TABLES
};
enum store_report_quality {
	REPORT_STATUSES,   /* status, answers */
	REPORT_PROVIDERS,  /* provider, answers */
	REPORT_NUMBERS,    /* answers, unverified, without_data, failed_over */
	REPORT_RATINGS,    /* rating, answers */
	REPORT_UNANSWERED, /* question, status, times, last_at */
	REPORT_QUALITY_TABLES
};

/* Tables in the order of the enum; valid during the callback. NULL on error. */
typedef void (*store_report_cb)(void *owner, struct table *const *tables, const struct err *e);
/* The last days of a tenant, from the start of the first of them in its time zone until now. */
struct report_days {
	int count;               /* 1: today only */
	int64_t now_ms;          /* Unix time */
	const struct zone *zone; /* of the tenant; NULL: UTC */
};
/* Reports these days of the caller's tenant. At most STORE_PAGE_MAX rows per table. */
struct op *store_report_usage(struct store *s, const struct principal *who,
			      const struct report_days *days, store_report_cb cb, void *owner);
struct op *store_report_quality(struct store *s, const struct principal *who,
				const struct report_days *days, store_report_cb cb, void *owner);

#endif

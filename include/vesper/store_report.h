/*
 * Usage reports for a tenant's administrators: sums over answers, model calls and feedback,
 * without any row of data. Each table is the result of one statement in sql/store/store.sql.
 */
#ifndef VESPER_STORE_REPORT_H
#define VESPER_STORE_REPORT_H

#include "vesper/store.h"
#include "vesper/table.h"

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
/* Reports the last `days` days (1: today only) of the caller's tenant; `now_ms` is the tenant's
 * local time. At most STORE_PAGE_MAX rows per table. */
struct op *store_report_usage(struct store *s, const struct principal *who, int days,
			      int64_t now_ms, store_report_cb cb, void *owner);
struct op *store_report_quality(struct store *s, const struct principal *who, int days,
				int64_t now_ms, store_report_cb cb, void *owner);

#endif

/* Reads the retention periods from the configuration. */
#include "vesper/config.h"
#include "vesper/store.h"

bool store_settings_read(const struct config *c, struct arena *take, struct store_settings **out,
			 struct err *e)
{
	struct store_settings *s = settings_new(take, sizeof(*s));

	(void)e;
	s->retention = (struct retention){
		.messages_days = config_int(c, "retention.messages_days"),
		.audit_days = config_int(c, "retention.audit_days"),
		.receipts_days = config_int(c, "retention.receipts_days"),
	};
	*out = s;
	return true;
}

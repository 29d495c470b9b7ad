/* The domain-agent modules that are compiled in: one line each in src/domain/domains.def. */
#ifndef VESPER_DOMAIN_H
#define VESPER_DOMAIN_H

#include "vesper/tool.h"

/* NULL-ended. */
extern const struct domain *const domain_modules[];

#endif

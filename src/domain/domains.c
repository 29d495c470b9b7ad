/* The list of modules, generated from domains.def. */
#include "vesper/domain.h"

#include <stddef.h>

#define DOMAIN(name) extern const struct domain name##_domain;
#include "domains.def"
#undef DOMAIN

#define DOMAIN(name) &name##_domain,
const struct domain *const domain_modules[] = {
#include "domains.def"
	NULL,
};

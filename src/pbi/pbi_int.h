/* Shared by the files of pbi: calls with the service principal's token. */
#ifndef VESPER_PBI_INT_H
#define VESPER_PBI_INT_H

#include "vesper/list.h"
#include "vesper/pbi.h"
#include "vesper/str.h"

/* ---- service.c: calls with the service principal's token ---- */

struct pbi_service;

MUST_CHECK bool pbi_service_new(const struct pbi_options *o, struct pbi_service **out,
				struct err *e);
void pbi_service_free(struct pbi_service **s);
/* See pbi_call. */
struct op *pbi_service_call(struct pbi_service *s, const char *path, const json_t *body,
			    pbi_reply_cb cb, void *owner);

#endif

/* Endpoints of another service that will receive secrets: each address is checked when it is
 * read. */
#include "provider.h"

#include "vesper/http.h"
#include "vesper/json.h"
#include "vesper/mem.h"

static bool read_address(const json_t *document, const char *name, bool required, char **out,
			 struct err *e)
{
	const char *url = NULL;

	if (required ? !json_get_str(document, name, &url, e)
		     : !json_opt_str(document, name, &url, e))
		return false;
	if (url && !http_url_is_safe(url))
		return err_set(e, ERR_INPUT, "%s: must be an https address", name);
	*out = mem_strdup(url);
	return true;
}

bool provider_read(const json_t *document, struct provider **out, struct err *e)
{
	struct provider *p = mem_alloc(sizeof(*p));
	const char *issuer = NULL;

	if (json_get_str(document, "issuer", &issuer, e) &&
	    read_address(document, "authorization_endpoint", true, &p->authorization, e) &&
	    read_address(document, "token_endpoint", true, &p->token, e) &&
	    read_address(document, "revocation_endpoint", false, &p->revocation, e) &&
	    read_address(document, "end_session_endpoint", false, &p->end_session, e) &&
	    json_opt_bool(document, "authorization_response_iss_parameter_supported",
			  &p->sends_issuer, e)) {
		p->issuer = mem_strdup(issuer);
		*out = p;
		return true;
	}
	provider_free(&p);
	return false;
}

void provider_free(struct provider **provider)
{
	struct provider *p = *provider;

	if (!p)
		return;
	*provider = NULL;
	mem_free(p->issuer);
	mem_free(p->authorization);
	mem_free(p->token);
	mem_free(p->revocation);
	mem_free(p->end_session);
	mem_free(p);
}

/* Starts a browser's sign-in, and creates and frees the state that all operations share. */
#include "signin_int.h"

#include <string.h>

#include "vesper/mem.h"

#define CALLBACK "/auth/callback"

static void add_challenge(struct buf *out, const char *verifier)
{
	uint8_t hash[HASH_SHA256_BYTES];
	struct buf text;

	hash_sha256(verifier, strlen(verifier), hash);
	buf_init(&text, SIGNIN_COOKIE_BYTES);
	hash_base64url(&text, hash, sizeof(hash));
	form_add(out, "code_challenge", buf_text(&text));
	form_add(out, "code_challenge_method", "S256");
	buf_deinit(&text);
}

bool signin_begin(struct signin *s, struct buf *location, struct buf *cookie, struct err *e)
{
	const struct provider *p = identity_provider(s->options.identity);
	struct arena *a;
	struct login login;

	if (!p)
		return err_set_retry(e, ERR_UPSTREAM,
				     "the provider's discovery document is not loaded");
	a = arena_new(SIGNIN_ARENA_BYTES);
	login_new(&login, a);
	buf_printf(location, "%s%c", p->authorization, strchr(p->authorization, '?') ? '&' : '?');
	buf_str(location, "response_type=code");
	form_add(location, "client_id", s->options.client_id);
	form_add(location, "redirect_uri", s->redirect_uri);
	form_add(location, "scope", s->options.scope);
	form_add(location, "state", login.state);
	form_add(location, "nonce", login.nonce);
	add_challenge(location, login.verifier);
	buf_str(location, s->options.parameters);
	login_seal(s, &login, cookie);
	arena_free(&a);
	return true;
}

const char *signin_origin(const struct signin *s)
{
	return s->options.public_url;
}

bool signin_is_secure(const struct signin *s)
{
	return strncmp(s->options.public_url, "https://", 8) == 0;
}

int64_t signin_session_ms(const struct signin *s)
{
	return s->options.session_ms;
}

/* RFC 6749, section 2.3.1: both values are form-encoded first. */
static char *basic_authorization(const struct signin_options *o)
{
	struct buf pair, encoded;
	char *header;

	if (!*o->client_secret)
		return NULL;
	buf_init(&pair, SIGNIN_FORM_BYTES_MAX);
	buf_init(&encoded, SIGNIN_FORM_BYTES_MAX);
	form_encode(&pair, o->client_id);
	buf_char(&pair, ':');
	form_encode(&pair, o->client_secret);
	hash_base64(&encoded, buf_text(&pair), pair.n);
	header = mem_printf("Basic %s", buf_text(&encoded));
	buf_deinit(&pair);
	buf_deinit(&encoded);
	return header;
}

struct signin *signin_new(const struct signin_options *options)
{
	static const char purpose[] = "a sign-in that has begun";
	struct signin *s = mem_alloc(sizeof(*s));

	s->options = *options;
	s->redirect_uri = mem_printf("%s%s", options->public_url, CALLBACK);
	s->authorization = basic_authorization(options);
	s->local_cache = options->shared ? NULL : cache_memory_new(options->loop);
	s->cache = options->shared ? options->shared : s->local_cache;
	list_init(&s->running);
	if (*options->secret)
		hash_hmac_sha256(options->secret, strlen(options->secret), purpose,
				 sizeof(purpose) - 1, s->login_key);
	else
		hash_random(s->login_key, sizeof(s->login_key));
	return s;
}

void signin_free(struct signin **signin)
{
	struct signin *s = *signin;

	if (!s)
		return;
	*signin = NULL;
	signin_ops_end(s);
	cache_free(&s->local_cache);
	mem_free(s->redirect_uri);
	mem_free(s->authorization);
	mem_free(s);
}

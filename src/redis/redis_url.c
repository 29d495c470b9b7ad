/* Parses a Redis URL. It does not use libcurl's parser, which belongs to another folder, and its
 * errors never contain the password. */
#include "vesper/redis.h"

#include <string.h>

#include "vesper/str.h"

#define PORT_DEFAULT 6379
#define DB_MAX       1000000 /* the default of Redis is 16 */

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* NULL: a % without two hexadecimal digits, or an encoded NUL byte. */
static const char *decode(struct str s, struct arena *a)
{
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		int high, low;
		if (s.p[i] != '%') {
			out[n++] = s.p[i];
			continue;
		}
		if (i + 2 >= s.n)
			return NULL;
		high = hex_digit(s.p[i + 1]);
		low = hex_digit(s.p[i + 2]);
		if (high < 0 || low < 0 || high + low == 0)
			return NULL;
		out[n++] = (char)(high * 16 + low);
		i += 2;
	}
	return out;
}

static bool read_number(struct str s, int max, int *out)
{
	int n = 0;

	if (s.n == 0 || s.n > 9)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (s.p[i] - '0');
	}
	if (n > max)
		return false;
	*out = n;
	return true;
}

/* Removes an optional "user:password@" from the front. It ends at the last @ before the path. */
static bool read_login(struct str *rest, struct arena *a, struct redis_address *at, struct err *e)
{
	const char *slash = memchr(rest->p, '/', rest->n);
	size_t authority = slash ? (size_t)(slash - rest->p) : rest->n;
	const char *end = memrchr(rest->p, '@', authority);
	struct str login, user;

	if (!end)
		return true;
	login = (struct str){rest->p, (size_t)(end - rest->p)};
	rest->n -= login.n + 1;
	rest->p = end + 1;
	(void)str_split(&login, ':', &user);
	if (!login.p)
		return err_set(e, ERR_INPUT,
			       "a login must be written as user:password@ or :password@");
	if (user.n > 0 && !(at->user = decode(user, a)))
		return err_set(e, ERR_INPUT, "the user has invalid percent-encoding");
	at->password = decode(login, a);
	if (!at->password || !*at->password)
		return err_set(e, ERR_INPUT,
			       "the password is empty or has invalid percent-encoding");
	return true;
}

static bool read_host(struct str s, struct arena *a, struct redis_address *at, struct err *e)
{
	struct str host = s, port = {NULL, 0};
	const char *end;

	if (s.n > 0 && s.p[0] == '[') { /* an IPv6 address */
		end = memchr(s.p, ']', s.n);
		if (!end)
			return err_set(e, ERR_INPUT,
				       "the closing bracket of the address is missing");
		host = (struct str){s.p + 1, (size_t)(end - s.p) - 1};
		s = (struct str){end + 1, s.n - host.n - 2};
		if (s.n > 0 && s.p[0] == ':')
			port = (struct str){s.p + 1, s.n - 1};
		else if (s.n > 0)
			return err_set(e, ERR_INPUT, "only :port may follow the closing bracket");
	} else {
		port = s;
		(void)str_split(&port, ':', &host);
	}
	if (host.n == 0)
		return err_set(e, ERR_INPUT, "the host is missing");
	at->port = PORT_DEFAULT;
	if (port.p && (!read_number(port, 65535, &at->port) || at->port == 0))
		return err_set(e, ERR_INPUT, "the port must be 1 to 65535");
	at->host = arena_strndup(a, host.p, host.n);
	at->shown = arena_printf(a, "%s:%d", at->host, at->port);
	return true;
}

static bool read_tcp(struct str rest, struct arena *a, struct redis_address *at, struct err *e)
{
	struct str host, db = rest;

	(void)str_split(&db, '/', &host);
	if (db.n > 0 && !read_number(db, DB_MAX, &at->db))
		return err_set(e, ERR_INPUT,
			       "only /N, the number of a database, may follow the host");
	return read_host(host, a, at, e);
}

static bool read_unix(struct str rest, struct arena *a, struct redis_address *at, struct err *e)
{
	struct str path, query = rest;

	(void)str_split(&query, '?', &path);
	if (path.n < 2 || path.p[0] != '/')
		return err_set(e, ERR_INPUT, "the path of the socket must begin with /");
	if (query.n > 0 && (!str_starts(query, STR("db=")) ||
			    !read_number((struct str){query.p + 3, query.n - 3}, DB_MAX, &at->db)))
		return err_set(e, ERR_INPUT, "only ?db=N may follow the path");
	at->path = at->shown = arena_strndup(a, path.p, path.n);
	return true;
}

bool redis_url_parse(const char *url, struct arena *a, struct redis_address *out, struct err *e)
{
	struct redis_address at = {0};
	struct str rest = str_of(url);
	bool is_unix = str_starts(rest, STR("unix://"));

	if (str_starts(rest, STR("rediss://")))
		return err_set(
			e, ERR_INPUT,
			"rediss:// is not supported: hiredis is used without TLS. Run a TLS tunnel "
			"(stunnel) on this machine and give its address with redis://");
	if (!is_unix && !str_starts(rest, STR("redis://")))
		return err_set(e, ERR_INPUT, "must begin with redis:// or unix://");
	rest.p += strlen(is_unix ? "unix://" : "redis://");
	rest.n -= strlen(is_unix ? "unix://" : "redis://");
	if (!read_login(&rest, a, &at, e) ||
	    !(is_unix ? read_unix(rest, a, &at, e) : read_tcp(rest, a, &at, e)))
		return false;
	*out = at;
	return true;
}

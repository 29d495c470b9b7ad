/*
 * Each proxy appends the address of its own peer, so a list is read from its end. The client may
 * have forged every entry before the last one that is not a trusted proxy's.
 */
#include "client_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define V4_PREFIX_BYTES 12
#define V6_KEY_BYTES    8

static const uint8_t v4_prefix[V4_PREFIX_BYTES] = {[10] = 0xff, [11] = 0xff};

static void from_v4(const struct in_addr *in, struct net_address *out)
{
	memcpy(out->bytes, v4_prefix, V4_PREFIX_BYTES);
	memcpy(out->bytes + V4_PREFIX_BYTES, in, sizeof(*in));
}

static bool is_v4(const struct net_address *a)
{
	return memcmp(a->bytes, v4_prefix, V4_PREFIX_BYTES) == 0;
}

bool net_address_of(const struct sockaddr *from, struct net_address *out)
{
	if (from->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, from, sizeof(in));
		from_v4(&in.sin_addr, out);
	} else if (from->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, from, sizeof(in6));
		memcpy(out->bytes, &in6.sin6_addr, sizeof(out->bytes));
	}
	return from->sa_family == AF_INET || from->sa_family == AF_INET6;
}

static bool is_port(struct str text)
{
	bool digits = text.n > 0 && text.n <= 5;

	for (size_t i = 0; digits && i < text.n; i++)
		digits = text.p[i] >= '0' && text.p[i] <= '9';
	return digits;
}

/* Removes the brackets and the port. */
static bool bare_address(struct str *text)
{
	const char *end;
	struct str port;

	if (text->n > 0 && text->p[0] == '[') {
		end = memchr(text->p, ']', text->n);
		if (!end)
			return false;
		port = (struct str){end + 1, (size_t)(text->p + text->n - end) - 1};
		*text = (struct str){text->p + 1, (size_t)(end - text->p) - 1};
		return port.n == 0 ||
		       (port.p[0] == ':' && is_port((struct str){port.p + 1, port.n - 1}));
	}
	end = memchr(text->p, ':', text->n);
	if (!end || memchr(end + 1, ':', (size_t)(text->p + text->n - end) - 1))
		return true;
	port = (struct str){end + 1, (size_t)(text->p + text->n - end) - 1};
	*text = (struct str){text->p, (size_t)(end - text->p)};
	return is_port(port);
}

bool net_address_parse(struct str text, struct net_address *out)
{
	char copy[INET6_ADDRSTRLEN];
	struct in_addr in;

	if (text.n == 0 || !bare_address(&text) || text.n >= sizeof(copy) ||
	    memchr(text.p, '\0', text.n))
		return false;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	if (inet_pton(AF_INET, copy, &in) == 1) {
		from_v4(&in, out);
		return true;
	}
	return inet_pton(AF_INET6, copy, out->bytes) == 1;
}

struct str net_address_key(const struct net_address *a)
{
	return (struct str){(const char *)a->bytes, is_v4(a) ? sizeof(a->bytes) : V6_KEY_BYTES};
}

bool net_range_parse(const char *text, struct net_range *out, struct err *e)
{
	struct str address, bits = str_of(text);
	unsigned max_bits;

	str_split(&bits, '/', &address);
	if (memchr(address.p, '[', address.n) || !net_address_parse(address, &out->base))
		return err_set(e, ERR_INPUT,
			       "'%s': must be an address or a range, such as 10.0.0.0/8", text);
	max_bits = is_v4(&out->base) ? 32 : 128;
	out->bits = max_bits;
	if (bits.p) {
		if (!is_port(bits) || bits.n > 3 || strtoul(bits.p, NULL, 10) > max_bits)
			return err_set(e, ERR_INPUT, "'%s': a length from 0 to %u must follow '/'",
				       text, max_bits);
		out->bits = (unsigned)strtoul(bits.p, NULL, 10);
	}
	out->bits += 128 - max_bits;
	return true;
}

static bool range_has(const struct net_range *r, const struct net_address *a)
{
	size_t whole = r->bits / 8;
	unsigned rest = r->bits % 8;

	return memcmp(r->base.bytes, a->bytes, whole) == 0 &&
	       (rest == 0 || (r->base.bytes[whole] ^ a->bytes[whole]) >> (8 - rest) == 0);
}

bool net_range_has(const struct net_range *ranges, size_t count, const struct net_address *a)
{
	for (size_t i = 0; i < count; i++)
		if (range_has(&ranges[i], a))
			return true;
	return false;
}

/* Removes the last element of a comma-separated list. */
static bool take_last(struct str *list, struct str *out)
{
	size_t at = list->n;

	if (!list->p)
		return false;
	while (at > 0 && list->p[at - 1] != ',')
		at--;
	*out = str_trim((struct str){list->p + at, list->n - at});
	*list = at > 0 ? (struct str){list->p, at - 1} : (struct str){0};
	return true;
}

/* The value of for= in an element of Forwarded; empty when it has none. */
static struct str for_parameter(struct str element)
{
	struct str pair, name;

	while (str_split(&element, ';', &pair)) {
		str_split(&pair, '=', &name);
		if (!str_eq_nocase(str_trim(name), STR("for")) || !pair.p)
			continue;
		pair = str_trim(pair);
		if (pair.n >= 2 && pair.p[0] == '"' && pair.p[pair.n - 1] == '"')
			pair = (struct str){pair.p + 1, pair.n - 2};
		return pair;
	}
	return (struct str){0};
}

static bool client_of(const struct net_range *proxies, size_t count, struct str list,
		      bool is_forwarded, struct net_address *out)
{
	struct str element;
	bool has_element = false;

	while (take_last(&list, &element)) {
		has_element = true;
		if (!net_address_parse(is_forwarded ? for_parameter(element) : element, out))
			return false;
		if (!net_range_has(proxies, count, out))
			return true;
	}
	return has_element;
}

bool forwarded_client(const struct net_range *proxies, size_t count, struct str list,
		      struct str forwarded, struct net_address *out)
{
	struct net_address other;

	if (list.n == 0)
		return forwarded.n > 0 && client_of(proxies, count, forwarded, true, out);
	if (!client_of(proxies, count, list, false, out))
		return false;
	return forwarded.n == 0 || (client_of(proxies, count, forwarded, true, &other) &&
				    memcmp(&other, out, sizeof(other)) == 0);
}

/*
 * Embed tokens for one report each. Tokens are cached by everything they depend on, in this process
 * only, since a shared cache would be another place for secrets. Concurrent requests for the same
 * token share one call.
 */
#include "pbi_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/uuid.h"

struct report {
	char *key, *group_id, *report_id;
};

struct role {
	char *permission, *name;
};

struct pbi {
	int refs;
	struct loop *loop;
	struct pbi_service *service;
	enum pbi_identity identity;
	struct report *reports;
	size_t report_count;
	struct role *roles;
	size_t role_count;
	char **hosts;       /* NULL-terminated */
	struct list embeds; /* least recently used first */
	size_t embed_count;
};

/* A token that is cached or being requested. */
struct embed {
	struct list node;
	struct pbi *pbi;
	const struct report *report;
	char *key;          /* JSON of all inputs of the token */
	json_t *identities; /* NULL: none */
	struct list waiters;
	bool is_calling; /* waiters are being called */
	struct deferred deferred;
	struct op *call;
	char *embed_url, *dataset_id;
	char *token;
	int64_t expires_ms;
};

struct waiter {
	struct op op;
	struct list node;
	pbi_embed_cb cb;
	void *owner;
};

/* ---- callbacks ---- */

static void on_cancel(struct op *op)
{
	struct waiter *w = list_item(op, struct waiter, op);

	list_remove(&w->node);
	mem_free(w);
}

static void embed_finish(struct embed *m, const struct pbi_embed *result, const struct err *e)
{
	struct list waiters;

	list_init(&waiters);
	list_each_safe(node, &m->waiters) {
		list_remove(node);
		list_append(&waiters, node);
	}
	m->is_calling = true;
	while (!list_empty(&waiters)) {
		struct waiter w = *list_item(waiters.next, struct waiter, node);
		struct waiter *waiter = list_item(waiters.next, struct waiter, node);

		list_remove(&waiter->node);
		mem_free(waiter);
		w.cb(w.owner, result, e);
	}
	m->is_calling = false;
}

static void on_token_ready(void *owner)
{
	struct embed *m = owner;
	const struct pbi_embed result = {.report_id = m->report->report_id,
					 .embed_url = m->embed_url,
					 .token = m->token,
					 .expires_ms = m->expires_ms};

	embed_finish(m, &result, NULL);
}

/* ---- requesting a token ---- */

static bool finish_on_error(struct embed *m, const json_t *reply, const struct err *e,
			    bool (*parse)(struct embed *, const json_t *, struct err *))
{
	struct err bad = {0};

	if (!e && !parse(m, reply, &bad)) {
		bad.code = ERR_UPSTREAM;
		err_prefix(&bad, "Power BI: report %s", m->report->key);
		e = &bad;
	}
	if (e)
		embed_finish(m, NULL, e);
	return e != NULL;
}

static bool parse_token(struct embed *m, const json_t *reply, struct err *e)
{
	const char *token, *expiration;
	int64_t expires_ms;

	if (!json_get_str(reply, "token", &token, e) ||
	    !json_get_str(reply, "expiration", &expiration, e) ||
	    !clock_parse_rfc3339(expiration, &expires_ms, e))
		return false;
	mem_free(m->token);
	m->token = mem_strdup(token);
	m->expires_ms = expires_ms;
	return true;
}

static void on_token(void *owner, const json_t *reply, const struct err *e)
{
	struct embed *m = owner;

	m->call = NULL;
	if (!finish_on_error(m, reply, e, parse_token))
		on_token_ready(m);
}

/* Returns true when the URL's host is listed, ignoring case: "app.powerbi.com" in
 * "https://app.powerbi.com/reportEmbed?…". */
static bool url_has_host(const char *url, char *const *hosts)
{
	static const char scheme[] = "https://";
	struct str host;

	if (strncmp(url, scheme, sizeof(scheme) - 1) != 0)
		return false;
	url += sizeof(scheme) - 1;
	host = (struct str){url, strcspn(url, "/?#")};
	for (; *hosts; hosts++)
		if (str_eq_nocase(host, str_of(*hosts)))
			return true;
	return false;
}

/* The URL is checked, since it is opened inside our page. */
static bool parse_report(struct embed *m, const json_t *reply, struct err *e)
{
	const char *url, *dataset_id = "";

	if (!json_get_str(reply, "embedUrl", &url, e) ||
	    !json_opt_str(reply, "datasetId", &dataset_id, e))
		return false;
	if (!url_has_host(url, m->pbi->hosts))
		return err_set(e, ERR_UPSTREAM,
			       "embedUrl is not an https address of a host in pbi.hosts");
	mem_free(m->embed_url);
	mem_free(m->dataset_id);
	m->embed_url = mem_strdup(url);
	m->dataset_id = mem_strdup(dataset_id);
	return true;
}

static json_t *token_request(const struct embed *m)
{
	json_t *body = json_object();
	json_t *who = json_array_get(m->identities, 0);

	json_set_str(body, "accessLevel", "View");
	json_set_bool(body, "allowSaveAs", false);
	json_set_int(body, "lifetimeInMinutes", PBI_EMBED_MINUTES);
	if (who) {
		json_t *datasets = json_array();

		json_push_take(datasets, json_str(m->dataset_id));
		json_set_take(who, "datasets", datasets);
		json_object_set(body, "identities", m->identities);
	}
	return body;
}

static void on_report(void *owner, const json_t *reply, const struct err *e)
{
	struct embed *m = owner;
	json_t *body;
	char *path;

	m->call = NULL;
	if (finish_on_error(m, reply, e, parse_report))
		return;
	body = token_request(m);
	path = mem_printf("/v1.0/myorg/groups/%s/reports/%s/GenerateToken", m->report->group_id,
			  m->report->report_id);
	m->call = pbi_service_call(m->pbi->service, path, body, on_token, m);
	mem_free(path);
	json_decref(body);
}

static void embed_request(struct embed *m)
{
	char *path = mem_printf("/v1.0/myorg/groups/%s/reports/%s", m->report->group_id,
				m->report->report_id);

	m->call = pbi_service_call(m->pbi->service, path, NULL, on_report, m);
	mem_free(path);
}

/* ---- cached tokens ---- */

static void embed_free(struct embed *m)
{
	list_remove(&m->node);
	m->pbi->embed_count--;
	list_each_safe(node, &m->waiters) {
		list_remove(node);
		mem_free(list_item(node, struct waiter, node));
	}
	deferred_cancel(&m->deferred);
	op_cancel(&m->call);
	json_decref(m->identities);
	mem_free(m->key);
	mem_free(m->embed_url);
	mem_free(m->dataset_id);
	mem_free(m->token);
	mem_free(m);
}

static void embeds_evict(struct pbi *p)
{
	list_each_safe(node, &p->embeds) {
		struct embed *m = list_item(node, struct embed, node);

		if (p->embed_count < PBI_EMBEDS_MAX)
			return;
		if (!m->call && !m->is_calling && list_empty(&m->waiters))
			embed_free(m);
	}
}

/* The caller's identity for Power BI; datasets are added once they are known. */
static json_t *identities_of(const struct pbi *p, const struct principal *who)
{
	json_t *one, *roles, *list;

	if (p->identity == PBI_IDENTITY_NONE)
		return NULL;
	one = json_object();
	roles = json_array();
	list = json_array();
	json_set_str(one, "username", p->identity == PBI_IDENTITY_USER ? who->user : who->tenant);
	for (size_t i = 0; i < p->role_count; i++)
		if (may(who, p->roles[i].permission))
			json_push_take(roles, json_str(p->roles[i].name));
	json_set_take(one, "roles", roles);
	json_set_str(one, "customData", who->tenant);
	json_push_take(list, one);
	return list;
}

static char *key_of(const struct report *report, const struct principal *who,
		    const json_t *identities)
{
	json_t *key = json_array();
	char *text;

	json_push_take(key, json_str(who->tenant));
	json_push_take(key, json_str(report->key));
	if (identities)
		json_array_append(key, (json_t *)identities);
	text = json_text(key);
	json_decref(key);
	return text;
}

static struct embed *embed_find(struct pbi *p, const struct report *report,
				const struct principal *who)
{
	json_t *identities = identities_of(p, who);
	char *key = key_of(report, who, identities);
	struct embed *m = NULL;

	list_each(node, &p->embeds) {
		struct embed *other = list_item(node, struct embed, node);

		if (!m && strcmp(other->key, key) == 0)
			m = other;
	}
	if (m) {
		json_decref(identities);
		mem_free(key);
		list_remove(&m->node);
	} else {
		embeds_evict(p);
		m = mem_alloc(sizeof(*m));
		m->pbi = p;
		m->report = report;
		m->key = key;
		m->identities = identities;
		list_init(&m->waiters);
		p->embed_count++;
	}
	list_append(&p->embeds, &m->node);
	return m;
}

static const struct report *report_find(const struct pbi *p, const char *key)
{
	for (size_t i = 0; i < p->report_count; i++)
		if (strcmp(p->reports[i].key, key) == 0)
			return &p->reports[i];
	return NULL;
}

bool pbi_has(const struct pbi *p, const char *key)
{
	return p && report_find(p, key);
}

struct op *pbi_embed(struct pbi *p, const struct principal *who, const char *key, pbi_embed_cb cb,
		     void *owner)
{
	const struct report *report = report_find(p, key);
	struct waiter *w = mem_alloc(sizeof(*w));
	struct embed *m;

	assert(report);
	m = embed_find(p, report, who);
	w->op.cancel = on_cancel;
	w->cb = cb;
	w->owner = owner;
	list_append(&m->waiters, &w->node);
	if (m->call)
		return &w->op;
	if (m->token && clock_now_ms() < m->expires_ms - PBI_EARLY_MS)
		loop_defer(p->loop, &m->deferred, on_token_ready, m);
	else
		embed_request(m);
	return &w->op;
}

struct op *pbi_call(struct pbi *p, const char *path, const json_t *body, pbi_reply_cb cb,
		    void *owner)
{
	return pbi_service_call(p->service, path, body, cb, owner);
}

/* ---- lifecycle ---- */

bool pbi_hosts_check(const char *const *hosts, struct err *e)
{
	for (; *hosts; hosts++)
		if (!**hosts ||
		    strspn(*hosts, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789.-:") != strlen(*hosts))
			return err_set(e, ERR_INPUT, "pbi.hosts: \"%s\" is not a host name",
				       *hosts);
	return true;
}

static char **hosts_copy(const char *const *hosts)
{
	size_t n = 0;
	char **copy;

	while (hosts[n])
		n++;
	copy = mem_alloc((n + 1) * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = mem_strdup(hosts[i]);
	return copy;
}

static bool read_report(const struct pbi_report *from, struct report *out, struct err *e)
{
	const char *slash = strchr(from->place, '/');

	out->key = mem_strdup(from->key);
	out->group_id = mem_strndup(from->place, slash ? (size_t)(slash - from->place) : 0);
	out->report_id = mem_strdup(slash ? slash + 1 : "");
	return (uuid_valid(out->group_id) && uuid_valid(out->report_id)) ||
	       err_set(e, ERR_INPUT, "pbi.reports: %s: must be \"<workspace id>/<report id>\"",
		       from->key);
}

bool pbi_new(const struct pbi_options *o, struct pbi **out, struct err *e)
{
	struct pbi *p = mem_alloc(sizeof(*p));
	bool ok = true;

	p->refs = 1;
	p->loop = o->loop;
	p->identity = o->identity;
	list_init(&p->embeds);
	p->hosts = hosts_copy(o->hosts);
	p->reports = mem_alloc((o->report_count + 1) * sizeof(*p->reports));
	p->roles = mem_alloc((o->role_count + 1) * sizeof(*p->roles));
	for (size_t i = 0; ok && i < o->report_count; i++)
		ok = read_report(&o->reports[i], &p->reports[p->report_count++], e);
	for (size_t i = 0; i < o->role_count; i++)
		p->roles[p->role_count++] = (struct role){mem_strdup(o->roles[i].permission),
							  mem_strdup(o->roles[i].role)};
	if (ok && pbi_service_new(o, &p->service, e)) {
		*out = p;
		return true;
	}
	pbi_free(&p);
	return false;
}

struct pbi *pbi_ref(struct pbi *p)
{
	if (p)
		p->refs++;
	return p;
}

void pbi_free(struct pbi **pbi)
{
	struct pbi *p = *pbi;

	*pbi = NULL;
	if (!p || --p->refs > 0)
		return;
	list_each_safe(node, &p->embeds)
		embed_free(list_item(node, struct embed, node));
	pbi_service_free(&p->service);
	for (size_t i = 0; i < p->report_count; i++) {
		mem_free(p->reports[i].key);
		mem_free(p->reports[i].group_id);
		mem_free(p->reports[i].report_id);
	}
	for (size_t i = 0; i < p->role_count; i++) {
		mem_free(p->roles[i].permission);
		mem_free(p->roles[i].name);
	}
	for (char **host = p->hosts; *host; host++)
		mem_free(*host);
	mem_free(p->hosts);
	mem_free(p->reports);
	mem_free(p->roles);
	mem_free(p);
}

/*
 * The chain of receipts. Each record has the hash of the previous one, so the position of a record
 * must be known when it is written. This process assigns positions without waiting for writes, so
 * that concurrent answers still share a commit. If another process has used a position, neither the
 * record nor its answer is stored. The end of the chain is then read again, and the records get new
 * positions.
 */
#include "store_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vesper/limits.h"
#include "vesper/mem.h"

/* The chain of one tenant. */
struct chain {
	struct list node;
	struct store *store;
	char *tenant;
	bool is_known;  /* number and hash are those of the last position assigned */
	int64_t number; /* 0: no record yet */
	char hash[HASH_HEX_BYTES];
	size_t writing_count; /* records being written */
	struct list waiting;  /* struct chain_link, oldest first */
	struct op *reading;   /* reads the end of the chain */
};

static struct chain *chain_of(struct store *s, const char *tenant)
{
	struct chain *chain;

	list_each(node, &s->chains) {
		chain = list_item(node, struct chain, node);
		if (strcmp(chain->tenant, tenant) == 0)
			return chain;
	}
	chain = mem_alloc(sizeof(*chain));
	chain->store = s;
	chain->tenant = mem_strdup(tenant);
	list_init(&chain->waiting);
	list_append(&s->chains, &chain->node);
	return chain;
}

void store_chains_free(struct store *s)
{
	list_each_safe(node, &s->chains) {
		struct chain *chain = list_item(node, struct chain, node);

		assert(list_empty(&chain->waiting));
		op_cancel(&chain->reading);
		list_remove(&chain->node);
		mem_free(chain->tenant);
		mem_free(chain);
	}
}

/* ---- the end of the chain ---- */

static void chain_advance(struct chain *chain);

struct head_call {
	struct call call;
	struct chain *chain;
};

static void chain_fail(struct chain *chain, const struct err *e)
{
	list_each_safe(node, &chain->waiting) {
		struct chain_link *link = list_item(node, struct chain_link, node);

		list_remove(&link->node);
		link->call->err = *e;
		link->writing = true;
		chain->writing_count++;
		store_call_write(link->call); /* ends with that error */
	}
}

static void on_head(struct call *c, struct table **tables, size_t count, const struct err *e)
{
	struct chain *chain = list_item(c, struct head_call, call)->chain;
	const struct table *t = count > 0 ? tables[0] : NULL;

	chain->reading = NULL;
	if (e) {
		chain_fail(chain, e);
		return;
	}
	chain->is_known = true;
	chain->number = 0;
	memcpy(chain->hash, RECEIPT_GENESIS, sizeof(chain->hash));
	if (t && t->row_count > 0) {
		chain->number = strtoll(store_cell(t, 0, "receipt_no"), NULL, 10);
		snprintf(chain->hash, sizeof(chain->hash), "%s", store_cell(t, 0, "hash"));
	}
	chain_advance(chain);
}

static void head_read(struct chain *chain)
{
	struct head_call *h = store_call_new(chain->store, chain->tenant, sizeof(*h));

	h->chain = chain;
	h->call.finish = on_head;
	store_call_add(&h->call, "receipt_head");
	chain->reading = store_call_read(&h->call, 1);
}

/* ---- positions ---- */

static void assign_position(struct chain *chain, struct chain_link *link)
{
	struct call *c = link->call;
	struct receipt *r = &link->receipt;

	receipt_link(r, chain->number + 1, chain->hash, link->hash);
	store_call_clear(c);
	store_call_int(c, "receipt_no", r->number);
	store_call_text(c, "previous_hash", chain->hash);
	store_call_text(c, "hash", link->hash);
	store_call_int(c, "previous_no", chain->number);
	store_call_text(c, "genesis", RECEIPT_GENESIS);
	store_call_add(c, link->insert);
	link->add(link);
	chain->number = r->number;
	memcpy(chain->hash, link->hash, sizeof(chain->hash));
	link->writing = true;
	chain->writing_count++;
	store_call_write(c);
}

static void chain_advance(struct chain *chain)
{
	if (chain->reading || list_empty(&chain->waiting))
		return;
	if (!chain->is_known) {
		/* Running writes may still move the end. */
		if (chain->writing_count == 0)
			head_read(chain);
		return;
	}
	list_each_safe(node, &chain->waiting) {
		list_remove(node);
		assign_position(chain, list_item(node, struct chain_link, node));
	}
}

static void on_abandoned(struct call *c)
{
	struct chain_link *link = c->link;
	struct chain *chain = link->chain;

	list_remove(&link->node);
	if (link->writing) {
		chain->writing_count--;
		chain->is_known = false;
		chain_advance(chain);
	}
}

struct op *store_chain_join(struct chain_link *link, const struct receipt *r)
{
	struct call *c = link->call;

	link->receipt = (struct receipt){
		.tenant = c->tenant,
		.content_hash = arena_strdup(c->arena, r->content_hash),
	};
	link->chain = chain_of(c->store, c->tenant);
	c->link = link;
	c->abandon = on_abandoned;
	store_call_text(c, "receipt_id", r->receipt_id);
	store_call_text(c, "receipt_at", r->created_at);
	store_call_text(c, "content_text", r->content);
	store_call_text(c, "leaves", r->leaves);
	store_call_text(c, "content_hash", r->content_hash);
	store_call_flag(c, "chained");
	if (c->store->replica && db_dialect(c->store->db) != DIALECT_SQLITE)
		store_call_flag(c, "on_server_shared");
	list_append(&link->chain->waiting, &link->node);
	chain_advance(link->chain);
	return &c->op;
}

bool store_chain_retry(struct chain_link *link, bool stored, bool is_permanent)
{
	struct chain *chain = link->chain;
	bool should_retry = !stored && !is_permanent && ++link->attempts < RECEIPT_ATTEMPTS_MAX;

	link->writing = false;
	chain->writing_count--;
	if (!stored)
		chain->is_known = false;
	if (should_retry) {
		link->call->is_active = true; /* waits for its new position */
		list_append(&chain->waiting, &link->node);
	}
	chain_advance(chain);
	return should_retry;
}

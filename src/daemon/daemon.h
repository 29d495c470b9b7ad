/*
 * The parts of the process, and how it starts, serves and stops. parts.c builds the parts from the
 * configuration, daemon.c runs them, main.c is the command line.
 */
#ifndef VESPER_DAEMON_H
#define VESPER_DAEMON_H

#include "databases.h"
#include "vesper/arena.h"
#include "vesper/budget.h"
#include "vesper/cache.h"
#include "vesper/choice.h"
#include "vesper/config.h"
#include "vesper/db.h"
#include "vesper/err.h"
#include "vesper/http.h"
#include "vesper/identity.h"
#include "vesper/nlu.h"
#include "vesper/llm.h"
#include "vesper/loop.h"
#include "vesper/names.h"
#include "vesper/overlay.h"
#include "vesper/pbi.h"
#include "vesper/signin.h"
#include "vesper/store.h"
#include "vesper/stream.h"
#include "vesper/transport.h"
#include "vesper/turn.h"
#include "vesper/upload.h"

#include "record.h"

/* The settings of all folders, read from one configuration. */
struct daemon_settings {
	struct turn_settings *turn;
	struct llm_settings *llm;
	struct budget_settings *budget;
	struct identity_settings *identity;
	struct transport_settings *transport;
	struct pbi_settings *pbi;
	struct names_settings *names;
	struct store_settings *store;
};

struct daemon {
	struct config *config; /* the current one; the initial one lives as long as the arena */
	const char *config_path;
	struct daemon_settings settings;
	struct databases databases;
	struct arena *arena; /* options that live as long as the process */
	struct loop *loop;
	struct http *http;
	struct open_sources sources;
	struct db *store_db;
	struct {
		struct cache *store;
		bool shared; /* shared with other processes */
	} cache;
	struct store *store;
	struct pbi *pbi; /* NULL: reports are links only */
	struct llm *llm;
	struct budget *budget;
	struct spending *spending;
	struct {
		const char *folder; /* --record; NULL: no recording */
		struct recorder *recorder;
		json_t *exchanges; /* a recording that replaces all models; NULL: models as
				      configured */
		struct llm_replay *replay;
		void (*on_turn)(void *owner, json_t *take); /* replaces the recorder; may be NULL */
		void *owner;
	} record;
	struct identity *identity;
	struct signin *signin; /* NULL: no sign-in page */
	struct arena *roles;   /* the permissions of token roles */
	struct stream_hub *streams;
	struct pool *tool_workers;
	struct turns *turns;
	struct {
		struct knowledge_list **lists; /* one per list of packs */
		size_t count;
		bool names_started;
		struct overlays *overlays; /* NULL: no tenant has an overlay */
		struct approved *approved; /* approved answers, parts of overlays */
		struct uploads *uploads;   /* users' data sources, parts of overlays */
		struct db *loader;         /* writes the tables of uploads */
	} knowledge;
	struct switches *switches; /* disabled tools */
	struct maintenance *maintenance;
	struct transport *transport;
	struct signal_watch *hangup;
	struct {
		struct signal_watch *term, *interrupt;
		struct timer *drain;
		bool stopping;
		bool waiting_for_turns; /* waiting for running answers to finish */
		struct handover *handover;
		bool handing_over;  /* another process accepts connections */
		struct err failure; /* why the start failed */
	} end;
	const char *root;
	struct {
		struct prepare_tenant *tenants; /* one per tenant */
		struct timer *timer;            /* checks stores on a server again */
		int ticks;
		bool exclusive; /* no other daemon serves the same files */
		size_t waiting; /* tenants whose store was not checked yet */
		size_t started_count;
	} prepare;
};

/* Reads the configuration and applies the settings of the whole process. */
MUST_CHECK bool daemon_setup(struct daemon *d, struct err *e);
/* Builds the parts from the bottom up. On failure the parts built so far remain, for
 * daemon_free_parts. No port is open yet. */
MUST_CHECK bool daemon_build(struct daemon *d, struct err *e);
/* Build single parts: the loop with the HTTP client, and Power BI (skipped if not configured; reads
 * its settings if they were not read). */
MUST_CHECK bool daemon_open_http(struct daemon *d, struct err *e);
MUST_CHECK bool daemon_open_pbi(struct daemon *d, struct err *e);
/* knowledge.c: loads the catalogues, and what is derived from them, for each list of packs of a
 * tenant. Turns and permission checks then use them. */
MUST_CHECK bool daemon_load_knowledge(struct daemon *d, struct err *e);
void daemon_knowledge_free(struct daemon *d); /* must be called before the turns are freed */
/* Loads the knowledge for another configuration while the old one is in use. Returns false for an
 * error in the configuration; broken files of a list that is in use are no error. In both cases
 * *out must be passed to knowledge_use or knowledge_discard.
 */
struct staged_knowledge;
MUST_CHECK bool knowledge_stage(struct daemon *d, const struct config *c,
				struct staged_knowledge **out, struct err *e);
void knowledge_use(struct daemon *d, struct staged_knowledge **staged);
void knowledge_discard(struct staged_knowledge **staged);
/* reload.c: reads the configuration again and applies all of it, or nothing. */
void daemon_reload(struct daemon *d);
MUST_CHECK bool settings_read(const struct config *c, struct daemon_settings *out, struct err *e);
void settings_free(struct daemon_settings *s);
MUST_CHECK bool log_settings_use(const struct config *c, struct err *e);
/* parts.c: a secret that replicas share but that is not stored in Redis; "": none. */
const char *daemon_shared_secret(const struct daemon *d);
/* *out NULL: not configured. */
MUST_CHECK bool daemon_new_llm(struct daemon *d, const struct llm_settings *s, bool unseen,
			       struct llm **out, struct err *e);
MUST_CHECK bool daemon_new_pbi(struct daemon *d, const struct pbi_settings *s, struct pbi **out,
			       struct err *e);
/* The knowledge of a list of packs and the number of tenants that have it; NULL: no such list. */
const struct turn_knowledge *daemon_knowledge(const struct daemon *d, size_t list, size_t *tenants);
/* overlay.c: what a tenant has in addition to its packs. Each part has one owner and is replaced as
 * a whole; an empty part removes it. The tenant must exist. Copies the overlay, builds it on a
 * worker, and calls `done` (may be NULL) later on the loop. e NULL: turns that begin from now on
 * use it, also after a reload. ERR_INPUT: the overlay is invalid, and the part stays as it was.
 * Changes of one tenant run one after the other. If the daemon ends first, `done` is not called. */
enum overlay_part { OVERLAY_APPROVED, OVERLAY_DATA, OVERLAY_PARTS };
typedef void (*overlay_cb)(void *owner, const struct err *e);
void daemon_use_overlay(struct daemon *d, enum overlay_part part, const struct catalog_overlay *o,
			overlay_cb done, void *owner);
/* Watches each source for the tenants that have views of it. */
void daemon_watch_sources(struct daemon *d);
void daemon_names_start(struct daemon *d);
/* signin.c */
MUST_CHECK bool daemon_open_identity(struct daemon *d, struct err *e);
MUST_CHECK bool daemon_open_signin(struct daemon *d, struct err *e);
/* The permissions of token roles in these catalogues. In the arena. */
MUST_CHECK bool signin_read_roles(const struct config *c, const struct catalog *const *catalogs,
				  size_t count, struct arena *a, const struct jwt_role **out,
				  struct err *e);
/* maintenance.c: periodically reads the tool switches and deletes expired data. */
struct maintenance *maintenance_new(struct daemon *d);
void maintenance_free(struct maintenance **m);
/* Reads a tenant's switches for the first time; the tenant must not be served before. */
void maintenance_begin(struct maintenance *m, const char *tenant,
		       void (*ready)(void *owner, const struct err *e), void *owner);
/* Starts the periodic work. */
void maintenance_start(struct maintenance *m);
void maintenance_switched(void *owner, const char *tenant, const struct tool_switch *change);
/* approved.c: adds the approved answers of each tenant in the store to its overlay. */
struct approved *approved_new(struct daemon *d);
/* Must be called before the knowledge is freed, since an overlay may be in progress. */
void approved_free(struct approved **a);
/* Starts the periodic reads. */
void approved_start(struct approved *a);
void approved_changed(void *owner, const char *tenant);
/* uploads.c: data that users upload. */
MUST_CHECK bool daemon_open_uploads(struct daemon *d, struct err *e);
/* spending.c: what models cost, in memory and in the usage ledger of the store. */
struct spending *spending_new(struct daemon *d);
/* Must be freed after the databases: ledger rows may be written until they are closed. */
void spending_free(struct spending **s);
/* Reads what was spent before this process began. */
void spending_begin(struct spending *s, const char *tenant,
		    void (*ready)(void *owner, const struct err *e), void *owner);
/* Starts the periodic reads of the sums, which include the spending of other processes. */
void spending_start(struct spending *s);
/* The limits have changed: reads at once what was spent against them. */
void spending_reread(struct spending *s);
void spending_stop(struct spending *s);
void spending_entry(void *owner, const struct budget_entry *entry); /* owner: the daemon */
int64_t spending_wall_ms(void *owner, const char *tenant);
/* load.c: the load of the process. NULL: load is not measured. */
struct load_watch *load_watch_new(struct daemon *d);
void load_watch_free(struct load_watch **w);
/* handover.c: takes the listening sockets from a supervisor or, if `take_over`, from the process
 * that runs in the same data_dir. *out must be freed in any case. Returns false when that process
 * runs, but passed no sockets. */
MUST_CHECK bool handover_begin(struct daemon *d, bool take_over, struct handover **out,
			       struct err *e);
struct sockets handover_sockets(const struct handover *h);
/* The port is open: the previous process stops accepting, and the next process may connect. */
MUST_CHECK bool handover_ready(struct handover *h, struct err *e);
void handover_free(struct handover **h);
/* daemon.c: another process accepts connections; running turns finish here. */
void daemon_hand_over(struct daemon *d);
/* Opens the port. */
MUST_CHECK bool daemon_listen(struct daemon *d, struct err *e);
/* Limits the rest of the process to STOP_LIMIT_S seconds; after that it exits with status 1. */
void daemon_limit_shutdown(void);
/* Frees the parts in the opposite order of building; each may be missing. */
void daemon_free_parts(struct daemon *d);

/* Builds the parts, serves until a stop signal, and returns the exit status. */
int daemon_serve(struct daemon *d, bool take_over);

#endif

/*
 * The process: what it is made of, how it starts, serves and stops. parts.c builds the parts from
 * the configuration, daemon.c runs them, main.c is the command line.
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
#include "vesper/know.h"
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

/* What all folders read of one configuration. */
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
	struct config *config; /* of now; that of the start lasts as long as the arena */
	const char *config_path;
	struct daemon_settings settings;
	struct databases databases;
	struct arena *arena; /* options that live as long as the process */
	struct loop *loop;
	struct http *http;
	struct open_sources sources;
	struct db *stored;
	struct {
		struct cache *store;
		bool shared; /* other processes see it, too */
	} cache;
	struct store *store;
	struct pbi *pbi; /* NULL: reports only link */
	struct llm *llm;
	struct budget *budget;
	struct spending *spending;
	struct {
		const char *folder; /* --record; NULL: nothing is recorded */
		struct recorder *recorder;
		json_t *exchanges; /* the only model is this recording of one; NULL: as configured
				    */
		struct llm_replay *replay;
		void (*on_turn)(void *owner, json_t *take); /* instead of a recorder; or NULL */
		void *owner;
	} record;
	struct identity *identity;
	struct signin *signin; /* NULL: no page to sign in at */
	struct arena *roles;   /* what the roles of tokens stand for */
	struct stream_hub *streams;
	struct pool *tool_workers;
	struct turns *turns;
	struct {
		struct knowledge_list **lists; /* one for each list of packs */
		size_t count;
		bool names_started;
		struct overlays *overlays; /* NULL: no tenant has any */
		struct approved *approved; /* answers, parts of overlays */
		struct uploads *uploads;   /* users' own data, parts of overlays */
		struct db *loader;         /* writes its tables */
	} knowledge;
	struct switches *switches; /* tools that are switched off */
	struct maintenance *maintenance;
	struct transport *transport;
	struct signal_watch *hangup;
	struct {
		struct signal_watch *term, *interrupt;
		struct timer *drain;
		bool stopping;
		bool letting_end; /* answers that are being written */
		struct handover *handover;
		bool leaving;       /* another process accepts connections */
		struct err failure; /* why the start could not go on */
	} end;
	const char *root;
	struct {
		struct prepare_tenant *tenants; /* each of them */
		struct timer *timer;            /* looks at stores on a server again */
		int ticks;
		bool alone;     /* no other daemon serves the same files */
		size_t waiting; /* tenants of whose store nothing is known yet */
		size_t begun;
	} prepare;
};

/* The configuration, and what concerns the whole process. */
MUST_CHECK bool daemon_setup(struct daemon *d, struct err *e);
/* From the bottom up; false leaves what was built, for daemon_take_down. Nothing is opened to the
 * outside yet. */
MUST_CHECK bool daemon_build(struct daemon *d, struct err *e);
/* Two of its parts alone: the loop and what asks others, and Power BI (none where it is not
 * configured; reads its settings where they are not read). */
MUST_CHECK bool daemon_open_http(struct daemon *d, struct err *e);
MUST_CHECK bool daemon_open_pbi(struct daemon *d, struct err *e);
/* knowledge.c: catalogues and what is made from them, for each list of packs that a tenant has.
 * From now on questions are read and callers are judged with it. */
MUST_CHECK bool daemon_load_knowledge(struct daemon *d, struct err *e);
void daemon_knowledge_free(struct daemon *d); /* before the turns: names are read for theirs */
/* The same for another configuration, while the old one serves. False: the configuration is at
 * fault; the files of a list that is in use are not. In both cases *out is to be used or discarded.
 */
struct staged_knowledge;
MUST_CHECK bool knowledge_stage(struct daemon *d, const struct config *c,
				struct staged_knowledge **out, struct err *e);
void knowledge_use(struct daemon *d, struct staged_knowledge **staged);
void knowledge_discard(struct staged_knowledge **staged);
/* reload.c: the configuration once more; all of it counts from now on, or nothing. */
void daemon_reload(struct daemon *d);
MUST_CHECK bool settings_read(const struct config *c, struct daemon_settings *out, struct err *e);
void settings_free(struct daemon_settings *s);
MUST_CHECK bool log_settings_use(const struct config *c, struct err *e);
/* parts.c: a secret that replicas share and a Redis does not have; "": there is none. */
const char *daemon_shared_secret(const struct daemon *d);
/* NULL where none is configured. */
MUST_CHECK bool daemon_new_llm(struct daemon *d, const struct llm_settings *s, bool unseen,
			       struct llm **out, struct err *e);
MUST_CHECK bool daemon_new_pbi(struct daemon *d, const struct pbi_settings *s, struct pbi **out,
			       struct err *e);
/* That of a list and how many tenants have it; NULL: there are no more. */
const struct turn_knowledge *daemon_knowledge(const struct daemon *d, size_t list, size_t *tenants);
/* overlay.c: what a tenant has beside its packs. The parts are apart because they have different
 * owners; each is replaced as a whole, an empty one is none. Copies the overlay. It is made on a
 * worker; `done` (or NULL) is called on the loop, later: e NULL: turns that begin from now on have
 * it, as have those after a reload; ERR_INPUT: it says what is wrong, and the part stays as it was.
 * Changes of one tenant are made one after the other. Of a tenant that there is. `done` is not
 * called when the daemon ends first. */
enum overlay_part { OVERLAY_APPROVED, OVERLAY_DATA, OVERLAY_PARTS };
typedef void (*overlay_cb)(void *owner, const struct err *e);
void daemon_use_overlay(struct daemon *d, enum overlay_part part, const struct catalog_overlay *o,
			overlay_cb done, void *owner);
/* Each source is watched for the tenants that have views of it. */
void daemon_watch_sources(struct daemon *d);
void daemon_names_start(struct daemon *d);
/* signin.c */
MUST_CHECK bool daemon_open_identity(struct daemon *d, struct err *e);
MUST_CHECK bool daemon_open_signin(struct daemon *d, struct err *e);
/* What the roles of tokens stand for in these catalogues. In the arena. */
MUST_CHECK bool signin_roles(const struct config *c, const struct catalog *const *catalogs,
			     size_t count, struct arena *a, const struct jwt_role **out,
			     struct err *e);
/* maintenance.c: the switches of tools are read anew, and what is too old deleted. */
struct maintenance *maintenance_new(struct daemon *d);
void maintenance_free(struct maintenance **u);
/* Reads a tenant's switches for the first time; until then nobody may be served. */
void maintenance_begin(struct maintenance *u, const char *tenant,
		       void (*ready)(void *owner, const struct err *e), void *owner);
/* From now on, again and again. */
void maintenance_start(struct maintenance *u);
void maintenance_switched(void *owner, const char *tenant, const struct tool_switch *change);
/* approved.c: approved answers of each tenant, from the store into its overlay. */
struct approved *approved_new(struct daemon *d);
/* Before the knowledge, which may be on its way to it. */
void approved_free(struct approved **a);
/* From now on, again and again. */
void approved_start(struct approved *a);
void approved_changed(void *owner, const char *tenant);
/* uploads.c: data that users bring. */
MUST_CHECK bool daemon_open_uploads(struct daemon *d, struct err *e);
/* spending.c: what models cost, in memory and in the ledger of the store. */
struct spending *spending_new(struct daemon *d);
/* The last of all that a daemon stops: rows may be on their way until the databases are closed. */
void spending_free(struct spending **s);
/* What was spent before this process began. */
void spending_begin(struct spending *s, const char *tenant,
		    void (*ready)(void *owner, const struct err *e), void *owner);
/* From now on the sums are read again, for what other processes spend. */
void spending_start(struct spending *s);
/* Other limits are in force: what was spent against them is read at once. */
void spending_again(struct spending *s);
void spending_stop(struct spending *s);
void spending_entry(void *owner, const struct budget_entry *entry); /* owner: the daemon */
int64_t spending_wall_ms(void *owner, const char *tenant);
/* load.c: how much there is to do. NULL: it is not looked at. */
struct load_watch *load_watch_new(struct daemon *d);
void load_watch_free(struct load_watch **w);
/* handover.c: listening sockets from a supervisor or, if `take_over`, from the process that runs in
 * the same data_dir; *out is to be freed in any case. False: it runs, and gave none. */
MUST_CHECK bool handover_begin(struct daemon *d, bool take_over, struct handover **out,
			       struct err *e);
struct sockets handover_sockets(const struct handover *h);
/* The port is open: the process before stops accepting, and the next one may come. */
MUST_CHECK bool handover_ready(struct handover *h, struct err *e);
void handover_free(struct handover **h);
/* daemon.c: another process accepts connections; what runs here ends here. */
void daemon_leave(struct daemon *d);
/* Opens the port. */
MUST_CHECK bool daemon_listen(struct daemon *d, struct err *e);
/* From here on the process has STOP_LIMIT_S seconds, then it ends with 1 whatever still runs. */
void daemon_end_in_time(void);
/* In the opposite order of building; each part may be missing. */
void daemon_take_down(struct daemon *d);

/* Builds, serves until a signal says stop, and returns the exit status. */
int daemon_serve(struct daemon *d, bool take_over);

#endif

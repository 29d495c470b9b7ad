/* Admission of turns: limits and the policy for busy sessions. Creates an admitted turn. */
#include "turn_int.h"

#include <assert.h>
#include <string.h>

#include "vesper/clock.h"
#include "vesper/hash.h"
#include "vesper/json.h"
#include "vesper/limits.h"
#include "vesper/mem.h"
#include "vesper/metric.h"

static size_t running_of(const struct turns *all, enum turn_group_kind kind,
			 const struct turn_request *r)
{
	const struct turn_group *g = turn_group_of(all, kind, r->who, r->session_id);

	return g ? g->count : 0;
}

static size_t turns_max(const struct turns *all)
{
	return all->settings->turns_max ? all->settings->turns_max : TURNS_MAX;
}

static bool refuse_overload(const char *reason, struct err *e)
{
	static const struct metric shed_total = {
		.name = "vesper_shed_total",
		.help = "Questions refused because the server was overloaded.",
		.labels = {"reason"},
	};
	uint16_t spread;

	metric_add(&shed_total, (const char *const[]){reason}, 1);
	err_set_retry(e, ERR_OVERLOAD, "the server is overloaded: %s", reason);
	hash_random(&spread, sizeof(spread));
	e->retry_after_ms = OVERLOAD_RETRY_MS + spread * OVERLOAD_SPREAD_MS / UINT16_MAX;
	return false;
}

/* For a tenant below its fair share, the limits are TURNS_SHARE_PERCENT, so that load from other
 * tenants does not exclude it. */
bool turn_check_load(const struct turns *all, const struct turn_request *r, struct err *e)
{
	size_t share = all->tenants > 0 ? all->count / all->tenants : 0;
	bool below_share = running_of(all, GROUP_TENANT, r) <
			   (share > TURNS_SHARE_MIN ? share : TURNS_SHARE_MIN);
	unsigned percent = below_share ? TURNS_SHARE_PERCENT : 100;

	if (all->count >= turns_max(all) * percent / 100)
		return refuse_overload("turns", e);
	return all->load.percent <= percent ||
	       refuse_overload(overload_signal_name(all->load.of), e);
}

void turns_set_load(struct turns *all, struct load load)
{
	bool ended = all->load.logs_full && !load.logs_full;

	all->load = load;
	if (load.logs_full || ended)
		list_each(node, &all->running)
			turn_pause_model(list_item(node, struct turn, core.node), load.logs_full);
}

bool turn_admit(const struct turns *all, const struct turn_request *r, struct err *e)
{
	size_t in_session = running_of(all, GROUP_SESSION, r);
	size_t max = turns_max(all);
	size_t tenant_max = all->settings->place_count > 1 ? (max + 1) / 2 : max;

	/* Checked by wire_parse_message. */
	assert(!r->content || (*r->content && strlen(r->content) <= MESSAGE_BYTES_MAX));
	if (all->draining)
		return err_set_retry(e, ERR_CANCELLED, "the server is restarting");
	if (!may(r->who, "chat:use"))
		return err_set(e, ERR_DENIED, "the permission chat:use is missing");
	if (!client_history_check(r, e))
		return false;
	if (running_of(all, GROUP_TENANT, r) >= tenant_max)
		return err_set_retry(e, ERR_LIMIT, "%zu turns of this tenant are running",
				     tenant_max);
	if (in_session > (all->settings->busy == TURN_BUSY_REJECT ? 0 : TURNS_QUEUED_MAX))
		return err_set_retry(e, ERR_BUSY, "a turn of this session is still running");
	if (running_of(all, GROUP_USER, r) >= TURNS_PER_USER_MAX)
		return err_set_retry(e, ERR_LIMIT, "%d turns of this user are running",
				     TURNS_PER_USER_MAX);
	return true;
}

/* The values that the user chose, as one line. */
static const char *values_text(const json_t *values, const struct language *l, struct arena *a)
{
	const char *text = "";
	const json_t *value;
	size_t i;

	json_array_foreach(values, i, value)
		text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", ask_value_text(value, a));
	return *text ? text : sentence(l, SAY_ASK_NO_CHOICE, a);
}

static void copy_request(struct turn *t, const struct turn_request *r)
{
	const struct language *l = t->core.knowledge->set.catalog->language;
	struct arena *a = t->core.arena;

	t->core.who = principal_copy(r->who);
	t->core.request = (struct turn_request){
		.who = t->core.who,
		.session_id = arena_strdup(a, r->session_id),
		.content = r->content ? arena_strdup(a, r->content) : values_text(r->values, l, a),
		.client_msg_id = arena_strdup(a, r->client_msg_id),
		.pack = arena_strdup(a, r->pack),
		.filters = json_own(a, json_deep_copy(r->filters)),
		.ask_id = arena_strdup(a, r->ask_id),
		.replays = r->replays,
		.values = json_own(a, json_deep_copy(r->values)),
	};
	client_history_copy(r, &t->core.request, a);
}

struct date turn_today(const struct turns *all, const char *tenant)
{
	const struct zone *z = turns_zone(all, tenant);

	return z ? zone_today(z) : clock_today();
}

static struct answer_options answer_options_of(const struct turns *all)
{
	const struct turn_settings *s = all->settings;

	return (struct answer_options){
		.llm = llm_ref(all->llm),
		.deadline_ms = s->deadline_ms ? s->deadline_ms : TURN_DEADLINE_MS,
		.prompt_tokens = s->prompt_tokens ? s->prompt_tokens : PROMPT_TOKENS,
		.numbers = s->numbers,
		.checks_questions = s->checks_questions,
		.no_charts = s->no_charts,
		.link_hosts = s->link_hosts,
	};
}

/* Gives each folder its view of the turn; each starts with an empty part to write. */
static void fill_views(struct turn *t)
{
	t->for_planner = (struct planner_turn){&t->core, &t->reading, &t->work};
	t->for_dialog = (struct dialog_turn){
		.core = &t->core,
		.reading = &t->reading,
		.work = &t->work,
		.context = &t->context,
		.dialog = &t->dialog,
	};
	t->for_answer = (struct answer_turn){
		.core = &t->core,
		.context = &t->context,
		.reading = &t->reading,
		.work = &t->work,
		.dialog = &t->dialog,
		.answer = &t->answer,
		.options = &t->answers,
		.prompts = t->core.knowledge->prompts,
	};
	planner_begin(&t->for_planner);
	dialog_begin(&t->for_dialog);
	answer_begin(&t->for_answer);
}

struct turn *turn_new(struct turns *all, const struct turn_request *r, const struct turn_ids *ids)
{
	struct turn *t = mem_alloc(sizeof(*t));

	t->core.all = all;
	t->core.arena = arena_new(TURN_ARENA_BYTES);
	t->core.knowledge = turn_knowledge_ref(all, r->who->tenant);
	copy_request(t, r);
	t->core.loop = all->loop;
	t->core.nlu = t->core.knowledge->set.nlu;
	t->core.tools = t->core.knowledge->set.tools;
	t->settings = settings_ref(all->settings);
	t->answers = answer_options_of(all);
	t->core.calendar = t->settings->calendar;
	t->core.operations =
		(struct turn_operations){turn_operation_began, turn_operation_ended, t};
	t->core.id = ids->turn;
	t->core.user_message_id = ids->user_message;
	t->core.answer_id = ids->answer;
	t->core.today = turn_today(all, t->core.who->tenant);
	t->core.began_ms = clock_mono_ms();
	t->machine.state = TURN_ACCEPT;
	catalog_for(t->core.knowledge->set.catalog, t->core.who, t->core.arena, &t->core.may);
	if (t->core.request.pack)
		catalog_limit_to_pack(&t->core.may, t->core.request.pack, t->core.arena);
	fill_views(t);
	return t;
}

void turn_count_and_queue(struct turn *t)
{
	struct turns *all = t->core.all;
	const struct turn_group *g =
		turn_group_of(all, GROUP_SESSION, t->core.who, t->core.request.session_id);

	t->machine.waiting = g != NULL;
	if (g && all->settings->busy == TURN_BUSY_INTERRUPT)
		list_each_safe(node, &g->turns)
			turn_stop(turn_at(node), CANCEL_USER);
	turn_join_groups(t);
	turns_update_running(all);
}

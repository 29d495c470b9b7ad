/*
 * Parses function calls with their clauses, and types. A few functions have special syntax; the
 * others are name (arguments). gate_check_call.c checks names against the policy.
 */
#include "gate/gate_int.h"

/* ---- types ---- */

static const struct type {
	const char *words[2];
	int sizes;       /* maximum number of sizes */
	int64_t largest; /* maximum of the first size */
} types[] = {
	{{"DOUBLE", "PRECISION"}, 0, 0},
	{{"CHARACTER", "VARYING"}, 1, 8000},
	{{"INT"}, 0, 0},
	{{"INTEGER"}, 0, 0},
	{{"BIGINT"}, 0, 0},
	{{"SMALLINT"}, 0, 0},
	{{"TINYINT"}, 0, 0},
	{{"BIT"}, 0, 0},
	{{"BOOLEAN"}, 0, 0},
	{{"BOOL"}, 0, 0},
	{{"DECIMAL"}, 2, 38},
	{{"NUMERIC"}, 2, 38},
	{{"FLOAT"}, 1, 53},
	{{"REAL"}, 0, 0},
	{{"MONEY"}, 0, 0},
	{{"SMALLMONEY"}, 0, 0},
	{{"DATE"}, 0, 0},
	{{"TIME"}, 1, 7},
	{{"DATETIME"}, 0, 0},
	{{"DATETIME2"}, 1, 7},
	{{"SMALLDATETIME"}, 0, 0},
	{{"DATETIMEOFFSET"}, 1, 7},
	{{"TIMESTAMP"}, 1, 7},
	{{"TIMESTAMPTZ"}, 1, 7},
	{{"CHAR"}, 1, 8000},
	{{"CHARACTER"}, 1, 8000},
	{{"VARCHAR"}, 1, 8000},
	{{"NCHAR"}, 1, 4000},
	{{"NVARCHAR"}, 1, 4000},
	{{"TEXT"}, 0, 0},
	{{"UNIQUEIDENTIFIER"}, 0, 0},
	{{"UUID"}, 0, 0},
};

static const struct type *take_type_name(struct gate_parser *p)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct type *t = &types[i];

		if (!gate_at_word(p, t->words[0]) ||
		    (t->words[1] && !gate_is_word(p->t + 1, t->words[1])))
			continue;
		p->t += t->words[1] ? 2 : 1;
		return t;
	}
	return NULL;
}

/* The minimum is 0 for fractional digits, else 1. */
static bool check_size(const struct gate_parser *p, const struct type *t, int index, int64_t size)
{
	int64_t largest = index == 0 ? t->largest : 38;
	int64_t smallest = index == 0 && t->largest != 7;

	return (size >= smallest && size <= largest) ||
	       gate_refuse(p->g, p->t[-1].at, "%s takes %lld to %lld", t->words[0],
			   (long long)smallest, (long long)largest);
}

static bool parse_type_sizes(struct gate_parser *p, const struct type *t, struct gate_type *type)
{
	if (t->sizes == 0 || !gate_take_punct(p, "("))
		return true;
	if (p->g->dialect == DIALECT_MSSQL && t->largest >= 4000 && gate_take_word(p, "MAX")) {
		type->max = true;
		return gate_expect_punct(p, ")");
	}
	do {
		struct str digits;

		if (type->sizes == t->sizes)
			return gate_unexpected(p, ")");
		if (!gate_parse_digits(p, &digits))
			return false;
		int64_t size = 0;
		for (size_t i = 0; i < digits.n; i++)
			size = size * 10 + (digits.p[i] - '0');
		if (!check_size(p, t, type->sizes, size))
			return false;
		type->size[type->sizes++] = size;
	} while (gate_take_punct(p, ","));
	return gate_expect_punct(p, ")");
}

bool gate_parse_type(struct gate_parser *p, struct gate_type **out)
{
	struct gate_type *type = arena_alloc(p->g->arena, sizeof(*type));
	const struct type *t = take_type_name(p);

	if (!t)
		return gate_refuse(p->g, p->t->at, "a plain type expected, such as int or date");
	type->name = !t->words[1]            ? t->words[0]
		     : t->words[0][0] == 'D' ? "DOUBLE PRECISION"
					     : "CHARACTER VARYING";
	if (!parse_type_sizes(p, t, type))
		return false;
	if (p->g->dialect == DIALECT_POSTGRES &&
	    (str_eq(str_of(type->name), STR("TIMESTAMP")) ||
	     str_eq(str_of(type->name), STR("TIME"))) &&
	    gate_take_word(p, "WITH")) {
		type->with_zone = true;
		if (!gate_expect_word(p, "TIME") || !gate_expect_word(p, "ZONE"))
			return false;
	}
	*out = type;
	return true;
}

/* ---- OVER ---- */

static bool parse_bound(struct gate_parser *p, struct gate_bound *out)
{
	bool unbounded = gate_take_word(p, "UNBOUNDED");

	if (!unbounded && gate_take_word(p, "CURRENT")) {
		out->edge = "CURRENT ROW";
		return gate_expect_word(p, "ROW");
	}
	if (!unbounded) {
		if (p->t->kind != GATE_T_NUMBER)
			return gate_unexpected(p, "UNBOUNDED, CURRENT ROW or a number");
		if (!gate_parse_primary(p, &out->count))
			return false;
	}
	if (gate_take_word(p, "PRECEDING")) {
		out->edge = unbounded ? "UNBOUNDED PRECEDING" : "PRECEDING";
		return true;
	}
	out->edge = unbounded ? "UNBOUNDED FOLLOWING" : "FOLLOWING";
	return gate_expect_word(p, "FOLLOWING");
}

static bool parse_frame(struct gate_parser *p, struct gate_window *n)
{
	static const char *const units[] = {"ROWS", "RANGE", NULL};

	n->frame = gate_take_one_of(p, units);
	if (!n->frame)
		return true;
	if (!gate_take_word(p, "BETWEEN"))
		return parse_bound(p, &n->from);
	return parse_bound(p, &n->from) && gate_expect_word(p, "AND") && parse_bound(p, &n->to);
}

bool gate_parse_window(struct gate_parser *p, struct gate_window *n)
{
	size_t count;

	n->has_parens = true;
	if (!gate_expect_punct(p, "("))
		return false;
	if (gate_take_word(p, "PARTITION") &&
	    (!gate_expect_word(p, "BY") || !gate_parse_exprs(p, &n->partition, &count)))
		return false;
	if (gate_take_word(p, "ORDER") && !gate_parse_order(p, &n->order))
		return false;
	return parse_frame(p, n) && gate_expect_punct(p, ")");
}

static bool parse_over(struct gate_parser *p, struct gate_call *call)
{
	call->over = arena_alloc(p->g->arena, sizeof(*call->over));
	return gate_at_punct(p, "(") ? gate_parse_window(p, call->over)
				     : gate_parse_name(p, &call->over->name);
}

/* ---- special syntax ---- */

static bool parse_cast(struct gate_parser *p, const char *word, struct gate_expr *x)
{
	struct gate_expr *kid;

	x->kind = GATE_CAST;
	x->word = word;
	if (!gate_parse_expr(p, &kid) || !gate_expect_word(p, "AS") ||
	    !gate_parse_type(p, &x->type))
		return false;
	gate_expr_add(x, kid);
	return gate_expect_punct(p, ")");
}

static bool parse_convert(struct gate_parser *p, const char *word, struct gate_expr *x)
{
	x->kind = GATE_CONVERT;
	x->word = word;
	if (!gate_parse_type(p, &x->type) || !gate_expect_punct(p, ",") ||
	    !gate_parse_exprs(p, &x->kids, &x->kid_count) || !gate_expect_punct(p, ")"))
		return false;
	return x->kid_count <= 2 ||
	       gate_refuse(p->g, x->at, "%s takes a type, a value and a style", word);
}

static bool parse_extract(struct gate_parser *p, struct gate_expr *x)
{
	struct gate_expr *kid;

	x->kind = GATE_EXTRACT;
	x->text = p->t->text;
	if (p->t->kind != GATE_T_WORD || !gate_word_date_part(x->text))
		return gate_unexpected(p, "a date part such as YEAR");
	p->t++;
	if (!gate_expect_word(p, "FROM") || !gate_parse_expr(p, &kid))
		return false;
	gate_expr_add(x, kid);
	return gate_expect_punct(p, ")");
}

/* TRIM([LEADING|TRAILING|BOTH] [what FROM] text); TRIM(text, what) is a plain call. */
static bool parse_trim(struct gate_parser *p, struct gate_expr *x)
{
	static const char *const sides[] = {"LEADING", "TRAILING", "BOTH", NULL};
	struct gate_expr *kid;

	x->word = gate_take_one_of(p, sides);
	if (x->word)
		x->kind = GATE_TRIM;
	if (!gate_parse_expr(p, &kid))
		return false;
	gate_expr_add(x, kid);
	if (gate_take_word(p, "FROM")) {
		x->kind = GATE_TRIM;
		if (!gate_parse_expr(p, &kid))
			return false;
		gate_expr_add(x, kid);
	} else if (!x->word && gate_take_punct(p, ",")) {
		if (!gate_parse_expr(p, &kid))
			return false;
		gate_expr_add(x, kid);
	}
	return gate_expect_punct(p, ")");
}

/* SUBSTRING(text FROM n [FOR m]); with commas it is a plain call. */
static bool parse_substring(struct gate_parser *p, struct gate_expr *x)
{
	bool from = false;

	for (;;) {
		struct gate_expr *kid;

		if (!gate_check_list_length(p, x->kid_count) || !gate_parse_expr(p, &kid))
			return false;
		gate_expr_add(x, kid);
		if (x->kid_count == 1 && gate_take_word(p, "FROM"))
			from = true;
		else if (!(from && x->kid_count == 2 && gate_take_word(p, "FOR")) &&
			 (from || !gate_take_punct(p, ",")))
			break;
	}
	if (from)
		x->kind = GATE_SUBSTRING;
	return gate_expect_punct(p, ")");
}

/* Parses functions with special syntax. Returns false for other functions; *ok is false after an
 * error. */
static bool parse_special(struct gate_parser *p, struct gate_expr *x, bool *ok)
{
	static const char *const casts[] = {"CAST", "TRY_CAST", "CONVERT", "TRY_CONVERT"};

	for (size_t i = 0; i < sizeof(casts) / sizeof(casts[0]); i++) {
		if (!str_eq_nocase(x->text, str_of(casts[i])))
			continue;
		if (i > 0 && p->g->dialect != DIALECT_MSSQL)
			*ok = gate_refuse(p->g, x->at, "%s exists only in SQL Server", casts[i]);
		else
			*ok = i < 2 ? parse_cast(p, casts[i], x) : parse_convert(p, casts[i], x);
		return true;
	}
	if (str_eq_nocase(x->text, STR("EXTRACT")))
		*ok = parse_extract(p, x);
	else if (str_eq_nocase(x->text, STR("TRIM")))
		*ok = parse_trim(p, x);
	else if (str_eq_nocase(x->text, STR("SUBSTRING")))
		*ok = parse_substring(p, x);
	else
		return false;
	return true;
}

/* ---- plain calls ---- */

static bool parse_args(struct gate_parser *p, struct gate_expr *x)
{
	struct gate_call *call = x->call;

	if (gate_take_punct(p, "*")) {
		call->star = true;
		return gate_expect_punct(p, ")");
	}
	if (gate_take_punct(p, ")"))
		return true;
	call->distinct = gate_take_word(p, "DISTINCT");
	if (!call->distinct)
		gate_take_word(p, "ALL");
	if (!gate_parse_exprs(p, &x->kids, &x->kid_count))
		return false;
	if (p->g->dialect != DIALECT_MSSQL && gate_take_word(p, "ORDER") &&
	    !gate_parse_order(p, &call->order))
		return false;
	return gate_expect_punct(p, ")");
}

static bool parse_after_call(struct gate_parser *p, struct gate_call *call)
{
	if (gate_at_word(p, "WITHIN") && gate_is_word(p->t + 1, "GROUP")) {
		p->t += 2;
		if (!gate_expect_punct(p, "(") || !gate_expect_word(p, "ORDER") ||
		    !gate_parse_order(p, &call->within_group) || !gate_expect_punct(p, ")"))
			return false;
	}
	if (gate_at_word(p, "FILTER") && gate_is_punct(p->t + 1, "(")) {
		p->t += 2;
		if (!gate_expect_word(p, "WHERE") || !gate_parse_expr(p, &call->filter) ||
		    !gate_expect_punct(p, ")"))
			return false;
	}
	return !gate_take_word(p, "OVER") || parse_over(p, call);
}

bool gate_parse_call(struct gate_parser *p, struct gate_expr **out)
{
	struct gate_expr *x = gate_expr_new(p, GATE_CALL, p->t->at);
	bool ok = true;

	x->text = p->t->text;
	x->call = arena_alloc(p->g->arena, sizeof(*x->call));
	*out = x;
	if (!gate_function_known(p->g, x->text))
		return gate_refuse_function(p->g, x->at, x->text);
	p->t += 2;
	if (parse_special(p, x, &ok))
		return ok;
	return parse_args(p, x) && parse_after_call(p, x->call);
}

/*
 * The fixed sentences to users: each key in config/language/<name>.json, and the values of the
 * sentence, in the order of sentence(). The file must have exactly these keys, each with exactly
 * these slots; this is checked when it is loaded. Names of months are in the order of the year.
 */
#ifndef VESPER_SENTENCES_H
#define VESPER_SENTENCES_H

#define LANGUAGE_SENTENCES(SENTENCE)                                                               \
	SENTENCE(SAY_ASK_VALUE, "ask.value", "")                                                   \
	SENTENCE(SAY_ASK_DAY, "ask.day", "")                                                       \
	SENTENCE(SAY_ASK_KIND_OF_DAY, "ask.kind_of_day", "")                                       \
	SENTENCE(SAY_ASK_OR, "ask.or", "")                                                         \
	SENTENCE(SAY_ASK_OR_ELSE, "ask.or_else", "")                                               \
	SENTENCE(SAY_ASK_AND, "ask.and", "")                                                       \
	SENTENCE(SAY_ASK_WHICH, "ask.which", "label")                                              \
	SENTENCE(SAY_ASK_WHICH_OF, "ask.which_of", "label choices")                                \
	SENTENCE(SAY_ASK_YEAR, "ask.year", "year")                                                 \
	SENTENCE(SAY_ASK_NUMBER, "ask.number", "min max")                                          \
	SENTENCE(SAY_ASK_ABOUT, "ask.about", "about")                                              \
	SENTENCE(SAY_ASK_NO_HOUR, "ask.no_hour", "said")                                           \
	SENTENCE(SAY_ASK_OUT_OF_RANGE, "ask.out_of_range", "said label min max")                   \
	SENTENCE(SAY_ASK_UNUSABLE, "ask.unusable", "said label")                                   \
	SENTENCE(SAY_ASK_UNKNOWN, "ask.unknown", "label said")                                     \
	SENTENCE(SAY_ASK_DID_YOU_MEAN, "ask.did_you_mean", "choices")                              \
	SENTENCE(SAY_ASK_READINGS, "ask.readings", "")                                             \
	SENTENCE(SAY_ASK_SEVERAL, "ask.several", "said label choices")                             \
	SENTENCE(SAY_ASK_CONTRADICTION, "ask.contradiction", "said choices")                       \
	SENTENCE(SAY_ASK_NO_CHILDREN, "ask.no_children", "label said choices")                     \
	SENTENCE(SAY_ASK_NOT_TAKEN, "ask.not_taken", "label said")                                 \
	SENTENCE(SAY_ASK_LEAVE_OUT, "ask.leave_out", "")                                           \
	SENTENCE(SAY_ASK_VAGUE, "ask.vague", "said")                                               \
	SENTENCE(SAY_ASK_LEFT_OUT, "ask.left_out", "label said")                                   \
	SENTENCE(SAY_ASK_LEFT_OUT_OF, "ask.left_out_of", "label said choices")                     \
	SENTENCE(SAY_ASK_FROM_TOP, "ask.from_top", "")                                             \
	SENTENCE(SAY_ASK_FROM_BOTTOM, "ask.from_bottom", "")                                       \
	SENTENCE(SAY_ASK_PERIODS, "ask.periods", "choices")                                        \
	SENTENCE(SAY_ASK_TOO_MANY_OF, "ask.too_many_of", "most label choices")                     \
	SENTENCE(SAY_ASK_TOO_MANY, "ask.too_many", "")                                             \
	SENTENCE(SAY_ASK_DAYS, "ask.days", "")                                                     \
	SENTENCE(SAY_ASK_WHICH_INSTEAD, "ask.which_instead", "said label")                         \
	SENTENCE(SAY_ASK_WHICH_ONE, "ask.which_one", "said")                                       \
	SENTENCE(SAY_ASK_FITS_SEVERAL, "ask.fits_several", "said label")                           \
	SENTENCE(SAY_ASK_ONE_OF_THESE, "ask.one_of_these", "")                                     \
	SENTENCE(SAY_ASK_UNFIT, "ask.unfit", "why")                                                \
	SENTENCE(SAY_ASK_OUTSIDE, "ask.outside", "day first last")                                 \
	SENTENCE(SAY_ASK_THREE_TIMES, "ask.three_times", "")                                       \
	SENTENCE(SAY_ASK_DROPPED, "ask.dropped", "")                                               \
	SENTENCE(SAY_ASK_EARLIER, "ask.earlier", "")                                               \
	SENTENCE(SAY_ASK_EXPIRED, "ask.expired", "")                                               \
	SENTENCE(SAY_ASK_CHANGED, "ask.changed", "")                                               \
	SENTENCE(SAY_ASK_NO_OPTION, "ask.no_option", "said")                                       \
	SENTENCE(SAY_ASK_NOTHING_CHOSEN, "ask.nothing_chosen", "")                                 \
	SENTENCE(SAY_ASK_CHOOSE, "ask.choose", "count")                                            \
	SENTENCE(SAY_ASK_CHOOSE_FROM_TO, "ask.choose_from_to", "min max")                          \
	SENTENCE(SAY_ASK_SKIP_FIRST, "ask.skip_first", "label count all")                          \
	SENTENCE(SAY_ASK_NO_CHOICE, "ask.no_choice", "")                                           \
	SENTENCE(SAY_ASK_TRY_AGAIN, "ask.try_again", "")                                           \
	SENTENCE(SAY_ASK_LATEST, "ask.latest", "")                                                 \
	SENTENCE(SAY_ASK_LATEST_VALUE, "ask.latest_value", "value")                                \
	SENTENCE(SAY_ASK_LOOK_AGAIN, "ask.look_again", "")                                         \
	SENTENCE(SAY_PARENT_IN, "parent.in", "value parent")                                       \
	SENTENCE(SAY_PARENT_OTHER, "parent.other", "label parent")                                 \
	SENTENCE(SAY_PARENT_NOT_OF, "parent.not_of", "value label own said")                       \
	SENTENCE(SAY_UNUSED_WORDS, "unused.words", "words")                                        \
	SENTENCE(SAY_UNUSED_INSTEAD, "unused.instead", "")                                         \
	SENTENCE(SAY_UNUSED_JOINT, "unused.joint", "")                                             \
	SENTENCE(SAY_ORDER, "refuse.order", "")                                                    \
	SENTENCE(SAY_REFUSE_INJECTION, "refuse.injection", "")                                     \
	SENTENCE(SAY_REFUSE_UNKNOWN, "refuse.unknown", "term")                                     \
	SENTENCE(SAY_REFUSE_REFERENCE, "refuse.reference", "term")                                 \
	SENTENCE(SAY_REFUSE_NO_ANTECEDENT, "refuse.no_antecedent", "")                             \
	SENTENCE(SAY_REFUSE_OUTSIDE_DATA, "refuse.outside_data", "")                               \
	SENTENCE(SAY_REFUSE_IMPOSSIBLE, "refuse.impossible", "")                                   \
	SENTENCE(SAY_REFUSE_PLAN, "refuse.plan", "")                                               \
	SENTENCE(SAY_REFUSE_FORBIDDEN, "refuse.forbidden", "about permission")                     \
	SENTENCE(SAY_TIME_UNTIL, "time.until", "day")                                              \
	SENTENCE(SAY_TIME_FROM_ON, "time.from_on", "day")                                          \
	SENTENCE(SAY_TIME_FROM_TO, "time.from_to", "first last")                                   \
	SENTENCE(SAY_REPLY_HELLO, "reply.hello", "")                                               \
	SENTENCE(SAY_REPLY_THANKS, "reply.thanks", "")                                             \
	SENTENCE(SAY_REPLY_HELP, "reply.help", "")                                                 \
	SENTENCE(SAY_REPLY_VALUE, "reply.value", "said label")                                     \
	SENTENCE(SAY_REPLY_STANDS_FOR, "reply.stands_for", "said value label")                     \
	SENTENCE(SAY_REPLY_EXAMPLE, "reply.example", "question")                                   \
	SENTENCE(SAY_REPLY_NO_DOMAIN, "reply.no_domain", "")                                       \
	SENTENCE(SAY_REPLY_EXAMPLES, "reply.examples", "")                                         \
	SENTENCE(SAY_REPLY_DATA_FOR, "reply.data_for", "")                                         \
	SENTENCE(SAY_REPLY_UNMATCHED, "reply.unmatched", "")                                       \
	SENTENCE(SAY_REPLY_NO_MODEL, "reply.no_model", "")                                         \
	SENTENCE(SAY_REPLY_UPLOAD, "reply.upload", "")                                             \
	SENTENCE(SAY_REPLY_NO_UPLOAD, "reply.no_upload", "")                                       \
	SENTENCE(SAY_SUGGEST_UPLOAD, "suggest.upload", "")                                         \
	SENTENCE(SAY_SUGGEST_UPLOAD_LABEL, "suggest.upload_label", "")                             \
	SENTENCE(SAY_PHASE_READING, "phase.reading", "")                                           \
	SENTENCE(SAY_PHASE_NAMES, "phase.names", "")                                               \
	SENTENCE(SAY_PHASE_GUARDRAIL, "phase.guardrail", "")                                       \
	SENTENCE(SAY_PHASE_PLANNING, "phase.planning", "")                                         \
	SENTENCE(SAY_PHASE_CHART, "phase.chart", "")                                               \
	SENTENCE(SAY_PHASE_ONE_STEP, "phase.one_step", "")                                         \
	SENTENCE(SAY_PHASE_STEPS, "phase.steps", "count")                                          \
	SENTENCE(SAY_PHASE_NOTHING_FOUND, "phase.nothing_found", "")                               \
	SENTENCE(SAY_PHASE_LOOKING_AGAIN, "phase.looking_again", "")                               \
	SENTENCE(SAY_PHASE_WRITING, "phase.writing", "")                                           \
	SENTENCE(SAY_PHASE_CHECKING, "phase.checking", "")                                         \
	SENTENCE(SAY_PHASE_MOVED, "phase.moved", "")                                               \
	SENTENCE(SAY_PHASE_ANOTHER, "phase.another", "")                                           \
	SENTENCE(SAY_STEP_MOVED, "step.moved", "")                                                 \
	SENTENCE(SAY_STEP_STARTED, "step.started", "")                                             \
	SENTENCE(SAY_STEP_ROWS, "step.rows", "")                                                   \
	SENTENCE(SAY_STEP_EMPTY, "step.empty", "")                                                 \
	SENTENCE(SAY_STEP_NO_DATA, "step.no_data", "")                                             \
	SENTENCE(SAY_STEP_OUT_OF_WINDOW, "step.out_of_window", "")                                 \
	SENTENCE(SAY_STEP_UNKNOWN_ENTITY, "step.unknown_entity", "")                               \
	SENTENCE(SAY_STEP_NOT_PERMITTED, "step.not_permitted", "")                                 \
	SENTENCE(SAY_STEP_TIMEOUT, "step.timeout", "")                                             \
	SENTENCE(SAY_STEP_ERROR, "step.error", "")                                                 \
	SENTENCE(SAY_TASK_FAILED, "task.failed", "about")                                          \
	SENTENCE(SAY_TASK_MISSING, "task.missing", "about")                                        \
	SENTENCE(SAY_NO_CHARTS, "task.no_charts", "")                                              \
	SENTENCE(SAY_CHART_UNFIT, "task.chart_unfit", "")                                          \
	SENTENCE(SAY_TASK_LEFT_OUT, "task.left_out", "count")                                      \
	SENTENCE(SAY_TASK_SKIPPED, "task.skipped", "about why")                                    \
	SENTENCE(SAY_SKIP_CONDITION, "skip.condition", "")                                         \
	SENTENCE(SAY_SKIP_EARLIER, "skip.earlier", "")                                             \
	SENTENCE(SAY_SKIP_VALUE, "skip.value", "")                                                 \
	SENTENCE(SAY_SKIP_PERMISSION, "skip.permission", "")                                       \
	SENTENCE(SAY_TASK_STOPPED, "task.stopped", "")                                             \
	SENTENCE(SAY_MAP_FAN_OUT, "map.fan_out", "metric dimension root many")                     \
	SENTENCE(SAY_MAP_COUNT_INSTEAD, "map.count_instead", "many dimension")                     \
	SENTENCE(SAY_MAP_EACH_INSTEAD, "map.each_instead", "metric root")                          \
	SENTENCE(SAY_MAP_NO_PATH, "map.no_path", "from to")                                        \
	SENTENCE(SAY_MAP_NOTHING, "map.nothing", "what")                                           \
	SENTENCE(SAY_MAP_NEIGHBOURS, "map.neighbours", "what others")                              \
	SENTENCE(SAY_MAP_FAR, "map.far", "steps")                                                  \
	SENTENCE(SAY_MAP_RELATED, "map.related", "what other")                                     \
	SENTENCE(SAY_MAP_WHICH_LEVEL, "map.which_level", "plural")                                 \
	SENTENCE(SAY_MAP_LEVEL, "map.level", "label value")                                        \
	SENTENCE(SAY_MAP_NARROW, "map.narrow", "total plural shown")                               \
	SENTENCE(SAY_MAP_COUNTED, "map.counted", "value count")                                    \
	SENTENCE(SAY_MAP_RANGE, "map.range", "from to")                                            \
	SENTENCE(SAY_MAP_RANGE_LAST, "map.range_last", "from")                                     \
	SENTENCE(SAY_MAP_UNKNOWN, "map.unknown", "said")                                           \
	SENTENCE(SAY_MAP_UNIT, "map.unit", "label unit said")                                      \
	SENTENCE(SAY_MAP_BEFORE, "map.before", "label")                                            \
	SENTENCE(SAY_MAP_BY, "map.by", "what by")                                                  \
	SENTENCE(SAY_MAP_FIRST, "map.first", "what count")                                         \
	SENTENCE(SAY_MAP_LAST, "map.last", "what count")                                           \
	SENTENCE(SAY_MAP_CHANGE, "map.change", "label")                                            \
	SENTENCE(SAY_MAP_CHANGE_PERCENT, "map.change_percent", "label")                            \
	SENTENCE(SAY_MAP_AVERAGE, "map.average", "label")                                          \
	SENTENCE(SAY_ANALYSIS_NO_METRIC, "analysis.no_metric", "")                                 \
	SENTENCE(SAY_ANALYSIS_NO_TIME, "analysis.no_time", "what")                                 \
	SENTENCE(SAY_ANALYSIS_NO_THING, "analysis.no_thing", "what")                               \
	SENTENCE(SAY_ANALYSIS_NO_GROUP, "analysis.no_group", "what")                               \
	SENTENCE(SAY_ANALYSIS_GROUPS, "analysis.groups", "what")                                   \
	SENTENCE(SAY_ANALYSIS_NO_TEXTS, "analysis.no_texts", "what")                               \
	SENTENCE(SAY_ANALYSIS_CLASSES, "analysis.classes", "count")                                \
	SENTENCE(SAY_ANALYSIS_LONG, "analysis.long", "count")                                      \
	SENTENCE(SAY_ANALYSIS_TOP, "analysis.top", "")                                             \
	SENTENCE(SAY_UPLOAD_TOTAL, "upload.total", "label")                                        \
	SENTENCE(SAY_UPLOAD_ASK_DAY, "upload.ask_day", "example label")                            \
	SENTENCE(SAY_UPLOAD_ASK_NUMBER, "upload.ask_number", "example label")                      \
	SENTENCE(SAY_UPLOAD_DAYS_FIRST, "upload.days_first", "")                                   \
	SENTENCE(SAY_UPLOAD_MONTHS_FIRST, "upload.months_first", "")                               \
	SENTENCE(SAY_UPLOAD_POINT, "upload.point", "")                                             \
	SENTENCE(SAY_UPLOAD_COMMA, "upload.comma", "")                                             \
	SENTENCE(SAY_UPLOAD_KEEP_TEXT, "upload.keep_text", "")                                     \
	SENTENCE(SAY_UPLOAD_DELETED, "upload.deleted", "")                                         \
	SENTENCE(SAY_UPLOAD_WHICH, "upload.which", "")                                             \
	SENTENCE(SAY_UPLOAD_UNKNOWN, "upload.unknown", "name")                                     \
	SENTENCE(SAY_UPLOAD_OF, "upload.of", "name owner rows day")                                \
	SENTENCE(SAY_UPLOAD_WHOSE, "upload.whose", "name owner")                                   \
	SENTENCE(SAY_UPLOAD_MISSING, "upload.missing", "")                                         \
	SENTENCE(SAY_UPLOAD_MISFITS, "upload.misfits", "type")                                     \
	SENTENCE(SAY_UPLOAD_OUTLIERS, "upload.outliers", "")                                       \
	SENTENCE(SAY_UPLOAD_GAPS, "upload.gaps", "")                                               \
	SENTENCE(SAY_UPLOAD_REPEATED, "upload.repeated", "")                                       \
	SENTENCE(SAY_UPLOAD_RAGGED, "upload.ragged", "")                                           \
	SENTENCE(SAY_DOCUMENTS_NOTHING, "documents.nothing", "")                                   \
	SENTENCE(SAY_DOCUMENTS_PLACE, "documents.place", "document heading")                       \
	SENTENCE(SAY_DOCUMENTS_MORE, "documents.more", "")                                         \
	SENTENCE(SAY_CITE_UNVERIFIED, "documents.unverified", "")                                  \
	SENTENCE(SAY_TOOL_NONE, "tool.none", "")                                                   \
	SENTENCE(SAY_TOOL_BUSY, "tool.busy", "")                                                   \
	SENTENCE(SAY_TOOL_DENIED, "tool.denied", "")                                               \
	SENTENCE(SAY_TOOL_PERMISSION, "tool.permission", "permission")                             \
	SENTENCE(SAY_TOOL_BAD_ARGUMENT, "tool.bad_argument", "why")                                \
	SENTENCE(SAY_TOOL_NO_NAMES, "tool.no_names", "label said")                                 \
	SENTENCE(SAY_TOOL_BAD_SQL, "tool.bad_sql", "")                                             \
	SENTENCE(SAY_TOOL_NO_FUNCTION, "tool.no_function", "name")                                 \
	SENTENCE(SAY_TOOL_SAMPLE, "tool.sample", "")                                               \
	SENTENCE(SAY_TOOL_SAMPLED, "tool.sampled", "shares")                                       \
	SENTENCE(SAY_TOOL_ONE_IN, "tool.one_in", "step count")                                     \
	SENTENCE(SAY_OUTCOME_EMPTY, "outcome.empty", "searched advice")                            \
	SENTENCE(SAY_OUTCOME_NO_DATA, "outcome.no_data", "searched")                               \
	SENTENCE(SAY_OUTCOME_OUT_OF_WINDOW, "outcome.out_of_window", "searched first last")        \
	SENTENCE(SAY_OUTCOME_UNKNOWN_ENTITY, "outcome.unknown_entity", "")                         \
	SENTENCE(SAY_OUTCOME_NOT_PERMITTED, "outcome.not_permitted", "")                           \
	SENTENCE(SAY_OUTCOME_NOT_PERMITTED_WHY, "outcome.not_permitted_why", "why")                \
	SENTENCE(SAY_OUTCOME_TIMEOUT, "outcome.timeout", "")                                       \
	SENTENCE(SAY_OUTCOME_ERROR, "outcome.error", "")                                           \
	SENTENCE(SAY_ADVICE_NOT_PERMITTED, "advice.not_permitted", "")                             \
	SENTENCE(SAY_ADVICE_TIMEOUT, "advice.timeout", "")                                         \
	SENTENCE(SAY_ADVICE_AGAIN, "advice.again", "")                                             \
	SENTENCE(SAY_ANSWER_NO_DATA, "answer.no_data", "")                                         \
	SENTENCE(SAY_ANSWER_FIRST_ROWS, "answer.first_rows", "shown rows")                         \
	SENTENCE(SAY_ANSWER_NOT_LOOKED_UP, "answer.not_looked_up", "what why")                     \
	SENTENCE(SAY_ANSWER_FOR, "answer.for", "")                                                 \
	SENTENCE(SAY_ANSWER_OTHER_YEAR, "answer.other_year", "")                                   \
	SENTENCE(SAY_ANSWER_OTHER_DAYS, "answer.other_days", "")                                   \
	SENTENCE(SAY_ANSWER_FEWER_FILTERS, "answer.fewer_filters", "")                             \
	SENTENCE(SAY_CHART_BY, "chart.by", "axis")                                                 \
	SENTENCE(SAY_CHART_LINE, "chart.line", "")                                                 \
	SENTENCE(SAY_CHART_AREA, "chart.area", "")                                                 \
	SENTENCE(SAY_CHART_BAR, "chart.bar", "")                                                   \
	SENTENCE(SAY_CHART_GROUPED_BAR, "chart.grouped_bar", "")                                   \
	SENTENCE(SAY_CHART_LAYERED, "chart.layered", "")                                           \
	SENTENCE(SAY_CHART_EACH, "chart.each", "series")                                           \
	SENTENCE(SAY_CHART_LOWEST, "chart.lowest", "")                                             \
	SENTENCE(SAY_CHART_HIGHEST, "chart.highest", "")                                           \
	SENTENCE(SAY_VALUE_YES, "value.yes", "")                                                   \
	SENTENCE(SAY_VALUE_NO, "value.no", "")                                                     \
	SENTENCE(SAY_VALUE_AT_LEAST, "value.at_least", "")                                         \
	SENTENCE(SAY_END_DUPLICATE, "end.duplicate", "")                                           \
	SENTENCE(SAY_END_NO_NAMES, "end.no_names", "")                                             \
	SENTENCE(SAY_END_NOT_STORED, "end.not_stored", "")                                         \
	SENTENCE(SAY_END_CUT, "end.cut", "")                                                       \
	SENTENCE(SAY_END_MOVED, "end.moved", "")                                                   \
	SENTENCE(SAY_END_REST, "end.rest", "")                                                     \
	SENTENCE(SAY_END_LENGTH, "end.length", "")                                                 \
	SENTENCE(SAY_END_DECLINED, "end.declined", "")                                             \
	SENTENCE(SAY_MONTH_JANUARY, "month.january", "")                                           \
	SENTENCE(SAY_MONTH_FEBRUARY, "month.february", "")                                         \
	SENTENCE(SAY_MONTH_MARCH, "month.march", "")                                               \
	SENTENCE(SAY_MONTH_APRIL, "month.april", "")                                               \
	SENTENCE(SAY_MONTH_MAY, "month.may", "")                                                   \
	SENTENCE(SAY_MONTH_JUNE, "month.june", "")                                                 \
	SENTENCE(SAY_MONTH_JULY, "month.july", "")                                                 \
	SENTENCE(SAY_MONTH_AUGUST, "month.august", "")                                             \
	SENTENCE(SAY_MONTH_SEPTEMBER, "month.september", "")                                       \
	SENTENCE(SAY_MONTH_OCTOBER, "month.october", "")                                           \
	SENTENCE(SAY_MONTH_NOVEMBER, "month.november", "")                                         \
	SENTENCE(SAY_MONTH_DECEMBER, "month.december", "")                                         \
	SENTENCE(SAY_MONTH_SHORT_JANUARY, "month_short.january", "")                               \
	SENTENCE(SAY_MONTH_SHORT_FEBRUARY, "month_short.february", "")                             \
	SENTENCE(SAY_MONTH_SHORT_MARCH, "month_short.march", "")                                   \
	SENTENCE(SAY_MONTH_SHORT_APRIL, "month_short.april", "")                                   \
	SENTENCE(SAY_MONTH_SHORT_MAY, "month_short.may", "")                                       \
	SENTENCE(SAY_MONTH_SHORT_JUNE, "month_short.june", "")                                     \
	SENTENCE(SAY_MONTH_SHORT_JULY, "month_short.july", "")                                     \
	SENTENCE(SAY_MONTH_SHORT_AUGUST, "month_short.august", "")                                 \
	SENTENCE(SAY_MONTH_SHORT_SEPTEMBER, "month_short.september", "")                           \
	SENTENCE(SAY_MONTH_SHORT_OCTOBER, "month_short.october", "")                               \
	SENTENCE(SAY_MONTH_SHORT_NOVEMBER, "month_short.november", "")                             \
	SENTENCE(SAY_MONTH_SHORT_DECEMBER, "month_short.december", "")

#define LANGUAGE_SENTENCE_ENUM(name, key, slots) name,
enum sentence { LANGUAGE_SENTENCES(LANGUAGE_SENTENCE_ENUM) SENTENCE_COUNT };

#endif

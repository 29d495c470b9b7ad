/*
 * Recordings: model answers and the turns made from them, stored as files. Conversations can be
 * replayed from them without a network and their results compared.
 *
 * A folder of recordings has these files:
 *
 *   <hash>.exchange.json   one model call, named by the hash of the request:
 *     {"format": "vesper-exchange/1", "hash", "turn_id", "role", "request", "answer":
 *     {"stop", "model", "provider", "usage", "blocks": [{"text"} | {"tool":
 *     {"id", "name", "input"}}]}, or "error": {"code", "text"}}.
 *     Headers are not part of it, so no key is.
 *   <session>.case.jsonl   one conversation, one turn per line:
 *     {"format": "vesper-case/1", "session_id", "turn_id", "message_id" (of the answer),
 *     "tenant", "permissions": [], "today", "content", "filters"?, "values"? (a choice that
 *     answers the previous turn), "expect": {"status", "outcomes": [{"tool", "outcome",
 *     "rows"}], "views": [{"tool", "columns", "data_dict"}], "facts": [{"tool", "name",
 *     "value"}], "correction"?}}
 *   <session>.corrections.jsonl   users' feedback on these answers, one per line:
 *     {"message_id", "rating", "correction"?}. The last line about an answer counts.
 *
 * Missing members of "expect" are not compared, so a case written by hand (a correction of an
 * answer) contains only what it tests. Wording is never compared. A thumbs-down with a correction
 * makes its turn a case: instead of the recorded results, each number of the correction is expected
 * in the turn's rows and facts. A correction without numbers always fails, until its meaning is
 * written into "expect" by hand, with the text kept there as "correction". An exchange is found by
 * the hash of the request. If a prompt has changed since, the next exchange of the same turn and
 * role is used.
 */
#ifndef VESPER_RECORD_H
#define VESPER_RECORD_H

#define RECORD_EXCHANGE_FORMAT    "vesper-exchange/1"
#define RECORD_CASE_FORMAT        "vesper-case/1"
#define RECORD_EXCHANGE_SUFFIX    ".exchange.json"
#define RECORD_CASE_SUFFIX        ".case.jsonl"
#define RECORD_CORRECTIONS_SUFFIX ".corrections.jsonl"

#endif

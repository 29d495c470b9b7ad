/*
 * Recordings: what models said and what turns made of it, kept as files, so that conversations can
 * be held again without any network and their results compared.
 *
 * A folder of recordings holds:
 *
 *   <hash>.exchange.json   one call of a model, named by what was asked: {"format":
 *     "vesper-exchange/1", "hash", "turn_id", "role", "request" (what the model was told),
 * "answer":
 *     {"stop", "model", "provider", "usage", "blocks": [{"text"} | {"tool":
 * {"id","name","input"}}]}, or "error": {"code","text"}}. No header is part of it, so no key is.
 *   <session>.case.jsonl   one conversation, a turn a line: {"format": "vesper-case/1",
 *     "session_id", "turn_id", "message_id" (of the answer), "tenant", "permissions": [], "today",
 * "content", "filters"?, "values"? (a choice that answers the turn before), "expect": {"status",
 * "outcomes": [{"tool", "outcome", "rows"}], "views": [{"tool", "columns", "data_dict"}], "facts":
 * [{"tool", "name", "value"}], "correction"?}}. <session>.corrections.jsonl   what users said of
 * these answers, a line each: {"message_id", "rating", "correction"?}. The last word on an answer
 * counts.
 *
 * Members of "expect" that are missing are not compared, so a case written by hand (a correction of
 * an answer) says only what it is about. Wording is never compared. A thumbs-down with a correction
 * makes its turn a case: in place of what was recorded each number of the correction is expected
 * among the turn's rows and facts. A correction without numbers is never met, until a person writes
 * into "expect" what it means and keeps it there as "correction". An exchange is found by the
 * hash of the request; where a prompt has changed since, the next one of the same turn and role
 * stands in.
 */
#ifndef VESPER_RECORD_H
#define VESPER_RECORD_H

#define RECORD_EXCHANGE_FORMAT    "vesper-exchange/1"
#define RECORD_CASE_FORMAT        "vesper-case/1"
#define RECORD_EXCHANGE_SUFFIX    ".exchange.json"
#define RECORD_CASE_SUFFIX        ".case.jsonl"
#define RECORD_CORRECTIONS_SUFFIX ".corrections.jsonl"

#endif

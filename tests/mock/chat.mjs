/*
 * The Chat Completions format of the same scripted model: its refusals, its chunks, and deviations of services that
 * use it. Requests are translated to the Messages format, so that scripts and the demo behaviour handle only one format.
 */

import { ApiError } from './validate.mjs';
import { newId, tokensOf } from './wire.mjs';

const MEMBERS = new Set(['model', 'stream', 'stream_options', 'messages', 'tools', 'tool_choice',
  'parallel_tool_calls', 'max_tokens', 'max_completion_tokens', 'reasoning_effort', 'response_format',
  'user', 'n', 'stop', 'temperature', 'top_p', 'seed', 'metadata', 'store', 'service_tier']);
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

function invalid(message, param = null, code = null) {
  throw Object.assign(new ApiError(400, 'invalid_request_error', message), { param, code });
}

function isObject(v) {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

export function checkChatHeaders(headers) {
  if (!/^Bearer\s+\S+$/i.test(headers.authorization ?? '') && !headers['api-key'])
    throw Object.assign(new ApiError(401, 'invalid_request_error', 'You didn\'t provide an API key.'),
      { param: null, code: null });
}

/* Checks the requirements of strict mode for every object in a schema. */
function checkStrict(schema, at) {
  if (!isObject(schema))
    return;
  if (schema.properties) {
    if (schema.additionalProperties !== false)
      invalid(`Invalid schema: In context=${at}, 'additionalProperties' is required to be supplied and to be false.`);
    for (const name of Object.keys(schema.properties))
      if (!(schema.required ?? []).includes(name))
        invalid(`Invalid schema: In context=${at}, 'required' must include every key in properties. Missing '${name}'.`);
    for (const [name, s] of Object.entries(schema.properties))
      checkStrict(s, `${at}.${name}`);
  }
  for (const s of [schema.items, ...(schema.anyOf ?? []), ...Object.values(schema.$defs ?? {})])
    checkStrict(s, at);
}

function checkTools(body) {
  (body.tools ?? []).forEach((t, i) => {
    if (t.type !== 'function' || !isObject(t.function))
      invalid(`Missing required parameter: 'tools[${i}].function'.`, `tools[${i}]`);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(t.function.name ?? ''))
      invalid(`Invalid 'tools[${i}].function.name': string does not match pattern.`, `tools[${i}].function.name`);
    if (t.function.strict)
      checkStrict(t.function.parameters, t.function.name);
  });
  if (body.tools?.length === 0)
    invalid("[] is too short - 'tools'", 'tools');
  if (body.tool_choice !== undefined && !body.tools)
    invalid("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
}

function checkMessages(messages) {
  if (!Array.isArray(messages) || messages.length === 0)
    invalid("Invalid 'messages': empty array.", 'messages');
  let open = [];
  messages.forEach((m, i) => {
    if (!ROLES.includes(m.role))
      invalid(`Invalid value: '${m.role}'.`, `messages[${i}].role`);
    if (m.role === 'tool') {
      if (!open.includes(m.tool_call_id))
        invalid("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${i}].role`);
      open = open.filter((id) => id !== m.tool_call_id);
    } else if (open.length > 0) {
      invalid(`An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
        'messages');
    }
    if (typeof m.content !== 'string' && !(m.role === 'assistant' && m.content === null && m.tool_calls))
      invalid(`Invalid value for 'content': expected a string, got ${m.content}.`, `messages.[${i}].content`);
    for (const call of m.tool_calls ?? []) {
      if (call.type !== 'function' || typeof call.function?.arguments !== 'string' || !call.id)
        invalid(`Invalid 'messages[${i}].tool_calls'.`, `messages[${i}].tool_calls`);
      open.push(call.id);
    }
  });
  if (open.length > 0)
    invalid(`The following tool_call_ids did not have response messages: ${open.join(', ')}`, 'messages');
}

export function checkChatBody(body) {
  if (!isObject(body))
    invalid('We could not parse the JSON body of your request.');
  for (const name of Object.keys(body))
    if (!MEMBERS.has(name))
      throw Object.assign(new ApiError(400, 'invalid_request_error', `Unrecognized request argument supplied: ${name}`),
        { param: null, code: null });
  if (typeof body.model !== 'string' || body.model === '')
    invalid('you must provide a model parameter');
  if (/^claude/.test(body.model))
    throw Object.assign(new ApiError(404, 'invalid_request_error',
      `The model '${body.model}' does not exist or you do not have access to it.`), { param: null, code: 'model_not_found' });
  if (/^(gpt-5|o\d)/.test(body.model)) {
    if ('max_tokens' in body)
      invalid("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        'max_tokens', 'unsupported_parameter');
    if ('temperature' in body || 'top_p' in body)
      invalid("Unsupported value: 'temperature' does not support 0 with this model.", 'temperature', 'unsupported_value');
  }
  checkMessages(body.messages);
  checkTools(body);
  const format = body.response_format;
  if (format?.type === 'json_schema') {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(format.json_schema?.name ?? ''))
      invalid("Missing required parameter: 'response_format.json_schema.name'.", 'response_format');
    if (format.json_schema.strict)
      checkStrict(format.json_schema.schema, '()');
  }
}

/* ---- translation ---- */

function contentOf(m) {
  const content = m.content ? [{ type: 'text', text: m.content }] : [];
  for (const call of m.tool_calls ?? [])
    content.push({ type: 'tool_use', id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments || '{}') });
  return content;
}

export function asMessages(chat) {
  const messages = [];
  for (const m of chat.messages) {
    if (m.role === 'tool') {
      const result = { type: 'tool_result', tool_use_id: m.tool_call_id, content: m.content };
      const last = messages[messages.length - 1];
      if (last?.results)
        last.content.push(result);
      else
        messages.push({ role: 'user', results: true, content: [result] });
    } else if (m.role === 'user' || m.role === 'assistant') {
      messages.push({ role: m.role, content: contentOf(m) });
    }
  }
  return {
    model: chat.model, stream: chat.stream ?? false, max_tokens: chat.max_completion_tokens ?? chat.max_tokens,
    system: chat.messages.filter((m) => ['system', 'developer'].includes(m.role)).map((m) => ({ type: 'text', text: m.content })),
    messages: messages.map(({ role, content }) => ({ role, content })),
    ...(chat.tools && { tools: chat.tools.map((t) => ({ name: t.function.name, description: t.function.description,
      input_schema: t.function.parameters })) }),
    ...(chat.tool_choice === 'none' && { tool_choice: { type: 'none' } }),
    ...(chat.response_format?.json_schema && {
      output_config: { format: { type: 'json_schema', schema: chat.response_format.json_schema.schema } } }),
  };
}

const FINISH = { end_turn: 'stop', stop_sequence: 'stop', max_tokens: 'length', tool_use: 'tool_calls', refusal: 'content_filter' };

function usageOf(message) {
  const { usage } = message;
  const prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return { prompt_tokens: prompt, completion_tokens: usage.output_tokens, total_tokens: prompt + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: usage.cache_read_input_tokens },
    completion_tokens_details: { reasoning_tokens: 0 } };
}

function textIn(message) {
  return message.content.filter((b) => b.type === 'text').map((b) => b.text).join('');
}

function callsIn(message) {
  return message.content.filter((b) => b.type === 'tool_use').map((b) => ({ id: b.id.replace('toolu', 'call'), type: 'function',
    function: { name: b.name, arguments: b.rawInput ?? JSON.stringify(b.input) }, ...b.kept }));
}

function finishOf(message) {
  return FINISH[message.stop_reason] ?? message.stop_reason;
}

export function wholeCompletion(message) {
  const calls = callsIn(message);
  return { id: newId('chatcmpl'), object: 'chat.completion', created: 1763750000, model: message.model,
    system_fingerprint: 'fp_mock', usage: usageOf(message),
    choices: [{ index: 0, logprobs: null, finish_reason: finishOf(message),
      message: { role: 'assistant', content: textIn(message) || null, refusal: message.refusal ?? null,
        ...(calls.length > 0 && { tool_calls: calls }) } }] };
}

/*
 * Deviations of other services, given as faults: whole_calls (one chunk a call), no_index, no_id,
 * always_stop, no_usage, no_done, reasoning (reasoning text in addition to the content).
 */
export function* chunksOf(message, fault, includeUsage) {
  const base = { id: newId('chatcmpl'), object: 'chat.completion.chunk', created: 1763750000, model: message.model,
    system_fingerprint: 'fp_mock' };
  const chunk = (delta, finish = null, content = false) => ({ content,
    data: { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(includeUsage && { usage: null }), ...(fault.unknown && { obfuscation: 'xyz', moderation: { a: [1] } }) } });

  yield chunk({ role: 'assistant', content: '', refusal: null });
  if (fault.unknown)
    yield { data: { ...base, object: 'weather.report', choices: [], sky: ['clear', null] } };
  if (fault.reasoning)
    yield chunk({ reasoning_content: 'The user wants' });
  for (const token of tokensOf(textIn(message)))
    yield chunk({ content: token }, null, true);
  for (const token of tokensOf(message.refusal ?? ''))
    yield chunk({ refusal: token }, null, true);
  for (const [index, call] of callsIn(message).entries())
    yield* callChunks(chunk, call, index, fault);
  yield chunk({}, fault.always_stop ? 'stop' : finishOf(message));
  if (includeUsage && !fault.no_usage)
    yield { data: { ...base, choices: [], usage: usageOf(message) } };
  if (!fault.no_done)
    yield { data: '[DONE]' };
}

function* callChunks(chunk, call, index, fault) {
  const place = fault.no_index ? {} : { index };
  const { id, ...rest } = call;
  const head = { ...place, ...(!fault.no_id && { id }), ...rest };
  if (fault.whole_calls) {
    yield chunk({ tool_calls: [head] }, null, true);
    return;
  }
  yield chunk({ tool_calls: [{ ...head, function: { name: call.function.name, arguments: '' } }] }, null, true);
  for (let i = 0; i < call.function.arguments.length; i += 9)
    yield chunk({ tool_calls: [{ ...place, function: { arguments: call.function.arguments.slice(i, i + 9) } }] }, null, true);
}

export function encodeChunk({ data }, fault = {}) {
  const eol = fault.crlf ? '\r\n' : fault.cr ? '\r' : '\n';
  const comment = fault.comments ? `: keep-alive${eol}` : '';
  return `${comment}data: ${typeof data === 'string' ? data : JSON.stringify(data)}${eol}${eol}`;
}

export function chatError({ type, message, param = null, code = null }) {
  return { error: { message, type, param, code } };
}

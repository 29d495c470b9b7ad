/*
 * The refusals of the Messages API, in its wording. A mock that accepts everything proves nothing: most misuses of this
 * API (sampling parameters, prefill, an unanswered tool call) are a 400 that would only occur with the real service.
 */

export const VERSIONS = ['2023-06-01', '2026-10-21'];

const BODY_MEMBERS = new Set([
  'model', 'max_tokens', 'stream', 'system', 'messages', 'tools', 'tool_choice', 'thinking',
  'output_config', 'stop_sequences', 'metadata', 'service_tier', 'speed', 'inference_geo',
  'cache_control', 'diagnostics', 'temperature', 'top_p', 'top_k',
]);
const BLOCK_MEMBERS = {
  text: ['type', 'text', 'cache_control', 'citations'],
  tool_use: ['type', 'id', 'name', 'input', 'caller', 'cache_control'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  image: ['type', 'source', 'cache_control'],
  document: ['type', 'source', 'title', 'context', 'citations', 'cache_control'],
  search_result: ['type', 'source', 'title', 'content', 'citations', 'cache_control'],
};
const TOOL_MEMBERS = new Set([
  'type', 'name', 'description', 'input_schema', 'strict', 'cache_control', 'input_examples',
  'defer_loading', 'eager_input_streaming', 'allowed_callers',
]);
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
const UNSUPPORTED_KEYWORDS = [
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
  'minLength', 'maxLength', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties',
];
const MAX_CACHE_MARKS = 4;
const MAX_STRICT_TOOLS = 20;
const MAX_OPTIONAL_PARAMETERS = 24;
const MAX_UNION_PARAMETERS = 16;

export class ApiError extends Error {
  constructor(status, type, message, details) {
    super(message);
    this.status = status;
    this.type = type;
    this.details = details;
  }
}

function invalid(message) {
  throw new ApiError(400, 'invalid_request_error', message);
}

function isObject(v) {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}

export function acceptsForcedTools(model) {
  return !/-5-5\b/.test(model);
}

export function checkHeaders(headers) {
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '');
  if (!headers['x-api-key'] && !bearer)
    throw new ApiError(401, 'authentication_error', 'x-api-key header is required');
  const version = headers['anthropic-version'];
  if (!version)
    invalid('anthropic-version: header is required');
  if (!VERSIONS.includes(version))
    invalid(`anthropic-version: "${version}" is not a valid version`);
  return version;
}

/* The content of an assistant message as a string, in which null members are omitted. */
export function contentKey(content) {
  return JSON.stringify(content, (name, value) => (value === null || name === 'caller' ? undefined : value));
}

/* `issued`: signatures of the thinking blocks that this server has sent. `paused`: content keys of its paused answers. */
export function checkBody(body, { version, counting = false, issued = new Map(), paused = new Set() }) {
  if (!isObject(body))
    invalid('The request body is not valid JSON');
  for (const name of Object.keys(body))
    if (!BODY_MEMBERS.has(name))
      invalid(`${name}: Extra inputs are not permitted`);
  checkScalars(body, version, counting);
  checkSystem(body.system);
  checkTools(body);
  checkMessages(body, version, issued, paused);
  checkThinking(body);
  checkOutputConfig(body.output_config);
  checkCacheMarks(body);
  checkGrammarLimits(body);
}

function checkScalars(body, version, counting) {
  if (typeof body.model !== 'string' || body.model === '')
    invalid('model: Field required');
  if (!body.model.startsWith('claude-'))
    throw new ApiError(404, 'not_found_error', `model: ${body.model}`);
  if (!counting && !(Number.isInteger(body.max_tokens) && body.max_tokens >= 0))
    invalid('max_tokens: Field required');
  if (version === '2026-10-21')
    for (const name of ['temperature', 'top_p', 'top_k'])
      if (name in body)
        invalid(`${name}: sampling parameters are not supported on this version`);
  if ('stream' in body && typeof body.stream !== 'boolean')
    invalid('stream: Input should be a valid boolean');
  if ('service_tier' in body && !['auto', 'standard_only'].includes(body.service_tier))
    invalid("service_tier: Input should be 'auto' or 'standard_only'");
  if ('stop_sequences' in body && !Array.isArray(body.stop_sequences))
    invalid('stop_sequences: Input should be a valid list');
  if ('metadata' in body && !isObject(body.metadata))
    invalid('metadata: Input should be an object');
  const user = body.metadata?.user_id;
  if (user !== undefined && (typeof user !== 'string' || user.length > 256))
    invalid('metadata.user_id: Input should be a string of at most 256 characters');
}

function checkSystem(system) {
  if (system === undefined || typeof system === 'string')
    return;
  if (!Array.isArray(system))
    invalid('system: Input should be a string or a list of text blocks');
  system.forEach((b, i) => {
    if (b?.type !== 'text')
      invalid(`system.${i}.type: Input should be 'text'`);
    checkBlock(b, `system.${i}`);
  });
}

function checkBlock(b, at) {
  if (!isObject(b) || typeof b.type !== 'string')
    invalid(`${at}.type: Field required`);
  const members = BLOCK_MEMBERS[b.type];
  if (!members)
    invalid(`${at}: Input tag '${b.type}' found using 'type' does not match any of the expected tags`);
  for (const name of Object.keys(b))
    if (!members.includes(name))
      invalid(`${at}.${b.type}.${name}: Extra inputs are not permitted`);
  if (b.type === 'text' && (typeof b.text !== 'string' || b.text.trim() === ''))
    invalid(`${at}: text content blocks must be non-empty`);
  if (b.type === 'tool_use') {
    if (typeof b.id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(b.id))
      invalid(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    if (typeof b.name !== 'string' || !isObject(b.input))
      invalid(`${at}.tool_use.input: Input should be a valid dictionary`);
  }
  if (b.type === 'tool_result') {
    if (typeof b.tool_use_id !== 'string')
      invalid(`${at}.tool_result.tool_use_id: Field required`);
    if ('is_error' in b && typeof b.is_error !== 'boolean')
      invalid(`${at}.tool_result.is_error: Input should be a valid boolean`);
    if (Array.isArray(b.content))
      b.content.forEach((c, i) => checkBlock(c, `${at}.tool_result.content.${i}`));
    else if ('content' in b && typeof b.content !== 'string')
      invalid(`${at}.tool_result.content: Input should be a string or a list`);
  }
}

function checkTools(body) {
  const tools = body.tools ?? [];
  if (!Array.isArray(tools))
    invalid('tools: Input should be a valid list');
  const names = new Set();
  tools.forEach((t, i) => {
    for (const name of Object.keys(t))
      if (!TOOL_MEMBERS.has(name))
        invalid(`tools.${i}.custom.${name}: Extra inputs are not permitted`);
    if (typeof t.name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(t.name))
      invalid(`tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`);
    if (names.has(t.name))
      invalid('tools: Tool names must be unique.');
    names.add(t.name);
    if (t.input_schema?.type !== 'object')
      invalid(`tools.${i}.custom.input_schema.type: Input should be 'object'`);
    if (t.strict)
      checkSchema(t.input_schema, `tools.${i}.custom.input_schema`);
  });
  checkToolChoice(body, names);
}

function checkToolChoice(body, names) {
  const choice = body.tool_choice;
  if (choice === undefined)
    return;
  if (!['auto', 'any', 'none', 'tool'].includes(choice?.type))
    invalid('tool_choice: Input tag does not match any of the expected tags');
  if (names.size === 0)
    invalid('tool_choice: may only be specified while providing tools');
  if (choice.type === 'none' && 'disable_parallel_tool_use' in choice)
    invalid('tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted');
  if (choice.type === 'tool' && !names.has(choice.name))
    invalid(`tool_choice: Tool '${choice.name}' not found in provided tools`);
  if (['any', 'tool'].includes(choice.type) && !acceptsForcedTools(body.model))
    invalid(`tool_choice: forced tool use is not supported by ${body.model}`);
}

function checkMessages(body, version, issued, paused) {
  const messages = body.messages;
  if (!Array.isArray(messages) || messages.length === 0)
    invalid('messages: at least one message is required');
  messages.forEach((m, i) => {
    if (!['user', 'assistant', 'system'].includes(m?.role))
      invalid(`messages.${i}.role: Input should be 'user' or 'assistant'`);
    for (const name of Object.keys(m))
      if (name !== 'role' && name !== 'content')
        invalid(`messages.${i}.${name}: Extra inputs are not permitted`);
    const empty = m.content === '' || (Array.isArray(m.content) && m.content.length === 0);
    if (empty || !(typeof m.content === 'string' || Array.isArray(m.content)))
      invalid(`messages.${i}: all messages must have non-empty content`);
    if (Array.isArray(m.content))
      m.content.forEach((b, k) => {
        checkBlock(b, `messages.${i}.content.${k}`);
        checkBlockPlace(b, m.role, version, issued, `messages.${i}.content.${k}`);
      });
  });
  if (messages[0].role !== 'user')
    invalid('messages: first message must use the "user" role');
  const last = messages[messages.length - 1];
  if (last.role === 'assistant' && !paused.has(contentKey(last.content)))
    invalid('This model does not support assistant message prefill. The conversation must end with a user message.');
  checkToolTurns(messages);
}

function checkBlockPlace(b, role, version, issued, at) {
  if (b.type === 'tool_use' && role !== 'assistant')
    invalid(`${at}: \`tool_use\` blocks can only be in \`assistant\` messages`);
  if (b.type === 'tool_result' && role !== 'user')
    invalid(`${at}: \`tool_result\` blocks can only be in \`user\` messages`);
  if (b.type === 'thinking') {
    if (role !== 'assistant')
      invalid(`${at}: \`thinking\` blocks can only be in \`assistant\` messages`);
    if (!issued.has(b.signature))
      invalid(`${at}: Invalid \`signature\` in \`thinking\` block`);
    if (issued.get(b.signature) !== b.thinking)
      invalid(`${at}: \`thinking\` blocks cannot be modified`);
  }
  if (version !== '2026-10-21')
    return;
  if (b.type === 'document' && role === 'assistant')
    invalid(`${at}: \`document\` blocks are not supported in \`assistant\` messages`);
  if (b.type === 'text' && role === 'user' && b.citations?.length > 0)
    invalid(`${at}.text.citations: citations are not supported in \`user\` messages`);
}

function blocksOf(message) {
  return Array.isArray(message?.content) ? message.content : [];
}

/* Consecutive messages of one role count as one turn, as on the service. */
function mergeTurns(messages) {
  const turns = [];
  for (const m of messages) {
    const blocks = Array.isArray(m.content) ? m.content : [{ type: 'text', text: m.content }];
    const last = turns[turns.length - 1];
    if (last?.role === m.role)
      last.content = [...last.content, ...blocks];
    else
      turns.push({ role: m.role, content: blocks });
  }
  return turns;
}

function checkToolTurns(messages) {
  const seen = new Set();
  const turns = mergeTurns(messages.filter((m) => m.role !== 'system'));
  turns.forEach((turn, i) => {
    const calls = blocksOf(turn).filter((b) => b.type === 'tool_use').map((b) => b.id);
    for (const id of calls) {
      if (seen.has(id))
        invalid('messages: `tool_use` ids must be unique');
      seen.add(id);
    }
    if (calls.length > 0)
      checkAnswered(calls, turns[i + 1], i);
    checkResults(turn, turns[i - 1], i);
  });
}

function checkAnswered(calls, next, i) {
  const answered = blocksOf(next).filter((b) => b.type === 'tool_result').map((b) => b.tool_use_id);
  const missing = calls.filter((id) => !answered.includes(id));
  if (missing.length > 0)
    invalid(`messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`);
}

function checkResults(turn, before, i) {
  const results = turn.content.filter((b) => b.type === 'tool_result');
  if (results.length === 0)
    return;
  const asked = blocksOf(before).filter((b) => b.type === 'tool_use').map((b) => b.id);
  const given = new Set();
  for (const r of results) {
    if (!asked.includes(r.tool_use_id))
      invalid(`messages.${i}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${r.tool_use_id}`);
    if (given.has(r.tool_use_id))
      invalid(`messages.${i}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${r.tool_use_id}`);
    given.add(r.tool_use_id);
  }
  const firstOther = turn.content.findIndex((b) => b.type !== 'tool_result');
  if (firstOther !== -1 && turn.content.slice(firstOther).some((b) => b.type === 'tool_result'))
    invalid(`messages.${i}: \`tool_result\` blocks must come first in the message`);
}

function checkThinking(body) {
  const thinking = body.thinking;
  if (thinking === undefined)
    return;
  const type = thinking?.type;
  if (!['adaptive', 'between_tools', 'disabled', 'enabled'].includes(type))
    invalid('thinking: Input tag does not match any of the expected tags');
  if (thinking.display !== undefined && !['summarized', 'omitted'].includes(thinking.display))
    invalid("thinking.display: Input should be 'summarized' or 'omitted'");
  const effort = body.output_config?.effort;
  if (type === 'between_tools' && ['xhigh', 'max'].includes(effort))
    invalid(`thinking: \`between_tools\` is not supported with effort ${effort}`);
  if (!/-5-5\b/.test(body.model))
    return;
  if (type === 'enabled')
    invalid(`thinking: \`enabled\` is not supported by ${body.model}`);
  if (type === 'disabled' && !body.model.includes('haiku'))
    invalid(`thinking: \`disabled\` is not supported by ${body.model}`);
}

function checkOutputConfig(config) {
  if (config === undefined)
    return;
  if (!isObject(config))
    invalid('output_config: Input should be an object');
  for (const name of Object.keys(config))
    if (name !== 'effort' && name !== 'format')
      invalid(`output_config.${name}: Extra inputs are not permitted`);
  if (config.effort !== undefined && !EFFORTS.includes(config.effort))
    invalid(`output_config.effort: Input should be one of ${EFFORTS.join(', ')}`);
  if (config.format === undefined)
    return;
  if (config.format?.type !== 'json_schema' || !isObject(config.format.schema))
    invalid("output_config.format: Input should be {type: 'json_schema', schema}");
  checkSchema(config.format.schema, 'output_config.format.schema');
}

/* Checks the subset of JSON Schema that the service can convert to a grammar. */
export function checkSchema(schema, at, root = schema, refs = []) {
  if (!isObject(schema))
    invalid(`${at}: Input should be a schema`);
  if (typeof schema.$ref === 'string') {
    const name = /^#\/\$defs\/([^/]+)$/.exec(schema.$ref)?.[1];
    if (!name || !root.$defs?.[name])
      invalid(`${at}: $ref '${schema.$ref}' cannot be resolved`);
    if (refs.includes(name))
      invalid(`${at}: recursive schemas are not supported`);
    checkSchema(root.$defs[name], `${at}.$defs.${name}`, root, [...refs, name]);
    return;
  }
  for (const name of UNSUPPORTED_KEYWORDS)
    if (name in schema)
      invalid(`${at}: For '${schema.type}' type, property '${name}' is not supported`);
  if ('minItems' in schema && ![0, 1].includes(schema.minItems))
    invalid(`${at}: For 'array' type, 'minItems' values other than 0 or 1 are not supported`);
  if (/\(\?[=!<]/.test(schema.pattern ?? ''))
    invalid(`${at}: regex look-around is not supported`);
  if (typesOf(schema).includes('object') || schema.properties)
    checkObjectSchema(schema, at, root, refs);
  if (schema.items)
    checkSchema(schema.items, `${at}.items`, root, refs);
  for (const key of ['anyOf', 'allOf'])
    (schema[key] ?? []).forEach((s, i) => checkSchema(s, `${at}.${key}.${i}`, root, refs));
  if ('oneOf' in schema)
    invalid(`${at}: 'oneOf' is not supported`);
}

function checkObjectSchema(schema, at, root, refs) {
  if (schema.additionalProperties !== false)
    invalid(`${at}: For 'object' type, 'additionalProperties' must be explicitly set to false`);
  for (const [name, s] of Object.entries(schema.properties ?? {}))
    checkSchema(s, `${at}.properties.${name}`, root, refs);
  for (const name of schema.required ?? [])
    if (!(name in (schema.properties ?? {})))
      invalid(`${at}: required property '${name}' is not defined`);
}

export function typesOf(schema) {
  return [].concat(schema.type ?? []);
}

function markedBlocks(body) {
  const marks = [];
  const visit = (b) => {
    if (isObject(b?.cache_control))
      marks.push(b.cache_control);
    if (Array.isArray(b?.content))
      b.content.forEach(visit);
  };
  (body.tools ?? []).forEach(visit);
  if (Array.isArray(body.system))
    body.system.forEach(visit);
  body.messages.forEach(visit);
  if (isObject(body.cache_control))
    marks.push(body.cache_control);
  return marks;
}

function checkCacheMarks(body) {
  const marks = markedBlocks(body);
  if (marks.length > MAX_CACHE_MARKS)
    invalid(`A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks.length}.`);
  let short = false;
  for (const mark of marks) {
    if (mark.type !== 'ephemeral')
      invalid("cache_control.type: Input should be 'ephemeral'");
    if (!['5m', '1h', undefined].includes(mark.ttl))
      invalid("cache_control.ttl: Input should be '5m' or '1h'");
    if (mark.ttl === '1h' && short)
      invalid("cache_control: a ttl='1h' block must not come after a ttl='5m' block");
    short ||= mark.ttl !== '1h';
  }
}

/* Counted over all strict tools and the output format of one request. */
function checkGrammarLimits(body) {
  const strict = (body.tools ?? []).filter((t) => t.strict);
  const schemas = strict.map((t) => t.input_schema);
  if (body.output_config?.format)
    schemas.push(body.output_config.format.schema);
  const count = { optional: 0, union: 0 };
  schemas.forEach((s) => countParameters(s, count));
  if (strict.length > MAX_STRICT_TOOLS)
    invalid(`tools: at most ${MAX_STRICT_TOOLS} strict tools are supported`);
  if (count.optional > MAX_OPTIONAL_PARAMETERS)
    invalid(`Schemas contain too many optional parameters (${count.optional}, at most ${MAX_OPTIONAL_PARAMETERS})`);
  if (count.union > MAX_UNION_PARAMETERS)
    invalid(`Schemas contain too many parameters with union types (${count.union}, at most ${MAX_UNION_PARAMETERS})`);
}

function countParameters(schema, count) {
  if (!isObject(schema))
    return;
  for (const [name, s] of Object.entries(schema.properties ?? {})) {
    if (!(schema.required ?? []).includes(name))
      count.optional++;
    if (typesOf(s).length > 1 || s.anyOf)
      count.union++;
    countParameters(s, count);
  }
  countParameters(schema.items, count);
  for (const s of [...(schema.anyOf ?? []), ...Object.values(schema.$defs ?? {})])
    countParameters(s, count);
}

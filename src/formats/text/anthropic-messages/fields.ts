import type { RestField } from '../../../domain/exchange/loss.ts';
import type { FieldClass, FieldTable } from '../format.ts';

/* How other formats treat every field of a client's request. */

type Kept = Pick<RestField, 'verdict' | 'why'>;

/** Members of the body that only Anthropic understands. A request of this format gets them back unchanged. */
export const OWN_FIELDS: Readonly<Record<string, Kept>> = {
  container: { verdict: 'refused', why: 'only Anthropic has code execution containers and skills' },
  context_management: { verdict: 'dropped', why: 'only Anthropic edits the context on the server' },
  compaction: { verdict: 'dropped', why: 'only Anthropic compacts the context on the server' },
  diagnostics: { verdict: 'dropped', why: "it concerns Anthropic's own prompt cache" },
  fallbacks: { verdict: 'dropped', why: 'only Anthropic falls back to another model after a refusal' },
  fallback_credit_token: { verdict: 'dropped', why: "it concerns Anthropic's own billing" },
  billing_policy: { verdict: 'dropped', why: "it concerns Anthropic's own billing" },
  inference_geo: { verdict: 'refused', why: 'the location cannot be guaranteed on another provider' },
  mcp_servers: { verdict: 'refused', why: "only Anthropic's MCP connector calls these servers" },
  speed: { verdict: 'dropped', why: 'only Anthropic has fast mode' },
  thread: { verdict: 'refused', why: "the conversation's earlier turns are stored at Anthropic" },
  user_profile_id: { verdict: 'dropped', why: 'user profiles are stored at Anthropic' },
  workspace_id: { verdict: 'dropped', why: "it concerns the client's own Anthropic workspace" },
};

/** Members of a custom tool that only Anthropic understands. */
export const OWN_TOOL_FIELDS: Readonly<Record<string, Kept>> = {
  allowed_callers: { verdict: 'dropped', why: "only Anthropic's own code execution calls tools" },
  defer_loading: { verdict: 'dropped', why: 'only Anthropic searches for tools; elsewhere all tools are loaded' },
  eager_input_streaming: {
    verdict: 'dropped',
    why: 'only Anthropic can stream tool arguments before they are checked',
  },
  input_examples: { verdict: 'dropped', why: 'no other format supports tool input examples' },
};

/** Members of the tools that Anthropic runs. They are treated like their tool. */
const HOSTED_TOOL_MEMBERS = [
  ...['caching', 'caching.ttl', 'caching.type', 'citations', 'citations.enabled', 'max_content_tokens', 'use_cache'],
  ...['configs', 'configs.*', 'configs.*.defer_loading', 'configs.*.enabled', 'default_config'],
  ...['default_config.defer_loading', 'default_config.enabled', 'display_height_px', 'display_number'],
  ...['display_width_px', 'enable_zoom', 'max_characters', 'mcp_server_name', 'model'],
];

const WEB_SEARCH_MEMBERS = [
  ...['allowed_domains', 'blocked_domains', 'max_uses', 'user_location', 'user_location.city'],
  ...['user_location.country', 'user_location.region', 'user_location.timezone', 'user_location.type'],
];

const CACHE = ['cache_control', 'cache_control.type', 'cache_control.ttl'];

const CITATION_MEMBERS = [
  ...['type', 'cited_text', 'document_index', 'document_title', 'title', 'url', 'source', 'file_id'],
  ...['start_char_index', 'end_char_index', 'start_page_number', 'end_page_number'],
  ...['start_block_index', 'end_block_index', 'encrypted_index', 'search_result_index'],
];
const CITATIONS = ['citations', ...CITATION_MEMBERS.map((member) => `citations[].${member}`)];

const SOURCE_MEMBERS = ['source', 'source.type', 'source.data', 'source.media_type'];

/** Members of the blocks of Anthropic's own tools, of search results and of other blocks without a canonical part. */
const OWN_BLOCK_MEMBERS = [
  ...['server_name', 'encrypted_content', 'encrypted_stdout', 'stdout', 'stderr', 'return_code', 'file_type'],
  ...['file_id', 'error_code', 'error_message', 'is_file_update', 'lines', 'new_lines', 'new_start', 'old_lines'],
  ...['old_start', 'num_lines', 'start_line', 'total_lines', 'page_age', 'retrieved_at', 'url', 'tool_name'],
  ...['tool_references', 'tool_references[].type', 'tool_references[].tool_name', 'signature_delta', 'caller.tool_id'],
  ...CACHE.map((member) => `tool_references[].${member}`),
  ...[
    'source.content',
    'source.content[].type',
    'source.content[].text',
    ...CACHE.map((name) => `source.content[].${name}`),
  ],
  ...[...CITATIONS, ...SOURCE_MEMBERS, 'source.url', 'source.file_id'].map((name) => `source.content[].${name}`),
];

function under(prefix: string, members: readonly string[], verdict: FieldClass): [string, FieldClass][] {
  return members.map((member) => [`${prefix}${member}`, verdict]);
}

/**
 * Returns the members of a content block, with the block types merged by name. The content of a tool result has the same members
 * again.
 */
function blockFields(prefix: string): [string, FieldClass][] {
  return [
    ...under(prefix, OWN_BLOCK_MEMBERS, 'unknown-blocks'),
    ...under(prefix, ['type', 'text', 'content'], 'text'),
    ...under(prefix, CACHE, 'cache-marks'),
    ...under(prefix, CITATIONS, 'citations'),
    ...under(prefix, SOURCE_MEMBERS, 'image-inline'),
    ...under(prefix, ['source.url'], 'image-url'),
    ...under(prefix, ['source.file_id'], 'provider-file'),
    ...under(prefix, ['title', 'context', 'citations.enabled'], 'document-details'),
    ...under(prefix, ['thinking', 'signature', 'data'], 'reasoning-state'),
    ...under(prefix, ['id', 'name', 'input', 'tool_use_id', 'caller', 'caller.type'], 'function-tools'),
    ...under(prefix, ['is_error'], 'tool-result-error'),
  ];
}

/** Returns the members inside a server tool's result, which all belong to that tool. */
function ownBlockFields(prefix: string): [string, FieldClass][] {
  return blockFields(prefix).map(([path]) => [path, 'unknown-blocks']);
}

const CONTEXT_EDIT_MEMBERS = [
  ...['type', 'clear_at_least', 'clear_at_least.type', 'clear_at_least.value', 'clear_tool_inputs', 'exclude_tools'],
  ...['keep', 'keep.type', 'keep.value', 'trigger', 'trigger.type', 'trigger.value', 'instructions'],
  'pause_after_compaction',
];

const NESTED_OWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  container: ['.id', '.skills', '.skills[].skill_id', '.skills[].type', '.skills[].version'],
  context_management: ['.edits', ...CONTEXT_EDIT_MEMBERS.map((member) => `.edits[].${member}`)],
  mcp_servers: [
    ...['[].type', '[].url', '[].name', '[].authorization_token', '[].tool_configuration'],
    ...['[].tool_configuration.allowed_tools', '[].tool_configuration.enabled'],
  ],
};

const TASK_BUDGET: FieldClass = {
  verdict: 'dropped',
  why: 'no other provider supports task budgets',
};

/** Every field of this format's requests, including beta fields. */
export const fields: FieldTable = Object.fromEntries<FieldClass>([
  ...under('', ['model', 'messages', 'messages[].role', 'messages[].content', 'stream', 'session_id'], 'exact'),
  ['max_tokens', 'max-output-tokens'],
  ['temperature', 'temperature'],
  ['top_p', 'top-p'],
  ['top_k', 'top-k'],
  ['stop_sequences', 'stop'],
  ['service_tier', 'service-tier'],
  ['metadata', 'user'],
  ['metadata.user_id', 'user'],
  ...under('', ['thinking', 'thinking.type', 'thinking.budget_tokens'], 'reasoning-budget'),
  ['thinking.display', 'reasoning-summary'],
  ...under('', ['output_config', 'output_config.effort'], 'reasoning-effort'),
  ...under('output_config.', ['format', 'format.type', 'format.schema'], 'json-schema'),
  ...under('output_config.task_budget', ['', '.type', '.total', '.remaining'], TASK_BUDGET),
  ...under('output_format', ['', '.type', '.schema'], 'json-schema'),
  ...under('', ['system', 'system[].type', 'system[].text'], 'system-prompt'),
  ...under('', CACHE, 'cache-marks'),
  ...under('system[].', CACHE, 'cache-marks'),
  ...under('system[].', CITATIONS, 'citations'),
  ...under('', ['tool_choice', 'tool_choice.type'], 'tool-choice'),
  ['tool_choice.name', 'tool-choice-named'],
  ['tool_choice.disable_parallel_tool_use', 'parallel-tool-calls'],
  ...under('', ['tools', 'tools[].type', 'tools[].name', 'tools[].description'], 'function-tools'),
  ...under('tools[].input_schema', ['', '.type', '.properties', '.required'], 'function-tools'),
  ['tools[].strict', 'strict-tools'],
  ...under('tools[].', CACHE, 'cache-marks'),
  ...under('tools[].', WEB_SEARCH_MEMBERS, 'web-search'),
  ...under('tools[].', HOSTED_TOOL_MEMBERS, 'hosted-tools'),
  ...Object.entries(OWN_TOOL_FIELDS).map(([name, kept]): [string, FieldClass] => [`tools[].${name}`, kept]),
  ...Object.entries(OWN_FIELDS).flatMap(([name, kept]) => under(name, ['', ...(NESTED_OWN_FIELDS[name] ?? [])], kept)),
  ...ownBlockFields('messages[].content[].content[].content[].'),
  ...ownBlockFields('messages[].content[].content.content[].'),
  ...ownBlockFields('messages[].content[].content.content.'),
  ...ownBlockFields('messages[].content[].content.'),
  ...blockFields('messages[].content[].content[].'),
  ...blockFields('messages[].content[].'),
]);

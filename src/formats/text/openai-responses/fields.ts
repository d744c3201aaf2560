import type { FieldNames } from '../../../domain/exchange/loss.ts';
import type { FieldClass, FieldTable } from '../format.ts';
import { dropped, refused } from '../shared/verdicts.ts';

/** This format's names for the features with a separate field. */
export const NAMES: FieldNames = {
  'max-output-tokens': 'max_output_tokens',
  temperature: 'temperature',
  'top-p': 'top_p',
  'frequency-penalty': 'frequency_penalty',
  'presence-penalty': 'presence_penalty',
  logprobs: 'top_logprobs',
  'json-mode': 'text.format',
  'json-schema': 'text.format',
  verbosity: 'text.verbosity',
  'reasoning-effort': 'reasoning.effort',
  'reasoning-summary': 'reasoning.summary',
  'function-tools': 'tools',
  'tool-choice': 'tool_choice',
  'tool-choice-required': 'tool_choice',
  'tool-choice-named': 'tool_choice',
  'tool-choice-allowed': 'tool_choice',
  'parallel-tool-calls': 'parallel_tool_calls',
  'system-prompt': 'instructions',
  'cache-key': 'prompt_cache_key',
  user: 'user',
  metadata: 'metadata',
  'service-tier': 'service_tier',
};

const ITEM_ID = dropped('item ids exist only in this format');
const ITEM_STATUS = dropped('other formats have no incomplete items');
const OWN_ANNOTATION = dropped('the citation refers to a file that only its provider has');
const GIVEN_LOGPROBS = dropped('log probabilities of an earlier response do not affect the model');
const OWN_CACHE = dropped('it configures a prompt cache that only its provider has');
const OWN_TOOL = dropped('tool discovery and programmatic calling exist only in the Responses API');
const STORED = refused('it names an object that is stored at the provider');
const BACKGROUND = refused('the gateway responds at once and runs no responses in the background');
const TRUNCATION = dropped('other formats do not truncate a long conversation automatically');
const TOOL_LIMIT = dropped('only the Responses API limits the calls of hosted tools');
const COMPACTION = dropped('only the Responses API compacts a conversation automatically');
const MODERATION = refused('only the Responses API moderates within a response');
const REASONING_MODE = dropped('other formats have only effort and summary');
const INCLUDE = dropped('it requests details that only this format’s tools have');
const OBFUSCATION = dropped("the padding only hides lengths in the provider's own stream");

/** Why a member of a request is not sent in other formats, by name. `request.ts` reports the same reasons. */
export const REASONS = {
  itemId: ITEM_ID,
  itemStatus: ITEM_STATUS,
  ownTool: OWN_TOOL,
  ownCache: OWN_CACHE,
  stored: STORED,
  background: BACKGROUND,
  truncation: TRUNCATION,
  toolLimit: TOOL_LIMIT,
  compaction: COMPACTION,
  moderation: MODERATION,
  reasoningMode: REASONING_MODE,
  include: INCLUDE,
  obfuscation: OBFUSCATION,
  logprobs: GIVEN_LOGPROBS,
  phase: dropped('other formats do not distinguish commentary from the final answer'),
  caller: dropped('programmatic tool calling exists only in the Responses API'),
  toolChoice: refused('the tool that it names exists only in this format'),
  identifier: dropped('the request names its end user twice; other formats have only one field for that'),
} as const;

function each(fieldClass: FieldClass, prefix: string, paths: string): FieldTable {
  return Object.fromEntries(paths.split(/\s+/).map((path) => [`${prefix}${path}`, fieldClass]));
}

const MESSAGE_FIELDS: FieldTable = {
  input: 'exact',
  ...each('exact', 'input[].', 'type role call_id name content arguments input output summary[].type content[].type'),
  ...each('exact', 'input[].', 'output[].type output.type'),
  ...each('text', 'input[].', 'content[].text output[].text'),
  ...each('refusal', 'input[].', 'content[].refusal output[].refusal'),
  ...each('reasoning-state', 'input[].', 'encrypted_content'),
  ...each('reasoning-text', 'input[].', 'summary summary[].text'),
  ...each('image-url', 'input[].', 'content[].image_url output[].image_url'),
  ...each('image-detail', 'input[].', 'content[].detail output[].detail'),
  ...each('document-inline', 'input[].', 'content[].file_data content[].filename output[].file_data output[].filename'),
  ...each('document-url', 'input[].', 'content[].file_url output[].file_url'),
  ...each('provider-file', 'input[].', 'content[].file_id output[].file_id'),
  'input[].content[].annotations': 'citations',
  ...each('citations', 'input[].content[].annotations[].', 'type url title start_index end_index'),
  ...each(OWN_ANNOTATION, 'input[].content[].annotations[].', 'container_id file_id filename index'),
  'input[].content[].logprobs': GIVEN_LOGPROBS,
  ...each(GIVEN_LOGPROBS, 'input[].content[].logprobs[].', 'bytes logprob token top_logprobs'),
  ...each(GIVEN_LOGPROBS, 'input[].content[].logprobs[].top_logprobs[].', 'bytes logprob token'),
  ...each(OWN_CACHE, 'input[].', 'content[].prompt_cache_breakpoint content[].prompt_cache_breakpoint.mode'),
  ...each(OWN_CACHE, 'input[].', 'output[].prompt_cache_breakpoint output[].prompt_cache_breakpoint.mode'),
  'input[].id': ITEM_ID,
  'input[].status': ITEM_STATUS,
  'input[].phase': REASONS.phase,
  ...each(REASONS.caller, 'input[].', 'caller caller.caller_id caller.type'),
  'input[].namespace': 'function-tools',
};

/** Items of the tools that the provider runs. Each goes back to its own format as a whole, or is refused. */
const HOSTED_ITEM_FIELDS: FieldTable = each(
  'unknown-blocks',
  'input[].',
  `acknowledged_safety_checks acknowledged_safety_checks[].code acknowledged_safety_checks[].id
  acknowledged_safety_checks[].message action action.button action.command action.commands action.env action.keys
  action.max_output_length action.path action.path[].x action.path[].y action.pattern action.queries action.query
  action.scroll_x action.scroll_y action.sources action.sources[].type action.sources[].url action.text action.timeout_ms
  action.type action.url action.user action.working_directory action.x action.y actions actions[].button actions[].keys
  actions[].path actions[].path[].x actions[].path[].y actions[].scroll_x actions[].scroll_y actions[].text actions[].type
  actions[].x actions[].y approval_request_id approve code container_id environment environment.container_id
  environment.skills environment.skills[].description environment.skills[].name environment.skills[].path environment.type
  error error.code error.content error.message error.type execution fingerprint max_output_length operation operation.diff
  operation.path operation.type output.file_id output.image_url output[].outcome output[].outcome.exit_code
  output[].outcome.type output[].stderr output[].stdout outputs outputs[].logs outputs[].type outputs[].url
  pending_safety_checks pending_safety_checks[].code pending_safety_checks[].id pending_safety_checks[].message queries
  reason request_id result results results[].attributes results[].file_id results[].filename results[].score results[].text
  server_label tools`,
);

const TOOL_FIELDS: FieldTable = {
  tools: 'function-tools',
  ...each('function-tools', 'tools[].', 'type name description parameters'),
  'tools[].strict': 'strict-tools',
  ...each('custom-tools', 'tools[].', 'format format.type format.definition format.syntax'),
  ...each('web-search', 'tools[].', 'filters filters.allowed_domains search_context_size user_location'),
  ...each('web-search', 'tools[].user_location.', 'type city country region timezone'),
  ...each(OWN_TOOL, 'tools[].', 'defer_loading allowed_callers output_schema'),
  // The tools of a namespace.
  ...each('function-tools', 'tools[].tools', ' [].type [].name [].description [].parameters'),
  'tools[].tools[].strict': 'strict-tools',
  ...each('custom-tools', 'tools[].tools[].', 'format format.type format.definition format.syntax'),
  ...each(OWN_TOOL, 'tools[].tools[].', 'defer_loading allowed_callers output_schema'),
};

const HOSTED_TOOL_FIELDS: FieldTable = each(
  'hosted-tools',
  'tools[].',
  `action allowed_tools allowed_tools.read_only allowed_tools.tool_names authorization background connector_id container
  container.file_ids container.memory_limit container.network_policy container.network_policy.allowed_domains
  container.network_policy.domain_secrets container.network_policy.domain_secrets[].domain
  container.network_policy.domain_secrets[].name container.network_policy.domain_secrets[].value
  container.network_policy.type container.type display_height display_width environment environment.container_id
  environment.file_ids environment.memory_limit environment.network_policy environment.network_policy.allowed_domains
  environment.network_policy.domain_secrets environment.network_policy.domain_secrets[].domain
  environment.network_policy.domain_secrets[].name environment.network_policy.domain_secrets[].value
  environment.network_policy.type environment.skills environment.skills[].description environment.skills[].name
  environment.skills[].path environment.skills[].skill_id environment.skills[].source environment.skills[].source.data
  environment.skills[].source.media_type environment.skills[].source.type environment.skills[].type
  environment.skills[].version environment.type execution external_web_access filters.filters filters.filters[].key
  filters.filters[].type filters.filters[].value filters.key filters.type filters.value headers input_fidelity
  input_image_mask input_image_mask.file_id input_image_mask.image_url max_num_results model moderation
  output_compression output_format partial_images quality ranking_options ranking_options.hybrid_search
  ranking_options.hybrid_search.embedding_weight ranking_options.hybrid_search.text_weight ranking_options.ranker
  ranking_options.score_threshold require_approval require_approval.always require_approval.always.read_only
  require_approval.always.tool_names require_approval.never require_approval.never.read_only
  require_approval.never.tool_names search_content_types server_description server_label server_url size tunnel_id vector_store_ids`,
);

/** An `additional_tools` or `mcp_list_tools` item holds whole tools. */
const TOOLS_IN_ITEMS: FieldTable = Object.fromEntries(
  [...Object.keys(TOOL_FIELDS), ...Object.keys(HOSTED_TOOL_FIELDS), 'tools[].annotations', 'tools[].input_schema']
    .filter((path) => path.startsWith('tools[]'))
    .map((path) => [`input[].${path}`, 'unknown-blocks' as const]),
);

/** How every field of a request is treated: those of the schema here, and those of OpenAI's published document. */
export const fields: FieldTable = {
  model: 'exact',
  ...MESSAGE_FIELDS,
  ...HOSTED_ITEM_FIELDS,
  ...TOOLS_IN_ITEMS,
  ...TOOL_FIELDS,
  ...HOSTED_TOOL_FIELDS,
  instructions: 'system-prompt',
  max_output_tokens: 'max-output-tokens',
  temperature: 'temperature',
  top_p: 'top-p',
  // Open Responses has these members, OpenAI's own API does not.
  frequency_penalty: 'frequency-penalty',
  presence_penalty: 'presence-penalty',
  ...each('tool-choice', '', 'tool_choice tool_choice.type tool_choice.name'),
  ...each('tool-choice-allowed', 'tool_choice.', 'mode tools'),
  'tool_choice.server_label': REASONS.toolChoice,
  stream: 'exact',
  stream_options: 'exact',
  'stream_options.include_obfuscation': OBFUSCATION,
  session_id: 'exact',
  models: 'exact',
  'models[]': 'exact',
  route: 'exact',
  previous_response_id: 'exact',
  store: 'exact',
  metadata: 'metadata',
  text: 'exact',
  ...each('json-schema', 'text.format', ' .type .name .schema .description .strict'),
  'text.verbosity': 'verbosity',
  parallel_tool_calls: 'parallel-tool-calls',
  reasoning: 'exact',
  'reasoning.effort': 'reasoning-effort',
  ...each('reasoning-summary', 'reasoning.', 'summary generate_summary'),
  ...each(REASONING_MODE, 'reasoning.', 'mode context'),
  include: INCLUDE,
  top_logprobs: 'logprobs',
  truncation: TRUNCATION,
  background: BACKGROUND,
  max_tool_calls: TOOL_LIMIT,
  ...each('user', '', 'user safety_identifier'),
  prompt_cache_key: 'cache-key',
  ...each(
    OWN_CACHE,
    '',
    'prompt_cache_retention prompt_cache_options prompt_cache_options.mode prompt_cache_options.ttl',
  ),
  service_tier: 'service-tier',
  ...each(STORED, '', 'conversation conversation.id prompt prompt.id prompt.variables prompt.version'),
  ...each(COMPACTION, 'context_management', ' [].compact_threshold [].type'),
  ...each(
    MODERATION,
    'moderation',
    ' .model .policy .policy.input .policy.input.mode .policy.output .policy.output.mode',
  ),
};

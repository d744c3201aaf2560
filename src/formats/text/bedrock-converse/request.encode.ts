import { carriedRequest } from '../../../domain/exchange/carried.ts';
import { Losses } from '../../../domain/exchange/loss.ts';
import { markPath } from '../../../domain/exchange/part.ts';
import { budgetOf, budgetOfEffort, effortOf, isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import {
  EFFORTS,
  type Effort,
  type ExchangeRequest,
  type FunctionTool,
  type ReasoningOptions,
} from '../../../domain/exchange/request.ts';
import type { EncodedRequest, EncodeTarget, FieldTable } from '../../format.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import { isRecord, setMember } from '../../shared/json/record.ts';
import { ruleModelOf } from '../../wire.ts';
import { adaptSchema } from '../shared/adapted-schema.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import { profileOf } from '../shared/claude-profile.ts';
import { withFewMarks } from '../shared/few-marks.ts';
import { withFlatTop } from '../shared/flat-schema.ts';
import { nearestEffort } from '../shared/nearest-effort.ts';
import { withPlainReferences } from '../shared/schema-references.ts';
import { placedTier } from '../shared/service-tier.ts';
import { encodeInference, encodeTopK, leaveOneSampling, stopSequencePaths } from './encode-sampling.ts';
import type { Encoding } from './encoding.ts';
import { type Block, type Conversation, cachePoint, encodeConversation } from './messages.encode.ts';
import { dialectOf, FORMAT, type ModelDialect } from './schema.ts';

/** Returns the body of POST /model/{id}/converse and /converse-stream. The model and the stream flag are in the URL. */
export function encodeRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  const losses = new Losses(target.carries, request.names);
  const body = encodeBody(request, target, losses);
  return { body: new Unwritten(body), value: body, losses: losses.all };
}

/** Returns the body of POST /model/{id}/count-tokens: the parts of the request that make up the prompt. */
export function encodeCountRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  const losses = new Losses(target.carries, request.names);
  const { messages, system, toolConfig, additionalModelRequestFields } = encodeBody(request, target, losses);
  const converse = { messages, system, toolConfig, additionalModelRequestFields };
  const value = { input: { converse } };
  return { body: new Unwritten(value), value, losses: losses.all };
}

/** Bedrock user guide, "Prompt caching": models with cache points accept four. */
const MOST_MARKS = 4;
const MARKS = `Bedrock accepts ${MOST_MARKS} cache points; the last ones are kept`;

function encodeBody(asked: ExchangeRequest, target: EncodeTarget, losses: Losses) {
  const request = withFewMarks(carriedRequest(asked, losses, false), MOST_MARKS, MARKS, losses);
  const model = ruleModelOf(target);
  const dialect = dialectOf(model);
  const claude = dialect.isClaude ? profileOf(model) : null;
  const encoding: Encoding = { request, target, losses, dialect, claude, inference: {}, additional: {} };
  losses.noteRest(request.rest);
  const conversation = encodeConversation(request, target, losses);
  encodeInference(encoding);
  encodeTopK(encoding);
  const toolConfig = encodeTools(encoding, conversation);
  encodeThinking(encoding, isToolForced(toolConfig, encoding));
  leaveOneSampling(encoding);
  const system = [...conversation.system, ...jsonInstruction(encoding)];
  const { inference, additional } = encoding;
  // `undefined` members are left out of the JSON.
  const body = {
    messages: conversation.messages,
    system: system.length === 0 ? undefined : system,
    inferenceConfig: Object.keys(inference).length === 0 ? undefined : inference,
    toolConfig,
    outputConfig: encodeOutput(encoding),
    requestMetadata: encodeMetadata(request, losses),
    serviceTier: encodeServiceTier(request, losses),
    additionalModelRequestFields: Object.keys(additional).length === 0 ? undefined : additional,
    additionalModelResponseFieldPaths: stopSequencePaths(encoding),
  };
  applyQuirks(body, target.quirks, { names: request.names, losses, fields: FIELDS, added: NOTHING_ADDED });
  return body;
}

/** The members that belong to one feature each. */
const FIELDS: FieldTable = { requestMetadata: 'metadata', serviceTier: 'service-tier', outputConfig: 'json-schema' };
const NOTHING_ADDED: ReadonlySet<string> = new Set();

// ---- tools

interface ToolConfig {
  readonly tools: readonly Block[];
  readonly toolChoice?: Block;
}

function encodeTools(encoding: Encoding, { calledTools }: Conversation): ToolConfig | undefined {
  const { request, losses, dialect, additional } = encoding;
  const declared = declaredTools(encoding);
  const isNone = request.toolChoice?.mode === 'none';
  const tools = declared.flatMap((tool) => encodeTool(tool, encoding));
  if (tools.length === 0 || (isNone && !dialect.isClaude && calledTools.length === 0)) {
    const why = 'the Converse API cannot forbid declared tools, so they are left out';
    if (tools.length > 0) {
      noteAll(declared, why, losses);
      losses.note({ field: request.names['tool-choice'] ?? 'tool_choice', verdict: 'approximated', why });
    }
    if (calledTools.length === 0) return undefined;
  }
  if (tools.length === 0) {
    // The API refuses a conversation with tool calls if no tools are declared.
    tools.push(...calledTools.map(toolOfCall));
    if (dialect.isClaude) additional.tool_choice = { type: 'none' };
    return { tools };
  }
  if (!isNone) return { tools, ...encodeToolChoice(encoding) };
  if (dialect.isClaude) additional.tool_choice = { type: 'none' };
  else {
    const why = 'the Converse API cannot forbid tools that the conversation has used, so the model may call them again';
    losses.note({ field: request.names['tool-choice'] ?? 'tool_choice', verdict: 'approximated', why });
  }
  return { tools };
}

function noteAll(tools: readonly FunctionTool[], why: string, losses: Losses): void {
  for (const tool of tools) losses.note({ field: tool.path ?? 'tools', verdict: 'approximated', why });
}

/** Returns the function tools that may be called. Any other declared tool is noted as lost. */
function declaredTools({ request, losses }: Encoding): FunctionTool[] {
  const allowed = request.toolChoice?.mode === 'allowed' ? new Set(request.toolChoice.names) : null;
  const functions: FunctionTool[] = [];
  for (const tool of request.tools) {
    if (tool.type === 'custom') losses.carry('custom-tools', tool.path);
    else if (tool.type === 'web-search') losses.carry('web-search', tool.path);
    else if (tool.type === 'hosted') losses.carry('hosted-tools', tool.path);
    else if (allowed !== null && !allowed.has(tool.name)) {
      const why = 'only the allowed tools are declared to Bedrock';
      losses.note({ field: tool.path ?? 'tools', verdict: 'approximated', why });
    } else if (losses.carry('function-tools', tool.path)) functions.push(tool);
  }
  return functions;
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function encodeTool(tool: FunctionTool, encoding: Encoding): Block[] {
  const { losses } = encoding;
  const path = tool.path ?? 'tools';
  if (!TOOL_NAME.test(tool.name)) {
    const why = 'Bedrock tool names have up to 64 letters, digits, underscores and hyphens';
    losses.note({ field: `${path}.name`, verdict: 'refused', why });
  }
  if (tool.rest !== undefined) losses.noteRest(tool.rest);
  const isStrict = tool.strict === true && losses.carry('strict-tools', `${path}.strict`);
  const toolSpec = {
    name: tool.name,
    // The API refuses an empty description.
    ...(tool.description === null || tool.description === '' ? {} : { description: tool.description }),
    inputSchema: { json: inputSchema(tool, isStrict, `${path}.parameters`, encoding) },
    ...(isStrict ? { strict: true } : {}),
  };
  const isMarked = tool.cache !== undefined && losses.carry('cache-marks', markPath(tool));
  return isMarked && tool.cache !== undefined ? [{ toolSpec }, cachePoint(tool.cache)] : [{ toolSpec }];
}

const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Returns the input schema. All models accept only an object's schema; Claude also requires no union at its top, and plain
 * argument names.
 */
function inputSchema(tool: FunctionTool, isStrict: boolean, field: string, { losses, dialect }: Encoding) {
  const asked = tool.parameters ?? {};
  const object = asked.type === 'object' ? asked : { ...asked, type: 'object' };
  const flat = dialect.isClaude ? withFlatTop(object) : object;
  if ((asked.type !== undefined && object !== asked) || flat !== object) {
    const why = 'the input of Bedrock tools is one object, so the rest of the schema goes in the description';
    losses.note({ field, verdict: 'approximated', why });
  }
  const { properties } = flat;
  const wrong = isRecord(properties) ? Object.keys(properties).find((key) => !PROPERTY_KEY.test(key)) : undefined;
  if (wrong !== undefined && dialect.isClaude) {
    const why = 'Claude’s argument names have up to 64 letters, digits, _, . and -';
    losses.note({ field: `${field}.properties.${wrong}`, verdict: 'refused', why });
  }
  const whole = properties === undefined ? { ...flat, properties: {} } : flat;
  return isStrict ? closedSchema(whole, field, losses) : whole;
}

function toolOfCall(name: string): Block {
  return { toolSpec: { name, inputSchema: { json: { type: 'object' } } } };
}

function encodeToolChoice(encoding: Encoding): { toolChoice?: Block } {
  const { request, losses, dialect, additional } = encoding;
  const toolChoice = choiceOf(request);
  if (request.parallelToolCalls !== false) return wrapped(toolChoice);
  if (!dialect.isClaude) {
    const field = request.names['parallel-tool-calls'] ?? 'parallel_tool_calls';
    losses.note({
      field,
      verdict: 'dropped',
      why: 'Bedrock can disable parallel tool calls only for Claude',
    });
    return wrapped(toolChoice);
  }
  // This is Anthropic's own field. The API refuses it together with its own tool choice, so it has to hold both settings.
  const [type = 'auto', rest = {}] = Object.entries(toolChoice ?? {})[0] ?? [];
  additional.tool_choice = { type, ...rest, disable_parallel_tool_use: true };
  return {};
}

function wrapped(toolChoice: Readonly<Record<string, object>> | undefined): { toolChoice?: Block } {
  return toolChoice === undefined ? {} : { toolChoice };
}

function choiceOf({ toolChoice: choice }: ExchangeRequest): Readonly<Record<string, object>> | undefined {
  if (choice === null || choice.mode === 'none') return undefined;
  if (choice.mode === 'tool') return { tool: { name: choice.name } };
  const isRequired = choice.mode === 'required' || (choice.mode === 'allowed' && choice.required);
  return isRequired ? { any: {} } : { auto: {} };
}

function isToolForced(toolConfig: ToolConfig | undefined, { additional }: Encoding): boolean {
  const own = isRecord(additional.tool_choice) ? additional.tool_choice.type : undefined;
  const type = own ?? Object.keys(toolConfig?.toolChoice ?? {})[0];
  return type === 'any' || type === 'tool';
}

// ---- thinking

function encodeThinking(encoding: Encoding, isForced: boolean): void {
  const { request, dialect } = encoding;
  const options = request.reasoning;
  if (options === null) return;
  const saysNothing = effortOf(options) === null && options.enabled === null && !options.adaptive;
  if (saysNothing && options.summary === null) return;
  if (dialect.thinking === 'none') {
    noteThinking(encoding, 'dropped', 'this model is not known to think through the Converse API');
    return;
  }
  if (dialect.isClaude && isForced && !isReasoningOff(options)) {
    noteThinking(encoding, 'dropped', 'Claude does not think when a tool call is forced');
    return;
  }
  if (dialect.thinking === 'claude-budget') encodeBudget(encoding, options);
  else if (dialect.thinking === 'claude-adaptive') encodeAdaptive(encoding, options);
  else encodeEffort(encoding, options, dialect.thinking);
  noteSummary(encoding, options);
}

function noteThinking({ request, losses }: Encoding, verdict: 'dropped' | 'approximated', why: string): void {
  const { names, reasoning } = request;
  const feature = reasoning?.budgetTokens === null ? 'reasoning-effort' : 'reasoning-budget';
  losses.note({ field: names[feature] ?? names['reasoning-effort'] ?? 'reasoning', verdict, why });
}

const SMALLEST_BUDGET = 1_024;
/** The smallest limit on output among these models is 32,000 tokens, and a budget must stay below it. */
const LARGEST_BUDGET_OF_EFFORT = 31_999;

function encodeBudget(encoding: Encoding, options: ReasoningOptions): void {
  const { additional, inference } = encoding;
  if (isReasoningOff(options)) {
    additional.thinking = { type: 'disabled' };
    return;
  }
  const asked = budgetOf(options) ?? budgetOfEffort('medium');
  const limit = inference.maxTokens === undefined ? Number.POSITIVE_INFINITY : inference.maxTokens - 1;
  const most = options.budgetTokens === null ? LARGEST_BUDGET_OF_EFFORT : asked;
  const budget = Math.min(Math.max(asked, SMALLEST_BUDGET), most, limit);
  if (budget < SMALLEST_BUDGET) {
    const why = 'Claude thinks with at least 1,024 tokens, and the output limit leaves no room for them';
    noteThinking(encoding, 'dropped', why);
    return;
  }
  if (options.budgetTokens !== budget) {
    noteThinking(encoding, 'approximated', `this model accepts a token budget, here ${budget}`);
  }
  additional.thinking = { type: 'enabled', budget_tokens: budget };
  leaveSamplingAlone(encoding);
}

function noteSummary({ request, losses, dialect }: Encoding, { summary }: ReasoningOptions): void {
  if (summary === null || summary === 'auto') return;
  const field = request.names['reasoning-summary'] ?? 'reasoning.summary';
  if (dialect.thinking !== 'claude-adaptive') {
    losses.note({ field, verdict: 'dropped', why: 'this model has no option to show its thinking differently' });
  } else if (summary !== 'none') {
    const why = 'Claude has one kind of summary, neither concise nor detailed';
    losses.note({ field, verdict: 'approximated', why });
  }
}

function encodeAdaptive(encoding: Encoding, options: ReasoningOptions): void {
  const { additional, dialect, claude } = encoding;
  if (isReasoningOff(options)) {
    if (claude?.thinking === 'always') {
      additional.output_config = { effort: 'low' };
      noteThinking(encoding, 'approximated', 'this model always thinks; the lowest effort is requested');
    } else additional.thinking = { type: 'disabled' };
    return;
  }
  const { summary } = options;
  const display = summary === null ? {} : { display: summary === 'none' ? 'omitted' : 'summarized' };
  additional.thinking = { type: 'adaptive', ...display };
  const effort = effortOf(options);
  if (effort !== null) additional.output_config = { effort: chooseEffort(encoding, effort, dialect.efforts) };
  leaveSamplingAlone(encoding);
}

/** Drops parameters that Claude refuses while it thinks (Anthropic, "Extended thinking", "Feature compatibility"). */
function leaveSamplingAlone({ request, losses, inference, additional }: Encoding): void {
  const why = 'Claude does not accept this while it thinks';
  if (inference.temperature !== undefined && inference.temperature !== 1) {
    delete inference.temperature;
    losses.note({ field: request.names.temperature ?? 'temperature', verdict: 'dropped', why });
  }
  if (inference.topP !== undefined && inference.topP < 0.95) {
    delete inference.topP;
    losses.note({ field: request.names['top-p'] ?? 'top_p', verdict: 'dropped', why });
  }
  if (additional.top_k !== undefined) {
    delete additional.top_k;
    losses.note({ field: request.names['top-k'] ?? 'top_k', verdict: 'dropped', why });
  }
}

function encodeEffort(encoding: Encoding, options: ReasoningOptions, style: ModelDialect['thinking']): void {
  const { additional, dialect } = encoding;
  const asked = effortOf(options) ?? 'medium';
  if (style === 'nova') {
    if (asked === 'none') additional.reasoningConfig = { type: 'disabled' };
    else encodeNova(encoding, chooseEffort(encoding, asked, dialect.efforts));
    return;
  }
  if (asked === 'none' && !dialect.efforts.includes('none')) {
    noteThinking(encoding, 'dropped', 'thinking cannot be disabled for this model');
    return;
  }
  const effort = chooseEffort(encoding, asked, dialect.efforts);
  if (style === 'effort') additional.reasoning_effort = effort;
  else additional.reasoning = { effort };
}

/**
 * Writes Nova's reasoning config. With high effort Nova 2 requires these members to be unset, and otherwise answers with a 400.
 */
function encodeNova({ request, losses, inference, additional }: Encoding, maxReasoningEffort: Effort): void {
  additional.reasoningConfig = { type: 'enabled', maxReasoningEffort };
  if (maxReasoningEffort !== 'high') return;
  const unset = [
    ['maxTokens', request.names['max-output-tokens'] ?? 'max_tokens'],
    ['temperature', request.names.temperature ?? 'temperature'],
    ['topP', request.names['top-p'] ?? 'top_p'],
  ] as const;
  for (const [member, field] of unset) {
    if (inference[member] === undefined) continue;
    delete inference[member];
    losses.note({ field, verdict: 'dropped', why: 'Nova 2 does not accept this with high reasoning effort' });
  }
}

/** Returns the model's effort that is nearest to the wanted one. */
function chooseEffort(encoding: Encoding, asked: Effort, known: readonly string[]): Effort {
  const rule = encoding.target.quirks.find((quirk) => quirk.kind === 'efforts');
  const values = EFFORTS.filter((effort) => (rule?.values ?? known).includes(effort));
  const eligible = asked === 'none' ? values : values.filter((effort) => effort !== 'none');
  const nearest = nearestEffort(asked, eligible);
  const isExact = nearest === asked && encoding.request.reasoning?.effort === asked;
  if (!isExact) noteThinking(encoding, 'approximated', `this model accepts an effort, here ${nearest}`);
  return nearest;
}

// ---- output and the rest

function encodeOutput({ request, losses }: Encoding): Block | undefined {
  const format = request.responseFormat;
  if (format?.type !== 'json-schema' || !losses.isExact('json-schema')) return undefined;
  const { name, description } = format;
  const field = request.names['json-schema'] ?? 'response_format';
  const jsonSchema = {
    schema: JSON.stringify(closedSchema(format.schema, field, losses)),
    ...(name === null ? {} : { name }),
    ...(description === null ? {} : { description }),
  };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

/**
 * Returns a schema as required by the Bedrock user guide, "Get validated JSON results from models": closed objects, no limits,
 * and nothing beside a reference.
 */
function closedSchema(schema: Readonly<Record<string, unknown>>, field: string, losses: Losses) {
  const plain = withPlainReferences(schema);
  const adapted = adaptSchema(plain.schema);
  if (adapted.changed || plain.lost.length > 0) {
    const why =
      'Bedrock schemas allow no extra properties and no limits on numbers or lengths, so limits go in the description';
    losses.note({ field, verdict: 'approximated', why });
  }
  return adapted.schema;
}

const JSON_ONLY = 'Answer with a single JSON object and nothing else: no Markdown, no text around it.';

/** Asks for JSON in the prompt if there is no field for it. This is noted as an approximation. */
function jsonInstruction({ request, losses }: Encoding): Block[] {
  const format = request.responseFormat;
  if (format?.type === 'json') return [{ text: JSON_ONLY }];
  if (format?.type !== 'json-schema' || losses.isExact('json-schema')) return [];
  const described = format.description === null ? '' : `\n${format.description}`;
  return [
    { text: `${JSON_ONLY} It must be valid against this JSON schema:${described}\n${JSON.stringify(format.schema)}` },
  ];
}

const METADATA_TEXT = /^[a-zA-Z0-9\s:_@$#=/+,.-]{0,256}$/;
const METADATA_ENTRIES = 16;

/** Returns `requestMetadata` for the invocation logs: up to 16 short texts from a small set of characters. */
function encodeMetadata({ metadata, names }: ExchangeRequest, losses: Losses): Record<string, string> | undefined {
  if (metadata === null || Object.keys(metadata).length === 0) return undefined;
  const fitting: Record<string, string> = {};
  for (const [key, value] of Object.entries(metadata)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const fits = key !== '' && METADATA_TEXT.test(key) && METADATA_TEXT.test(text);
    if (fits && Object.keys(fitting).length < METADATA_ENTRIES) setMember(fitting, key, text);
    else {
      const why = 'Bedrock accepts 16 entries of up to 256 plain characters';
      losses.note({ field: `${names.metadata ?? 'metadata'}.${key}`, verdict: 'dropped', why });
    }
  }
  return Object.keys(fitting).length === 0 ? undefined : fitting;
}

/** If no tier is set, the API uses `default`. OpenAI's `auto` means the same. */
const TIERS = { auto: null, default: 'default', priority: 'priority', flex: 'flex', reserved: 'reserved' };

function encodeServiceTier(request: ExchangeRequest, losses: Losses): Block | undefined {
  const tier = placedTier(request, FORMAT, TIERS, "Bedrock's tiers are default, priority, flex and reserved", losses);
  return tier === null ? undefined : { type: tier };
}

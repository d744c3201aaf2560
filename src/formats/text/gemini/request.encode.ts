import { carriedRequest } from '../../../domain/exchange/carried.ts';
import type { Losses } from '../../../domain/exchange/loss.ts';
import { type Message, markPath } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest, FunctionTool, ReasoningOptions, ToolChoice } from '../../../domain/exchange/request.ts';
import type { EncodedRequest, EncodeTarget } from '../../format.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import { addMembers, entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import { ruleModelOf } from '../../wire.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import { withPlainReferences } from '../shared/schema-references.ts';
import { fields } from './fields.ts';
import { type JsonSchema, originalOf } from './json-schema.ts';
import { ContentsEncoder, CountedLosses, type WireDraft } from './messages.encode.ts';
import { combinesTools, mostOutputTokens, thinkingFor } from './models.ts';
import { WRAPPER } from './request.decode.ts';
import { FORMAT } from './schema.ts';

/** Returns a GenerateContentRequest. The model is in the URL path, which the provider builds. */
export function encodeRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  return atOnce(encodeSteps(request, target));
}

export function* encodeSteps(request: ExchangeRequest, target: EncodeTarget): Steps<EncodedRequest> {
  const { body, losses } = yield* buildRequest(request, target);
  return { body: new Unwritten(body), value: body, losses: losses.all };
}

/**
 * Returns the body of a count request: the same request, wrapped with its model. The API counts system prompt and tools only in
 * this form.
 */
export function encodeCountRequest(request: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  const { body, losses } = atOnce(buildRequest(request, target));
  const unwrapped = target.quirks.some((quirk) => quirk.kind === 'omit' && quirk.field === WRAPPER);
  const count = unwrapped ? body : { [WRAPPER]: { model: `models/${target.upstreamModel}`, ...body } };
  return { body: new Unwritten(count), value: count, losses: losses.all };
}

function* buildRequest(asked: ExchangeRequest, target: EncodeTarget): Steps<{ body: WireDraft; losses: Losses }> {
  const losses = new CountedLosses(target.carries, asked.names);
  const carried = carriedRequest(asked, losses, asked.format === FORMAT);
  const request = asked.format === FORMAT ? carried : takenTogether(carried, target, losses);
  const { systemInstruction, contents, placed } = yield* new ContentsEncoder(request, target, losses).encode();
  const ownPlaced = new Map(placed);
  const tools = new ToolsEncoder(request, losses, ownPlaced).encode();
  const toolConfig = encodeToolConfig(request, target);
  const generationConfig = encodeConfig(request, target, losses);
  const body: WireDraft = {
    ...(systemInstruction === null ? {} : { systemInstruction }),
    contents,
    ...(tools.length === 0 ? {} : { tools }),
    ...(toolConfig === null ? {} : { toolConfig }),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
  };
  if (request.format === FORMAT) putBack(request, body, ownPlaced, losses);
  else losses.noteRest(request.rest);
  applyQuirks(body, target.quirks, { names: request.names, losses, fields, added: NOTHING_ADDED });
  return { body, losses };
}

const NOTHING_ADDED: ReadonlySet<string> = new Set();

// ---- features that earlier models refuse in combination

const TOGETHER = 'this model can return JSON only without tools, so the prompt asks for it';

/**
 * Drops combinations that earlier models refuse: they accept functions, Google's own search, and JSON answers only one at a time.
 */
function takenTogether(request: ExchangeRequest, { upstreamModel }: EncodeTarget, losses: Losses): ExchangeRequest {
  const { tools, responseFormat, names } = request;
  if (tools.length === 0 || combinesTools(upstreamModel)) return request;
  if (tools.some(({ type }) => type === 'function')) {
    for (const { type, path } of tools) {
      if (type !== 'web-search') continue;
      const why = "this model accepts Google's search only without functions";
      losses.note({ field: path ?? 'tools', verdict: 'refused', why });
    }
  }
  if (responseFormat === null || responseFormat.type === 'text') return request;
  const feature = responseFormat.type === 'json' ? 'json-mode' : 'json-schema';
  losses.note({ field: names[feature] ?? feature, verdict: 'approximated', why: TOGETHER });
  const wish =
    responseFormat.type === 'json'
      ? 'Answer with one JSON object and nothing else.'
      : `Answer with one JSON value that fits this JSON schema, and nothing else: ${JSON.stringify(responseFormat.schema)}`;
  const said: Message = { role: 'system', parts: [{ type: 'text', text: wish }] };
  const firstTurn = request.messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const at = firstTurn < 0 ? request.messages.length : firstTurn;
  return { ...request, responseFormat: null, messages: request.messages.toSpliced(at, 0, said) };
}

// ---- tools

class ToolsEncoder {
  private readonly tools: WireDraft[] = [];
  private lastKey: string | null = null;

  constructor(
    private readonly request: ExchangeRequest,
    private readonly losses: Losses,
    private readonly placed: Map<string, WireDraft>,
  ) {}

  encode(): readonly WireDraft[] {
    const { losses } = this;
    for (const tool of this.request.tools) {
      switch (tool.type) {
        case 'function':
          if (losses.carry('function-tools', tool.path)) this.addFunction(tool);
          break;
        case 'custom':
          losses.carry('custom-tools', tool.path);
          break;
        case 'web-search':
          if (tool.raw.format === FORMAT) this.addOwn(tool);
          else if (losses.carry('web-search', tool.path)) {
            this.addOwn({
              raw: { value: { googleSearch: {} } },
              ...(tool.path === undefined ? {} : { path: tool.path }),
            });
            this.noteSearchOptions(tool);
          }
          break;
        case 'hosted':
          if (tool.raw.format === FORMAT) this.addOwn(tool);
          else losses.carry('hosted-tools', tool.path);
          break;
      }
    }
    return this.tools;
  }

  private noteSearchOptions(tool: ExchangeRequest['tools'][number] & { readonly type: 'web-search' }): void {
    const field = tool.path ?? 'tools';
    const note = (verdict: 'dropped' | 'refused', why: string) => this.losses.note({ field, verdict, why });
    if (tool.allowedDomains?.length || tool.blockedDomains?.length) {
      note('refused', "Google's search cannot be limited to domains");
    }
    if (tool.maxUses !== null) note('dropped', "Google's search has no option to limit its uses");
    if (tool.userLocation !== null) note('dropped', "Google's search does not accept a location by name");
    if (tool.contextSize !== null) note('dropped', "Google's search has no context size");
  }

  private addFunction(tool: FunctionTool): void {
    const { name, description, path } = tool;
    if (tool.strict === true) this.losses.carry('strict-tools', `${path ?? 'tools'}.strict`);
    if (tool.cache !== undefined) this.losses.carry('cache-marks', markPath(tool));
    if (tool.rest !== undefined && this.request.format !== FORMAT) this.losses.noteRest(tool.rest);
    const declaration: WireDraft = {
      name,
      // The document requires the member. In protocol buffers an empty text is the same as a missing one.
      ...(description !== null || this.request.format !== FORMAT ? { description: description ?? '' } : {}),
      ...(tool.parameters === null ? {} : this.encodeParameters(tool.parameters, path ?? 'tools')),
    };
    if (path !== undefined) this.placed.set(path, declaration);
    const last = this.tools.at(-1);
    const key = this.request.format === FORMAT ? keyOf(path) : '';
    if (this.lastKey === key && isDraftList(last?.functionDeclarations)) {
      last.functionDeclarations.push(declaration);
      return;
    }
    if (this.lastKey === key && last !== undefined && key !== '') last.functionDeclarations = [declaration];
    else this.tools.push({ functionDeclarations: [declaration] });
    this.lastKey = key;
  }

  /** Encodes an object's schema, which the API requires; an absent type, or one combined with `null`, is equivalent here. */
  private encodeParameters(parameters: JsonSchema, path: string): WireDraft {
    const encoded = encodeSchema(parameters, 'parametersJsonSchema', `${path}.parameters`, this.losses);
    const { parametersJsonSchema: schema } = encoded;
    if (originalOf(parameters) !== undefined || !isRecord(schema) || schema.type === 'object') return encoded;
    const { type } = schema;
    const isObject = type === undefined || (Array.isArray(type) && type.includes('object'));
    return isObject ? { parametersJsonSchema: { ...schema, type: 'object' } } : encoded;
  }

  /** Puts a Gemini client's own tool back into the object that it came from. */
  private addOwn({ raw, path }: { readonly raw: { readonly value: unknown }; readonly path?: string }): void {
    if (!isRecord(raw.value)) return;
    const [value] = Object.values(raw.value);
    if (path !== undefined && isRecord(value)) this.placed.set(path, { ...value });
    const key = this.request.format === FORMAT ? keyOf(path) : 'own';
    const last = this.tools.at(-1);
    if (this.lastKey === key && last !== undefined && key !== 'own') addMembers(last, raw.value);
    else this.tools.push({ ...raw.value });
    this.lastKey = key;
  }
}

/** Returns the path of the tool object in a Gemini client's request. */
function keyOf(path: string | undefined): string {
  return /^.*?tools\[\d+\]/.exec(path ?? '')?.[0] ?? '';
}

function isDraftList(value: unknown): value is WireDraft[] {
  return Array.isArray(value);
}

/** Returns a Gemini client's schema in its original form; any other schema as JSON Schema, whose references the API restricts. */
function encodeSchema(schema: JsonSchema, member: string, field: string, losses: Losses): WireDraft {
  const original = originalOf(schema);
  if (original !== undefined) return { [original.member]: original.value };
  const { schema: plain, lost } = withPlainReferences(schema);
  for (const reference of lost) {
    const why = `the reference ${reference.slice(0, 100)} does not resolve in the schema, so any value is allowed there`;
    losses.note({ field, verdict: 'approximated', why });
  }
  return { [member]: plain };
}

/** The path by which a provider's quirk says that it does not know this member. */
const COMBINING = 'toolConfig.includeServerSideToolInvocations';

function encodeToolConfig(request: ExchangeRequest, { quirks }: EncodeTarget): WireDraft | null {
  const { toolChoice, tools, format } = request;
  const hasFunctions = tools.some(({ type }) => type === 'function');
  // The API refuses a tool choice without functions.
  const isChosen = toolChoice !== null && (format === FORMAT || hasFunctions);
  const isCombined =
    format !== FORMAT &&
    hasFunctions &&
    tools.some(({ type }) => type === 'web-search') &&
    !quirks.some((quirk) => quirk.kind === 'omit' && quirk.field === COMBINING);
  if (!isChosen && !isCombined) return null;
  return {
    ...(isChosen ? { functionCallingConfig: callingConfig(toolChoice) } : {}),
    ...(isCombined ? { includeServerSideToolInvocations: true } : {}),
  };
}

function callingConfig(choice: ToolChoice): WireDraft {
  switch (choice.mode) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'required':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'allowed':
      // VALIDATED allows the model to answer in text, and limits the functions in the same way as ANY.
      return { mode: choice.required ? 'ANY' : 'VALIDATED', allowedFunctionNames: [...choice.names] };
  }
}

// ---- generationConfig

const MOST_STOPS = 5;
const SMALLEST_SEED = -2_147_483_648;
const LARGEST_SEED = 2_147_483_647;

function encodeConfig(request: ExchangeRequest, target: EncodeTarget, losses: Losses): WireDraft {
  const isOwn = request.format === FORMAT;
  const config: WireDraft = {};
  const number = (name: string, value: number | null) => {
    if (value !== null) config[name] = value;
  };
  number('maxOutputTokens', isOwn ? request.maxOutputTokens : withinBounds(request, target, losses));
  number('temperature', request.temperature);
  number('topP', request.topP);
  number('topK', request.topK);
  number('presencePenalty', request.presencePenalty);
  number('frequencyPenalty', request.frequencyPenalty);
  if (request.seed !== null && (request.seed < SMALLEST_SEED || request.seed > LARGEST_SEED)) {
    losses.note({ field: request.names.seed ?? 'seed', verdict: 'dropped', why: 'Gemini’s seeds have 32 bits' });
  } else number('seed', request.seed);
  if (isOwn || (request.candidateCount ?? 1) > 1) number('candidateCount', request.candidateCount);
  encodeStop(request, config, losses);
  if (request.logprobs !== null) {
    config.responseLogprobs = true;
    if (request.logprobs.top > 0) config.logprobs = request.logprobs.top;
  }
  if (request.modalities !== null && (isOwn || request.modalities.some((name) => name !== 'text'))) {
    config.responseModalities = request.modalities.map((name) => name.toUpperCase());
  }
  addMembers(config, encodeResponseFormat(request, losses));
  if (request.reasoning !== null) {
    const thinking = isOwn
      ? ownThinking(request.reasoning)
      : foreignThinking(request.reasoning, request, target, losses);
    if (Object.keys(thinking).length > 0) config.thinkingConfig = thinking;
  }
  return config;
}

function withinBounds(
  { maxOutputTokens, names }: ExchangeRequest,
  target: EncodeTarget,
  losses: Losses,
): number | null {
  const most = mostOutputTokens(target.upstreamModel);
  if (maxOutputTokens === null || most === null || maxOutputTokens <= most) return maxOutputTokens;
  const field = names['max-output-tokens'] ?? 'max-output-tokens';
  losses.note({ field, verdict: 'approximated', why: `the model writes at most ${most} tokens` });
  return most;
}

function encodeStop({ stop, format, names }: ExchangeRequest, config: WireDraft, losses: Losses): void {
  if (stop.length === 0) return;
  config.stopSequences = stop;
  if (stop.length > MOST_STOPS && format !== FORMAT) {
    losses.note({
      field: names.stop ?? 'stop',
      verdict: 'refused',
      why: `Gemini accepts at most ${MOST_STOPS} stop sequences`,
    });
  }
}

function encodeResponseFormat({ responseFormat, names }: ExchangeRequest, losses: Losses): WireDraft {
  switch (responseFormat?.type) {
    case 'text':
      return { responseMimeType: 'text/plain' };
    case 'json':
      return { responseMimeType: 'application/json' };
    case 'json-schema': {
      const field = names['json-schema'] ?? 'json-schema';
      for (const member of ['name', 'description'] as const) {
        if (responseFormat[member] === null) continue;
        const why = 'Gemini accepts only the schema, without a name or description';
        losses.note({ field: `${field}.${member}`, verdict: 'dropped', why });
      }
      return {
        responseMimeType: 'application/json',
        ...encodeSchema(responseFormat.schema, 'responseJsonSchema', field, losses),
      };
    }
    default:
      return {};
  }
}

/** Returns a Gemini client's own settings unchanged; the API validates them. */
function ownThinking({ effort, budgetTokens, adaptive, summary }: ReasoningOptions): WireDraft {
  return {
    ...(effort === null ? {} : { thinkingLevel: effort.toUpperCase() }),
    ...(adaptive ? { thinkingBudget: -1 } : budgetTokens === null ? {} : { thinkingBudget: budgetTokens }),
    ...(summary === null ? {} : { includeThoughts: summary !== 'none' }),
  };
}

/**
 * Returns whether the client expects thoughts without asking for them separately: chat clients always do; Messages clients do if
 * thinking is on (an effort alone does not request it).
 */
function showsUnasked(format: string, { enabled, adaptive }: ReasoningOptions): boolean {
  return format === 'openai-chat' || (format === 'anthropic-messages' && (enabled === true || adaptive));
}

function foreignThinking(
  options: ReasoningOptions,
  { format, names }: ExchangeRequest,
  target: EncodeTarget,
  losses: Losses,
): WireDraft {
  const efforts = target.quirks.find((quirk) => quirk.kind === 'efforts')?.values ?? null;
  const mapped = thinkingFor(ruleModelOf(target), options, efforts);
  const isBudget = options.budgetTokens !== null;
  const feature = isBudget ? 'reasoning-budget' : 'reasoning-effort';
  const field = names[feature] ?? feature;
  if (mapped === null) {
    if (options.effort !== 'none' && options.enabled !== false) {
      losses.note({ field, verdict: 'dropped', why: 'this model does not think' });
    }
    return {};
  }
  if (mapped.approximation !== null) losses.note({ field, verdict: 'approximated', why: mapped.approximation });
  else if (options.enabled === true && Object.keys(mapped.config).length === 0) {
    const why = 'without a stated amount, the model itself decides whether to think';
    losses.note({ field, verdict: 'approximated', why });
  }
  const isOff = options.enabled === false || options.effort === 'none' || options.budgetTokens === 0;
  const isShown = options.summary === null ? showsUnasked(format, options) : options.summary !== 'none';
  if (isOff || !isShown) return { ...mapped.config };
  if (options.summary === 'concise' || options.summary === 'detailed') {
    const why = 'Gemini has one kind of summary, neither concise nor detailed';
    losses.note({ field: names['reasoning-summary'] ?? 'reasoning-summary', verdict: 'approximated', why });
  }
  return { ...mapped.config, includeThoughts: true };
}

// ---- members that only this format has

/** Puts a Gemini client's further members back to their original place. */
function putBack(
  request: ExchangeRequest,
  body: WireDraft,
  placed: ReadonlyMap<string, WireDraft>,
  losses: Losses,
): void {
  for (const field of request.rest) {
    const target = ownerOf(field.path, body, placed);
    if (target === null) losses.note({ field: field.path, verdict: 'dropped', why: 'its parent was omitted' });
    else setMember(target.owner, target.member, field.value);
  }
}

function ownerOf(
  path: string,
  body: WireDraft,
  placed: ReadonlyMap<string, WireDraft>,
): { readonly owner: WireDraft; readonly member: string } | null {
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const owner = placed.get(path.slice(0, dot));
    if (owner !== undefined) return { owner, member: path.slice(dot + 1) };
  }
  if (path.includes('[')) return null;
  const steps = path.replace(/^generate_?[cC]ontent_?[rR]equest\./, '').split('.');
  const member = steps.pop() ?? path;
  let owner = body;
  for (const step of steps) {
    const name = step.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const inner = entryOf(owner, name);
    const next: WireDraft = isRecord(inner) ? { ...inner } : {};
    setMember(owner, name, next);
    owner = next;
  }
  return { owner, member };
}

import { carriedRequest } from '../../../domain/exchange/carried.ts';
import type { Losses } from '../../../domain/exchange/loss.ts';
import type { Message } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import { addMembers, entryOf, isRecord, setMember } from '../../shared/json/record.ts';
import { atOnce, type Steps } from '../../shared/request/steps.ts';
import type { EncodedRequest, EncodeTarget } from '../format.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import { combinesTools, mostOutputTokens } from './capabilities.ts';
import { CountedLosses, type WireDraft } from './encoding.ts';
import { fields } from './fields.ts';
import { ContentsEncoder } from './messages.encode.ts';
import { foreignThinking, ownThinking } from './reasoning.encode.ts';
import { WRAPPER } from './request.decode.ts';
import { FORMAT } from './schema.ts';
import { encodeSchema, encodeToolConfig, ToolsEncoder } from './tools.ts';

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

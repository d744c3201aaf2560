import { carriedRequest } from '../../../domain/exchange/carried.ts';
import { Losses } from '../../../domain/exchange/loss.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import { setMember } from '../../shared/json/record.ts';
import { ruleModelOf } from '../../wire.ts';
import type { EncodedRequest, EncodeTarget, FieldTable } from '../format.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import { withFewMarks } from '../shared/cache-marks.ts';
import { profileOf } from '../shared/claude-profile.ts';
import { placedTier } from '../shared/service-tier.ts';
import { type Block, closedSchema, type Encoding } from './encoding.ts';
import { encodeConversation } from './messages.encode.ts';
import { encodeThinking } from './reasoning.encode.ts';
import { dialectOf, FORMAT } from './schema.ts';
import { encodeTools, isToolForced } from './tools.encode.ts';

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

function encodeInference(encoding: Encoding): void {
  const { request, losses, inference } = encoding;
  const { temperature, topP } = request;
  encodeMaxTokens(encoding);
  if (temperature !== null) {
    inference.temperature = Math.min(1, temperature);
    if (temperature > 1) {
      const field = request.names.temperature ?? 'temperature';
      losses.note({ field, verdict: 'approximated', why: 'the Converse API accepts temperatures up to 1' });
    }
  }
  if (topP !== null) inference.topP = topP;
  encodeStop(encoding);
}

/** Drops `topP` if there is a temperature, for models that accept only one of the two. */
function leaveOneSampling({ request, losses, claude, inference }: Encoding): void {
  if (claude?.sampling !== 'one' || inference.temperature === undefined || inference.topP === undefined) return;
  const why = 'this model accepts temperature or top_p, not both';
  // The model's default is 1.
  if (inference.topP !== 1) losses.note({ field: request.names['top-p'] ?? 'top_p', verdict: 'dropped', why });
  delete inference.topP;
}

function encodeMaxTokens({ request, losses, dialect, claude, inference }: Encoding): void {
  const { maxOutputTokens: wanted } = request;
  if (wanted === null) return;
  const most = claude?.maxOutputTokens ?? dialect.maxOutputTokens ?? wanted;
  inference.maxTokens = Math.min(wanted, most);
  if (wanted <= most) return;
  const field = request.names['max-output-tokens'] ?? 'max_tokens';
  losses.note({ field, verdict: 'approximated', why: `the model writes at most ${most} tokens` });
}

function encodeStop({ request: { stop, names }, losses, claude, inference }: Encoding): void {
  const kept = claude === null ? stop : stop.filter((sequence) => sequence.trim() !== '');
  if (kept.length < stop.length) {
    const why = 'Claude rejects stop sequences that are only whitespace';
    losses.note({ field: names.stop ?? 'stop', verdict: 'dropped', why });
  }
  if (kept.length > 0) inference.stopSequences = kept;
}

function encodeTopK({ request, losses, dialect, additional }: Encoding): void {
  if (request.topK === null || request.topK <= 0) return;
  const [outer, inner] = dialect.topK ?? [];
  if (outer === undefined) {
    const field = request.names['top-k'] ?? 'top_k';
    losses.note({
      field,
      verdict: 'dropped',
      why: 'the gateway sends top_k only to models that are known to accept it',
    });
  } else additional[outer] = inner === undefined ? request.topK : { [inner]: request.topK };
}

/** Returns the path of the stop sequence that ended the answer. Only Claude returns it, and only on request. */
function stopSequencePaths({ dialect, inference, target }: Encoding): readonly string[] | undefined {
  if (!dialect.isClaude || inference.stopSequences === undefined) return undefined;
  return [target.stream ? '/delta/stop_sequence' : '/stop_sequence'];
}

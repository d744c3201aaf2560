import { carriedRequest } from '../../../domain/exchange/carried.ts';
import { type Feature, Losses } from '../../../domain/exchange/loss.ts';
import { budgetOf, isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import type { EncodedRequest, EncodeTarget, FieldTable } from '../format.ts';
import { applyQuirks } from '../shared/apply-quirks.ts';
import type { Encoding } from './encoding.ts';
import { encodeMessage } from './messages.encode.ts';
import { encodeTools } from './tools.encode.ts';

type Block = Readonly<Record<string, unknown>>;

/** Returns the body of POST /v2/chat. */
export function encodeRequest(asked: ExchangeRequest, target: EncodeTarget): EncodedRequest {
  const losses = new Losses(target.carries, asked.names);
  const request = carriedRequest(asked, losses, false);
  const encoding: Encoding = { request, target, losses, documents: [], wantsCitations: [] };
  losses.noteRest(request.rest);
  const messages = request.messages.flatMap((message) => encodeMessage(message, encoding));
  const { documents, wantsCitations } = encoding;
  const tools = encodeTools(encoding);
  const isUncited = wantsCitations.length > 0 && !wantsCitations.includes(true);
  // `undefined` members are left out of the JSON.
  const body = {
    model: target.upstreamModel,
    messages,
    stream: target.stream,
    ...encodeSampling(encoding),
    ...tools,
    documents: documents.length === 0 ? undefined : documents,
    citation_options: isUncited ? { mode: 'OFF' } : undefined,
    response_format: encodeResponseFormat(encoding, Object.keys(tools).length > 0),
    thinking: encodeThinking(encoding),
    logprobs: encodeLogprobs(encoding),
  };
  applyQuirks(body, target.quirks, { names: request.names, losses, fields: FIELDS, added: ADDED });
  return { body: new Unwritten(body), value: body, losses: losses.all };
}

/** The feature of each member of the body, where the member belongs to one feature. */
const FIELDS: FieldTable = {
  max_tokens: 'max-output-tokens',
  temperature: 'temperature',
  p: 'top-p',
  k: 'top-k',
  frequency_penalty: 'frequency-penalty',
  presence_penalty: 'presence-penalty',
  seed: 'seed',
  stop_sequences: 'stop',
  tools: 'function-tools',
  tool_choice: 'tool-choice',
  response_format: 'json-schema',
  thinking: 'reasoning-budget',
  logprobs: 'logprobs',
};
const ADDED: ReadonlySet<string> = new Set(['stream']);

// ---- settings

const STOP_SEQUENCES = 5;

function encodeSampling(encoding: Encoding): Record<string, unknown> {
  const { request, losses } = encoding;
  const { maxOutputTokens, stop, seed } = request;
  if (stop.length > STOP_SEQUENCES) {
    const why = `Cohere accepts ${STOP_SEQUENCES} stop sequences, so the others are left out`;
    losses.note({ field: request.names.stop ?? 'stop', verdict: 'approximated', why });
  }
  return {
    max_tokens: maxOutputTokens ?? undefined,
    temperature: numberIn(encoding, 'temperature', request.temperature, 0, 2),
    p: numberIn(encoding, 'top-p', request.topP, 0.01, 0.99),
    k: numberIn(encoding, 'top-k', request.topK, 0, 500),
    frequency_penalty: numberIn(encoding, 'frequency-penalty', request.frequencyPenalty, 0, 1),
    presence_penalty: numberIn(encoding, 'presence-penalty', request.presencePenalty, 0, 1),
    seed: seed ?? undefined,
    stop_sequences: stop.length > 0 ? stop.slice(0, STOP_SEQUENCES) : undefined,
  };
}

/** Returns the value, limited to the range in the API reference. A value outside of it is a 400. */
function numberIn(
  { request, losses }: Encoding,
  feature: Feature,
  value: number | null,
  least: number,
  most: number,
): number | undefined {
  if (value === null) return undefined;
  const within = Math.min(Math.max(value, least), most);
  if (within !== value) {
    const why = `Cohere accepts values from ${least} to ${most}`;
    losses.note({ field: request.names[feature] ?? feature, verdict: 'approximated', why });
  }
  return within;
}

function encodeLogprobs({ request, losses }: Encoding): boolean | undefined {
  if (request.logprobs === null) return undefined;
  if (request.logprobs.top > 0) {
    const why = 'Cohere reports only the chosen tokens, without alternatives';
    losses.note({ field: request.names.logprobs ?? 'top_logprobs', verdict: 'approximated', why });
  }
  return true;
}

function encodeResponseFormat(encoding: Encoding, hasTools: boolean): Block | undefined {
  const { request, losses, documents } = encoding;
  const format = request.responseFormat;
  if (format === null || format.type === 'text') return undefined;
  if (hasTools || documents.length > 0) {
    const field = request.names[format.type === 'json' ? 'json-mode' : 'json-schema'] ?? 'response_format';
    // docs.cohere.com, "Structured outputs".
    losses.note({
      field,
      verdict: 'refused',
      why: 'Cohere rejects a response format together with tools or documents',
    });
    return undefined;
  }
  if (format.type === 'json') return { type: 'json_object' };
  if (format.name !== null || format.description !== null) {
    const why = 'Cohere accepts only the schema, without a name or description';
    losses.note({ field: request.names['json-schema'] ?? 'response_format', verdict: 'approximated', why });
  }
  return { type: 'json_object', schema: format.schema };
}

function encodeThinking({ request }: Encoding): Block | undefined {
  const options = request.reasoning;
  if (options === null) return undefined;
  const saysNothing = options.effort === null && options.budgetTokens === null && options.enabled === null;
  if (saysNothing && !options.adaptive) return undefined;
  if (isReasoningOff(options)) return { type: 'disabled' };
  const budget = budgetOf(options);
  return { type: 'enabled', ...(budget === null ? {} : { token_budget: budget }) };
}

import { type ExchangeRequest, emptyRequest, type RestField } from '../../../domain/exchange/request.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { numberOrNull, textOrNull } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { parseBody } from '../../shared/request/body.ts';
import type { BodySource } from '../../shared/request/body-scan.ts';
import { GovernedNames } from '../../shared/request/governed-names.ts';
import type { Steps } from '../../shared/request/steps.ts';
import type { InboundCall, ParsedRequest } from '../client-request.ts';
import { noteUnknown } from '../shared/rest.ts';
import { includesUsage, isUsageOption, wantsUsageCost } from '../shared/usage-cost.ts';
import { fields, NAMES, REST_FIELDS, WHY } from './fields.ts';
import { FORMAT, validateCompletionRequest } from './schema.ts';

export const GOVERNED = new GovernedNames(fields);

type Body = Readonly<Record<string, unknown>>;

export function parseRequest(source: BodySource, call: InboundCall): ParsedRequest | Failure {
  const parsed = parseBody(source, '`model` and `prompt`', GOVERNED);
  if (parsed instanceof Failure) return parsed;
  const { body } = parsed;
  const violation = validateCompletionRequest(body);
  if (violation) return violation;
  const wantsCost = wantsUsageCost(body);
  return {
    call,
    model: String(body.model),
    stream: body.stream === true,
    wantsStreamUsage: wantsCost || includesUsage(body),
    omitsNullUsage: wantsCost,
    ...parsed,
  };
}

const KNOWN: ReadonlySet<string> = new Set(Object.keys(fields));
/** `usage` as OpenRouter's clients send it is served by the gateway; any other value is unknown. */
const KNOWN_WITH_USAGE: ReadonlySet<string> = new Set([...KNOWN, 'usage']);
/** The limit for echoed prompts: 128 choices would repeat a prompt of 10 MB in 1.3 GB. */
const LONGEST_ECHO = 16 * 1024 * 1024;
const STREAM_OPTIONS = new Set(['include_usage']);

/** Returns the text of a prompt; `null` for several texts, for token ids and for a missing prompt. */
export function promptText({ prompt }: Body): string | null {
  const only: unknown = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  return typeof only === 'string' ? only : null;
}

/** Decodes the prompt as a user message, whose answer is the completion. */
export function decodeRequest({ body }: ParsedRequest): ExchangeRequest {
  const rest: RestField[] = [];
  noteRest(body, rest);
  const { logprobs } = body;
  const bound = numberOrNull(body.max_tokens);
  return {
    ...emptyRequest(FORMAT, NAMES),
    messages: [
      { role: 'user', parts: [{ type: 'text', text: promptText(body) ?? '', path: 'prompt' }], path: 'prompt' },
    ],
    // Without a limit a chat answer ends by itself. OpenAI's default of 16 tokens was for models that do not stop by
    // themselves.
    maxOutputTokens: bound === -1 ? null : bound,
    temperature: numberOrNull(body.temperature),
    topP: numberOrNull(body.top_p),
    topK: numberOrNull(body.top_k),
    frequencyPenalty: numberOrNull(body.frequency_penalty),
    presencePenalty: numberOrNull(body.presence_penalty),
    seed: numberOrNull(body.seed),
    stop: stopOf(body.stop),
    candidateCount: numberOrNull(body.n),
    logprobs: wantsLogprobs(body) ? { top: numberOrNull(logprobs) ?? 0 } : null,
    logitBias: logitBiasOf(body.logit_bias),
    user: textOrNull(body.user),
    rest,
  };
}

/** There is only one message to decode. */
// biome-ignore lint/correctness/useYield: a format without steps of its own
export function* decodeSteps(parsed: ParsedRequest): Steps<ExchangeRequest> {
  return decodeRequest(parsed);
}

function wantsLogprobs({ logprobs }: Body): boolean {
  return typeof logprobs === 'number' || logprobs === true;
}

function noteRest(body: Body, rest: RestField[]): void {
  const refuse = (path: keyof typeof body & string, why: string) =>
    rest.push({ path, value: body[path], verdict: 'refused', why });
  const whyNoPrompt = problemOfPrompt(body);
  if (whyNoPrompt !== null) refuse('prompt', whyNoPrompt);
  if (typeof body.suffix === 'string' && body.suffix !== '') refuse('suffix', WHY.suffix);
  const bestOf = numberOrNull(body.best_of);
  if (bestOf !== null && bestOf !== (numberOrNull(body.n) ?? 1)) refuse('best_of', WHY.bestOf);
  if (body.max_tokens === 0) refuse('max_tokens', WHY.noOutput);
  if (body.echo === true && wantsLogprobs(body)) refuse('echo', WHY.echoedLogprobs);
  if (body.echo === true && echoedLength(body) > LONGEST_ECHO) refuse('echo', WHY.longEcho);
  noteUnknown(body, isUsageOption(body.usage) ? KNOWN_WITH_USAGE : KNOWN, '', rest);
  for (const [path, { verdict, why }] of Object.entries(REST_FIELDS)) {
    const value = body[path];
    if (value !== undefined && value !== null) rest.push({ path, value, verdict, why });
  }
  if (isRecord(body.stream_options)) noteUnknown(body.stream_options, STREAM_OPTIONS, 'stream_options', rest);
}

/** Returns the length of the echoed prompt in all choices together, in characters. */
function echoedLength(body: Body): number {
  return (promptText(body) ?? '').length * (numberOrNull(body.n) ?? 1);
}

function problemOfPrompt({ prompt }: Body): string | null {
  const text = promptText({ prompt });
  if (text !== null) return text === '' ? WHY.nothing : null;
  if (!Array.isArray(prompt)) return WHY.nothing;
  return typeof prompt[0] === 'string' ? WHY.prompts : WHY.tokens;
}

function stopOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Numbers by token id; the schema has already checked them. */
function logitBiasOf(value: unknown): Readonly<Record<string, number>> | null {
  if (!isRecord(value)) return null;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

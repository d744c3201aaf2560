import type { ExchangeResponse } from '../../src/domain/exchange/response.ts';
import type { StreamPart } from '../../src/domain/exchange/stream-part.ts';
import type { Usage } from '../../src/domain/exchange/usage.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import type { DecodeSource } from '../../src/formats/text/format.ts';
import { waitingClient } from '../fuzz/check-answers.ts';
import type { StreamSample, WholeSample } from '../fuzz/sample.ts';
import type { Format } from '../judges/index.ts';
import { deepDifferences } from '../shared/deep-difference.ts';
import { parseJson } from '../shared/json.ts';
import type { Fields, Zeros } from './published-fields.ts';
import { type Wanted, withZeros } from './with-zeros.ts';

const SOURCE: DecodeSource = { provider: 'zeros', channel: 'zeros', quirks: [] };
const PATCH = { publicModel: 'public/model', routing: { json: '{"cached":false}' }, created: 1, newId: String };
const utf8 = new TextEncoder();

const CLIENTS: readonly (readonly [Format, unknown])[] = [
  ['openai-chat', { model: 'public/model', messages: [{ role: 'user', content: 'Hi' }] }],
  ['openai-responses', { model: 'public/model', input: 'Hi' }],
  ['anthropic-messages', { model: 'public/model', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }],
  ['gemini', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }],
];

/**
 * Returns the result of every reader for a whole response: the decoded parts, and the responses to clients of the four
 * formats.
 */
export function readWhole(format: string, body: unknown): unknown {
  const bytes = utf8.encode(JSON.stringify(body));
  const decoded = upstreamFormats.get(format)?.decodeAnswer(bytes, SOURCE);
  if (decoded === undefined) throw new Error(`there is no format ${format}`);
  const relayed = clientFormats.get(format)?.relayAnswer(bytes, PATCH);
  const relay = relayed instanceof Failure ? failureOf(relayed) : relayed && { usage: countsOf(relayed.usage) };
  if (decoded instanceof Failure) return { failure: failureOf(decoded), relay };
  return { answer: withoutRaw(decoded), relay, clients: clientsOf(decoded, format) };
}

/** Clients of the upstream's own format get the values unchanged, so only the other formats are compared. */
function clientsOf(answer: ExchangeResponse, format: string): unknown {
  return CLIENTS.filter(([name]) => name !== format).map(([name, request]) => {
    const client = waitingClient(name, request);
    if (client === null) throw new Error(`${name} refuses a small request`);
    return withoutRaw(parseJson(client.format.encodeAnswer(answer, client.context)));
  });
}

export function readStream(format: string, events: StreamSample['events']): unknown {
  const text = events.map(({ event, data }) => `${event ? `event: ${event}\n` : ''}data: ${data}\n\n`).join('');
  const bytes = utf8.encode(text);
  const decoder = upstreamFormats.get(format)?.decodeStream(SOURCE);
  if (decoder === undefined) throw new Error(`there is no format ${format}`);
  const parts = [...decoder.push(bytes), ...decoder.end()];
  const usage = parts.findLast((part) => part.type === 'usage');
  const others = joined(parts.filter((part) => part.type !== 'usage'));
  return {
    parts: others.map((part) => (part.type === 'error' ? failureOf(part.failure) : withoutRaw(part))),
    usage: countsOf(usage?.type === 'usage' ? usage.usage : null),
    relay: relayedStream(format, bytes),
  };
}

function relayedStream(format: string, bytes: Uint8Array): unknown {
  const entry = CLIENTS.find(([name]) => name === format);
  const client = entry && waitingClient(...entry);
  if (!client) return null;
  const relay = client.format.relayStream(client.streaming, PATCH);
  relay.push(bytes);
  relay.end();
  const { failure, finished, started, usage, produced } = relay;
  return {
    failure: failure && failureOf(failure),
    finished,
    started,
    usage: countsOf(usage),
    produced: produced.bytes,
  };
}

/** The boundaries between deltas are irrelevant. */
function joined(parts: readonly StreamPart[]): StreamPart[] {
  const out: StreamPart[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (part.type === 'text-delta' && last?.type === 'text-delta')
      out[out.length - 1] = { ...last, text: last.text + part.text };
    else out.push(part);
  }
  return out;
}

function failureOf({ code, kind, message, status }: Failure): unknown {
  return { code, kind, message, status };
}

function countsOf(usage: Usage | null | undefined): unknown {
  if (!usage) return null;
  // A missing count equals a count of zero, and a report without counts equals no report. Searches are an exception: if
  // they are not reported, they are counted in the response, and a failed one is present but costs nothing.
  const isSaid = (name: string) => !['raw', 'webSearches', 'num_search_queries'].includes(name);
  const counts = Object.entries(usage).filter(([name, value]) => isSaid(name) && value !== 0);
  return counts.some(([name]) => name !== 'source') ? Object.fromEntries(counts) : null;
}

/** Removes wire values that are kept unchanged, and ids that are derived from them. */
function withoutRaw(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRaw);
  if (typeof value !== 'object' || value === null) return value;
  if ('type' in value && value.type === 'unknown' && 'value' in value) return { unknown: true };
  const entries = Object.entries(value).filter(([name]) => !IGNORED.has(name));
  return Object.fromEntries(
    entries.flatMap(([name, member]) => {
      if (name === 'usage' || name === 'usageMetadata') return [[name, countsOf(member as Usage)]];
      return member === null || member === '' ? [] : [[name, withoutRaw(member)]];
    }),
  );
}

const IGNORED: ReadonlySet<string> = new Set([
  'raw',
  'id',
  'state',
  'encrypted_content',
  'reasoning_details',
  'signature',
  'data',
  'thoughtSignature',
  'annotations',
  'citations',
  'call_id',
  'item_id',
]);

export function differenceOfWhole(sample: WholeSample, fields: Fields, zeros: Zeros, wanted: Wanted): string | null {
  const before = readWhole(sample.format, sample.body);
  const after = readWhole(sample.format, withZeros(sample.body, fields, zeros, wanted));
  return told(before, after);
}

export function differenceOfStream(sample: StreamSample, fields: Fields, zeros: Zeros, wanted: Wanted): string | null {
  const events = sample.events.map(({ event, data }) => {
    const chunk = parseJson(data);
    return { event, data: chunk === undefined ? data : JSON.stringify(withZeros(chunk, fields, zeros, wanted)) };
  });
  // Serialized again, since the bytes of a number or an escape may differ.
  const plain = sample.events.map(({ event, data }) => {
    const chunk = parseJson(data);
    return { event, data: chunk === undefined ? data : JSON.stringify(chunk) };
  });
  return told(readStream(sample.format, plain), readStream(sample.format, events));
}

function told(before: unknown, after: unknown): string | null {
  const [first] = deepDifferences(before, after);
  return first === undefined ? null : `${first.path}: ${first.expected} became ${first.actual}`;
}

/** Returns whether the gateway can read it; some recorded bodies belong to other APIs. */
export function isAnswer({ format, body }: WholeSample): boolean {
  const decoded = upstreamFormats.get(format)?.decodeAnswer(utf8.encode(JSON.stringify(body)), SOURCE);
  return decoded !== undefined && !(decoded instanceof Failure);
}

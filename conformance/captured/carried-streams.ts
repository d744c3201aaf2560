import { expect } from 'bun:test';
import type { ExchangeResponse } from '../../src/domain/exchange/response.ts';
import { partsOfResponse } from '../../src/domain/exchange/response-parts.ts';
import type { StreamPart } from '../../src/domain/exchange/stream-part.ts';
import type { Usage } from '../../src/domain/exchange/usage.ts';
import type { TextTarget } from '../../src/engine/directory/target.ts';
import { capturing } from '../../src/engine/operations/text/captured-relay.ts';
import type { TextLane } from '../../src/engine/operations/text/text-lane.ts';
import { EventStreamToSse } from '../../src/formats/shared/stream/aws-event-stream.ts';
import type { CapturedAnswer, StreamRelay } from '../../src/formats/text/format.ts';
import type { MatrixCase } from '../matrix/cases.ts';
import { type ExpectedAnswer, KIND_OF_FORMAT, readAnswer, readStream, streamedJson } from '../readers/index.ts';
import { parseJson } from '../shared/json.ts';
import { targetOf, WaitingClient } from './lanes.ts';

const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
export const MOST_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 700;
const text = new TextDecoder();

export interface Carried {
  readonly relay: StreamRelay;
  readonly captured: CapturedAnswer;
  readonly sent: string;
}

export function carried(lane: TextLane, target: TextTarget, bytes: Uint8Array, maxBytes = MOST_BYTES): Carried {
  const relay = capturing(lane, target, maxBytes).stream();
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length && relay.failure === null; at += PIECE_BYTES) {
    out.push(relay.push(bytes.subarray(at, at + PIECE_BYTES)));
  }
  if (relay.failure === null) out.push(relay.end());
  if (relay.finished) out.push(relay.lastFrames?.() ?? new Uint8Array(0));
  return { relay, captured: relay.captured?.() ?? null, sent: text.decode(Buffer.concat(out)) };
}

export function bytesOf({ recording }: MatrixCase): Uint8Array {
  if (recording.provider !== 'bedrock') return new TextEncoder().encode(recording.responseBody);
  const frames = new EventStreamToSse();
  const bytes = Uint8Array.fromBase64(recording.responseBody);
  return Buffer.concat([frames.push(bytes), frames.end()]);
}

export function wholeOf(captured: CapturedAnswer): ExchangeResponse | null {
  return typeof captured === 'string' ? null : captured;
}

/** Converts a response to the form of the readers, which read recordings independently. */
export function asRead({ candidates, usage }: ExchangeResponse): ExpectedAnswer {
  return {
    candidates: candidates.map(({ parts, finish }) => {
      const told = (type: 'text' | 'reasoning' | 'refusal') =>
        parts.map((part) => (part.type === type ? part.text : '')).join('');
      const calls = parts.filter((part) => part.type === 'tool-call');
      return {
        ...{ text: told('text'), reasoning: told('reasoning'), refusal: told('refusal') },
        toolCalls: calls.map(({ name, arguments: input }) => ({ name, arguments: parseJson(input) ?? input })),
        finish: finish.unified,
        rawFinish: finish.raw,
      };
    }),
    usage: usage && usageAsRead(usage),
  };
}

function usageAsRead(usage: Usage) {
  const { input, cachedInput, cacheWrite, cacheWrite1h = 0, inputAudio = 0, inputImage = 0 } = usage;
  const { output, reasoning, outputAudio = 0, outputImage = 0 } = usage;
  return {
    input: input + inputAudio + inputImage,
    ...{ cachedInput, cacheWrite: cacheWrite + cacheWrite1h },
    ...{ output: output + outputAudio + outputImage, reasoning },
  };
}

/** Collects the same from the parts of the stream, one by one. */
export function broughtBy(parts: readonly StreamPart[]) {
  // The start of a call repeats the state of its end.
  const ends = parts.filter(({ type }) => type.endsWith('-end') || type === 'unknown' || type === 'media');
  return {
    states: ends.flatMap((end) => {
      const one = 'part' in end ? end.part : end;
      return 'state' in one && one.state !== undefined ? [one.state] : [];
    }),
    citations: parts.flatMap((part) => (part.type === 'citation' ? [part.citation] : [])),
    blocks: parts.flatMap((part) => ('part' in part ? [part.part] : [])),
    callIds: parts.flatMap((part) => (part.type === 'tool-call-start' ? [part.id] : [])),
    start: parts.find(({ type }) => type === 'start'),
    tokens: parts.flatMap((part) => (part.type === 'text-delta' ? (part.logprobs ?? []) : [])),
  };
}

/** Values that OpenAI encrypts anew in each event, and ids that one recorder invented per event. */
const TOLD_ANEW = /gAAAAA[\w=-]+|encrypted_content_REDACTED_\d+|capture-id-\d+/g;

export function sealedAway(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replace(TOLD_ANEW, 'sealed'));
}

export interface CapturedBy extends Carried {
  readonly client: WaitingClient;
  readonly isRelayed: boolean;
}

/** The captures of each exchange, shared by several tests. */
const captures = new WeakMap<MatrixCase, readonly CapturedBy[]>();

/** Returns the captures for a client of each format, and for a relay to the upstream's own format. */
export function capturedByEach(one: MatrixCase): readonly CapturedBy[] {
  const known = captures.get(one) ?? captureByEach(one);
  captures.set(one, known);
  return known;
}

function captureByEach(one: MatrixCase): readonly CapturedBy[] {
  const target = targetOf(one.upstream);
  const bytes = bytesOf(one);
  return FORMATS.flatMap((name) => {
    const client = new WaitingClient(name);
    const relayed = client.relayedTo(target);
    const by = (lane: TextLane, isRelayed: boolean) => ({ client, isRelayed, ...carried(lane, target, bytes) });
    return [...(relayed === null ? [] : [by(relayed, true)]), by(client.translatedTo(target), false)];
  });
}

/** Returns one capture, as all clients' captures are equal; fails if they differ. */
export function capturedOf(one: MatrixCase): ExchangeResponse | null {
  const [first, ...others] = capturedByEach(one).map(({ captured }) => wholeOf(captured));
  for (const other of others) expect(other, one.recording.file).toEqual(first ?? null);
  return first ?? null;
}

/** Returns how a client of this format reads the response when the gateway writes it again. */
export function writtenAgain({ client }: CapturedBy, whole: ExchangeResponse): readonly ExpectedAnswer[] {
  const { format, context } = client;
  const kind = kindOf(client);
  const encoder = format.encodeStream(context);
  const frames = partsOfResponse(whole).map((part) => encoder.encode(part));
  return [
    readAnswer(kind, parseJson(format.encodeAnswer(whole, context))),
    readStream(kind, streamedJson(frames.join(''))),
  ];
}

export function kindOf({ format }: WaitingClient) {
  return KIND_OF_FORMAT[FORMATS.find((name) => name === format.name) ?? 'openai-chat'];
}

export function lanesTo(target: TextTarget): readonly TextLane[] {
  return FORMATS.flatMap((name) => {
    const client = new WaitingClient(name);
    return [client.relayedTo(target) ?? [], client.translatedTo(target)].flat();
  });
}

import { describe, expect, test } from 'bun:test';
import { isMedia } from '../../src/domain/exchange/part.ts';
import type { ExchangeResponse } from '../../src/domain/exchange/response.ts';
import { partsOfResponse } from '../../src/domain/exchange/response-parts.ts';
import type { StreamPart } from '../../src/domain/exchange/stream-part.ts';
import type { Usage } from '../../src/domain/exchange/usage.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import type { TextTarget } from '../../src/engine/directory/target.ts';
import { capturing } from '../../src/engine/operations/text/captured-relay.ts';
import type { TextLane } from '../../src/engine/operations/text/text-lane.ts';
import type { CapturedAnswer, StreamRelay } from '../../src/formats/format.ts';
import { EventStreamToSse } from '../../src/formats/shared/aws-event-stream.ts';
import { type MatrixCase, matrixCases } from '../matrix/cases.ts';
import { type ExpectedAnswer, KIND_OF_FORMAT, readAnswer, readStream, streamedJson } from '../readers/index.ts';
import { parseJson } from '../shared/json.ts';
import type { RecordingRow } from '../shared/recordings.ts';
import { targetOf, WaitingClient } from './lanes.ts';

/*
 * Every recorded stream, relayed and translated for each client: what was captured of it is what a direct reading of the
 * recording says, and what the client got. From it every client format can write the same answer again, whole and streamed.
 */

const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
const MOST_BYTES = 64 * 1024 * 1024;
const PIECE_BYTES = 700;
const text = new TextDecoder();

interface Carried {
  readonly relay: StreamRelay;
  readonly captured: CapturedAnswer;
  readonly sent: string;
}

function carried(lane: TextLane, target: TextTarget, bytes: Uint8Array, maxBytes = MOST_BYTES): Carried {
  const relay = capturing(lane, target, maxBytes).stream();
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length && relay.failure === null; at += PIECE_BYTES) {
    out.push(relay.push(bytes.subarray(at, at + PIECE_BYTES)));
  }
  if (relay.failure === null) out.push(relay.end());
  return { relay, captured: relay.captured?.() ?? null, sent: text.decode(Buffer.concat(out)) };
}

function bytesOf({ recording }: MatrixCase): Uint8Array {
  if (recording.provider !== 'bedrock') return new TextEncoder().encode(recording.responseBody);
  const frames = new EventStreamToSse();
  const bytes = Uint8Array.fromBase64(recording.responseBody);
  return Buffer.concat([frames.push(bytes), frames.end()]);
}

function wholeOf(captured: CapturedAnswer): ExchangeResponse | null {
  return typeof captured === 'string' ? null : captured;
}

/** In the words of the readers, which read a recording by themselves. */
function asRead({ candidates, usage }: ExchangeResponse): ExpectedAnswer {
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

/** The same of the stream's parts, one by one. */
function broughtBy(parts: readonly StreamPart[]) {
  // The start of a call repeats a state that its end has.
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

/** What OpenAI encrypts anew each time that it tells it, and ids that one recorder has made up for each event. */
const TOLD_ANEW = /gAAAAA[\w=-]+|encrypted_content_REDACTED_\d+|capture-id-\d+/g;

function sealedAway(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replace(TOLD_ANEW, 'sealed'));
}

interface CapturedBy extends Carried {
  readonly client: WaitingClient;
  readonly isRelayed: boolean;
}

/** For a client of each format, and relayed to that of the upstream's own. */
function capturedByEach(one: MatrixCase): readonly CapturedBy[] {
  const target = targetOf(one.upstream);
  const bytes = bytesOf(one);
  return FORMATS.flatMap((name) => {
    const client = new WaitingClient(name);
    const relayed = client.relayedTo(target);
    const by = (lane: TextLane, isRelayed: boolean) => ({ client, isRelayed, ...carried(lane, target, bytes) });
    return [...(relayed === null ? [] : [by(relayed, true)]), by(client.translatedTo(target), false)];
  });
}

/** One of each case, since they are all the same; fails where they are not. */
function capturedOf(one: MatrixCase): ExchangeResponse | null {
  const [first, ...others] = capturedByEach(one).map(({ captured }) => wholeOf(captured));
  for (const other of others) expect(other, one.recording.file).toEqual(first ?? null);
  return first ?? null;
}

/** What a client of this format reads of the answer as the gateway writes it anew. */
function writtenAgain({ client }: CapturedBy, whole: ExchangeResponse): readonly ExpectedAnswer[] {
  const { format, context } = client;
  const kind = kindOf(client);
  const encoder = format.encodeStream(context);
  const frames = partsOfResponse(whole).map((part) => encoder.encode(part));
  return [
    readAnswer(kind, parseJson(format.encodeAnswer(whole, context))),
    readStream(kind, streamedJson(frames.join(''))),
  ];
}

function kindOf({ format }: WaitingClient) {
  return KIND_OF_FORMAT[FORMATS.find((name) => name === format.name) ?? 'openai-chat'];
}

/** The event after which each stream has ended, at the earliest: what comes later changes nothing of the answer. */
const LAST_EVENT = /data: ?(?:\[DONE\]|\{"type": ?"(?:message_stop|response\.(?:completed|incomplete))")/;

function lanesTo(target: TextTarget): readonly TextLane[] {
  return FORMATS.flatMap((name) => {
    const client = new WaitingClient(name);
    return [client.relayedTo(target) ?? [], client.translatedTo(target)].flat();
  });
}

const TIMEOUT_MS = 120_000;

function textLength(answer: ExpectedAnswer | null): number {
  return answer?.candidates.reduce((sum, { text: own }) => sum + own.length, 0) ?? 0;
}

/** Streams that are not captured as they are read, by their files. */
export interface KnownStreams {
  /** `KNOWN_DIFFERENCES` of the matrix says why the gateway does not read them as the reader does. */
  readonly differing: readonly string[];
  /** The recorder shortened the text in their deltas, and not in what tells of their end. */
  readonly shortened: readonly string[];
}

/** Defines the tests that what is captured of each answer is all of it, or nothing where there is no whole answer. */
export function testCapturedAnswers(exchanges: readonly RecordingRow[], known: KnownStreams): void {
  const all = matrixCases(exchanges).cases;
  const streams = all.filter(({ recording, recordedForm }) => recording.status === 200 && recordedForm === 'stream');

  describe('what is captured of a recorded stream', () => {
    test(
      'is on each lane and for each client what a direct reading of the recording says',
      () => {
        const differing: string[] = [];
        for (const one of streams) {
          const captured = capturedOf(one);
          expect([one.recording.file, captured === null]).toEqual([one.recording.file, one.outcome === 'broken']);
          if (captured !== null && !Bun.deepEquals(asRead(captured), one.expected)) differing.push(one.recording.file);
        }
        expect(differing).toEqual([...known.differing]);
        expect(streams.length).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    test(
      'has every state, citation, block and id that the stream has brought',
      () => {
        const seen = { states: 0, citations: 0, blocks: 0 };
        for (const one of streams) {
          const captured = capturedOf(one);
          if (captured === null) continue;
          const { wire, channel, encoding } = targetOf(one.upstream);
          const decoder = wire.decodeStream({ ...encoding, provider: channel.provider, channel: channel.id });
          const streamed = [...decoder.push(bytesOf(one)), ...decoder.end()];
          const brought = broughtBy(streamed);
          const parts = captured.candidates.flatMap(({ parts: own }) => own);
          const { id, created, model } = captured;
          const kept = {
            states: parts.flatMap((part) => ('state' in part && part.state ? [part.state] : [])),
            citations: parts.flatMap((part) => (part.type === 'text' ? (part.citations ?? []) : [])),
            blocks: parts.filter((part) => part.type === 'unknown' || isMedia(part)),
            callIds: parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : [])),
            start: { type: 'start', id, created, ...(model !== undefined && { model }) },
            tokens: captured.candidates.flatMap(({ logprobs = [] }) => logprobs),
          };
          expect<unknown>(kept, one.recording.file).toEqual(brought);
          seen.states += kept.states.length;
          seen.citations += kept.citations.length;
          seen.blocks += kept.blocks.length;
        }
        expect(Math.min(seen.states, seen.citations, seen.blocks)).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    test(
      'is the answer that a stream of Responses itself tells at its end',
      () => {
        let compared = 0;
        const differing: string[] = [];
        for (const one of streams.filter(({ upstream }) => upstream.format === 'openai-responses')) {
          const target = targetOf(one.upstream);
          const relayed = new WaitingClient('openai-responses').relayedTo(target);
          if (relayed === null || one.outcome === 'broken') continue;
          const { relay, captured } = carried(relayed, target, bytesOf(one));
          const source = { ...target.encoding, provider: target.channel.provider, channel: target.channel.id };
          const told = target.wire.decodeAnswer(new TextEncoder().encode(relay.answerJson ?? ''), source);
          if (told instanceof Failure) throw new Error(told.message);
          compared++;
          // The client is told the public model's name.
          const same = Bun.deepEquals(sealedAway({ ...wholeOf(captured), model: 'public' }), sealedAway(told));
          if (!same) differing.push(one.recording.file);
        }
        expect(differing).toEqual([...known.shortened]);
        expect(compared).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    test(
      'can be written again, whole and streamed, as each client has read it',
      () => {
        let compared = 0;
        for (const one of streams) {
          for (const by of capturedByEach(one)) {
            const whole = wholeOf(by.captured);
            if (whole === null || by.isRelayed) continue;
            const read = readStream(kindOf(by.client), streamedJson(by.sent));
            const about = `${one.recording.file} for ${by.client.format.name}`;
            const [written, streamed] = writtenAgain(by, whole);
            expect(streamed, about).toEqual(read);
            // In a whole answer of Messages a call's input is an object, which arguments that were cut off are not.
            const isCut = read.candidates.some((one) =>
              one.toolCalls.some(({ arguments: input }) => typeof input === 'string'),
            );
            if (!(isCut && by.client.format.name === 'anthropic-messages')) expect(written, about).toEqual(read);
            compared++;
          }
        }

        expect(compared).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );
  });

  describe('nothing is captured', () => {
    test(
      'of a recorded stream that is cut before its end',
      () => {
        let cuts = 0;
        for (const one of streams.filter(({ outcome }) => outcome === 'answer')) {
          const target = targetOf(one.upstream);
          const events = text.decode(bytesOf(one)).split(/(?<=\r?\n\r?\n)/);
          const end = events.findIndex((event) => LAST_EVENT.test(event));
          // Where there is no such event (Gemini), an answer that has said why it ended is whole.
          if (end < 2) continue;
          const cut = new TextEncoder().encode(events.slice(0, Math.floor(end / 2)).join(''));
          for (const { relay, captured } of lanesTo(target).map((lane) => carried(lane, target, cut))) {
            expect([one.recording.file, relay.failure?.side, captured]).toEqual([one.recording.file, 'upstream', null]);
            cuts++;
          }
        }
        expect(cuts).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    test(
      'of one that an error ends',
      () => {
        let errors = 0;
        for (const one of streams.filter(({ outcome }) => outcome === 'broken')) {
          const target = targetOf(one.upstream);
          for (const { captured } of lanesTo(target).map((lane) => carried(lane, target, bytesOf(one)))) {
            expect([one.recording.file, captured]).toEqual([one.recording.file, null]);
            errors++;
          }
        }
        expect(errors).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    test(
      'of one that is longer than what may be held of it, which is said',
      () => {
        const longest = streams.filter(({ outcome, expected }) => outcome === 'answer' && textLength(expected) > 150);
        for (const one of longest) {
          const target = targetOf(one.upstream);
          for (const lane of lanesTo(target))
            expect(carried(lane, target, bytesOf(one), 100).captured).toBe('too-large');
        }
        expect(longest.length).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );
  });

  describe('a recorded answer that was not streamed', () => {
    const wholes = all.filter(({ recordedForm, outcome }) => recordedForm === 'whole' && outcome === 'answer');

    test(
      'is the same as what is captured of it where the client gets it as a stream',
      () => {
        let compared = 0;
        for (const one of wholes) {
          const target = targetOf(one.upstream);
          const bytes = new TextEncoder().encode(one.recording.responseBody);
          for (const lane of lanesTo(target)) {
            const capturingLane = capturing(lane, target, MOST_BYTES);
            const answer = capturingLane.answer(bytes);
            const streamed = capturingLane.streamOfWhole(bytes);
            if (answer instanceof Failure || streamed instanceof Failure) throw new Error(one.recording.file);
            const captured = streamed.relay.captured?.() ?? null;
            if (captured === null || captured === 'too-large') throw new Error(one.recording.file);
            // A stream says the service tier with the usage.
            const { serviceTier, ...rest } = answer.response ?? {};
            expect<unknown>(captured, one.recording.file).toEqual(answer.response?.usage ? answer.response : rest);
            compared++;
          }
        }
        expect(compared).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );
  });
}

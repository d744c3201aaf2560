import { describe, expect, test } from 'bun:test';
import { isMedia } from '../../src/domain/exchange/part.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { capturing } from '../../src/engine/operations/text/captured-relay.ts';
import { type MatrixCase, matrixCases } from '../matrix/cases.ts';
import { type ExpectedAnswer, readStream, streamedJson } from '../readers/index.ts';
import type { RecordingRow } from '../shared/recordings.ts';
import {
  asRead,
  broughtBy,
  bytesOf,
  capturedByEach,
  capturedOf,
  carried,
  kindOf,
  lanesTo,
  MOST_BYTES,
  sealedAway,
  wholeOf,
  writtenAgain,
} from './carried-streams.ts';
import { targetOf, WaitingClient } from './lanes.ts';

/*
 * Every recorded stream, relayed and translated for each client: the capture must equal a direct reading of the recording and what the client
 * received, and every client format must be able to write the response again from it, whole and streamed.
 */

const TIMEOUT_MS = 600_000;

function textLength(answer: ExpectedAnswer | null): number {
  return answer?.candidates.reduce((sum, { text: own }) => sum + own.length, 0) ?? 0;
}

/** The event that ends a stream at the earliest; later events do not change the response. */
const LAST_EVENT = /data: ?(?:\[DONE\]|\{"type": ?"(?:message_stop|response\.(?:completed|incomplete))")/;

/** Streams whose capture differs from the reader's result, by file. */
export interface KnownStreams {
  /** `KNOWN_DIFFERENCES` of the matrix says why the gateway reads them differently. */
  readonly differing: readonly string[];
  /** The recorder shortened the text in their deltas but not in their final events. */
  readonly shortened: readonly string[];
}

/** Defines the tests that each capture is the complete response, or absent if the response is incomplete. */
export function testCapturedAnswers(exchanges: readonly RecordingRow[], known: KnownStreams): void {
  const all = matrixCases(exchanges).cases;
  const streams = all.filter(({ recording, recordedForm }) => recording.status === 200 && recordedForm === 'stream');
  testStreams(streams, known);
  testUncaptured(streams);
  testWholes(all.filter(({ recordedForm, outcome }) => recordedForm === 'whole' && outcome === 'answer'));
}

function testStreams(streams: readonly MatrixCase[], known: KnownStreams): void {
  describe('the capture of a recorded stream', () => {
    test(
      'equals a direct reading of the recording, on each lane and for each client',
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
      'has every state, citation, block and id of the stream',
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
      'equals the response at the end of a Responses stream',
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
          // The client sees the public model name.
          const same = Bun.deepEquals(sealedAway({ ...wholeOf(captured), model: 'public' }), sealedAway(told));
          if (!same) differing.push(one.recording.file);
        }
        expect(differing).toEqual([...known.shortened]);
        expect(compared).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );

    test(
      'can be written again, whole and streamed, as each client read it',
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
            // A whole Messages response has a call's input as an object, which truncated arguments are not.
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
}

function testUncaptured(streams: readonly MatrixCase[]): void {
  describe('nothing is captured', () => {
    test(
      'of a recorded stream that is cut before its end',
      () => {
        let cuts = 0;
        for (const one of streams.filter(({ outcome }) => outcome === 'answer')) {
          const target = targetOf(one.upstream);
          const events = new TextDecoder().decode(bytesOf(one)).split(/(?<=\r?\n\r?\n)/);
          const end = events.findIndex((event) => LAST_EVENT.test(event));
          // Without such an event (Gemini), a response with a finish reason is complete.
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
      'of a stream that ends with an error',
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
      'of a response above the size limit, which is reported',
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
}

function testWholes(wholes: readonly MatrixCase[]): void {
  describe('a recorded whole response', () => {
    test(
      'equals its capture when it is streamed to the client',
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
            // A stream has the service tier in the usage.
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

import { describe, expect, test } from 'bun:test';
import type { StreamPart } from '../../../domain/exchange/stream-part.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { NUMBERED_REASONS } from '../../shared/failure/google-finish.ts';
import { gemini } from './index.ts';
import { chunk, context, decodeStream, type Json, ROUTING, source, sse, utf8 } from './testing/support.ts';

/* Both lanes must agree on whether an end is an answer, in whole answers and in streams. */

const ANSWERS = [
  ...['STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'MODEL_ARMOR'],
];
const FAILURES = [
  ...['OTHER', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'NO_IMAGE', 'IMAGE_OTHER'],
  ...['MISSING_THOUGHT_SIGNATURE', 'MALFORMED_RESPONSE'],
];

const patch = { publicModel: 'public-model', routing: { json: ROUTING }, created: 1, newId: String };

/** Returns each lane's verdict on the same chunks; `null` for an answer. The last chunk serves as the whole answer. */
function failures(chunks: readonly Json[]): Record<string, string | null> {
  const kindOf = (result: unknown) => (result instanceof Failure ? result.kind : null);
  const whole = utf8(JSON.stringify(chunks.at(-1)));
  const relay = gemini.relayStream(context('sse').parsed, patch);
  relay.push(utf8(sse(...chunks)));
  relay.end();
  const last: StreamPart | undefined = decodeStream([sse(...chunks)]).at(-1);
  return {
    whole: kindOf(gemini.decodeAnswer(whole, source)),
    relayed: kindOf(gemini.relayAnswer(whole, patch)),
    stream: last?.type === 'error' ? last.failure.kind : null,
    relayedStream: kindOf(relay.failure),
  };
}

const all = (kind: string | null) => ({ whole: kind, relayed: kind, stream: kind, relayedStream: kind });

describe('the end of a candidate', () => {
  test('has every documented reason as a success or a failure', () => {
    const known = new Set([...ANSWERS, ...FAILURES, 'FINISH_REASON_UNSPECIFIED']);
    expect(NUMBERED_REASONS.filter((reason) => !known.has(reason))).toEqual([]);
  });

  test.each(ANSWERS)('is a success for %s, with and without content', (finishReason) => {
    expect(failures([chunk([{ text: 'Hi' }], { finishReason })])).toEqual(all(null));
    expect(failures([{ candidates: [{ finishReason, index: 0 }] }])).toEqual(all(null));
  });

  test.each(FAILURES)('is a failure for %s, with and without content', (finishReason) => {
    expect(failures([chunk([{ text: 'Hi' }], { finishReason })])).toEqual(all('failed_generation'));
    expect(failures([{ candidates: [{ finishReason, index: 0 }] }])).toEqual(all('failed_generation'));
  });

  test('is a failure for an undocumented reason only without content', () => {
    const finishReason = 'REASON_OF_TOMORROW';
    expect(failures([chunk([{ text: 'Hi' }], { finishReason })])).toEqual(all(null));
    expect(failures([{ candidates: [{ content: { parts: [] }, finishReason, index: 0 }] }])).toEqual(
      all('failed_generation'),
    );
  });

  test("has the reason and Google's message in the failure, and allows another channel", () => {
    const finishMessage = 'Malformed function call: print(default_api.f())';
    const failed = gemini.decodeAnswer(
      utf8(JSON.stringify({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }] })),
      source,
    );
    expect(failed).toMatchObject({ code: 'upstream_error', retry: 'other-target', side: 'upstream' });
    expect(failed).toMatchObject({
      message: `The upstream returned no response (MALFORMED_FUNCTION_CALL): ${finishMessage}`,
    });
  });

  test('is a success if one candidate is', () => {
    const candidates = ['MALFORMED_FUNCTION_CALL', 'STOP'].map((finishReason, index) => ({ finishReason, index }));
    expect(failures([{ candidates }])).toEqual(all(null));
  });

  test('counts in mid-stream only if it is the last one', () => {
    const ran = chunk([{ executableCode: { code: 'print(1)' } }], { finishReason: 'STOP' });
    const broken = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }] };
    expect(failures([ran, broken])).toMatchObject({ stream: 'failed_generation', relayedStream: 'failed_generation' });
    expect(failures([broken, ran])).toMatchObject({ stream: null, relayedStream: null });
  });
});

describe('a relayed stream', () => {
  function started(...chunks: readonly Json[]): boolean {
    const relay = gemini.relayStream(context('sse').parsed, patch);
    relay.push(utf8(sse(...chunks)));
    return relay.started;
  }

  test('has started with its first content, not with an empty chunk, so that another channel may respond', () => {
    const empty = chunk([{ text: '' }]);
    expect(started(empty, { candidates: [{ index: 0 }] })).toBe(false);
    expect(started(empty, { candidates: [{ finishReason: 'OTHER', index: 0 }] })).toBe(false);
    expect(started(empty, { error: { code: 503, message: 'overloaded' } })).toBe(false);
    expect(started(empty, chunk([{ text: 'Hi' }]))).toBe(true);
    expect(started(chunk([{ functionCall: { name: 'f' } }]))).toBe(true);
    expect(started(chunk([{ text: '' }], { finishReason: 'STOP' }))).toBe(true);
    expect(started({ promptFeedback: { blockReason: 'SAFETY' } })).toBe(true);
  });
});

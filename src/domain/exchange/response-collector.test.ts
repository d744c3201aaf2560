import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../failure/failure.ts';
import type { Citation, MediaPart, Part } from './part.ts';
import type { Candidate, ExchangeResponse } from './response.ts';
import { ResponseCollector } from './response-collector.ts';
import { partsOfResponse } from './response-parts.ts';
import type { StreamPart } from './stream-part.ts';

const MEBIBYTE = 1024 * 1024;

function collected(parts: readonly StreamPart[], maxBytes = 64 * MEBIBYTE): ExchangeResponse | null {
  const collector = new ResponseCollector(maxBytes);
  for (const part of parts) collector.see(part);
  return collector.response;
}

const text = fc.string({ unit: 'binary', maxLength: 40 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const count = fc.nat(100_000);
const families = ['anthropic', 'google', 'openai-responses', 'openai-chat', 'cohere'] as const;
const family = fc.constantFrom(...families);
const state = fc.record({ family, data: text, provider: orNull(text), channel: orNull(text) });
const raw = orNull(fc.record({ format: text, value: fc.jsonValue() }));
const place = orNull(count);
const citation: fc.Arbitrary<Citation> = fc.record({
  ...{ url: orNull(text), title: orNull(text), citedText: orNull(text) },
  ...{ start: place, end: place, documentIndex: place, raw },
});
const media: fc.Arbitrary<MediaPart> = fc.record(
  {
    type: fc.constantFrom('image', 'audio', 'video', 'document'),
    source: fc.oneof(
      fc.record({ kind: fc.constant('base64' as const), data: text }),
      fc.record({ kind: fc.constant('url' as const), url: text }),
      fc.record({ kind: fc.constant('text' as const), text }),
      fc.record({ kind: fc.constant('file' as const), id: text, format: text }),
    ),
    ...{ mediaType: orNull(text), fileName: text, state },
  },
  { requiredKeys: ['type', 'source', 'mediaType'] },
);
const citations = fc.array(citation, { minLength: 1, maxLength: 3 });
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text, citations, state }, { requiredKeys: ['type', 'text'] }),
  fc.record(
    { type: fc.constant('reasoning' as const), text, summary: fc.boolean(), redacted: fc.boolean(), state },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record(
    {
      type: fc.constant('tool-call' as const),
      ...{ id: text, name: text, arguments: text, namespace: text, custom: fc.boolean(), state },
    },
    { requiredKeys: ['type', 'id', 'name', 'arguments'] },
  ),
  fc.record({ type: fc.constant('refusal' as const), text }),
  media,
  fc.record(
    { type: fc.constant('unknown' as const), format: text, value: fc.jsonValue(), state },
    { requiredKeys: ['type', 'format', 'value'] },
  ),
);
const logprob = { token: text, logprob: fc.double({ noNaN: true }), bytes: orNull(fc.array(fc.nat(255))) };
const logprobs = fc.array(fc.record({ ...logprob, top: fc.array(fc.record(logprob), { maxLength: 2 }) }), {
  maxLength: 3,
});
const unified = fc.constantFrom('stop', 'length', 'tool-calls', 'content-filter', 'pause', 'other');
const finish = fc.record(
  { unified, raw: orNull(text), stopSequence: orNull(text) },
  { requiredKeys: ['unified', 'raw'] },
);
/** A stream sends log probabilities only with text. */
const candidate: fc.Arbitrary<Omit<Candidate, 'index'>> = fc
  .record({ parts: fc.array(part, { maxLength: 6 }), finish, logprobs: fc.option(logprobs, { nil: undefined }) })
  .map(({ logprobs: all, ...rest }) => {
    const hasText = rest.parts.some(({ type }) => type === 'text');
    return all === undefined || !hasText ? rest : { ...rest, logprobs: all };
  });
const usage = fc.record(
  {
    ...{ input: count, cachedInput: count, cacheWrite: count, output: count, reasoning: count },
    ...{ cacheWrite1h: count, inputAudio: count, webSearches: count, raw: fc.jsonValue() },
    source: fc.constantFrom('reported', 'estimated'),
  },
  { requiredKeys: ['input', 'cachedInput', 'cacheWrite', 'output', 'reasoning', 'source'] },
);
/** A stream sends the service tier only with the usage. */
const response: fc.Arbitrary<ExchangeResponse> = fc
  .record(
    {
      ...{ id: orNull(text), created: orNull(count), usage: orNull(usage) },
      candidates: fc.array(candidate, { maxLength: 3 }).map((all) => all.map((one, index) => ({ ...one, index }))),
      ...{ serviceTier: orNull(text), model: text },
    },
    { requiredKeys: ['id', 'created', 'usage', 'candidates'] },
  )
  .map(({ serviceTier, ...rest }) =>
    serviceTier === undefined || rest.usage === null ? rest : { ...rest, serviceTier },
  );

describe('a collected response', () => {
  test('equals the one that was taken apart', () => {
    fc.assert(
      fc.property(response, (whole) => {
        expect(collected(partsOfResponse(whole))).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  test('is the same wherever its texts are cut', () => {
    fc.assert(
      fc.property(response, fc.infiniteStream(fc.nat(5)), (whole, cuts) => {
        const parts = partsOfResponse(whole).flatMap((one): StreamPart[] => {
          const at = Number(cuts.next().value);
          if (one.type === 'tool-call-delta') {
            const rest = one.arguments.slice(at);
            return [
              { ...one, arguments: one.arguments.slice(0, at) },
              { ...one, arguments: rest },
            ];
          }
          if (one.type !== 'text-delta' && one.type !== 'reasoning-delta') return [one];
          const { type, candidate: of } = one;
          return [
            { ...one, text: one.text.slice(0, at) },
            { type, candidate: of, text: one.text.slice(at) },
          ];
        });
        expect(collected(parts)).toEqual(whole);
      }),
      { numRuns: 200 },
    );
  });

  test('is the same in any order of candidates', () => {
    const [start, ...rest] = partsOfResponse(TWO);
    const of = (index: number) => rest.filter((one) => 'candidate' in one && one.candidate === index);
    const end = rest.filter((one) => !('candidate' in one));
    const first = of(0);
    const woven = of(1).flatMap((one, index) => (first[index] === undefined ? [one] : [one, first[index]]));
    expect(collected([...(start === undefined ? [] : [start]), ...woven, ...end])).toEqual(TWO);
  });

  test('has the last usage report, and the last service tier that was reported', () => {
    const parts: StreamPart[] = [START, { type: 'usage', usage: { ...USED, output: 1 }, serviceTier: 'flex' }];
    const later: StreamPart[] = [{ type: 'usage', usage: USED, serviceTier: null }, { type: 'end' }];
    expect(collected([...parts, ...later])).toMatchObject({ usage: USED, serviceTier: 'flex' });
  });
});

const USED = { input: 1, cachedInput: 0, cacheWrite: 0, output: 2, reasoning: 0, source: 'reported' } as const;
const START: StreamPart = { type: 'start', id: 'a', created: 1 };
const TWO: ExchangeResponse = {
  ...{ id: 'a', created: 1, usage: USED },
  candidates: ['one', 'two'].map((said, index) => ({
    index,
    parts: [{ type: 'text', text: said }],
    finish: { unified: 'stop', raw: null },
  })),
};

describe('there is no response', () => {
  const parts = partsOfResponse(TWO);

  test('before the stream has ended', () => {
    for (let length = 0; length < parts.length; length++) expect(collected(parts.slice(0, length))).toBeNull();
  });

  test('if the stream ended with an error', () => {
    const error: StreamPart = { type: 'error', failure: new Failure('upstream_error', { message: 'broken' }) };
    for (let length = 0; length < parts.length; length++) {
      expect(collected([...parts.slice(0, length), error, ...parts.slice(length)])).toBeNull();
    }
  });

  test.each<[what: string, without: (part: StreamPart) => boolean]>([
    ['a candidate without an end', ({ type }) => type === 'finish'],
    ['an unclosed block', ({ type }) => type === 'text-end'],
    ['a text outside any block', ({ type }) => type === 'text-start'],
    ['an end without a start', ({ type }) => type === 'start'],
  ])('for a stream with %s', (_what, without) => {
    expect(collected(parts.filter((one) => !without(one)))).toBeNull();
  });
});

describe('a response over the memory limit', () => {
  const collectorOf = (parts: readonly StreamPart[], maxBytes: number) => {
    const collector = new ResponseCollector(maxBytes);
    for (const one of parts) collector.see(one);
    return collector;
  };
  const answering = (...all: readonly Part[]): ExchangeResponse => ({
    ...{ id: 'a', created: 1, usage: USED },
    candidates: [{ index: 0, parts: all, finish: { unified: 'stop', raw: null } }],
  });
  const long = 'x'.repeat(MEBIBYTE);

  test.each<[what: string, part: Part]>([
    ['text', { type: 'text', text: long }],
    ['thoughts', { type: 'reasoning', text: long }],
    ['a call', { type: 'tool-call', id: 'c', name: 'f', arguments: long }],
    ['a name', { type: 'tool-call', id: 'c', name: long, arguments: '' }],
    ['a refusal', { type: 'refusal', text: long }],
    ['an image', { type: 'image', mediaType: null, source: { kind: 'base64', data: long } }],
    ['a block of a provider', { type: 'unknown', format: 'f', value: { long } }],
    [
      'a state',
      { type: 'reasoning', text: '', state: { family: 'google', data: long, provider: null, channel: null } },
    ],
  ])('because of %s is abandoned and reported', (_what, one) => {
    const parts = partsOfResponse(answering(one));
    expect(collectorOf(parts, MEBIBYTE)).toMatchObject({ isTooLarge: true, isOver: true, response: null });
    expect(collectorOf(parts, 3 * MEBIBYTE)).toMatchObject({ isTooLarge: false, response: answering(one) });
  });

  test('because of its number of parts is abandoned, however small they are', () => {
    const many = Array.from({ length: 1_000 }, (): StreamPart => ({ type: 'text-delta', candidate: 0, text: '' }));
    const parts: StreamPart[] = [START, { type: 'text-start', candidate: 0 }, ...many];
    expect(collectorOf(parts, 32_000).isTooLarge).toBe(true);
  });

  test('because of its usage is abandoned; replaced reports do not count', () => {
    const report: StreamPart = { type: 'usage', usage: { ...USED, raw: 'x'.repeat(10_000) } };
    const reports = Array.from({ length: 100 }, () => report);
    expect(collectorOf([START, ...reports, { type: 'end' }], 30_000).response).not.toBeNull();
    expect(collectorOf([START, report, { type: 'end' }], 20_000).isTooLarge).toBe(true);
  });
});

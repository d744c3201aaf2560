import { expect, test } from 'bun:test';
import { inNaturalPieces } from './natural-pieces.ts';
import type { ExchangeResponse } from './response.ts';
import { ResponseCollector } from './response-collector.ts';
import { partsOfResponse } from './response-parts.ts';

function answerOf(parts: ExchangeResponse['candidates'][number]['parts'], more = {}): ExchangeResponse {
  return {
    id: null,
    created: null,
    usage: null,
    candidates: [{ index: 0, parts, finish: { unified: 'stop', raw: 'stop' }, ...more }],
  };
}

function collected(response: ExchangeResponse) {
  const collector = new ResponseCollector(1_000_000_000);
  const pieces = inNaturalPieces(partsOfResponse(response));
  for (const piece of pieces) collector.see(piece);
  return { pieces, response: collector.response };
}

const texts = (pieces: ReturnType<typeof inNaturalPieces>) =>
  pieces.flatMap((piece) => (piece.type === 'text-delta' ? [piece.text] : []));

test('a response in pieces adds up to the same response', () => {
  const response = answerOf([
    { type: 'reasoning', text: 'First I think about it for quite a while, in words.' },
    { type: 'text', text: 'The quick brown fox jumps over the lazy dog, and the dog does not mind at all.' },
    { type: 'tool-call', id: 'call_1', name: 'look', arguments: JSON.stringify({ path: 'a'.repeat(100) }) },
  ]);
  const { pieces, response: again } = collected(response);
  expect(again).toEqual(response);
  expect(texts(pieces).length).toBeGreaterThan(3);
  for (const text of texts(pieces).slice(0, -1)) expect(text.endsWith(' ')).toBe(true);
});

test('no character is split, and a long text has a bounded number of pieces', () => {
  const response = answerOf([{ type: 'text', text: '😀'.repeat(50_000) }]);
  const { pieces, response: again } = collected(response);
  expect(again).toEqual(response);
  expect(texts(pieces).length).toBeLessThanOrEqual(257);
  for (const text of texts(pieces)) expect(text.isWellFormed()).toBe(true);
});

test('an empty text stays one empty piece', () => {
  expect(texts(inNaturalPieces(partsOfResponse(answerOf([{ type: 'text', text: '' }]))))).toEqual(['']);
});

test('each token keeps its own probabilities', () => {
  const logprobs = ['Yes', ',', ' of', ' course'].map((token) => ({ token, logprob: -0.1, bytes: null, top: [] }));
  const response = answerOf([{ type: 'text', text: 'Yes, of course' }], { logprobs });
  const { pieces, response: again } = collected(response);
  expect(texts(pieces)).toEqual(['Yes', ',', ' of', ' course']);
  expect(again).toEqual(response);
});

test('probabilities of a text other than the response stay together', () => {
  const logprobs = [{ token: 'No', logprob: -0.1, bytes: null, top: [] }];
  const { pieces, response: again } = collected(answerOf([{ type: 'text', text: 'Yes' }], { logprobs }));
  expect(texts(pieces)).toEqual(['Yes']);
  expect(again?.candidates[0]?.logprobs).toEqual(logprobs);
});

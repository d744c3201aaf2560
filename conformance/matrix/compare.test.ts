import { expect, test } from 'bun:test';
import type { Candidate, ClientFormat, ExpectedAnswer } from '../readers/index.ts';
import type { MatrixCase } from './cases.ts';
import { type Lane, readingDifferences } from './compare.ts';
import type { Reading } from './sdks/index.ts';

const candidate: Candidate = {
  text: 'It is sunny.',
  reasoning: 'Look outside.',
  refusal: '',
  toolCalls: [{ name: 'f', arguments: { a: 1 } }],
  finish: 'tool-calls',
  rawFinish: 'tool_calls',
};
const usage = { input: 5, cachedInput: 4, cacheWrite: 3, output: 2, reasoning: 1 };
const answer: ExpectedAnswer = { candidates: [candidate], usage };
const same: Reading = { ...answer, model: 'm', callIds: ['c'], totalTokens: 15 };

// The comparison only reads the case's kind.
const chatCase = { kind: 'chat' } as MatrixCase;

function differences(format: ClientFormat, actual: Reading, expected = answer, lane: Lane = 'translated') {
  return readingDifferences(chatCase, expected, format, lane, actual);
}

function changed(change: Partial<Candidate>): Reading {
  return { ...same, candidates: [{ ...candidate, ...change }] };
}

test('the same response has no differences, whatever its raw finish reason', () => {
  expect(differences('openai-chat', same)).toEqual([]);
  expect(differences('openai-chat', changed({ rawFinish: 'STOP' }))).toEqual([]);
  expect(differences('openai-chat', changed({ rawFinish: 'STOP' }), answer, 'relayed')).toHaveLength(1);
});

test.each<[string, Reading]>([
  ['text', changed({ text: 'It is sunny' })],
  ['reasoning', changed({ reasoning: '' })],
  ['refusal', changed({ refusal: 'No.' })],
  ['a missing call', changed({ toolCalls: [] })],
  ["a call's name", changed({ toolCalls: [{ name: 'g', arguments: { a: 1 } }] })],
  ["a call's arguments", changed({ toolCalls: [{ name: 'f', arguments: { a: '1' } }] })],
  ['the end', changed({ finish: 'stop' })],
  ['an additional candidate', { ...same, candidates: [candidate, candidate] }],
  ['a count', { ...same, usage: { ...usage, cachedInput: 0, input: 9 } }],
  ['no usage', { ...same, usage: null }],
  ['the total', { ...same, totalTokens: 14 }],
  ['one id for two calls', { ...same, callIds: ['c', 'c'] }],
  ['an empty id', { ...same, callIds: [''] }],
])('%s differs', (_what, actual) => {
  expect(differences('openai-chat', actual).length).toBeGreaterThan(0);
});

test('a format is only compared in what it can express', () => {
  const refused: ExpectedAnswer = {
    candidates: [{ ...candidate, text: '', refusal: 'No.', toolCalls: [], finish: 'stop' }, candidate],
    usage,
  };
  const seen = { ...candidate, text: 'No.', toolCalls: [] };
  const message: Reading = { ...same, candidates: [{ ...seen, finish: 'content-filter' }] };
  expect(differences('anthropic-messages', message, refused)).toEqual([]);
  expect(differences('openai-responses', message, refused)).not.toEqual([]);
  const uncounted: Reading = { ...same, usage: { ...usage, input: 8, cacheWrite: 0 } };
  expect(differences('gemini', uncounted)).toEqual([]);
  expect(differences('openai-chat', uncounted)).not.toEqual([]);
});

test('text arguments may arrive in an object if the format requires one', () => {
  const custom = { candidates: [{ ...candidate, toolCalls: [{ name: 'f', arguments: 'SELECT 1' }] }], usage };
  const inside = changed({ toolCalls: [{ name: 'f', arguments: { input: 'SELECT 1' } }] });
  expect(differences('anthropic-messages', inside, custom)).toEqual([]);
  expect(differences('openai-chat', inside, custom)).not.toEqual([]);
  expect(differences('anthropic-messages', changed({ toolCalls: [{ name: 'f', arguments: {} }] }), custom)).not.toEqual(
    [],
  );
});

test('the gateway may estimate usage that the provider does not report', () => {
  expect(differences('openai-chat', same, { candidates: [candidate], usage: null })).toEqual([]);
});

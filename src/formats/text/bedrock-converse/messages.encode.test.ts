import { expect, test } from 'bun:test';
import { Losses } from '../../../domain/exchange/loss.ts';
import type { Quirk } from '../quirk.ts';
import { bedrockConverse } from './index.ts';
import { type Turn, withTurnsApart } from './messages.encode.ts';

const why = 'the model refuses it';
const QUIRKS: readonly Quirk[] = [
  { kind: 'message-order', rule: 'answered-results', why },
  { kind: 'message-order', rule: 'calls-apart', why },
];
const text = (words: string) => ({ text: words });
const call = { toolUse: { toolUseId: 'a', name: 'look', input: {} } };
const result = { toolResult: { toolUseId: 'a', content: [text('found')] } };
const thought = { reasoningContent: { reasoningText: { text: 'Hm.' } } };
const TURNS: readonly Turn[] = [
  { role: 'user', content: [text('Hi')] },
  { role: 'assistant', content: [thought, text('I look.'), call] },
  { role: 'user', content: [result, text('And?')] },
];

const losses = () => new Losses(bedrockConverse.carries, {});

test('text is put in turns of its own, apart from calls and results', () => {
  const noted = losses();
  const turns = withTurnsApart(TURNS, QUIRKS, noted);
  expect(turns.map(({ role, content }) => [role, ...content])).toEqual([
    ['user', text('Hi')],
    ['assistant', text('I look.')],
    ['user', text('Continue.')],
    ['assistant', thought, call],
    ['user', result],
    ['assistant', text('I have the result.')],
    ['user', text('And?')],
  ]);
  expect(noted.all.map(({ verdict }) => verdict)).toContain('approximated');
});

test('turns of calls or results only are unchanged, and so are all turns if the model accepts them', () => {
  const noted = losses();
  expect(withTurnsApart(TURNS, [], noted)).toBe(TURNS);
  const alone: readonly Turn[] = [
    { role: 'assistant', content: [thought, call] },
    { role: 'user', content: [result] },
  ];
  expect(withTurnsApart(alone, QUIRKS, noted)).toEqual(alone);
  expect(noted.all).toEqual([]);
});

import { describe, expect, test } from 'bun:test';
import { type Carries, FEATURES, Losses } from '../../../domain/exchange/loss.ts';
import type { Message } from '../../../domain/exchange/part.ts';
import { withAnsweredCalls, withPairedResults } from './paired-results.ts';

const CARRIES = Object.fromEntries(FEATURES.map((feature) => [feature, 'exact'])) as Carries;
const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] });
const calls = (...ids: readonly string[]): Message => ({
  role: 'assistant',
  parts: ids.map((id) => ({ type: 'tool-call', id, name: `f_${id}`, arguments: '{}' })),
});
const results = (...ids: readonly string[]): Message => ({
  role: 'tool',
  parts: ids.map((id) => ({ type: 'tool-result', id, content: [{ type: 'text', text: `r_${id}` }] })),
});

/** Shows each message as its text, or as its calls and results by their ids. */
function shown(messages: readonly Message[]): string {
  return messages
    .map(({ role, parts }) => {
      const ids = parts.map((part) => ('id' in part ? part.id : part.type === 'text' ? part.text : '?'));
      return `${role[0]}:${ids.join('+')}`;
    })
    .join(' ');
}

function paired(...messages: readonly Message[]): readonly [string, number] {
  const losses = new Losses(CARRIES, {});
  return [shown(withPairedResults(messages, losses)), losses.all.length];
}

describe('results after their calls', () => {
  test.each([
    [[user('a')]],
    [[user('a'), calls('1', '2'), results('2', '1'), user('b')]],
    [[user('a'), calls('1'), results('1'), calls('2'), results('2')]],
    [[user('a'), calls('1', '2'), results('1'), results('2')]],
    [[user('a'), calls('1')]],
    [[calls('1'), results('1'), calls('1'), results('1')]],
  ])('leave a paired conversation the same array (%#)', (messages) => {
    expect(withPairedResults(messages, new Losses(CARRIES, {}))).toBe(messages);
  });

  test('are put before a message in between', () => {
    expect(paired(calls('1', '2'), results('1'), user('b'), results('2'))[0]).toBe('a:1+2 t:1+2 u:b');
    expect(paired(calls('1'), user('b'), results('1'))).toEqual(['a:1 t:1 u:b', 1]);
  });

  test('have a placeholder if missing, unless the call is the last', () => {
    expect(paired(calls('1', '2'), results('1'), user('b'))).toEqual(['a:1+2 t:1+2 u:b', 1]);
    expect(paired(calls('1'), user('b'), calls('2'))).toEqual(['a:1 t:1 u:b a:2', 1]);
  });

  test('without a call, or repeated, become a user message', () => {
    expect(paired(user('a'), results('9'), user('b'))).toEqual(['u:a u:r_9 u:b', 1]);
    expect(paired(calls('1'), results('1', '1'), user('b'))).toEqual(['a:1 t:1 u:r_1 u:b', 1]);
  });

  test('are assigned to each call with a reused id', () => {
    const [order] = paired(calls('1'), results('1'), user('a'), calls('1'), user('b'), results('1'));
    expect(order).toBe('a:1 t:1 u:a a:1 t:1 u:b');
  });

  test('have a placeholder at the very end for an API that requires it', () => {
    const answered = (...messages: readonly Message[]) => {
      const losses = new Losses(CARRIES, {});
      return [shown(withAnsweredCalls(messages, losses)), losses.all.length];
    };
    expect(answered(user('a'), calls('1', '2'))).toEqual(['u:a a:1+2 t:1+2', 1]);
    expect(answered(calls('1'), results('1'), calls('2'))).toEqual(['a:1 t:1 a:2 t:2', 1]);
    expect(answered(calls('1'), results('1'), user('b'))).toEqual(['a:1 t:1 u:b', 0]);
  });

  test('follow all calls of a turn in several messages', () => {
    expect(paired(calls('1'), calls('2'), user('a'), results('1', '2'))[0]).toBe('a:1 a:2 t:1+2 u:a');
  });
});

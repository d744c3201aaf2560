import { describe, expect, test } from 'bun:test';
import { OpenCalls } from './open-calls.ts';

function opened(...calls: readonly (readonly [id: string, name: string])[]) {
  const open = new OpenCalls<{ readonly id: string; readonly name: string }>();
  for (const [id, name] of calls) open.add({ id, name });
  return open;
}

describe('a result matches the first open call', () => {
  test('with its id, whatever its name', () => {
    const open = opened(['1', 'a'], ['2', 'a'], ['2', 'b']);
    expect(open.answer({ id: '2', name: 'b' })).toEqual({ id: '2', name: 'a' });
    expect(open.answer({ id: '2' })).toEqual({ id: '2', name: 'b' });
    expect(open.answer({ id: '2' })).toBeUndefined();
    expect(open.answer({ id: '3', name: 'a' })).toBeUndefined();
  });

  test('with its name, if it has no id', () => {
    const open = opened(['1', 'a'], ['2', 'b'], ['3', 'a']);
    expect(open.answer({ name: 'a' })?.id).toBe('1');
    expect(open.answer({ id: '2' })?.id).toBe('2');
    expect(open.answer({ name: 'b' })).toBeUndefined();
    expect(open.answer({ name: 'a' })?.id).toBe('3');
  });

  test('of all, if it has neither; an answered one is skipped', () => {
    const open = opened(['1', 'a'], ['2', 'b'], ['3', 'constructor']);
    expect(open.answer({ name: 'a' })?.id).toBe('1');
    expect(open.answer({})?.id).toBe('2');
    expect(open.answer({ name: 'constructor' })?.id).toBe('3');
    expect(open.answer({})).toBeUndefined();
  });

  test('even after another was answered', () => {
    const open = opened(['1', 'a']);
    expect(open.answer({})?.id).toBe('1');
    open.add({ id: '1', name: 'a' });
    expect(open.answer({ id: '1' })?.name).toBe('a');
  });
});

import { expect, test } from 'bun:test';
import { grouped, search } from './options.ts';

const models = ['gpt-5 mini', 'Claude Opus', 'claude-haiku', 'Café au lait', 'new-claude', '通义千问 Qwen'];
const find = (query: string, limit = 10) => search(models, query, (model) => model, limit);

test('every search word must occur, in any order and case, and prefixes are first', () => {
  expect(find('CLAUDE').shown).toEqual(['Claude Opus', 'claude-haiku', 'new-claude']);
  expect(find('mini gpt').shown).toEqual(['gpt-5 mini']);
  expect(find('claude gpt').shown).toEqual([]);
  expect(find('cafe').shown).toEqual(['Café au lait']);
  expect(find('QWEN 千').shown).toEqual(['通义千问 Qwen']);
});

test('at most the limit is shown, and the rest is counted', () => {
  expect(find('  ', 2)).toEqual({ shown: ['gpt-5 mini', 'Claude Opus'], left: 4 });
  expect(find('claude', 2).left).toBe(1);
  expect(find('(.*').shown).toEqual([]);
});

test('groups keep the order of first occurrence', () => {
  const options = [
    { value: 'a', label: 'A', group: 'two' },
    { value: 'b', label: 'B' },
    { value: 'c', label: 'C', group: 'two' },
  ];
  expect(grouped(options).map(([group, found]) => [group, found.map(({ value }) => value)])).toEqual([
    ['two', ['a', 'c']],
    ['', ['b']],
  ]);
});

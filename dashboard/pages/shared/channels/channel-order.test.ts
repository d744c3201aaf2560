import { expect, test } from 'bun:test';
import { groupsOf, joinedAbove, movedIn, setApart } from './channel-order.ts';

const GROUPS = [['a'], ['b', 'c', 'd'], ['e']];

test('channels of the same priority are grouped', () => {
  const channels = [
    { id: 'a', priority: 0 },
    { id: 'b', priority: 1 },
    { id: 'c', priority: 1 },
  ];
  expect(groupsOf(channels)).toEqual([['a'], ['b', 'c']]);
});

test.each<[string, string, string[], string[][]]>([
  ['c', 'to the top, out of its group', ['c', 'a', 'b', 'd', 'e'], [['c'], ['a'], ['b', 'd'], ['e']]],
  ['a', 'into a group', ['b', 'a', 'c', 'd', 'e'], [['b', 'a', 'c', 'd'], ['e']]],
  ['a', 'between two groups', ['b', 'c', 'd', 'a', 'e'], [['b', 'c', 'd'], ['a'], ['e']]],
  ['b', 'to the end', ['a', 'c', 'd', 'e', 'b'], [['a'], ['c', 'd'], ['e'], ['b']]],
  ['d', 'within its group', ['a', 'b', 'd', 'c', 'e'], [['a'], ['b', 'd', 'c'], ['e']]],
])('%s is moved %s', (moved, _, order, groups) => {
  expect(movedIn(GROUPS, order, moved)).toEqual(groups);
});

test('dragging one of two channels up separates their priorities', () => {
  expect(movedIn([['a', 'b']], ['b', 'a'], 'b')).toEqual([['b'], ['a']]);
});

test('a channel can join the group above and leave it again', () => {
  expect(joinedAbove(GROUPS, 'e')).toEqual([['a'], ['b', 'c', 'd', 'e']]);
  expect(joinedAbove(GROUPS, 'a')).toEqual(GROUPS);
  expect(setApart(GROUPS, 'b')).toEqual([['a'], ['c', 'd'], ['b'], ['e']]);
  expect(setApart(GROUPS, 'a')).toEqual(GROUPS);
});

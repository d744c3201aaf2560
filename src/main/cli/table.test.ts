import { expect, test } from 'bun:test';
import { formatTable } from './table.ts';

test('columns are as wide as their widest cell on screen', () => {
  expect(
    formatTable(
      ['id', 'name'],
      [
        ['a', '東京'],
        ['long-id', 'x'],
      ],
    ),
  ).toBe('ID       NAME\na        東京\nlong-id  x\n');
});

test('a cell cannot move the cursor', () => {
  expect(formatTable(['id'], [['a\u001b[2J\nb']])).toBe('ID\na�[2J�b\n');
});

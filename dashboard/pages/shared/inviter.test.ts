import { expect, test } from 'bun:test';
import { inviterName } from './inviter.ts';

test('an inviter is shown by name, else by the known creator', () => {
  const me = { id: 'user_3', you: 'you' };
  const names: readonly (readonly [string, string | null])[] = [
    ['user:user_1', 'Ada'],
    ['user:user_3', 'Cy'],
    ['user:user_4', null],
    ['token:acme/mt_1', 'Reports'],
    ['command_line', null],
  ];
  expect(names.map(([created_by, created_by_name]) => inviterName({ created_by, created_by_name }, me))).toEqual([
    ...['Ada', 'you', 'user_4', 'Reports', 'command_line'],
  ]);
});

import { expect, test } from 'bun:test';
import { inviterName } from './inviter.ts';

test('an inviter is shown by name, else by address, else by the known creator', () => {
  const people = [
    { id: 'user_1', name: 'Ada', email: 'ada@example.com' },
    { id: 'user_2', name: '', email: 'bo@example.com' },
  ];
  const me = { id: 'user_3', you: 'you' };
  const told = ['user:user_1', 'user:user_2', 'user:user_3', 'user:user_4', 'token:mt_1', 'operator'];
  expect(told.map((one) => inviterName(one, people, me))).toEqual([
    ...['Ada', 'bo@example.com', 'you', 'user_4', 'token:mt_1', 'operator'],
  ]);
});

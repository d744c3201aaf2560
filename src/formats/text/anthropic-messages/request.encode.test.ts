import { expect, test } from 'bun:test';
import { encode, foreign, target } from './testing/samples.ts';

const user = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] } as const;
const named = (id: string) => encode(foreign({ messages: [user], user: id }), target('claude-opus-5'));

test.each(['ann@example.com', '+49 170 1234567', '(030) 123-4567', 'x'.repeat(513)])('%s is not a user id', (id) => {
  const { body, losses } = named(id);
  expect(body.metadata).toBeUndefined();
  expect(losses).toEqual(['user: dropped']);
});

test.each(['10482231', '0b7c1e1e-8f2e-4d53-9a55-0a4f0f4b8f11', 'team:42'])('%s is a user id', (id) => {
  const { body, losses } = named(id);
  expect(body.metadata).toEqual({ user_id: id });
  expect(losses).toEqual([]);
});

import { expect, test } from 'bun:test';
import type { Effort } from '../../../domain/exchange/request.ts';
import { nearestEffort } from './nearest-effort.ts';

test.each<[Effort, readonly string[], string]>([
  ['medium', ['low', 'medium', 'high'], 'medium'],
  ['minimal', ['low', 'medium', 'high'], 'low'],
  ['max', ['low', 'medium', 'high'], 'high'],
  ['medium', ['low', 'high'], 'high'],
  ['xhigh', ['max', 'high', 'low'], 'max'],
  // Asking for a little is not asking for none.
  ['minimal', ['none', 'low', 'medium', 'high'], 'low'],
  ['none', ['low', 'high'], 'low'],
  ['high', [], 'high'],
  ['low', ['none', 'default'], 'default'],
  ['none', ['none', 'default'], 'none'],
])('%s out of %j is %s', (wanted, values, expected) => {
  expect(nearestEffort(wanted, values)).toBe(expected);
});

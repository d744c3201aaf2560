import { expect, test } from 'bun:test';
import { alertsText } from '../../text/alerts.ts';
import { answerOf } from './delivery-answer.ts';

test.each([
  [200, null, 'HTTP 200'],
  [500, 'http_500', 'HTTP 500'],
  [301, 'redirect', 'HTTP 301 · Redirects aren’t followed'],
  [null, 'address_refused', 'The address is private or doesn’t exist'],
  [null, 'toString', 'toString'],
  [null, null, ''],
])('an attempt with the status %p and the error %p reads %p', (last_status, last_error, expected) => {
  expect(answerOf({ last_status, last_error }, alertsText.en)).toBe(expected);
});

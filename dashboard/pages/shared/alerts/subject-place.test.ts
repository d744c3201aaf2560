import { expect, test } from 'bun:test';
import { type SubjectPlace, subjectPlace } from './subject-place.ts';

interface Scope {
  readonly accountId: string | null;
  readonly base: string;
}
const OPERATOR: Scope = { accountId: null, base: '/app/operator' };
const ACME: Scope = { accountId: 'acme', base: '/app/a/acme' };
const baseOf = (account: string) => `/app/a/${account}`;

const place = (rule: string, type: string, id: string, owner: string | null, scope = OPERATOR) =>
  subjectPlace({ rule: { type: rule }, subject: { type, id, account_id: owner } }, scope, baseOf);
const at = (found: SubjectPlace | null) => found && `${found.to}?${new URLSearchParams(found.search)}`;

test('operators get to the object itself, also to a key of an account', () => {
  expect(at(place('balance_below', 'account', 'acme', 'acme'))).toBe('/app/operator/accounts?id=acme');
  expect(at(place('budget_spent', 'key', 'ci', 'acme'))).toBe('/app/a/acme/keys?id=ci');
  expect(at(place('error_rate', 'model', 'a/b', null))).toBe('/app/operator/models?id=a%2Fb');
  expect(at(place('channel_state', 'channel', 'main', null))).toBe('/app/operator/channels?id=main');
});

test("an account's people get to the page that explains the alert", () => {
  const own = (rule: string, type: string, id: string) => at(place(rule, type, id, 'acme', ACME));
  expect(own('balance_below', 'account', 'acme')).toBe('/app/a/acme/balance?');
  expect(own('budget_spent', 'account', 'acme')).toBe('/app/a/acme/alerts?tab=budgets');
  expect(own('error_rate', 'account', 'acme')).toBe('/app/a/acme/requests?status=5xx');
  expect(own('key_limit_spent', 'key', 'ci')).toBe('/app/a/acme/keys?id=ci');
});

test('an alert about a destination has no page', () => {
  expect(
    subjectPlace({ rule: null, subject: { type: 'webhook', id: 'x', account_id: null } }, ACME, baseOf),
  ).toBeNull();
  expect(subjectPlace({ rule: null, subject: null }, ACME, baseOf)).toBeNull();
});

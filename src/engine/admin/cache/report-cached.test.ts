import { expect, test } from 'bun:test';
import type { PersonActor } from '../../../domain/access/actor.ts';
import type { Reporter } from '../../cache/feedback.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { failureOf } from '../testing/failure-of.ts';
import { reportCached } from './report-cached.ts';

const person = (userId: string): PersonActor => ({
  ...{ kind: 'person', userId, email: `${userId}@example.com`, name: userId, sessionId: 's' },
  ...{ isOperator: false, memberships: [], secondFactorAtMs: null },
});
const REQUEST = { entryId: 'ce_1', type: 'outdated', description: '' } as const;

function bed(isKnown = true) {
  const reporters: Reporter[] = [];
  const noted: string[] = [];
  const count = async (reporter: Reporter) => {
    const isNew = !reporters.some(({ keyId }) => keyId === reporter.keyId);
    reporters.push(reporter);
    return isKnown ? { isNew, isInvalidated: false } : null;
  };
  const trail = { note: async ({ action }: { action: string }) => void noted.push(action) } as unknown as AuditTrail;
  const report = (userId: string) =>
    reportCached({ feedback: { count }, trail }, { accountId: 'acme', requester: person(userId) }, REQUEST);
  return { report, reporters, noted };
}

test('each person has one vote, whose stored name does not reveal the person', async () => {
  const { report, reporters, noted } = bed();
  expect((await report('ada')).isNew).toBe(true);
  expect((await report('ada')).isNew).toBe(false);
  expect((await report('ben')).isNew).toBe(true);
  expect(new Set(reporters.map(({ keyId }) => keyId)).size).toBe(2);
  expect(reporters.every(({ keyId }) => /^~[0-9a-f]{32}$/.test(keyId))).toBe(true);
  expect(noted).toEqual(['cache.report', 'cache.report']);
});

test('an entry that the account does not know cannot be reported', async () => {
  const { report, noted } = bed(false);
  expect(await failureOf(report('ada'))).toMatchObject({ code: 'not_found', field: 'entry' });
  expect(noted).toEqual([]);
});

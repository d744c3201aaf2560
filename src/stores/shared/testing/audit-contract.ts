import { expect, test } from 'bun:test';
import type { AuditLog, AuditQuery, NewAuditEntry } from '../../../engine/ports/audit-log.ts';
import type { IdempotencyStore } from '../../../engine/ports/idempotency-store.ts';

const ENTRY: NewAuditEntry = {
  atMs: 1_790_000_000_000,
  actor: { kind: 'person', id: 'user_1', name: 'ada@example.com' },
  address: '192.0.2.1',
  requestId: 'req_1',
  action: 'key.change',
  accountId: 'acme',
  objectId: 'ci',
  before: { name: 'CI' },
  after: { name: "Ünïcode 🚦 '; --" },
};
const ALL: AuditQuery = { order: 'oldest', after: null, limit: 100 };

/** Tests for every `AuditLog`. */
export function auditTests(log: () => AuditLog): void {
  test('entries are returned unchanged, in write order and in pages', async () => {
    const local = { actor: { kind: 'file', id: null, name: 'x.yaml' }, address: null, requestId: null } as const;
    const other: NewAuditEntry = { ...ENTRY, ...local, accountId: null, before: null, after: null, objectId: 'b' };
    await log().append([ENTRY, other]);
    await log().append([ENTRY]);
    const all = await log().page(ALL);
    expect(all.map(({ sequence: _sequence, ...entry }) => entry)).toEqual([ENTRY, other, ENTRY]);
    const sequences = all.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    const rest = await log().page({ ...ALL, after: sequences[0] ?? null });
    expect(rest.map(({ sequence }) => sequence)).toEqual(sequences.slice(1));
    const newest = await log().page({ ...ALL, order: 'newest', limit: 2 });
    expect(newest.map(({ sequence }) => sequence)).toEqual(sequences.toReversed().slice(0, 2));
  });

  test.each<[Partial<AuditQuery>, string[]]>([
    [{ accountId: 'acme' }, ['key', 'keys', 'late']],
    [{ actorKind: 'gateway' }, ['other']],
    [{ actorId: 'user_1' }, ['key', 'keys', 'late']],
    [{ action: 'key' }, ['key', 'late']],
    [{ action: 'key.revoke' }, ['late']],
    [{ objectId: 'other' }, ['other']],
    [{ fromMs: 20, toMs: 30 }, ['late']],
  ])('%p finds what it means', async (query, expected) => {
    const gateway = { kind: 'gateway', id: null, name: 'gateway' } as const;
    await log().append([
      { ...ENTRY, objectId: 'key' },
      { ...ENTRY, objectId: 'keys', action: 'keys.create' },
      { ...ENTRY, objectId: 'other', actor: gateway, accountId: 'b', action: 'channel.block' },
      { ...ENTRY, objectId: 'late', action: 'key.revoke', atMs: 20 },
    ]);
    expect((await log().page({ ...ALL, ...query })).map(({ objectId }) => objectId)).toEqual(expected);
  });
}

const REQUEST = { scope: 'token:acme/ops', key: 'k-1', fingerprint: 'POST /keys 1' };
const ANSWER = { status: 201, body: '{"secret":"sk-…"}', headers: { etag: '"a"' } };

/** Tests for every `IdempotencyStore`. */
export function idempotencyTests(store: () => IdempotencyStore): void {
  test('a request is executed once, and its response is repeated unchanged', async () => {
    const begun = await Promise.all(Array.from({ length: 5 }, () => store().begin(REQUEST, 1_000)));
    expect(begun.map(({ kind }) => kind).toSorted()).toEqual(['new', 'running', 'running', 'running', 'running']);
    await store().finish(REQUEST, ANSWER);
    expect(await store().begin(REQUEST, 2_000)).toEqual({ kind: 'done', answer: ANSWER });
    expect(await store().begin({ ...REQUEST, fingerprint: 'other' }, 2_000)).toEqual({ kind: 'other' });
    expect(await store().begin({ ...REQUEST, scope: 'user:1' }, 2_000)).toEqual({ kind: 'new' });
  });

  test('a failed request can be retried, a completed one cannot, and old ones are forgotten', async () => {
    await store().begin(REQUEST, 1_000);
    await store().abandon(REQUEST);
    expect(await store().begin(REQUEST, 1_000)).toEqual({ kind: 'new' });
    expect(await store().removeOld(1_000, 10)).toBe(0);
    expect(await store().removeOld(1_001, 10)).toBe(1);
    expect(await store().begin(REQUEST, 1_000)).toEqual({ kind: 'new' });
  });
}

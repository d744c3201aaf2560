import { expect, test } from 'bun:test';
import type { AlertRule } from '../../../domain/alerts/alert-rule.ts';
import { type AlertState, subjectKey } from '../../../domain/alerts/alert-state.ts';
import type {
  AlertChange,
  AlertEvent,
  AlertStore,
  AlertTarget,
  AttemptResult,
  ClaimRequest,
  RaisedAlert,
  RaisedPlace,
} from '../../../engine/ports/alert-store.ts';
import type { AuditLog } from '../../../engine/ports/audit-log.ts';

const NOW = 1_790_000_000_000;

export function sampleAlertRule(change: Partial<AlertRule> = {}): AlertRule {
  return {
    accountId: 'acme',
    id: 'low',
    name: 'Low balance',
    enabled: true,
    condition: { kind: 'balance_below', thresholdNanoUsd: 9_007_199_254_740_993n },
    accounts: null,
    targets: null,
    repeatMs: null,
    origin: 'operator',
    createdAtMs: NOW,
    updatedAtMs: NOW,
    ...change,
  };
}

export function sampleAlertTarget(change: Partial<AlertTarget> = {}): AlertTarget {
  return {
    accountId: 'acme',
    id: 'hook',
    kind: 'webhook',
    name: 'Hook',
    enabled: true,
    address: 'https://hooks.example.com/services/T0/secret-part',
    secret: 'whsec_c2VjcmV0',
    previousSecret: null,
    failingSinceMs: null,
    disabled: null,
    origin: 'operator',
    createdAtMs: NOW,
    updatedAtMs: NOW,
    ...change,
  };
}

const SUBJECT = subjectKey({ kind: 'account', id: 'acme', accountId: 'acme' });
const RAISED: AlertState = { status: 'raised', sinceMs: NOW, periodStartMs: null, toldAtMs: NOW };
const CLAIM: ClaimRequest = {
  nowMs: NOW,
  untilMs: NOW + 60_000,
  limit: 10,
  perOwner: 4,
  busyTargets: [],
  busyOwners: [],
};
const TAKEN: AttemptResult = { atMs: NOW, durationMs: 5, status: 200, error: null, retryAtMs: null, disable: null };
const REFUSED: AttemptResult = { ...TAKEN, status: 500, error: 'http_500', retryAtMs: NOW + 10_000 };

function event(id: string, change: Partial<AlertEvent> = {}): AlertEvent {
  return { id, accountId: 'acme', type: 'alert.raised', ruleId: 'low', atMs: NOW, body: '{"a":1}', ...change };
}

function raise(id: string, change: Partial<AlertChange> = {}): AlertChange {
  const rule = { accountId: 'acme', id: 'low' };
  return { rule, subject: SUBJECT, before: null, after: RAISED, event: event(id), targets: null, ...change };
}

/** Tests for every `AlertStore`. */
export function alertTests(current: () => AlertStore, audit: () => AuditLog): void {
  const putRule = (change: Partial<AlertRule> = {}) => {
    const rule = sampleAlertRule(change);
    return current().changeRule(rule, () => rule);
  };
  const putTarget = (change: Partial<AlertTarget> = {}) => {
    const target = sampleAlertTarget(change);
    return current().changeTarget(target, () => target);
  };
  const statesOf = async () => current().states(null, { accountId: 'zzz', id: 'z' });
  const deliveries = async () =>
    (await current().deliveries({ after: null, limit: 100 })).map(({ id, state, attempts }) => [id, state, attempts]);

  test("rules and targets are returned unchanged, in pages, the operators' first", async () => {
    const percent = 80;
    const condition = {
      kind: 'error_rate',
      percent,
      windowMinutes: 5,
      minimumRequests: 20,
      of: 'model',
      id: 'm',
    } as const;
    const rules = [
      sampleAlertRule({ accountId: null, id: 'z', condition, accounts: ['a', 'b'], targets: ['x'], repeatMs: 60_000 }),
      sampleAlertRule({ id: 'a', enabled: false }),
      sampleAlertRule({ id: 'b', origin: 'config' }),
    ];
    for (const rule of rules.toReversed()) await current().changeRule(rule, () => rule);
    expect(await current().rules({ after: null, limit: 10 })).toEqual(rules);
    expect(await current().rules({ after: rules[0] ?? null, limit: 1 })).toEqual(rules.slice(1, 2));
    expect(await current().rules({ accountId: null, after: null, limit: 10 })).toEqual(rules.slice(0, 1));
    expect(await current().rules({ accountId: 'acme', enabledOnly: true, after: null, limit: 9 })).toEqual(
      rules.slice(2),
    );
    const target = sampleAlertTarget({ previousSecret: { secret: 'whsec_b2xk', untilMs: NOW }, failingSinceMs: NOW });
    const gone = sampleAlertTarget({ id: 'mail', kind: 'mail', secret: null, disabled: { atMs: NOW, reason: 'gone' } });
    for (const one of [target, gone]) await current().changeTarget(one, () => one);
    expect(await current().targets({ after: null, limit: 10 })).toEqual([target, gone]);
    expect(await current().target(gone)).toEqual(gone);
    expect(await current().target({ accountId: null, id: 'hook' })).toBeNull();
  });

  test('a change gets the old state and the number of others, is audited in its transaction, and rolls back if it throws', async () => {
    await putRule({ id: 'other' });
    const origin = { actor: { kind: 'gateway', id: null, name: 'test' }, address: null, requestId: null } as const;
    const rule = sampleAlertRule();
    const seen: number[] = [];
    await current().changeRule(
      rule,
      (_before, others) => {
        seen.push(others);
        return rule;
      },
      ({ after }) => [
        {
          ...origin,
          atMs: NOW,
          action: 'alert_rule.create',
          accountId: 'acme',
          objectId: 'low',
          before: null,
          after: { id: after?.id },
        },
      ],
    );
    expect(seen.at(-1)).toBe(1);
    const fail = current().changeRule(rule, () => {
      throw new Error('no');
    });
    await expect(fail).rejects.toThrow('no');
    expect(await current().rule(rule)).toEqual(rule);
    const entries = await audit().page({ order: 'oldest', after: null, limit: 10 });
    expect(entries.map(({ action, after }) => [action, after])).toEqual([['alert_rule.create', { id: 'low' }]]);
    expect((await current().changeRule(rule, () => null)).after).toBeNull();
    expect(await current().rule(rule)).toBeNull();
  });

  test('an alert is raised once, with one delivery for each target in use', async () => {
    await putRule();
    await putTarget();
    await putTarget({ id: 'off', enabled: false });
    await putTarget({ id: 'dead', disabled: { atMs: NOW, reason: 'x' } });
    await putTarget({ accountId: null, id: 'operators' });
    const both = await Promise.all([current().apply([raise('evt_1')]), current().apply([raise('evt_2')])]);
    expect(both.flat().toSorted()).toEqual([false, true]);
    const [made] = await current().events({ after: null, limit: 10 });
    expect(await current().events({ after: null, limit: 10 })).toHaveLength(1);
    expect(await deliveries()).toEqual([[`${made?.id}.hook`, 'pending', 0]]);
    const [state] = await statesOf();
    expect(state).toEqual({ ...RAISED, rule: { accountId: 'acme', id: 'low' }, subject: SUBJECT, version: 1 });
    const resolve = (id: string) =>
      raise(id, { before: state ?? null, after: null, event: event(id, { type: 'alert.resolved' }), targets: [] });
    expect(await current().apply([resolve('evt_3'), resolve('evt_4')])).toEqual([true, false]);
    expect((await current().events({ after: null, limit: 10 })).map(({ id }) => id)).toEqual(['evt_3', made?.id ?? '']);
    expect(await deliveries()).toHaveLength(1);
    expect(await statesOf()).toEqual([]);
    expect(await current().figures()).toMatchObject({ raised: 0, pendingDeliveries: 1, oldestPendingAtMs: NOW });
  });

  test('raised alerts are listed with their rules in pages, pending ones are not', async () => {
    const rules = [sampleAlertRule({ accountId: null, id: 'z' }), sampleAlertRule(), sampleAlertRule({ id: 'other' })];
    for (const rule of rules) await putRule(rule);
    const subjects = ['b', 'a'].map((id) => subjectKey({ kind: 'model', id, accountId: null }));
    for (const { accountId, id } of rules) {
      const changes = subjects.map((subject) => raise('', { rule: { accountId, id }, subject, event: null }));
      expect(await current().apply(changes)).toEqual([true, true]);
    }
    const pending = raise('', { subject: SUBJECT, event: null, after: { ...RAISED, status: 'pending' } });
    await current().apply([pending]);
    const seen: string[] = [];
    let after: RaisedPlace | null = null;
    for (;;) {
      const page: readonly RaisedAlert[] = await current().raised({ after, limit: 4 });
      seen.push(...page.map(({ rule, state }) => `${rule.accountId}/${rule.id} ${JSON.parse(state.subject)[2]}`));
      const last = page.at(-1);
      if (last === undefined) break;
      after = { rule: last.rule, subject: last.state.subject };
    }
    const each = ['null/z', 'acme/low', 'acme/other'];
    expect(seen).toEqual(each.flatMap((rule) => [`${rule} a`, `${rule} b`]));
    const [own] = await current().raised({ accountId: 'acme', after: null, limit: 1 });
    expect(own).toMatchObject({ rule: sampleAlertRule(), state: { sinceMs: NOW, version: 1 } });
    expect(await current().raised({ accountId: 'nobody', after: null, limit: 1 })).toEqual([]);
  });

  test('a removed or disabled rule raises nothing and keeps no state', async () => {
    await putRule();
    await current().apply([raise('evt_1')]);
    await putRule({ enabled: false });
    expect(await statesOf()).toEqual([]);
    expect(await current().apply([raise('evt_2'), raise('evt_3', { rule: { accountId: null, id: 'none' } })])).toEqual([
      false,
      false,
    ]);
  });

  test('a delivery is claimed by one process, again after its time is over, and ends once', async () => {
    await putRule();
    await putTarget();
    await current().apply([raise('evt_1')]);
    const both = await Promise.all([current().claim(CLAIM), current().claim(CLAIM)]);
    const [claimed] = both.flat();
    expect(both.flat()).toEqual([
      { id: 'evt_1.hook', claim: 1, attempts: 0, event: event('evt_1'), target: sampleAlertTarget() },
    ]);
    const [again] = await current().claim({ ...CLAIM, nowMs: NOW + 60_000, untilMs: NOW + 120_000 });
    expect(again).toMatchObject({ id: 'evt_1.hook', claim: 2, event: event('evt_1') });
    expect(await current().finish(claimed ?? { id: '', claim: 0 }, TAKEN)).toBe(false);
    expect(await current().finish(again ?? { id: '', claim: 0 }, REFUSED)).toBe(true);
    expect((await current().target(sampleAlertTarget()))?.failingSinceMs).toBe(NOW);
    expect(await current().claim({ ...CLAIM, nowMs: NOW + 9_999 })).toEqual([]);
    const [third] = await current().claim({ ...CLAIM, nowMs: NOW + 10_000 });
    expect(third?.attempts).toBe(1);
    expect(await current().finish(third ?? { id: '', claim: 0 }, TAKEN)).toBe(true);
    expect(await current().finish(third ?? { id: '', claim: 0 }, TAKEN)).toBe(false);
    expect((await current().target(sampleAlertTarget()))?.failingSinceMs).toBeNull();
    expect(await current().delivery({ accountId: 'acme', id: 'evt_1.hook' })).toMatchObject({
      state: 'delivered',
      attempts: 2,
      lastStatus: 200,
      lastError: null,
      nextAttemptAtMs: null,
      eventType: 'alert.raised',
    });
  });

  test('one delivery per target and a few per owner are claimed at a time, and busy ones are skipped', async () => {
    for (const accountId of ['acme', 'beta']) {
      await putRule({ accountId });
      for (const id of ['a', 'b', 'c']) await putTarget({ accountId, id });
      for (const number of [1, 2]) {
        const subject = subjectKey({ kind: 'model', id: String(number), accountId });
        const told = event(`evt_${accountId}_${number}`, { accountId, atMs: NOW - 10 + number });
        await current().apply([raise('', { rule: { accountId, id: 'low' }, subject, event: told })]);
      }
    }
    const busy = { busyTargets: [{ accountId: 'acme', id: 'a' }], busyOwners: ['beta'] };
    const ids = async (request: Partial<ClaimRequest>) =>
      (await current().claim({ ...CLAIM, ...request })).map(({ id }) => id).toSorted();
    expect(await ids({ ...busy, perOwner: 1 })).toEqual(['evt_acme_1.b']);
    expect(await ids({ perOwner: 2 })).toEqual(['evt_acme_1.a', 'evt_acme_1.c', 'evt_beta_1.a', 'evt_beta_1.b']);
    expect(await ids({ limit: 1 })).toEqual(['evt_beta_1.c']);
  });

  test('deliveries to a removed target fail, and an abandoned one is reported to the other targets', async () => {
    await putRule();
    for (const id of ['a', 'b', 'c']) await putTarget({ id });
    await current().apply([raise('evt_1')]);
    await current().changeTarget(sampleAlertTarget({ id: 'a' }), () => null);
    const [claimed] = await current().claim({ ...CLAIM, limit: 1 });
    expect(claimed?.id).toBe('evt_1.b');
    const notice = event('evt_2', { type: 'alert.target_disabled', ruleId: null });
    const disable = { reason: 'nothing was taken', notice };
    expect(await current().finish(claimed ?? { id: '', claim: 0 }, { ...REFUSED, retryAtMs: null, disable })).toBe(
      true,
    );
    expect((await current().target(sampleAlertTarget({ id: 'b' })))?.disabled?.reason).toBe('nothing was taken');
    expect(await deliveries()).toEqual([
      ['evt_2.c', 'pending', 0],
      ['evt_1.c', 'pending', 0],
      ['evt_1.b', 'failed', 1],
      ['evt_1.a', 'failed', 0],
    ]);
    expect((await current().deliveries({ state: 'failed', targetId: 'a', after: null, limit: 9 }))[0]?.lastError).toBe(
      'target_removed',
    );
    expect(await current().redeliver({ accountId: 'acme', id: 'evt_1.b' }, NOW)).toBeNull();
    expect(await current().redeliver({ accountId: null, id: 'evt_1.c' }, NOW)).toBeNull();
    await putTarget({ id: 'b' });
    expect(await current().redeliver({ accountId: 'acme', id: 'evt_1.b' }, NOW)).toMatchObject({
      state: 'pending',
      attempts: 0,
    });
  });

  test('a test goes to one target, and is claimed at once', async () => {
    expect(await current().begin(event('evt_1'), { accountId: 'acme', id: 'hook' }, NOW + 1)).toBeNull();
    await putTarget();
    const begun = await current().begin(event('evt_1', { type: 'alert.test' }), sampleAlertTarget(), NOW + 60_000);
    expect(begun).toMatchObject({ id: 'evt_1.hook', claim: 1, target: sampleAlertTarget() });
    expect(await current().claim(CLAIM)).toEqual([]);
    expect(await current().finish(begun ?? { id: '', claim: 0 }, TAKEN)).toBe(true);
  });

  test('one process evaluates, until its time is over or it steps down', async () => {
    const both = await Promise.all(['a', 'b'].map((holder) => current().lead(holder, NOW, NOW + 100)));
    expect(both.toSorted()).toEqual([false, true]);
    const [leader = '', other = ''] = both[0] ? ['a', 'b'] : ['b', 'a'];
    expect(await current().lead(leader, NOW + 50, NOW + 150)).toBe(true);
    expect(await current().lead(other, NOW + 149, NOW + 300)).toBe(false);
    expect(await current().lead(other, NOW + 150, NOW + 300)).toBe(true);
    await current().stepDown(leader);
    expect(await current().lead(leader, NOW + 151, NOW + 300)).toBe(false);
    await current().stepDown(other);
    expect(await current().lead(leader, NOW + 151, NOW + 300)).toBe(true);
  });

  test('old events are deleted with their deliveries, except pending ones', async () => {
    await putRule();
    await putTarget();
    await current().apply([
      raise('evt_1'),
      raise('evt_2', { subject: subjectKey({ kind: 'model', id: 'm', accountId: null }) }),
    ]);
    const [claimed] = await current().claim(CLAIM);
    await current().finish(claimed ?? { id: '', claim: 0 }, TAKEN);
    expect(await current().removeOld(NOW, 10)).toBe(0);
    expect(await current().removeOld(NOW + 1, 10)).toBe(1);
    expect(await deliveries()).toEqual([['evt_2.hook', 'pending', 0]]);
  });
}

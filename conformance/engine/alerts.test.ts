import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { AlertRule } from '../../src/domain/alerts/alert-rule.ts';
import { DISABLE_AFTER_MS } from '../../src/domain/alerts/delivery-schedule.ts';
import { pause, until } from '../../src/domain/testing/until.ts';
import { activeAlertView, listActiveAlerts } from '../../src/engine/admin/alerts/alert-records.ts';
import { FakeClock } from '../../src/engine/admin/testing/fake-clock.ts';
import { AlertDeliverer } from '../../src/engine/alerts/deliverer.ts';
import { AlertEvaluator } from '../../src/engine/alerts/evaluator.ts';
import { newWebhookSecret, webhookHeaders } from '../../src/engine/alerts/sign-webhook.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { sampleAccount, sampleChannel, sampleHealth } from '../../src/engine/ports/testing/samples.ts';
import type { UsageSum } from '../../src/engine/ports/usage-store.ts';
import type { WebhookAnswer, WebhookRequest } from '../../src/engine/ports/webhook-sender.ts';
import { sampleAlertRule, sampleAlertTarget } from '../../src/stores/shared/testing/alert-contract.ts';
import { closeTestStores, openTestStore } from '../../src/stores/sqlite/testing/test-store.ts';

const silent = () => {};
const QUIET = {
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  metrics: { told: silent, attempted: silent, evaluated: silent },
};
const NO_MEASURES = {
  cacheHits: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  latencyMsSum: 0,
  firstByteMsSum: 0,
  firstByteCount: 0,
  latencyMsMax: 0,
  costNanoUsd: 0n,
  savedNanoUsd: 0n,
  upstreamCostNanoUsd: 0n,
  costedRequests: 0,
  unpricedRequests: 0,
};

let store: Store;
let clock: FakeClock;
let sums: UsageSum[];
let ids: number;

beforeEach(async () => {
  store = await openTestStore({ clock: new FakeClock() });
  clock = new FakeClock();
  sums = [];
  ids = 0;
});
afterEach(closeTestStores);

const newId = (prefix: string) => `${prefix}${++ids}`;
const evaluator = (holder = 'node_1') => {
  const usage = { sum: async () => sums };
  return new AlertEvaluator({ ...store, ...QUIET, clock, newId, holder, usage });
};
const putRule = async (change: Partial<AlertRule>) => {
  const rule = sampleAlertRule(change);
  await store.alerts.changeRule(rule, () => rule);
};
const putAccounts = (...accountIds: string[]) =>
  store.directory.write({ accounts: accountIds }, (writer) => {
    for (const id of accountIds) writer.putAccount(sampleAccount({ id, billing: 'prepaid', archivedAtMs: null }));
  });
const grant = async (accountId: string, amountNanoUsd: bigint) => {
  const idempotencyKey = newId('grant_');
  const rest = { keyId: null, kind: 'adjustment', requestId: null, atMs: clock.nowMs(), note: null } as const;
  expect(await store.ledger.append({ idempotencyKey, accountId, amountNanoUsd, ...rest })).toBe('appended');
};
/** Resolves to the events so far, oldest first. */
const told = async () =>
  (await store.alerts.events({ after: null, limit: 100 })).toReversed().map(({ body }) => {
    const { type, subject, value, message } = JSON.parse(body);
    return { type, subject: subject?.id, value, message };
  });
const types = async () => (await told()).map(({ type, subject }) => `${type.slice(6)} ${subject}`);

test('a low balance is reported once, and its recovery once, by one of two evaluators', async () => {
  await putAccounts('acme', 'other');
  await grant('acme', 100n);
  await putRule({ condition: { kind: 'balance_below', thresholdNanoUsd: 50n } });
  const [one, two] = [evaluator('node_1'), evaluator('node_2')];
  const both = async () => (await Promise.all([one.pass(), two.pass()])).filter(Boolean).length;
  expect(await both()).toBe(0);
  await grant('acme', -60n);
  expect(await both()).toBe(1);
  expect(await both()).toBe(0);
  await grant('acme', 11n);
  expect(await both()).toBe(0);
  await grant('acme', 10n);
  expect(await both()).toBe(1);
  expect(await types()).toEqual(['raised acme', 'resolved acme']);
  expect((await told())[0]).toMatchObject({ value: '0.00000004' });
});

test('raised alerts are listed with their present value, by the owner of the rule', async () => {
  await putAccounts('acme', 'other');
  for (const id of ['acme', 'other']) await grant(id, 40n);
  const condition = { kind: 'balance_below', thresholdNanoUsd: 50n } as const;
  await putRule({ condition });
  await putRule({ accountId: null, id: 'all', condition });
  await putRule({ id: 'unseen', condition: { kind: 'key_limit_spent', percent: 80, keyId: null } });
  await evaluator().pass();
  await grant('acme', -30n);
  const ports = { ...store, ...QUIET, usage: { sum: async () => sums } };
  const active = async (of: object) => {
    const { items, next } = await listActiveAlerts(ports, clock.nowMs(), of);
    return { next, rows: items.map(activeAlertView).map(({ rule, subject, value }) => [rule.id, subject.id, value]) };
  };
  expect(await active({ accountId: 'acme' })).toEqual({ next: null, rows: [['low', 'acme', '0.00000001']] });
  expect((await active({ accountId: 'other' })).rows).toEqual([]);
  const first = await active({ limit: 2 });
  expect(first.rows).toEqual([
    ['all', 'acme', '0.00000001'],
    ['all', 'other', '0.00000004'],
  ]);
  expect((await active({ limit: 2, after: first.next })).rows).toEqual([['low', 'acme', '0.00000001']]);
  await grant('acme', 100n);
  await evaluator().pass();
  expect((await active({ accountId: 'acme' })).rows).toEqual([]);
});

test("an operators' rule covers every account in use, and drops those that are deleted", async () => {
  await putAccounts('a', 'b', 'c');
  await grant('b', 100n);
  await store.directory.write({ accounts: ['c'] }, (writer) =>
    writer.putAccount(sampleAccount({ id: 'c', billing: 'prepaid', archivedAtMs: 1 })),
  );
  await putRule({ accountId: null, condition: { kind: 'balance_below', thresholdNanoUsd: 50n } });
  await evaluator().pass();
  expect(await types()).toEqual(['raised a']);
  await store.directory.write({ accounts: ['a'] }, (writer) =>
    writer.putAccount(sampleAccount({ id: 'a', billing: 'prepaid', archivedAtMs: 1 })),
  );
  await evaluator().pass();
  expect(await types()).toEqual(['raised a', 'resolved a']);
});

test('a budget is reported once per period', async () => {
  await store.directory.write({ accounts: ['acme'] }, (writer) =>
    writer.putAccount(
      sampleAccount({ id: 'acme', archivedAtMs: null, budget: { amountNanoUsd: 100n, per: 'day', timeZone: 'UTC' } }),
    ),
  );
  await grant('acme', 1_000n);
  const charge = (costNanoUsd: bigint) =>
    store.ledger.charge({
      requestId: newId('req_'),
      accountId: 'acme',
      keyId: null,
      costNanoUsd,
      fromAccountLease: 0n,
      fromKeyLease: 0n,
      atMs: clock.nowMs(),
      usage: { modelId: 'm', channelId: 'c', status: 200, tags: [] },
    });
  await putRule({ condition: { kind: 'budget_spent', percent: 80, of: 'account', keyId: null } });
  await charge(79n);
  await evaluator().pass();
  expect(await types()).toEqual([]);
  await charge(1n);
  for (const _ of [1, 2]) await evaluator().pass();
  expect(await types()).toEqual(['raised acme']);
  clock.advance(86_400_000);
  for (const _ of [1, 2]) await evaluator().pass();
  expect(await types()).toEqual(['raised acme', 'resolved acme']);
  await charge(90n);
  await evaluator().pass();
  expect(await types()).toEqual(['raised acme', 'resolved acme', 'raised acme']);
});

test('error rates are reported by model, without client errors', async () => {
  const condition = {
    kind: 'error_rate',
    percent: 50,
    windowMinutes: 5,
    minimumRequests: 10,
    of: 'model',
    id: null,
  } as const;
  await putRule({ accountId: null, condition });
  const sum = (modelId: string, status: number, requests: number, errors: number) =>
    ({ ...NO_MEASURES, span: 0, modelId, status, requests, errors }) as UsageSum;
  sums = [
    sum('good', 200, 10, 4),
    sum('good', 400, 50, 50),
    sum('bad', 200, 5, 1),
    sum('bad', 502, 5, 5),
    sum('', 500, 99, 99),
  ];
  await evaluator().pass();
  expect(await types()).toEqual(['raised bad']);
  expect((await told())[0]?.value).toBe(60);
  sums = [];
  await evaluator().pass();
  expect(await types()).toEqual(['raised bad', 'resolved bad']);
});

test('a channel is reported when it is blocked, after a long cooldown, and when it recovers', async () => {
  const channel = sampleChannel({
    id: 'main',
    owner: null,
    models: { m: 'm' },
    enabled: true,
    block: null,
    resetAtMs: null,
  });
  const put = (change: Partial<typeof channel>) =>
    store.directory.write({}, (writer) => writer.putChannel({ ...channel, ...change }));
  const health = (state: 'open' | 'closed' | 'half-open') =>
    store.health.write([
      sampleHealth({
        channelId: 'main',
        upstreamModel: 'm',
        state,
        availableAtMs: state === 'open' ? clock.nowMs() + 60_000 : null,
        updatedAtMs: clock.nowMs(),
      }),
    ]);
  await put({});
  const condition = {
    kind: 'channel_state',
    states: ['blocked', 'resting'],
    restingMs: 60_000,
    channelId: null,
  } as const;
  await putRule({ accountId: null, condition });
  for (const state of ['open', 'half-open', 'open'] as const) {
    await health(state);
    await evaluator().pass();
    clock.advance(30_000);
  }
  expect(await types()).toEqual(['raised main']);
  await health('closed');
  await evaluator().pass();
  await put({ block: { atMs: 1, reason: 'The key is refused' } });
  await evaluator().pass();
  await put({ enabled: false, block: { atMs: 1, reason: 'The key is refused' } });
  await evaluator().pass();
  expect(await types()).toEqual(['raised main', 'resolved main', 'raised main', 'resolved main']);
  expect((await told())[2]?.message).toBe('Channel main is down: The key is refused.');
});

describe('deliveries', () => {
  let requests: WebhookRequest[];
  let answers: (request: WebhookRequest) => WebhookAnswer | Promise<WebhookAnswer>;
  let mails: { to: string; subject: string; text: string }[];
  let count: { claimed: number; finished: number; hanging: number };

  beforeEach(() => {
    requests = [];
    mails = [];
    count = { claimed: 0, finished: 0, hanging: 0 };
    answers = () => ({ status: 200 });
  });
  /** Returns the store's alerts, with a record of the deliveries in progress. */
  const alerts = (): Store['alerts'] =>
    Object.assign(Object.create(store.alerts), {
      claim: async (...args: Parameters<Store['alerts']['claim']>) => {
        const claimed = await store.alerts.claim(...args);
        count.claimed += claimed.length;
        return claimed;
      },
      finish: async (...args: Parameters<Store['alerts']['finish']>) => {
        const isFinished = await store.alerts.finish(...args);
        count.finished++;
        return isFinished;
      },
    });
  const deliverer = () =>
    new AlertDeliverer({
      ...{ alerts: alerts(), ...QUIET, clock, newId, random: () => 0.5 },
      serviceName: async () => 'Acme AI',
      mailer: {
        reserve: async (to) => ({ send: async (mail) => void mails.push({ to, ...mail }), cancel: async () => {} }),
      },
      sender: {
        problemOf: () => null,
        check: async () => 'public',
        send: async (request) => {
          requests.push(request);
          count.hanging++;
          const answer = await answers(request);
          count.hanging--;
          return answer;
        },
      },
    });
  const untilIdle = async (sending: AlertDeliverer) => {
    for (let before = -1; before < count.claimed; ) {
      before = count.claimed;
      await sending.look();
      await until('all that can end has ended', () => count.claimed === count.finished + count.hanging);
      // A finished delivery looks for the next one itself.
      await pause();
      await sending.look();
    }
  };
  const putTarget = async (change: Parameters<typeof sampleAlertTarget>[0] = {}) => {
    const target = sampleAlertTarget({ secret: newWebhookSecret(), ...change });
    await store.alerts.changeTarget(target, () => target);
    return target;
  };
  const raise = async () => {
    await putAccounts('acme');
    await putRule({ condition: { kind: 'balance_below', thresholdNanoUsd: 50n } });
    await evaluator().pass();
  };

  test('are signed, retried under the same id, and end with the first success; mail is sent, too', async () => {
    const target = await putTarget();
    await putTarget({ id: 'post', kind: 'mail', address: 'ops@example.com', secret: null });
    answers = () => (requests.length < 3 ? { status: 500 } : { status: 204 });
    await raise();
    const sending = deliverer();
    for (const waitMs of [0, 10_000, 60_000, 3_600_000]) {
      clock.advance(waitMs);
      await untilIdle(sending);
    }
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    const { headers = {}, body = '' }: Partial<WebhookRequest> = requests[2] ?? {};
    const key = Buffer.from((target.secret ?? '').slice(6), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    expect(JSON.parse(body)).toMatchObject({ id: headers['webhook-id'], type: 'alert.raised', account_id: 'acme' });
    expect(mails.map(({ to }) => to)).toEqual(['ops@example.com']);
    expect(mails[0]?.subject).toBe('[Acme AI] Account acme has a balance of 0 USD (threshold 0.00000005 USD).');
  });

  test('are not delayed by one that hangs', async () => {
    for (let n = 0; n < 6; n++) await putTarget({ id: `slow${n}`, address: 'https://slow.example/' });
    await putAccounts('beta');
    await putTarget({ accountId: 'beta', address: 'https://quick.example/' });
    const { promise, resolve } = Promise.withResolvers<WebhookAnswer>();
    answers = ({ url }) => (url.includes('slow') ? promise : { status: 200 });
    await putRule({ accountId: 'beta', condition: { kind: 'balance_below', thresholdNanoUsd: 50n } });
    await raise();
    const sending = deliverer();
    await untilIdle(sending);
    expect(requests.map(({ url }) => url).toSorted()).toEqual([
      'https://quick.example/',
      ...Array.from({ length: 4 }, () => 'https://slow.example/'),
    ]);
    resolve({ status: 200 });
    await untilIdle(sending);
    expect(requests).toHaveLength(7);
  });

  test.each<[WebhookAnswer, number]>([
    [{ status: 410 }, 0],
    [{ problem: 'timeout' }, DISABLE_AFTER_MS],
  ])('to a target with %p are disabled, and the other targets are told', async (answer, afterMs) => {
    const failingSinceMs = clock.nowMs() - afterMs;
    await putTarget({ id: 'gone', address: 'https://gone.example/', failingSinceMs });
    await putTarget({ id: 'well' });
    answers = ({ url }) => (url.includes('gone') ? answer : { status: 200 });
    await raise();
    await untilIdle(deliverer());
    expect((await store.alerts.target({ accountId: 'acme', id: 'gone' }))?.disabled).not.toBeNull();
    const types = requests.filter(({ url }) => !url.includes('gone')).map(({ body }) => JSON.parse(body).type);
    expect(types.toSorted()).toEqual(['alert.raised', 'alert.target_disabled']);
  });

  test('send a test once and report its result', async () => {
    await putTarget();
    answers = () => ({ status: 302 });
    const begun = await deliverer().test({ accountId: 'acme', id: 'hook' });
    expect(JSON.parse(requests[0]?.body ?? '{}')).toMatchObject({ type: 'alert.test' });
    const delivery = await store.alerts.delivery({ accountId: 'acme', id: begun?.id ?? '' });
    expect(delivery).toMatchObject({ state: 'failed', lastStatus: 302, lastError: 'redirect', attempts: 1 });
    expect(await deliverer().test({ accountId: 'beta', id: 'hook' })).toBeNull();
  });
});

test('a delivery has two signatures for a day after a rotation', () => {
  const [secret, old] = [newWebhookSecret(), newWebhookSecret()];
  const signed = (nowMs: number) =>
    webhookHeaders({ secret, previousSecret: { secret: old, untilMs: 1_000 } }, { id: 'evt_1', body: '{}' }, nowMs);
  expect(signed(999)['webhook-signature']?.split(' ')).toHaveLength(2);
  expect(signed(1_000)['webhook-signature']?.split(' ')).toHaveLength(1);
});

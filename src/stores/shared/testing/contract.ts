import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { SyncedModel } from '../../../domain/catalog/synced-model.ts';
import { sampleBillable } from '../../../domain/exchange/testing/sample-usage.ts';
import { type Billable, NOTHING_BILLABLE, ONE_REQUEST } from '../../../domain/money/quantity.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { DirectoryRows } from '../../../engine/ports/directory-store.ts';
import type { RequestLogQuery } from '../../../engine/ports/request-log.ts';
import type { Store } from '../../../engine/ports/store.ts';
import {
  sampleAccount,
  sampleChannel,
  sampleCredential,
  sampleModel,
  sampleRecord,
} from '../../../engine/ports/testing/samples.ts';
import { accessTests } from './access-contract.ts';
import { accountErasureTests } from './account-erasure-contract.ts';
import { alertTests } from './alert-contract.ts';
import { auditTests, idempotencyTests } from './audit-contract.ts';
import { batchRelayTests, batchTests, fileTests } from './batch-contract.ts';
import { budgetLawTests, budgetTests } from './budget-contract.ts';
import { cacheReportTests } from './cache-report-contract.ts';
import { captureTests } from './capture-contract.ts';
import { channelScopeTests } from './channel-scope-contract.ts';
import { erasureTests } from './erasure-contract.ts';
import { exportTests } from './export-contract.ts';
import { healthTests } from './health-contract.ts';
import { heldChargesTests } from './held-charges-contract.ts';
import { holdTests } from './hold-contract.ts';
import { holdLawTests } from './hold-laws.ts';
import { keyUseTests } from './key-use-contract.ts';
import { ledgerTests } from './ledger-contract.ts';
import { ledgerLawTests } from './ledger-laws.ts';
import { listTests } from './list-contract.ts';
import { nodeTests } from './node-contract.ts';
import { objectOriginTests } from './object-origin-contract.ts';
import { outcomeTests, snapshotTests } from './outcome-contract.ts';
import { pageLawTests } from './page-laws.ts';
import { peopleTests } from './people-contract.ts';
import { responseTests } from './response-contract.ts';
import { statementLawTests } from './statement-laws.ts';
import { taskTests } from './task-contract.ts';
import { taskLawTests } from './task-laws.ts';
import { upstreamKeyTests } from './upstream-keys-contract.ts';
import { thinningLawTests, usageLawTests } from './usage-laws.ts';

const NOTHING: DirectoryRows = { accounts: [], credentials: [], models: [], syncedModels: [], channels: [] };

/** Not representable as a double. */
const LARGE_COST = 9_007_199_254_740_993n;

const SYNCED_MODEL: SyncedModel = {
  provider: 'openai',
  id: 'gpt-4o-mini',
  facts: { name: 'GPT-4o mini', pricing: { input_per_1m: '0.15' }, capabilities: { contextTokens: 128_000 } },
  source: { url: 'https://example.com/prices', date: '2026-11-21' },
};

/** Rows with each nullable field both set and `null`. */
const EVERY_FIELD: DirectoryRows = {
  accounts: [
    sampleAccount({
      id: 'a',
      name: "Ünïcode 🚦 '; --",
      role: 'VIP',
      admin: true,
      requestsPerMinute: 120,
      tokensPerMinute: 100_000,
      maxConcurrent: 8,
      budget: { amountNanoUsd: 9_007_199_254_740_993_123n, per: 'month', timeZone: 'Europe/Berlin' },
      strategy: 'least-busy',
      cache: { strategy: 'semantic', ttlMs: 60_000, certainty: 0.9, semanticMedia: false },
      capture: 'full',
      captureDays: 3,
      quotas: { keys: 5, channelModels: 7 },
      billingDetails: { name: 'Ünï GmbH', address: ['Weg 1', ''], taxId: null, email: 'pay@example.com' },
    }),
    sampleAccount({ id: 'b', billing: 'unlimited', archivedAtMs: 1_790_000_000_001 }),
  ],
  credentials: [
    sampleCredential({
      accountId: 'a',
      limitNanoUsd: 9_007_199_254_740_993_123n,
      budget: { amountNanoUsd: 0n, per: 'day', timeZone: 'UTC' },
      models: ['openai/*', 'x'],
      requestsPerMinute: 30,
      usageAccess: 'account',
      capture: 'none',
      createdBy: 'user:user_1',
      expiresAtMs: 1_790_000_000_000,
    }),
    sampleCredential({ accountId: 'b', kind: 'management', limitNanoUsd: 0n, models: [], revokedAtMs: 1 }),
  ],
  models: [
    sampleModel({
      id: 'a',
      pricing: { input_per_1m: '0.15' },
      status: 'hidden',
      strategy: 'lowest-latency',
      cache: { strategy: 'off', maxTemperature: 0.5, coalesce: true, semanticTools: true },
      tags: ['fast', 'größe'],
    }),
    sampleModel({ id: 'b/c', pricing: 'free', category: '3d' }),
    sampleModel({
      id: 'd',
      name: 'D 4',
      description: 'Says things.',
      category: null,
      ownedBy: null,
      status: null,
      pricing: 'unknown',
      tags: null,
      capabilities: { input: ['text', 'image'], contextTokens: 128_000, dimensions: null },
      operations: ['images.generations', 'chat.completions'],
    }),
    sampleModel({ id: 'e', pricing: null }),
    sampleModel({
      id: 'f',
      rules: [
        { name: 'größer', when: { inputTokens: { min: 5, max: null }, tags: ['a=b'] }, model: 'd' },
        { name: null, when: null, model: 'e' },
      ],
    }),
  ],
  syncedModels: [SYNCED_MODEL, { ...SYNCED_MODEL, provider: 'xai' }],
  channels: [
    sampleChannel({
      id: 'a',
      baseUrl: 'https://example.test/v1',
      settings: { region: 'eu', nested: { list: [1, null, 'ä'] } },
      formats: ['openai-responses', 'openai-chat'],
      priority: -1,
      weight: 0.5,
      owner: 'a',
      timeouts: {
        ...{ connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4, firstEventMs: 5, eventIdleMs: 6 },
        models: { public: { connectMs: 7, firstByteMs: 8, idleMs: 9, totalMs: 10, firstEventMs: 11, eventIdleMs: 12 } },
      },
      models: { public: 'upstream' },
      costs: { public: { input_per_1m: '0.15' }, other: 'free' },
      breaker: { windowMs: 1, failureRate: 0.25, minimumRequests: 2, cooldownMs: 3, maxCooldownMs: 4, probes: 5 },
      block: { atMs: 1_790_000_000_000, reason: 'Ünïcode: 401' },
      resetAtMs: 1_790_000_000_001,
    }),
    sampleChannel({ id: 'b', apiKey: null, enabled: false, formats: [], models: {} }),
  ],
};

/** Opens an empty store that uses the given clock. */
type Open = (clock: Clock) => Promise<Store>;

const START_MS = 1_790_000_000_000;

/** Registers the tests that every store passes. */
export function describeStoreContract(name: string, open: Open): void {
  describe(`${name} store`, () => {
    let store: Store;
    let nowMs: number;
    beforeEach(async () => {
      nowMs = START_MS;
      store = await open({ nowMs: () => nowMs, monotonicMs: () => performance.now() });
    });
    afterEach(() => store.close());
    const current = () => store;
    describe('rows', () => rowTests(current));
    describe('identity', () => identityTests(current));
    describe('transactions', () => transactionTests(current));
    describe('version', () => versionTests(current));
    describe('channels of owners', () => channelScopeTests(current));
    describe('access', () => accessTests(current));
    describe('request log', () => requestLogTests(current));
    const setClock = (milliseconds: number) => {
      nowMs = milliseconds;
    };
    exportTests(current);
    describe('health', () => healthTests(current));
    describe('key use', () => keyUseTests(current));
    describe('sorted lists', () => listTests(current));

    describe('nodes', () => nodeTests(current));
    describe('object origins', () => objectOriginTests(current));
    describe('outcomes', () => outcomeTests(current));
    describe('success snapshot', () => snapshotTests(current));
    describe('audit log', () => auditTests(() => store.audit));
    describe('idempotency', () => idempotencyTests(() => store.idempotency));
    describe('cache reports', () => cacheReportTests(() => store.cacheReports));
    describe('captures', () => captureTests(() => store));
    describe('people', () =>
      peopleTests(
        () => store.people,
        () => store.signIn,
        () => store.audit,
      ));
    describe('erasures', () => erasureTests(current));
    describe('erasures of accounts', () => accountErasureTests(current));
    describe('alerts', () =>
      alertTests(
        () => store.alerts,
        () => store.audit,
      ));
    describe('ledger', () => ledgerTests(current));
    describe('files', () => fileTests(current));
    describe('batches', () => batchTests(current));
    describe('batches at providers', () => batchRelayTests(current));
    describe('held charges', () => heldChargesTests(current));
    describe('upstream keys', () => upstreamKeyTests(current));
    describe('holds', () => holdTests(current));
    describe('tasks', () => taskTests(() => store.tasks));
    describe('budgets', () => budgetTests(current));
    describe('responses', () => responseTests(() => store.responses, setClock));
  });
}

/**
 * Registers the property tests that every store passes.
 *
 * @param histories the number of random histories for the ledger; the others are scaled by their cost
 */
export function describeStoreLaws(name: string, open: Open, histories: number): void {
  describe(`${name} store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open({ nowMs: () => START_MS, monotonicMs: () => performance.now() });
    });
    afterEach(() => store.close());
    const current = () => store;
    describe('laws of tasks', () => taskLawTests(() => store.tasks, Math.ceil(histories / 4)));
    describe('laws of budgets', () => budgetLawTests(current, Math.ceil(histories / 30)));
    describe('laws of holds', () => holdLawTests(current, Math.ceil(histories / 4)));
    describe('laws of the ledger', () => ledgerLawTests(current, histories));
    describe('pages', () => pageLawTests(current, Math.ceil(histories / 40)));
    describe('laws of statements', () => statementLawTests(current, Math.ceil(histories / 40)));
    describe('laws of usage', () => usageLawTests(current, Math.ceil(histories / 20)));
    describe('laws of thinning', () => thinningLawTests(current, Math.ceil(histories / 10)));
  });
}

function rowTests(store: () => Store): void {
  test('a new store is empty', async () => {
    expect(await store().directory.read('all')).toEqual(NOTHING);
  });

  test('every field is returned as written', async () => {
    const rows = EVERY_FIELD;
    await store().directory.write('all', (writer) => {
      for (const account of rows.accounts) writer.putAccount(account);
      for (const credential of rows.credentials) writer.putCredential(credential);
      for (const model of rows.models) writer.putModel(model);
      for (const model of rows.syncedModels) writer.putSyncedModel(model);
      for (const channel of rows.channels) writer.putChannel(channel);
    });
    expect(await store().directory.read('all')).toEqual(rows);
  });

  test('rows are ordered by id, whatever the write order', async () => {
    await store().directory.write('all', (writer) => {
      for (const id of ['c', 'a', 'b']) writer.putModel(sampleModel({ id }));
    });
    expect((await store().directory.read('all')).models.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  test('writing again replaces the row', async () => {
    const account = sampleAccount({ name: 'Renamed' });
    const credential = sampleCredential({ revokedAtMs: 5 });
    const model = sampleModel({ status: 'hold' });
    const channel = sampleChannel({ apiKey: 'sk-second', enabled: false });
    await store().directory.write('all', (writer) => {
      writer.putAccount(sampleAccount());
      writer.putCredential(sampleCredential());
      writer.putModel(sampleModel());
      writer.putChannel(sampleChannel({ owner: 'acme' }));
      writer.putAccount(account);
      writer.putCredential(credential);
      writer.putModel(model);
      writer.putSyncedModel(SYNCED_MODEL);
      writer.putSyncedModel({ ...SYNCED_MODEL, facts: {} });
      writer.putChannel(channel);
    });
    expect(await store().directory.read('all')).toEqual({
      accounts: [account],
      credentials: [credential],
      models: [model],
      syncedModels: [{ ...SYNCED_MODEL, facts: {} }],
      channels: [channel],
    });
  });
}

function identityTests(store: () => Store): void {
  test('a credential is identified by account, kind and id together', async () => {
    await store().directory.write('all', (writer) => {
      writer.putAccount(sampleAccount());
      writer.putAccount(sampleAccount({ id: 'other' }));
      writer.putCredential(sampleCredential());
      writer.putCredential(sampleCredential({ kind: 'management' }));
      writer.putCredential(sampleCredential({ accountId: 'other' }));
    });
    expect((await store().directory.read('all')).credentials).toHaveLength(3);
  });

  test('models and channels are deleted; deleting an unknown one is harmless', async () => {
    await store().directory.write('all', (writer) => {
      writer.putModel(sampleModel());
      writer.putSyncedModel(SYNCED_MODEL);
      writer.putChannel(sampleChannel());
    });
    await store().directory.write('all', (writer) => {
      writer.deleteModel('gpt-4o-mini');
      writer.deleteModel('unknown');
      writer.deleteSyncedModel(SYNCED_MODEL.provider, SYNCED_MODEL.id);
      writer.deleteSyncedModel(SYNCED_MODEL.provider, 'unknown');
      writer.deleteChannel('openai-main');
      writer.deleteChannel('unknown');
    });
    expect(await store().directory.read('all')).toEqual(NOTHING);
  });
}

function transactionTests(store: () => Store): void {
  test('a write returns the result of the change', async () => {
    expect(await store().directory.write('all', () => 42)).toBe(42);
  });

  test('the change reads its own writes', async () => {
    const seen = await store().directory.write('all', (writer) => {
      writer.putModel(sampleModel());
      return writer.read().models;
    });
    expect(seen).toEqual([sampleModel()]);
  });

  test('a change that throws writes nothing, and the next one works', async () => {
    const failing = store().directory.write('all', (writer) => {
      writer.putModel(sampleModel());
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await store().directory.read('all')).toEqual(NOTHING);
    await store().directory.write('all', (writer) => writer.putModel(sampleModel()));
    expect((await store().directory.read('all')).models).toHaveLength(1);
  });

  test('an asynchronous change is refused and writes nothing', async () => {
    const failing = store().directory.write('all', async (writer) => writer.putModel(sampleModel()));
    await expect(failing).rejects.toThrow('must be synchronous');
    expect(await store().directory.read('all')).toEqual(NOTHING);
  });

  test('a credential of an unknown account is refused by name', async () => {
    const failing = store().directory.write('all', (writer) =>
      writer.putCredential(sampleCredential({ accountId: 'ghost' })),
    );
    await expect(failing).rejects.toThrow(
      'inference credential "ci" belongs to the account "ghost", which does not exist',
    );
  });

  test('a private channel of an unknown account is refused by name', async () => {
    const failing = store().directory.write('all', (writer) => writer.putChannel(sampleChannel({ owner: 'ghost' })));
    await expect(failing).rejects.toThrow(
      'channel "openai-main" is private to the account "ghost", which does not exist',
    );
  });
}

function versionTests(store: () => Store): void {
  test('the version differs after each kind of change', async () => {
    const { directory } = store();
    const seen = [await directory.state()];
    await directory.write('all', (writer) => writer.putAccount(sampleAccount()));
    seen.push(await directory.state());
    await directory.write('all', (writer) => writer.putCredential(sampleCredential()));
    seen.push(await directory.state());
    await directory.write('all', (writer) => writer.putModel(sampleModel()));
    seen.push(await directory.state());
    await directory.write('all', (writer) => writer.putChannel(sampleChannel()));
    seen.push(await directory.state());
    await directory.write('all', (writer) => writer.deleteModel('gpt-4o-mini'));
    seen.push(await directory.state());
    await directory.write('all', (writer) => writer.deleteChannel('openai-main'));
    seen.push(await directory.state());
    expect(new Set(seen.map((state) => JSON.stringify(state))).size).toBe(seen.length);
  });

  test('reads, failed changes and request log lines do not change the version', async () => {
    const { directory, requestLog } = store();
    const before = await directory.state();
    await directory.read('all');
    await directory.write('all', (writer) => writer.read());
    await directory
      .write('all', (writer) => {
        writer.putModel(sampleModel());
        throw new Error('changed my mind');
      })
      .catch(() => {});
    requestLog.append(sampleRecord());
    await requestLog.flush();
    expect(await directory.state()).toEqual(before);
  });
}

function requestLogTests(store: () => Store): void {
  test('every field is returned as appended, newest first', async () => {
    const failedAttempts = [
      { channelId: 'a', kind: 'connect', latencyMs: 3_000.5, message: 'no\u2028"route" \\', isPrivate: true as const },
      { channelId: 'b', kind: 'http_503', latencyMs: 12 },
    ];
    const full = sampleRecord({
      requestId: 'full',
      atMs: 1_790_000_000_002,
      retryCount: 2,
      failedAttempts,
      costNanoUsd: LARGE_COST,
      cacheMatch: 'semantic',
      cacheEntryId: 'ce_1',
      applied: { prices: { input_token: '0.15', 'image 1024x1024/high': '0.04' }, tokenFactor: 1_750_000, percent: 10 },
      times: {
        ...{ admittedMs: 0.2, lookedUpMs: null, askedMs: 1, heardMs: 40.5, upstreamStatus: 200 },
        ...{ answeredMs: 80, chargedMs: 82.1 },
      },
      told: { message: 'got "höt" \\', param: 'a[0]', hint: 'Send a number.', side: 'upstream' },
      requestedModel: 'gpt-"fünf"',
      modelSteps: [{ kind: 'fallback', from: 'gpt', to: 'claude', reason: 'timeout_error', skipped: 'not_found' }],
      guards: [{ guard: 'pii', rule: 'email', stage: 'input', action: 'mask', count: 2 }],
      ...{ clientRequestId: 'order%_7', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
    });
    const refused = sampleRecord({
      ...{ requestId: 'refused', atMs: 1_790_000_000_000, modelId: null, status: 404, errorCode: 'model_not_found' },
      ...{ told: { message: 'There is no such model.' }, requestedModel: 'gpt-fünf' },
    });
    const empty = sampleRecord({
      requestId: 'empty',
      atMs: 1_790_000_000_001,
      accountId: null,
      keyId: null,
      modelId: null,
      channelId: null,
      provider: null,
      upstreamModel: null,
      stream: false,
      status: 499,
      errorCode: 'client_closed_request',
      failureKind: 'client_gone',
      clientGone: true,
      retryCount: 0,
      failedAttempts: [],
      firstByteMs: null,
      billable: null,
      costNanoUsd: null,
      upstreamRequestId: null,
    });
    store().requestLog.append(full);
    store().requestLog.append(empty);
    store().requestLog.append(refused);
    await store().requestLog.flush();
    expect(await store().requestLog.recent(10)).toEqual([full, empty, refused]);
  });

  test('lines are read in write order, from any position', async () => {
    const log = store().requestLog;
    for (const requestId of ['1', '2', '3']) log.append(sampleRecord({ requestId }));
    await log.flush();
    const [last = 0, second = 0, first = 0] = await log.lastWritten(3);
    const read = async (topId: number, missing: number[], limit = 10) =>
      (await log.written({ topId, missing }, limit)).map(({ id, record }) => [id, record.requestId]);
    expect(await read(first - 1, [], 2)).toEqual([
      [first, '1'],
      [second, '2'],
    ]);
    expect(await read(second, [])).toEqual([[last, '3']]);
    expect(await read(last, [])).toEqual([]);
  });

  test('lines are found by duration, cost, format and provider', async () => {
    const log = store().requestLog;
    log.append(sampleRecord({ requestId: 'fast', latencyMs: 10, costNanoUsd: 5n, format: 'a', provider: 'p' }));
    log.append(sampleRecord({ requestId: 'slow', latencyMs: 900, costNanoUsd: 50n, clientGone: true }));
    log.append(sampleRecord({ requestId: 'unpriced', latencyMs: 900, costNanoUsd: null, format: 'b' }));
    const ids = async (query: RequestLogQuery) =>
      (await log.page(query, null, 10)).records.map(({ requestId }) => requestId).sort();
    expect(await ids({ maxLatencyMs: 10 })).toEqual(['fast']);
    expect(await ids({ maxCostNanoUsd: 50n })).toEqual(['fast', 'slow']);
    expect(await ids({ format: 'a', provider: 'p' })).toEqual(['fast']);
    expect(await ids({ clientGone: true })).toEqual(['slow']);
  });

  test('the quantities of a request are returned completely, whatever their units', async () => {
    const billables: readonly Billable[] = [
      { quantities: [{ unit: 'output_token', amount: 1 }, ONE_REQUEST], source: 'estimated' },
      sampleBillable({ input: 1, cacheWrite1h: 2, inputAudio: 3, inputImage: 4, outputAudio: 5, outputImage: 6 }),
      sampleBillable({ output: 9, webSearches: 2 }),
      NOTHING_BILLABLE,
      { quantities: [ONE_REQUEST], source: 'reported' },
      { quantities: [{ unit: 'request', amount: 2 }], source: 'reported' },
      {
        quantities: [
          { unit: 'image', amount: 2, variant: '1024x1024/high' },
          { unit: 'image', amount: 1, variant: '512x512' },
          { unit: 'millisecond', amount: 1_505, variant: '1080p' },
          { unit: 'character', amount: 40 },
          ONE_REQUEST,
        ],
        source: 'reported',
      },
    ];
    for (const billable of billables) store().requestLog.append(sampleRecord({ billable }));
    const lines = await store().requestLog.recent(10);
    expect(lines.map(({ billable }) => billable)).toEqual([...billables].reverse());
  });

  test('lines of the same millisecond are returned in reverse order', async () => {
    for (const requestId of ['1', '2', '3']) store().requestLog.append(sampleRecord({ requestId }));
    expect((await store().requestLog.recent(2)).map(({ requestId }) => requestId)).toEqual(['3', '2']);
  });

  test('a limit of zero or less returns nothing', async () => {
    store().requestLog.append(sampleRecord());
    expect(await store().requestLog.recent(0)).toEqual([]);
    expect(await store().requestLog.recent(-1)).toEqual([]);
  });

  test('flush resolves when nothing was appended', async () => {
    await store().requestLog.flush();
    expect(await store().requestLog.recent(10)).toEqual([]);
  });
}

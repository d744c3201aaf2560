import type { Account } from '../../../domain/access/account.ts';
import type { Credential } from '../../../domain/access/api-key.ts';
import { type Channel, DEFAULT_TIMEOUTS } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import { sampleBillable } from '../../../domain/exchange/testing/sample-usage.ts';
import type { NewHold } from '../../../domain/ledger/hold.ts';
import { DEFAULT_BREAKER } from '../../../domain/routing/breaker-settings.ts';
import type { Task } from '../../../domain/tasks/task.ts';
import { NO_CLIENT_IDS } from '../../../domain/trace/call-identity.ts';
import { NO_TAGS } from '../../../domain/usage/request-tags.ts';
import type { CacheReport } from '../cache-reports.ts';
import type { HealthRow } from '../health-store.ts';
import type { Charge, NewEntry } from '../ledger.ts';
import type { RequestRecord } from '../request-log.ts';
import type { StoredResponse } from '../response-store.ts';
import type { ChargeUsage } from '../usage-store.ts';

/** Sample objects with defaults for all fields that the test does not set. */
export function sampleAccount(fields: Partial<Account> = {}): Account {
  return {
    id: 'acme',
    name: 'Acme',
    role: 'User',
    admin: false,
    billing: 'prepaid',
    requestsPerMinute: null,
    tokensPerMinute: null,
    maxConcurrent: null,
    budget: null,
    strategy: null,
    cache: null,
    capture: 'none',
    captureDays: null,
    quotas: null,
    billingDetails: null,
    fallbacks: [],
    createdAtMs: 1_790_000_000_000,
    archivedAtMs: null,
    origin: 'config',
    ...fields,
  };
}

export function sampleCredential(fields: Partial<Credential> = {}): Credential {
  return {
    id: 'ci',
    accountId: 'acme',
    kind: 'inference',
    name: 'CI',
    secretHash: 'ab'.repeat(32),
    preview: 'sk-ab…wxyz',
    previousSecret: null,
    scopes: fields.kind === 'management' ? ['*'] : null,
    limitNanoUsd: null,
    budget: null,
    models: null,
    requestsPerMinute: null,
    usageAccess: fields.kind === 'management' ? null : 'key',
    capture: null,
    expiresAtMs: null,
    createdAtMs: 1_790_000_000_000,
    revokedAtMs: null,
    createdBy: null,
    origin: 'operator',
    ...fields,
  };
}

export function sampleModel(fields: Partial<DeclaredModel> = {}): DeclaredModel {
  return {
    id: 'gpt-4o-mini',
    name: null,
    description: null,
    category: 'chat',
    ownedBy: 'openai',
    status: 'public',
    pricing: null,
    strategy: null,
    cache: null,
    tags: [],
    capabilities: null,
    operations: null,
    rules: null,
    fallbacks: [],
    batchPricePercent: null,
    createdAtMs: 1_790_000_000_000,
    origin: 'environment',
    ...fields,
  };
}

export function sampleChannel(fields: Partial<Channel> = {}): Channel {
  return {
    id: 'openai-main',
    name: 'OpenAI main',
    provider: 'openai',
    baseUrl: null,
    apiKey: 'sk-upstream-secret',
    settings: {},
    formats: null,
    priority: 0,
    weight: 1,
    owner: null,
    timeouts: DEFAULT_TIMEOUTS,
    models: { 'gpt-4o-mini': 'gpt-4o-mini' },
    costs: {},
    breaker: DEFAULT_BREAKER,
    forwardIds: null,
    limits: null,
    queue: null,
    followsProviderLimits: true,
    relaysBatches: false,
    enabled: true,
    block: null,
    resetAtMs: null,
    origin: 'config',
    ...fields,
  };
}

export function sampleRecord(fields: Partial<RequestRecord> = {}): RequestRecord {
  return {
    requestId: 'req-1',
    atMs: 1_790_000_000_000,
    accountId: 'acme',
    keyId: 'ci',
    format: 'openai-chat',
    modelId: 'gpt-4o-mini',
    channelId: 'openai-main',
    provider: 'openai',
    upstreamModel: 'gpt-4o-mini-2024-07-18',
    answerModel: null,
    stream: true,
    status: 200,
    errorCode: null,
    failureKind: null,
    clientGone: false,
    retryCount: 1,
    failedAttempts: [{ channelId: 'openai-spare', kind: 'http_503', latencyMs: 12.5 }],
    latencyMs: 812.25,
    firstByteMs: 120.5,
    billable: sampleBillable({ input: 10, cachedInput: 2, cacheWrite: 3, output: 40, reasoning: 5 }),
    costNanoUsd: 1_250n,
    upstreamRequestId: 'req_upstream',
    cacheMatch: null,
    cacheEntryId: null,
    ...fields,
  };
}

export function sampleResponse(fields: Partial<StoredResponse> = {}): StoredResponse {
  const id = fields.id ?? 'resp_1';
  return {
    id,
    accountId: 'acme',
    createdAtMs: 1_790_000_000_000,
    expiresAtMs: 1_792_592_000_000,
    previousId: null,
    place: 'openai-main',
    upstreamStored: false,
    inputJson: '[{"id":"msg_in","type":"message","role":"user","content":[{"type":"input_text","text":"Grüße 🚦"}]}]',
    responseJson: JSON.stringify({ id, object: 'response', status: 'completed', output: [] }),
    ...fields,
  };
}

export function sampleHealth(fields: Partial<HealthRow> = {}): HealthRow {
  return {
    channelId: 'openai-main',
    upstreamModel: 'gpt-4o-mini',
    state: 'open',
    availableAtMs: 1_790_000_002_000.5,
    openings: 2,
    requests: 1_000,
    failures: 17,
    lastFailure: 'http_503',
    lastFailureAtMs: 1_790_000_000_000,
    firstByteMs: 120.25,
    updatedAtMs: 1_790_000_000_001,
    ...fields,
  };
}

export const SAMPLE_USAGE: ChargeUsage = { modelId: 'gpt-4o-mini', channelId: 'openai-main', status: 200, tags: [] };

/** Returns a charge that is not paid from any lease. */
export function sampleCharge(fields: Partial<Charge> = {}): Charge {
  return {
    requestId: 'req-1',
    accountId: 'acme',
    keyId: 'ci',
    costNanoUsd: 1_250n,
    fromAccountLease: 0n,
    fromKeyLease: 0n,
    atMs: 1_790_000_000_000,
    usage: SAMPLE_USAGE,
    ...fields,
  };
}

export function sampleEntry(fields: Partial<NewEntry> = {}): NewEntry {
  return {
    idempotencyKey: 'grant:1',
    accountId: 'acme',
    keyId: null,
    kind: 'grant',
    amountNanoUsd: 1_000_000_000n,
    requestId: null,
    atMs: 1_790_000_000_000,
    note: null,
    ...fields,
  };
}

/** Returns a hold of 50 on the balance and on the key's limit of 100. */
export function sampleHold(overrides: Partial<NewHold> = {}): NewHold {
  return {
    holdId: 'req-hold',
    accountId: 'acme',
    keyId: 'ci',
    fromBalanceNanoUsd: 50n,
    fromLimitNanoUsd: 50n,
    keyLimitNanoUsd: 100n,
    budgets: [],
    terms: '{"modelId":"gpt-4o-mini"}',
    atMs: 1_790_000_000_000,
    expiresAtMs: 1_790_000_600_000,
    ...overrides,
  };
}

export function sampleCacheReport(fields: Partial<CacheReport> = {}): CacheReport {
  const entryId = fields.entryId ?? 'ce_1';
  const keyId = fields.keyId ?? 'ci';
  return {
    id: `cr_${entryId}_${fields.accountId ?? 'acme'}_${keyId}`,
    entryId,
    cacheKey: 'k'.repeat(43),
    accountId: 'acme',
    keyId,
    modelId: 'gpt-4o-mini',
    type: 'wrong_answer',
    description: 'Zürich is not the capital 🚦',
    atMs: 1_790_000_000_000,
    invalidatedAtMs: null,
    ...fields,
  };
}

/** Returns a new task with an owner. */
export function sampleTask(fields: Partial<Task> = {}): Task {
  return {
    id: 'task_0123456789abcdef0123456789abcdef',
    requestId: 'req-1',
    accountId: 'acme',
    keyId: 'ci',
    kind: 'video',
    modelId: 'veo-3',
    tags: NO_TAGS,
    clientIds: NO_CLIENT_IDS,
    createdAtMs: 1_790_000_000_000,
    deadlineMs: 1_790_003_600_000,
    stage: 'created',
    isProcessing: false,
    progress: null,
    target: null,
    ticket: null,
    submittedAtMs: null,
    pollErrors: 0,
    lastPollError: null,
    ending: null,
    kept: {},
    costNanoUsd: null,
    endedAtMs: null,
    expiresAtMs: null,
    request: null,
    cancelAskedAtMs: null,
    deletedAtMs: null,
    owner: 'node-a',
    claim: 1,
    ...fields,
  };
}

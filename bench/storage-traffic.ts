import type { Charge } from '../src/engine/ports/ledger.ts';
import type { RequestRecord } from '../src/engine/ports/request-log.ts';

/** An account and its traffic. */
export interface Customer {
  readonly accountId: string;
  /** The account's traffic relative to the average. */
  readonly weight: number;
  readonly keys: readonly string[];
  readonly models: readonly string[];
}

const HOUR_MS = 3_600_000;
/** Seven of ten requests are sent in these hours (UTC). */
const WORKING = { fromHour: 7, hours: 10, percent: 70 };
const MODELS = Array.from({ length: 40 }, (_, index) => `vendor/model-${index}`);
const CHANNELS = ['vendor-main', 'vendor-spare', 'other-vendor'];

let state = 1;

/** Returns reproducible numbers (mulberry32). */
function chance(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}

function oneOf<Value>(values: readonly Value[]): Value {
  return values[Math.floor(chance() * values.length)] as Value; // None of the lists is empty.
}

/** Returns accounts of which a tenth sends half of the requests. */
export function customers(count: number): readonly Customer[] {
  return Array.from({ length: count }, (_, index) => ({
    accountId: `account-${String(index).padStart(6, '0')}`,
    weight: index % 10 === 0 ? 5 : 5 / 9,
    keys: index % 4 === 0 ? ['production', 'testing'] : ['default'],
    models: [oneOf(MODELS), oneOf(MODELS), oneOf(MODELS)],
  }));
}

/** Returns the times of an account's requests on one day. */
export function timesOf({ weight }: Customer, perDay: number, dayMs: number): readonly number[] {
  const wanted = perDay * weight;
  const count = Math.floor(wanted) + (chance() < wanted % 1 ? 1 : 0);
  return Array.from({ length: count }, () => {
    const isWorking = chance() * 100 < WORKING.percent;
    const hour = isWorking ? WORKING.fromHour + chance() * WORKING.hours : chance() * 24;
    return dayMs + Math.floor(hour * HOUR_MS);
  });
}

export function chargeAt({ accountId, keys, models }: Customer, atMs: number): Charge {
  const modelId = chance() < 0.7 ? (models[0] ?? '') : oneOf(models);
  return {
    requestId: `req_${Bun.randomUUIDv7('hex', atMs)}`,
    ...{ accountId, keyId: oneOf(keys), costNanoUsd: BigInt(Math.floor(chance() * 5_000_000) + 1) },
    ...{ fromAccountLease: 0n, fromKeyLease: 0n, atMs },
    usage: { modelId, channelId: chance() < 0.9 ? (CHANNELS[0] ?? '') : oneOf(CHANNELS), status: 200, tags: [] },
  };
}

export function lineOf({ requestId, accountId, keyId, costNanoUsd, atMs, usage }: Charge): RequestRecord {
  const latencyMs = 200 + Math.floor(chance() * 8_000);
  return {
    ...{ requestId, accountId, keyId, atMs: atMs - latencyMs, format: 'openai-chat', modelId: usage.modelId },
    ...{ channelId: usage.channelId, provider: 'openai', upstreamModel: usage.modelId, answerModel: null },
    ...{ stream: true, status: usage.status, errorCode: null, failureKind: null, clientGone: false, retryCount: 0 },
    ...{ failedAttempts: [], latencyMs, firstByteMs: latencyMs / 10, costNanoUsd },
    ...{
      upstreamRequestId: `chatcmpl-${requestId.slice(4, 28)}`,
      cacheMatch: null,
      cacheEntryId: null,
      isPrivate: false,
    },
    billable: {
      source: 'reported',
      quantities: [
        { unit: 'request', amount: 1 },
        { unit: 'input_token', amount: Math.floor(chance() * 4_000) },
        { unit: 'output_token', amount: Math.floor(chance() * 800) },
      ],
    },
  };
}

import type { CredentialKey } from '../domain/access/api-key.ts';
import type { HealthRow } from '../engine/ports/health-store.ts';
import type { RequestRecord } from '../engine/ports/request-log.ts';
import type { Store } from '../engine/ports/store.ts';
import { DemoCaptures } from './captures.ts';
import type { DemoTime } from './demo-time.ts';
import { UPSTREAM_NAMES } from './models.ts';
import { demoTraffic, type TrafficOptions } from './traffic.ts';

/** The maximum number of lines held in memory. */
const BATCH = 2_000;
const RESTS_MS = 12 * 60_000;

/** Writes all requests: charges, log lines, captures, and learned health data. Resolves to their number. */
export async function writeTraffic(store: Store, options: TrafficOptions): Promise<number> {
  const learned = new Learned(options.time);
  const captures = new DemoCaptures();
  let count = 0;
  let charging: Promise<unknown>[] = [];
  const settle = async () => {
    await Promise.all(charging);
    charging = [];
    await store.requestLog.flush();
  };
  for (const { record, charge } of demoTraffic(options)) {
    if (charge !== null) charging.push(store.ledger.charge(charge));
    store.requestLog.append(record);
    learned.from(record);
    captures.from(record);
    count++;
    if (count % BATCH === 0) await settle();
  }
  await settle();
  await captures.write(store.captures);
  await store.health.write(learned.health());
  await store.keyUse.write(learned.keyUses());
  return count;
}

interface Counted {
  requests: number;
  failures: number;
  lastFailure: string | null;
  lastFailureAtMs: number | null;
  firstByteMs: number | null;
}

/** The weight of a request in the moving average, as in the gateway. */
const WEIGHT = 0.1;

class Learned {
  private readonly ofChannels = new Map<string, Counted>();
  private readonly keys = new Map<string, CredentialKey & { lastUsedAtMs: number }>();
  private readonly names = new Map<string, readonly [channelId: string, upstreamModel: string]>();

  constructor(private readonly time: DemoTime) {}

  from(record: RequestRecord): void {
    const { accountId, keyId, modelId, atMs, channelId, failedAttempts, cacheMatch, status, firstByteMs } = record;
    if (accountId !== null && keyId !== null) {
      const key = { accountId, kind: 'inference' as const, id: keyId, lastUsedAtMs: atMs };
      this.keys.set(`${accountId}/${keyId}`, key);
    }
    if (cacheMatch !== null || modelId === null) return;
    for (const attempt of failedAttempts) {
      const counted = this.of(attempt.channelId, modelId);
      counted.requests++;
      counted.failures++;
      counted.lastFailure = attempt.kind;
      counted.lastFailureAtMs = atMs;
    }
    if (channelId === null || status !== 200) return;
    const counted = this.of(channelId, modelId);
    counted.requests++;
    if (firstByteMs === null) return;
    counted.firstByteMs =
      counted.firstByteMs === null ? firstByteMs : counted.firstByteMs + (firstByteMs - counted.firstByteMs) * WEIGHT;
  }

  private of(channelId: string, modelId: string): Counted {
    const upstreamModel = UPSTREAM_NAMES[channelId]?.[modelId] ?? modelId;
    const name = `${channelId}\n${upstreamModel}`;
    const known = this.ofChannels.get(name);
    if (known !== undefined) return known;
    const made = { requests: 0, failures: 0, lastFailure: null, lastFailureAtMs: null, firstByteMs: null };
    this.ofChannels.set(name, made);
    this.names.set(name, [channelId, upstreamModel]);
    return made;
  }

  health(): readonly HealthRow[] {
    const { nowMs } = this.time;
    return [...this.ofChannels].map(([name, counted]) => {
      const [channelId = '', upstreamModel = ''] = this.names.get(name) ?? [];
      const rests = channelId === 'xai';
      return {
        ...{ channelId, upstreamModel, ...counted },
        state: rests ? 'open' : 'closed',
        availableAtMs: rests ? nowMs + RESTS_MS : null,
        openings: rests ? 5 : 0,
        firstByteMs: counted.firstByteMs === null ? null : Math.round(counted.firstByteMs),
        updatedAtMs: nowMs,
      };
    });
  }

  keyUses() {
    return [...this.keys.values()];
  }
}

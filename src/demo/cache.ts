import { createHash } from 'node:crypto';
import type { FeedbackType } from '../domain/cache/cache.ts';
import type { CacheStore } from '../engine/ports/cache-store.ts';
import { Chance } from './chance.ts';
import { DEMO_CHANNELS } from './channels.ts';
import { CUSTOMERS } from './customers.ts';
import type { DemoContext } from './demo-context.ts';
import { DAY_MS, HOUR_MS } from './demo-time.ts';
import { DEMO_MODELS, UPSTREAM_NAMES } from './models.ts';
import { CACHE_EPOCH_MS, cacheEntryId, cacheEntryName, ENTRIES_OF_EPOCH } from './traffic.ts';

/** Long enough for somebody who looks at the demo some days later. */
const KEPT_MS = 14 * DAY_MS;
const DIMENSIONS = 384;

/** Adds the entries behind the latest cached answers. */
export function cacheEntries({ time, seed }: DemoContext, cache: CacheStore): void {
  const chance = new Chance(`cache ${seed}`);
  const epoch = Math.floor(time.nowMs / CACHE_EPOCH_MS);
  for (const { id: accountId, models, archivedAt } of CUSTOMERS) {
    if (archivedAt !== undefined) continue;
    for (const [modelId] of models) {
      const model = DEMO_MODELS[modelId];
      const channel = DEMO_CHANNELS.find(({ id }) => id === model?.ways[0]?.[0]);
      const kind = model?.profile.kind;
      if (channel === undefined || (kind !== 'chat' && kind !== 'embedding')) continue;
      for (let slot = 0; slot < ENTRIES_OF_EPOCH; slot++) {
        const name = cacheEntryName(accountId, modelId, epoch, slot);
        const storedAtMs = time.nowMs - Math.round(chance.between(0.2, 40) * HOUR_MS);
        const text = JSON.stringify({ text: 'An answer of the demo. '.repeat(chance.whole(4, 60)) });
        cache.put({
          id: cacheEntryId(name),
          key: createHash('sha256').update(`key ${name}`).digest('base64url'),
          ...{ accountId, isShared: false, modelId, storedAtMs, expiresAtMs: storedAtMs + KEPT_MS },
          channel: { id: channel.id, name: channel.name, provider: channel.provider, channelType: 'PLATFORM' },
          upstreamModel: UPSTREAM_NAMES[channel.id]?.[modelId] ?? modelId,
          answer: new Uint8Array(Buffer.from(text)),
          question: kind === 'chat' && chance.happens(0.5) ? question(chance, name) : null,
        });
      }
    }
  }
}

function question(chance: Chance, name: string) {
  const vector = Float32Array.from({ length: DIMENSIONS }, () => chance.between(-1, 1));
  const length = Math.hypot(...vector);
  const partition = createHash('sha256').update(`partition ${name}`).digest('base64url');
  return { partition, text: 'A question of the demo.', vector: vector.map((part) => part / length) };
}

const REPORTS: readonly (readonly [accountId: string, keyId: string, modelId: string, FeedbackType, string, number])[] =
  [
    ['paperkite', 'app', 'gpt-6-luna', 'outdated', 'The story quiz still has the questions of last week.', 3],
    ['paperkite', 'staging', 'gpt-6-luna', 'outdated', '', 2.9],
    ['qinghe', 'kefu', 'deepseek-v4-flash', 'wrong_answer', '退货期限说错了，应为十五天。', 8],
    ['halyard', 'search-prod', 'gpt-6-luna', 'incomplete', 'Leaves out the second step of the calibration.', 15],
    ['platform', 'triage', 'gpt-5.4-mini', 'wrong_answer', 'Sent to the wrong queue.', 27],
    ['platform', 'evals', 'gpt-5.4-mini', 'other', '', 41],
    ['lighthouse', 'archive', 'gemini-3.8-flash', 'unsafe', 'Explains how to climb the tower from outside.', 70],
  ];

/** Adds clients' reports on cached answers. Two reports on one entry have invalidated it. */
export async function cacheReports({ time, store, seed }: DemoContext): Promise<void> {
  const chance = new Chance(`reports ${seed}`);
  const epoch = Math.floor(time.nowMs / CACHE_EPOCH_MS);
  for (const [accountId, keyId, modelId, type, description, hoursAgo] of [...REPORTS].reverse()) {
    const atMs = time.nowMs - Math.round(hoursAgo * HOUR_MS);
    const name = cacheEntryName(accountId, modelId, epoch - 1, 1);
    const entryId = cacheEntryId(name);
    const cacheKey = createHash('sha256').update(`key ${name}`).digest('base64url');
    const id = `cr_${chance.hex(32)}`;
    const report = { id, entryId, cacheKey, accountId, keyId, modelId, type, description, atMs, invalidatedAtMs: null };
    const { keys } = await store.cacheReports.add(report, 1_000);
    if (keys >= 2) await store.cacheReports.invalidated(entryId, atMs);
  }
}

import type { PriceSheet } from '../domain/money/price-sheet.ts';
import type { Billable } from '../domain/money/quantity.ts';
import type { AskedWork, JobResult, MadeItem } from '../domain/tasks/job.ts';
import { workBillable } from '../engine/tasks/work-billable.ts';
import { Chance } from './chance.ts';
import { type DemoTime, HOUR_MS } from './demo-time.ts';
import { TASK_MODELS, type TaskModelId } from './models.ts';

export type PlannedEnd =
  | { readonly kind: 'made'; readonly result: JobResult; readonly billable: Billable }
  | { readonly kind: 'failed'; readonly failureKind: 'job_failed' | 'job_timeout'; readonly message: string }
  | { readonly kind: 'running' };

/** A task before it is written. */
export interface PlannedTask {
  readonly id: string;
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly modelId: TaskModelId;
  readonly createdAtMs: number;
  readonly endsAtMs: number;
  readonly title: string;
  readonly asked: AskedWork;
  /** The cost if it succeeds. */
  readonly costNanoUsd: bigint;
  readonly end: PlannedEnd;
}

/** Finished tasks are kept for a week, so there are no older ones. */
const SPAN_MS = 6.6 * 24 * HOUR_MS;

type Owner = Pick<PlannedTask, 'accountId' | 'keyId'>;
const OWNERS: readonly (readonly [Owner, number])[] = [
  [{ accountId: 'tidepool', keyId: 'studio' }, 8],
  [{ accountId: 'tidepool', keyId: 'moonrise' }, 3],
  [{ accountId: 'halyard', keyId: 'ci' }, 2],
  [{ accountId: 'platform', keyId: 'playground' }, 1],
];

const TITLES: Readonly<Record<'video' | 'music' | '3d' | 'image', readonly string[]>> = {
  video: ['Harbour at first light', 'A robot arm waters a fern', 'Moonrise over the reef', 'Slow train through hills'],
  music: ['Tin Roof Rain', 'Lanterns on the Quay', 'Second Shift', 'Paper Boats'],
  '3d': ['Brass compass', 'Folding chair', 'Lighthouse lamp', 'Gear with twelve teeth'],
  image: ['Reef walk, key art', 'Shopfront at dusk', 'Moonrise poster', 'Valley in spring'],
};

const MINUTES: Readonly<Record<keyof typeof TITLES, readonly [number, number]>> = {
  video: [1.2, 6],
  music: [0.6, 2.5],
  '3d': [0.8, 4],
  image: [0.1, 0.4],
};

/** Returns tasks from the oldest; the running ones are last. */
export function plannedTasks(
  {
    time,
    seed,
    prices,
  }: { readonly time: DemoTime; readonly seed: string; readonly prices: (id: string) => PriceSheet | null },
  count: number,
): readonly PlannedTask[] {
  const chance = new Chance(`tasks ${seed}`);
  const spanMs = Math.min(SPAN_MS, time.nowMs - time.fromMs);
  const running = Math.max(1, Math.round(count / 12));
  const tasks = Array.from({ length: count }, (_, index): PlannedTask => {
    const isRunning = index >= count - running;
    const modelId = chance.weighted(MIX);
    const { kind } = TASK_MODELS[modelId];
    const [least, most] = MINUTES[kind];
    const tookMs = Math.round(chance.between(least, most) * 60_000);
    const createdAtMs = isRunning
      ? time.nowMs - Math.round(chance.between(5_000, 40_000))
      : Math.floor(time.nowMs - spanMs + (spanMs - HOUR_MS) * chance.next());
    const asked = askedOf(chance, kind);
    const title = chance.one(TITLES[kind]);
    const id = `task_${chance.hex(32)}`;
    const result = resultOf(kind, asked, title, id);
    const billable = workBillable(kind, asked, result);
    const costNanoUsd = prices(modelId)?.costNanoUsd(billable, createdAtMs) ?? 0n;
    const end: PlannedEnd = isRunning ? { kind: 'running' } : (failureOf(chance) ?? { kind: 'made', result, billable });
    const requestId = chance.requestId(createdAtMs);
    const owner = chance.weighted(OWNERS);
    return {
      id,
      requestId,
      ...owner,
      modelId,
      createdAtMs,
      endsAtMs: createdAtMs + tookMs,
      title,
      asked,
      costNanoUsd,
      end,
    };
  });
  return tasks.sort((one, other) => one.createdAtMs - other.createdAtMs);
}

const MIX: readonly (readonly [TaskModelId, number])[] = [
  ['veo-3.1', 36],
  ['suno_music', 22],
  ['tripo-v3.1-20260211', 20],
  ['flux-2-pro', 22],
];

function askedOf(chance: Chance, kind: keyof typeof TITLES): AskedWork {
  if (kind === 'video') return { count: 1, seconds: chance.one([4, 6, 8]), resolution: chance.one(['720p', '1080p']) };
  if (kind === 'image') return { count: chance.whole(1, 3), seconds: null, resolution: '1024x1024' };
  if (kind === '3d')
    return { count: 1, seconds: null, resolution: 'text', traits: [chance.one(['textured', 'detailed'])] };
  return { count: 1, seconds: null, resolution: null };
}

function failureOf(chance: Chance): PlannedEnd | null {
  if (chance.happens(0.1)) {
    const message = 'Rejected by the provider: the prompt names a living person.';
    return { kind: 'failed', failureKind: 'job_failed', message };
  }
  if (!chance.happens(0.04)) return null;
  return { kind: 'failed', failureKind: 'job_timeout', message: 'The task did not finish before its deadline.' };
}

function resultOf(kind: keyof typeof TITLES, asked: AskedWork, title: string, id: string): JobResult {
  const items = Array.from({ length: asked.count }, (_, index) => itemOf(kind, asked, title, `${id}/${index}`));
  return { items, resolution: asked.resolution };
}

const MEDIA_TYPES = { video: 'video/mp4', music: 'audio/wav', '3d': 'model/gltf-binary', image: 'image/png' } as const;
const SONG_SECONDS = 4;

function itemOf(kind: keyof typeof TITLES, { seconds }: AskedWork, title: string, path: string): MadeItem {
  const source = { kind: 'channel', url: `/files/${path}` } as const;
  const cover = { kind: 'channel', url: `/files/${path}/cover` } as const;
  const common = { source, mediaType: MEDIA_TYPES[kind] };
  if (kind === 'video') return { ...common, durationSeconds: seconds, cover };
  if (kind === 'image') return { ...common, revisedPrompt: `${title}, wide angle, soft light` };
  if (kind === '3d') return { ...common, format: 'glb', cover };
  return { ...common, title, tags: 'folk, soft', durationSeconds: SONG_SECONDS, cover };
}

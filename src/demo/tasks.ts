import { Failure } from '../domain/failure/failure.ts';
import type { PriceSheet } from '../domain/money/price-sheet.ts';
import type { JobTicket } from '../domain/tasks/job.ts';
import type { KeptFile, KeptFiles, Task } from '../domain/tasks/task.ts';
import { NO_TAGS } from '../domain/usage/request-tags.ts';
import type { MediaStore } from '../engine/ports/media-store.ts';
import { DEFAULT_TASKS } from '../engine/settings/settings.ts';
import { endTask } from '../engine/tasks/end-task.ts';
import type { EndingPorts } from '../engine/tasks/task-ports.ts';
import { cube, melody } from '../providers/sandbox/in-process/job-files.ts';
import { sandboxUpstream } from '../providers/sandbox/local.ts';
import { Chance } from './chance.ts';
import { providerOf, SANDBOX_CHANNEL } from './channels.ts';
import { DEMO_CLIPS } from './clips.ts';
import { clockAt, type DemoContext } from './demo-context.ts';
import { DAY_MS, HOUR_MS } from './demo-time.ts';
import { TASK_MODELS } from './models.ts';
import { landscape } from './pictures.ts';
import type { PlannedTask } from './task-plan.ts';

/** Running tasks may be looked at days later. */
const RUNNING_DEADLINE_MS = 14 * DAY_MS;
const RUNNING_DELAY_MS = HOUR_MS;

type Prices = (modelId: string) => PriceSheet | null;

/** Writes tasks as the gateway does: reserved, created, settled and ended, with their files in the media store. */
export async function writeTasks(
  context: DemoContext,
  mediaStore: MediaStore,
  planned: readonly PlannedTask[],
  prices: Prices,
): Promise<void> {
  for (const one of planned) {
    const task = await begun(context, one, prices);
    await context.store.tasks.create(task);
    if (one.end.kind === 'running') continue;
    const ports = portsAt(context, one, prices);
    const { end } = one;
    if (end.kind === 'failed') {
      const { failureKind, message } = end;
      const code = failureKind === 'job_timeout' ? 'timeout_error' : 'upstream_error';
      await endTask(ports, task, { kind: 'failed', code, failureKind, message });
    } else {
      const kept = await keptFiles(mediaStore, one);
      await endTask(ports, { ...task, kept }, { kind: 'made', result: end.result, billable: end.billable });
    }
  }
  await context.store.requestLog.flush();
}

/** Reserves the cost and creates the task at the upstream, or at the sandbox, which continues it once a gateway runs. */
async function begun({ store }: DemoContext, one: PlannedTask, prices: Prices): Promise<Task> {
  const { id, requestId, accountId, keyId, modelId, createdAtMs, asked, end } = one;
  const { kind, channel, upstream, wire, sandbox } = TASK_MODELS[modelId];
  const isRunning = end.kind === 'running';
  const deadlineMs = createdAtMs + (isRunning ? RUNNING_DEADLINE_MS : DEFAULT_TASKS.deadlineMs[kind]);
  if (end.kind !== 'failed') await hold(store, one, prices, deadlineMs);
  const channelId = isRunning ? SANDBOX_CHANNEL : channel;
  return {
    ...{ id, requestId, accountId, keyId, kind, modelId, createdAtMs, deadlineMs },
    tags: NO_TAGS,
    ...{
      stage: 'submitted',
      isProcessing: isRunning,
      progress: isRunning ? 25 : null,
      submittedAtMs: createdAtMs + 400,
    },
    target: {
      channelId,
      provider: providerOf(channelId),
      upstreamModel: isRunning ? sandbox : upstream,
      wire: isRunning ? SANDBOX_WIRES[kind] : wire,
      isPrivate: false,
      asked,
    },
    ticket: isRunning ? await sandboxTicket(one) : { id: `demo-${id.slice(-8)}` },
    ...{
      pollErrors: 0,
      lastPollError: null,
      ending: null,
      kept: {},
      costNanoUsd: null,
      endedAtMs: null,
      expiresAtMs: null,
    },
    ...{ owner: null, claim: 1 },
  };
}

const SANDBOX_WIRES = {
  video: 'sandbox-videos',
  music: 'sandbox-music',
  '3d': 'sandbox-3d',
  image: 'sandbox-images',
} as const;

/** Starts a task in the sandbox that ends within the hour. */
async function sandboxTicket({ modelId, title, asked }: PlannedTask): Promise<JobTicket> {
  const { kind, sandbox } = TASK_MODELS[modelId];
  const chance = new Chance(title);
  const options = { delay_ms: Math.round(chance.between(0.1, 1) * RUNNING_DELAY_MS) };
  const order = { model: sandbox, kind, prompt: title, n: asked.count, seconds: asked.seconds, options };
  const request = new Request('http://sandbox.invalid/v1/jobs', { method: 'POST', body: JSON.stringify(order) });
  const { id } = (await (await sandboxUpstream(request)).json()) as { readonly id: string };
  return { id };
}

async function hold(
  { holds }: DemoContext['store'],
  { requestId, accountId, keyId, createdAtMs, costNanoUsd, modelId }: PlannedTask,
  prices: Prices,
  expiresAtMs: number,
): Promise<void> {
  // In the gateway's form, since the gateway settles the running ones.
  const terms = {
    ...{ modelId, pricing: prices(modelId)?.pricing ?? null, pricedAtMs: createdAtMs, feeNanoUsd: '0' },
    plausibleNanoUsd: null,
  };
  const outcome = await holds.hold({
    ...{ holdId: requestId, accountId, keyId, expiresAtMs, atMs: createdAtMs },
    fromBalanceNanoUsd: accountId === 'platform' ? null : costNanoUsd,
    ...{ fromLimitNanoUsd: null, keyLimitNanoUsd: null, budgets: [], terms: JSON.stringify(terms) },
  });
  if (outcome !== 'held') throw new Error(`The demo's task could not reserve its cost: ${outcome}.`);
}

function portsAt(
  { store, logger }: DemoContext,
  { requestId, createdAtMs, endsAtMs, modelId, costNanoUsd, end }: PlannedTask,
  prices: Prices,
): EndingPorts {
  const usage = { modelId, channelId: TASK_MODELS[modelId].channel, status: 200, tags: [] };
  const billable = end.kind === 'made' ? end.billable : null;
  const reservation = {
    id: requestId,
    applied: (billable && prices(modelId)?.tariffFor(billable, createdAtMs).appliedTo(billable)) ?? null,
    settle: async () => (await store.holds.settle(requestId, costNanoUsd, endsAtMs, usage))?.chargedNanoUsd ?? null,
    release: async () => void (await store.holds.release(requestId, endsAtMs)),
  };
  return {
    ...{ tasks: store.tasks, clock: clockAt(endsAtMs), logger, log: store.requestLog, settings: DEFAULT_TASKS },
    billing: { resume: async () => (end.kind === 'made' ? reservation : null) },
    metrics: { taskEnded: () => undefined },
  };
}

async function keptFiles(mediaStore: MediaStore, one: PlannedTask): Promise<KeptFiles> {
  const { accountId, endsAtMs, asked, id, title, modelId } = one;
  const { kind } = TASK_MODELS[modelId];
  const expiresAtMs = endsAtMs + DEFAULT_TASKS.keepMs + HOUR_MS;
  const kept: Record<string, KeptFile> = {};
  const keep = async (place: string, mediaType: string, file: Buffer) => {
    const bytes = new Uint8Array(file);
    const stored = await mediaStore.put({ accountId, content: { kind: 'bytes', bytes }, mediaType, expiresAtMs });
    if (stored instanceof Failure) throw new Error(`The demo's files could not be stored: ${stored.message}`);
    kept[place] = { id: stored.id, expiresAtMs: stored.expiresAtMs, mediaType: stored.mediaType };
  };
  for (let index = 0; index < asked.count; index++) {
    const seed = `${title} ${id} ${index}`;
    const { mediaType, file } = fileOf(kind, seed);
    await keep(`${index}/source`, mediaType, file);
    if (kind !== 'image') await keep(`${index}/cover`, 'image/png', landscape(seed, 256, 144));
  }
  return kept;
}

function fileOf(kind: Task['kind'], seed: string): { readonly mediaType: string; readonly file: Buffer } {
  if (kind === 'image') return { mediaType: 'image/png', file: landscape(seed, 480, 320) };
  if (kind === 'music') return { mediaType: 'audio/wav', file: melody(seed) };
  if (kind === '3d') return { mediaType: 'model/gltf-binary', file: cube('glb') };
  return { mediaType: 'video/mp4', file: new Chance(seed).one(DEMO_CLIPS) };
}

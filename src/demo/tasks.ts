import { Failure } from '../domain/failure/failure.ts';
import type { PriceSheet } from '../domain/money/price-sheet.ts';
import type { KeptFile, KeptFiles, Task } from '../domain/tasks/task.ts';
import { NO_CLIENT_IDS } from '../domain/trace/call-identity.ts';
import { NO_TAGS } from '../domain/usage/request-tags.ts';
import type { MediaStore } from '../engine/ports/media-store.ts';
import { DEFAULT_TASKS } from '../engine/settings/settings.ts';
import { endTask } from '../engine/tasks/end-task.ts';
import type { EndingPorts } from '../engine/tasks/task-ports.ts';
import { cube, melody } from '../providers/sandbox/in-process/job-files.ts';
import { Chance } from './chance.ts';
import { providerOf, SANDBOX_CHANNEL } from './channels.ts';
import { clockAt, type DemoContext } from './demo-context.ts';
import { DAY_MS, HOUR_MS } from './demo-time.ts';
import { TASK_MODELS } from './models.ts';
import { landscape } from './pictures.ts';
import { RUNNING_WIRES, runningJob } from './running-job.ts';
import type { PlannedTask } from './task-plan.ts';

/** Running tasks may be looked at days later. */
const RUNNING_DEADLINE_MS = 14 * DAY_MS;

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
    clientIds: NO_CLIENT_IDS,
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
      wire: isRunning ? RUNNING_WIRES[kind] : wire,
      isPrivate: false,
      asked,
    },
    ticket: isRunning ? await runningJob(one) : { id: `demo-${id.slice(-8)}` },
    ...{
      pollErrors: 0,
      lastPollError: null,
      ending: null,
      kept: {},
      costNanoUsd: null,
      endedAtMs: null,
      expiresAtMs: null,
      cancelAskedAtMs: null,
      deletedAtMs: null,
      request: null,
    },
    ...{ owner: null, claim: 1 },
  };
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

/*
 * Videos of three seconds, 320x180, H.264 without sound, which browsers can play; made with `ffmpeg -f lavfi -i
 * gradients=s=320x180:n=4:d=3:speed=0.02:r=12:seed=7 -c:v libx264 -profile:v main -pix_fmt yuv420p -crf 34`.
 */

const DEMO_CLIPS: readonly Buffer<ArrayBuffer>[] = [
  Buffer.from(
    'AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAARwbW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAD6AAAC7gAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAA5p0cmFrAAAAXHRraGQAAAADAAAAAAAAAAAAAAABAAAAAAAAC7gAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAUAAAAC0AAAAAAAkZWR0cwAAABxlbHN0AAAAAAAAAAEAAAu4AAAIAAABAAAAAAMSbWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAAAwAAAAkABVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAABWaWRlb0hhbmRsZXIAAAACvW1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAn1zdGJsAAAAvXN0c2QAAAAAAAAAAQAAAK1hdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAUAAtABIAAAASAAAAAAAAAABFUxhdmM1OS4zNy4xMDAgbGlieDI2NAAAAAAAAAAAAAAAGP//AAAAM2F2Y0MBTUAV/+EAGmdNQBW5AiCgz8+AiAAAAwAIAAADAMB4sWwjAQAGaOhDghLIAAAAEHBhc3AAAAABAAAAAQAAABRidHJ0AAAAAAAAHZAAAB2QAAAAGHN0dHMAAAAAAAAAAQAAACQAAAQAAAAAFHN0c3MAAAAAAAAAAQAAAAEAAAC4Y3R0cwAAAAAAAAAVAAAAAQAACAAAAAABAAAcAAAAAAEAAAwAAAAAAgAAAAAAAAACAAAEAAAAAAEAACAAAAAAAQAADAAAAAACAAAAAAAAAAMAAAQAAAAAAQAAKAAAAAABAAAQAAAAAAMAAAAAAAAABAAABAAAAAABAAAgAAAAAAEAAAwAAAAAAgAAAAAAAAADAAAEAAAAAAEAABwAAAAAAQAADAAAAAACAAAAAAAAAAIAAAQAAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAAkAAAAAQAAAKRzdHN6AAAAAAAAAAAAAAAkAAAEQQAAAK0AAAAeAAAAIwAAAB8AAAAXAAAADgAAALsAAAAmAAAAFAAAABQAAAAOAAAAFQAAABUAAAEBAAAAQAAAABkAAAAcAAAAEgAAABcAAAAZAAAAFwAAAA8AAADPAAAAMAAAABUAAAATAAAAFwAAABcAAAAQAAAAqwAAACsAAAAQAAAAEwAAABIAAAAUAAAAFHN0Y28AAAAAAAAAAQAABKAAAABidWR0YQAAAFptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABtZGlyYXBwbAAAAAAAAAAAAAAAAC1pbHN0AAAAJal0b28AAAAdZGF0YQAAAAEAAAAATGF2ZjU5LjI3LjEwMAAAAAhmcmVlAAALHm1kYXQAAAKwBgX//6zcRem95tlIt5Ys2CDZI+7veDI2NCAtIGNvcmUgMTY0IHIzMDk1IGJhZWU0MDAgLSBILjI2NC9NUEVHLTQgQVZDIGNvZGVjIC0gQ29weWxlZnQgMjAwMy0yMDIyIC0gaHR0cDovL3d3dy52aWRlb2xhbi5vcmcveDI2NC5odG1sIC0gb3B0aW9uczogY2FiYWM9MSByZWY9MTYgZGVibG9jaz0xOjA6MCBhbmFseXNlPTB4MToweDEzMSBtZT11bWggc3VibWU9MTAgcHN5PTEgcHN5X3JkPTEuMDA6MC4wMCBtaXhlZF9yZWY9MSBtZV9yYW5nZT0yNCBjaHJvbWFfbWU9MSB0cmVsbGlzPTIgOHg4ZGN0PTAgY3FtPTAgZGVhZHpvbmU9MjEsMTEgZmFzdF9wc2tpcD0xIGNocm9tYV9xcF9vZmZzZXQ9LTIgdGhyZWFkcz0zIGxvb2thaGVhZF90aHJlYWRzPTEgc2xpY2VkX3RocmVhZHM9MCBucj0wIGRlY2ltYXRlPTEgaW50ZXJsYWNlZD0wIGJsdXJheV9jb21wYXQ9MCBjb25zdHJhaW5lZF9pbnRyYT0wIGJmcmFtZXM9OCBiX3B5cmFtaWQ9MiBiX2FkYXB0PTIgYl9iaWFzPTAgZGlyZWN0PTMgd2VpZ2h0Yj0xIG9wZW5fZ29wPTAgd2VpZ2h0cD0yIGtleWludD0yNTAga2V5aW50X21pbj0xMiBzY2VuZWN1dD00MCBpbnRyYV9yZWZyZXNoPTAgcmNfbG9va2FoZWFkPTYwIHJjPWNyZiBtYnRyZWU9MSBjcmY9MzQuMCBxY29tcD0wLjYwIHFwbWluPTAgcXBtYXg9NjkgcXBzdGVwPTQgaXBfcmF0aW89MS40MCBhcT0xOjEuMDAAgAAAAYlliIEAB3/+hB/ApeTAR0itt7LVxj6qTiPpaAWYyP1eKfSf46hu8z8v7d8o6Ou3D764rYlne1LV2zagLlQnmJN87TjYWa5FkebcLa8Vm65Re1Zt+cxrYZAOOo2CI06DUi5xa2ZxLaGH4pXoxAOhiAdk5Ff7HICZDFRx9f5FEF5i5eymQio6td26SRFHcteOJx2nuP8Ennsmd3FXmv6lxZRwnbbg9IeDkDKwb4rhMJylZQQYnUWEZaC8Y6g9HUcKHcn4IDaulgwKwOWtyAIzKqickYJvquV2nGXuFtJ/62xDSGAjgUpp2NMkkLAAIrYvl6e6HSdBaMav/Y/I4BYuC22QkYg/MMgAA5qaHC3HM+jAdhTOv/rkMzLVgUTrFBstwAAH0uAG3GKtZ2Nt/gB8rm22DoxzkhtTBmqRgADOGp47PDYskn7seoaVUSdBrmuk/XM0CJfKLACZowcceAGYsOqMrEOkM2g6RgvsjpOj1L0xAAIUlE2EBtAj1bf4OsJ6EFa6N3BooyaAAwsAAACpQZoIzYh3//3/8o3sFMD/eSaIq0clCd58IAyZ+PluLVj2Tt9hb9F8jaW7j+hePlZ9MFRXLjV+M9NpAMWBDHPk8cnPc/0G165o3u+SrnSjYWe4h7zXdUh4GD9wmvrPuAxRhcGR9hJnuBeEd1dJg+0a45MksBt8iiN0HMVMwAI7eo6+5KOfak4uj5AYk1iiP37U3+PsboABYmo330X8lCZ8/9UYz1EqjW+SgAAAABpBnhBnEO8D+NY709ZDHWx6Te4YSDxC4SW2nQAAAB8BnhgmiGf/G6xJPsFuM6kqjrvd9zTsW7Hy6cQVXjhsAAAAGwGeGEaIZ/8NV9X27WSmyFCeFYjvZl5nuI9KQQAAABMBnhiNSGf/lHVzVl3IJA7wqOThAAAACgGeGK1IZ/8AGBEAAAC3QZoZqTUCAtEymBDv7kXdObgg+LFyJowfzMFgOyty1P6NSsJ/A6Wt1UdbraBSI+jBb2WlMb1UyJaN+cKttnndkJBs0IvdkqLDuMceyNQK5uIEIH3YYP6tSst3w/XIlgRy0alADmNiSQzltjjhrswYB0fCtsD78Ne2rdXNdonUQF7we5k2TDPS9efwAtSsx4FaUVSAHrz4XZsQAAGBSQop22mH6XMe4i9ry+zKyRdPfQzaoutA8WvBAAAAIkGeIS3EO/8H8cyL8UYpTTPDH5NGuQDGu8lHAqC5TskW93QAAAAQAZ4o7aIZ/wGgmTW1L9cdwAAAABABnikNohn/A1mgIeVvtuLtAAAACgGeKUySGf8AGBAAAAARAZ4pbJIZ/wkZCQFYokJkUCgAAAARAZ4pjJIZ/wkZEvst41dxG0kAAAD9QZoqybUCAtrRMpgBDv/wRBQbx8iTTYTSejrPludVFNAY36ID3wf4z7AueuYEJ+eK4aCphcy6KrEIZqEj0P4YVOMDn4t00XJV2eAlUzRibNLESMjV7pneVSJ1qEceXMdZve4FQANzTGQRtykQ6XKWvkg93BiTuGuZbx8UG8TwQSFcUv6hvuiSGmZBtZwj6IfUCMbX6LvCNmyHhx5dS7YqOhBz0SCNguRxIpH57bYrg5vTBjH4YL1NF6yZGJTYDIEndCVGpupMu/Lxhe7cp183FkAJHQPF6vJO8f73lmcDqz+bZ0ObEG8XrkfkxxO2D1/ES2SxI1A281jIp7oVpwAAADxBnjIssQ//iAk9MceVhr7cuwaZT4fyJSvUQ2926xP231XYK5oRGais8YRRVxhgxKWWwV2oBSrAReTQfv8AAAAVAZ45zKiGf511d3+QVq321yZB2QKuAAAAGAGeOeyohn+ddXhasG39j/E5IyG9tRBiQAAAAA4BnjoMqIZ/A/HWcwUEYQAAABMBnjpM0hn/ESh+4VXNW8SphKHFAAAAFQGeOmzSGf8nlBtf0nCNTr3McGpQ4AAAABMBnjqM0hn/nXV+TM9c/0hN3XUhAAAACwGeOqzSGf8AIEKbAAAAy0GaO6iNQIC2trRMpgAEO//mW5EeW+pfMPzZYmp5Q2kU/eDvrR/UPyw67NjsqhW3X5M9vPauX/4kSajFKpwD3bo/M6uPKYdsZacjubNXIKV8R7Tgg/RuBKTcbXDo1IliWWfADsDZpc4+TGaNmeaZ/qQch5S/rKO95x0J5Mx7ZW6AjVrQY1UKXnXf0SdeSsyH8dalljXELIPQD8Yflfc0oe+wb79lnuTklI6FOajLlBpE6hFJwzYVXCYSkInnnKz6HxEJVYqVOLl3KUFzAAAALEGeQyzxDv8cyN2SEcRIgq9jS8oDBkcjyVfnf9Zlr/I2ANzPRC2gTSMZsRjBAAAAEQGeSuzohn8k51uEHR36ANSAAAAADwGeSwzohn8k51uCdKFUpQAAABMBnktMRIZ/HWW8kNO6ti2vHIM6AAAAEwGeS2xEhn8dZbu16y96QXE5BX0AAAAMAZ5LjESGfwobWnMhAAAAp0GaTGitQIC2tra0TKYAAEM/H0Rn9psm9JYROfsK6ECXaSFMPgID33pXN8zaNkAJtTodvsFnWwL7KyPXQHnOJmrcEfEI3vxMrCSedqGDYjgybTIIp4GYUnqekdv78711jd+SthXua4kV8c68ZA8qXHkbZpDycCyeXqfya9f6gcN02oaKN5PyhfIrc6WVmdrczYqMFp68+LrUDMXA4gPgTpHxzVeSz1tZAAAAJ0GeVAxMQ7+zFIzLX4mFSBDXFjF++LeA8fHEqWQotRIdBTyssTF0wAAAAAwBnlvMSiGfACI20IEAAAAPAZ5b7Eohnx7s9BJedHe4AAAADgGeXCxUhn8SNrHYO/gDAAAAEAGeXExUhn8JnBfNR68wl9w=',
    'base64',
  ),
  Buffer.from(
    'AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAARwbW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAD6AAAC7gAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAA5p0cmFrAAAAXHRraGQAAAADAAAAAAAAAAAAAAABAAAAAAAAC7gAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAUAAAAC0AAAAAAAkZWR0cwAAABxlbHN0AAAAAAAAAAEAAAu4AAAIAAABAAAAAAMSbWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAAAwAAAAkABVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAABWaWRlb0hhbmRsZXIAAAACvW1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAn1zdGJsAAAAvXN0c2QAAAAAAAAAAQAAAK1hdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAUAAtABIAAAASAAAAAAAAAABFUxhdmM1OS4zNy4xMDAgbGlieDI2NAAAAAAAAAAAAAAAGP//AAAAM2F2Y0MBTUAV/+EAGmdNQBW5AiCgz8+AiAAAAwAIAAADAMB4sWwjAQAGaOhDghLIAAAAEHBhc3AAAAABAAAAAQAAABRidHJ0AAAAAAAAHooAAB6KAAAAGHN0dHMAAAAAAAAAAQAAACQAAAQAAAAAFHN0c3MAAAAAAAAAAQAAAAEAAAC4Y3R0cwAAAAAAAAAVAAAAAQAACAAAAAABAAAcAAAAAAEAAAwAAAAAAgAAAAAAAAACAAAEAAAAAAEAACAAAAAAAQAADAAAAAACAAAAAAAAAAMAAAQAAAAAAQAAKAAAAAABAAAQAAAAAAMAAAAAAAAABAAABAAAAAABAAAcAAAAAAEAAAwAAAAAAgAAAAAAAAACAAAEAAAAAAEAACAAAAAAAQAADAAAAAACAAAAAAAAAAMAAAQAAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAAkAAAAAQAAAKRzdHN6AAAAAAAAAAAAAAAkAAAEQAAAAMIAAAApAAAAKAAAACkAAAASAAAAEgAAALcAAAAwAAAAEwAAAA4AAAAOAAAAEgAAABUAAAD+AAAARAAAAB8AAAAYAAAAEgAAAA4AAAAcAAAAIQAAABQAAAC1AAAAMgAAABUAAAAVAAAAFgAAABUAAACnAAAAPwAAACAAAAATAAAAGAAAACQAAAAcAAAAFHN0Y28AAAAAAAAAAQAABKAAAABidWR0YQAAAFptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABtZGlyYXBwbAAAAAAAAAAAAAAAAC1pbHN0AAAAJal0b28AAAAdZGF0YQAAAAEAAAAATGF2ZjU5LjI3LjEwMAAAAAhmcmVlAAALfG1kYXQAAAKwBgX//6zcRem95tlIt5Ys2CDZI+7veDI2NCAtIGNvcmUgMTY0IHIzMDk1IGJhZWU0MDAgLSBILjI2NC9NUEVHLTQgQVZDIGNvZGVjIC0gQ29weWxlZnQgMjAwMy0yMDIyIC0gaHR0cDovL3d3dy52aWRlb2xhbi5vcmcveDI2NC5odG1sIC0gb3B0aW9uczogY2FiYWM9MSByZWY9MTYgZGVibG9jaz0xOjA6MCBhbmFseXNlPTB4MToweDEzMSBtZT11bWggc3VibWU9MTAgcHN5PTEgcHN5X3JkPTEuMDA6MC4wMCBtaXhlZF9yZWY9MSBtZV9yYW5nZT0yNCBjaHJvbWFfbWU9MSB0cmVsbGlzPTIgOHg4ZGN0PTAgY3FtPTAgZGVhZHpvbmU9MjEsMTEgZmFzdF9wc2tpcD0xIGNocm9tYV9xcF9vZmZzZXQ9LTIgdGhyZWFkcz0zIGxvb2thaGVhZF90aHJlYWRzPTEgc2xpY2VkX3RocmVhZHM9MCBucj0wIGRlY2ltYXRlPTEgaW50ZXJsYWNlZD0wIGJsdXJheV9jb21wYXQ9MCBjb25zdHJhaW5lZF9pbnRyYT0wIGJmcmFtZXM9OCBiX3B5cmFtaWQ9MiBiX2FkYXB0PTIgYl9iaWFzPTAgZGlyZWN0PTMgd2VpZ2h0Yj0xIG9wZW5fZ29wPTAgd2VpZ2h0cD0yIGtleWludD0yNTAga2V5aW50X21pbj0xMiBzY2VuZWN1dD00MCBpbnRyYV9yZWZyZXNoPTAgcmNfbG9va2FoZWFkPTYwIHJjPWNyZiBtYnRyZWU9MSBjcmY9MzQuMCBxY29tcD0wLjYwIHFwbWluPTAgcXBtYXg9NjkgcXBzdGVwPTQgaXBfcmF0aW89MS40MCBhcT0xOjEuMDAAgAAAAYhliIEAB3/+hB/ApedXOE3LgEuMfVScR9LQHAQq3rM2MXkDQa9mBOvYIlQfI67Xnm3+dhmP93vbMaD19Ro+MPIR32e4ECWYjH/2vJLGa7niipqL8rwNcR1q+UJALan5KZomdDhWuUjxsVEwx+628bGaXbBPIDMFWGDg/o8VwQ3NddtbkcmJLuhjikDZj9CD1HNxdu71v/gbvjvVjoLBrD79ajXf7JAYu/2XJm5X4Wh7BMb6wSCBMmiqooCf5YvJxY+G1EOpxKOFWOiese/hIUQACms+G4JQXTMz7D9AlcH670x8D6+R5bCAv2OIAKV0p81cOuEuORm/i3aFnQnHj+YvyqA3sQAAvQyQYxWl4NhSJUzNm7pU9DnZ3/z/246uFUAAFPufyJT2vzjAQzcAge9t1vcKDgYEyp/2AAOe3SCYy6/UIjvPAu5UF8wQEix9MzyMwAB+nxaKKDVJ/PKD5PqsutliSdF+5/nKLPw8NoCAAAbsoFjBRb7cqKXGQrA14+lMrwuCiyAY8QAAAL5BmgjNiHf/+HobwoYcKk2TlMxnfgRLPubRbWEBdxpPsLJ3R+b53RwYFV+Hqem4Pf7a9USGboeFGdoG+CYpLQ4pRpvh2ElsxfdYQ7xG50DBqf2Y1JXxeZMA4C6aWkO/1quK/Fza0ziBH6ytRptLaxBHBdpmaRnb3XJt+An5GYuAqQWYhnz8xrkwqhGVw2RzRvYM6geeWcnElDadUNlMJYDVGG4ao7y/7QLlZOADjcNMM33p37O4PQWTEKtMixlAAAAAJUGeEGcQ75ePZMw+NdtYpEUMbVY2E95u7EtbJMVwRUlCZvylsmkAAAAkAZ4YJohn/5NoWAYZT6OAfQ/ECQCzKQcEZuXbr8hys3xtI9ZwAAAAJQGeGEaIZ/+VbJdk9YtgDQ3MTBHNrmQm/3WcK918CQnlZyCln20AAAAOAZ4YjUhn/wCNBIgqpyEAAAAOAZ4YrUhn/wcxUfQ9MhsAAACzQZoZqTUCAtEymBDv7kXc7OHPXbL/5s4VLmy0PI1GSEcCtto1xZ51qretrnQkOPAv4kuOkHlgV17QU9wAELZxae6zJmhntUIlXcJVRWiNXC3rHCAefV4CgxAoTxQZMGAv7Vyht9xT7FcHut64ybRMR0Y7kHE9TpzgvJmKxl5YonkoSdkuSJ9syacPn4wr8j36tmlkgYYoG6I/4X4pCtCmkM2iUpKNTnXQVzW/KTb/ZHtpF+UAAAAsQZ4hLcQ7/zcS5GszWbu1BPCwLJZSYzikG2IaMvHJO6m/rrIaRyPIkpoBjeUAAAAPAZ4o7aIZ/wa09oABuX2AAAAACgGeKQ2iGf8AGBEAAAAKAZ4pTJIZ/wAYEAAAAA4Bnilskhn/CvODQ072wAAAABEBnimMkhn/CRw3Mj0wRxAtIQAAAPpBmirJtQIC2tEymAEO/+l+7mnULiuhkFHPjMbS+aFHXzCW88GrqYVfYncCADYCu914iRhcThMVgW9lWWgXGW5i2TsDsmqXjtg0UWplSlL9NBFZ97z/GAUDH5hPjJ0do2M4yQW1tCORDPnQnwbsl/iwk42cC90ujBCKPKR29YWuCvuAGxSLmQjjSwFvx8a11kx6EbV69+KZRu1VdqWC+WyXIqNPhpIrou6YEm+LnpNGyQ6guOP8yHhvRsvrdPIPS5HFwbLdtzgh/Unno3VWW3MV1XgvDAAm4UquWr/pswmeuXqy73rwPpCqsHrn9Et0YvYIziK3lGfsch4rAAAAQEGeMiyxD/8sDYwasO8au/revNgya8CTpsud3635a4H/5E/aUux8V/rj05A283rpdT9L0QtIQuGS774mcua1AJsAAAAbAZ45zKiGfypHZu3AvpZmifhJQ/qsMgoJksywAAAAFAGeOeyohn8qR2btn42Z6/shZwMSAAAADgGeOgyohn8qR0ulUSdhAAAACgGeOkzSGf8AGBAAAAAYAZ46bNIZ/xEiA2FFTrtNCXqzZdDuM3yAAAAAHQGeOozSGf+YQoNHfDan2APSOoDlWpgzsgEogvWPAAAAEAGeOqzSGf+YQoCpZs2gwl4AAACxQZo7iI1AgLa2tEymAAQ7/+cw/sb3econAZcHSetzKlqFGJSJeqP8PvbDLNOhC1mEPM33JJYuf1kmkvMbUQtxk2jncKo9bgU8/lqTRrSV2ToHvaS1p0/OMcJyVXNYUBnmTKyk9nab9T2FrdKwl/deGxv6vlV0u3YVM7h4a3AlxX6TwP4sb2hzBHXQ57Au9fXSu3TAuypyIX9YBn7UtQ+LzU7Nr5i5jGB8aj8CGYnNpn/xAAAALkGeQyzxDv8tt1uh+A/g5pMPWgNdOnEGesAurI0Z3Ho+VMgIe073ZWF7VNQn+lEAAAARAZ5K7OiGfxCiC2Daqa9gdcAAAAARAZ5LDOiGfxCiGCb+wi3vQXEAAAASAZ5LTESGfxCiF/fphstlks2kAAAAEQGeS2xEhn8QIhBpuPyGl2nhAAAAo0GaTGitQIC2tra0TKYAAEM/H0dA9r2GF3A88C8OFtkCEmOCR3HDbIPEai3pYjnAtVaJfUOTzHXnJFOnXDa4XldEsACXnQZbOPSI+1rljyu2NTGW/eZyhq89NO9vj6t8oETnZl7aupRJMDpHvnqfwiRgQVNN1Aue9rYdjtsg9+OMapm/4k6fw8Fkbz0HsTFfa5LP2Rfm/W/RxMJh8Rd6Dc8BX7EAAAA7QZ5T7ExDvyoDshhvcxv558urri1oJ8bppnxIOn1cQ8rW2jo4uuD5xe4X52Q9xzTiYrGr8dThlcoAiRUAAAAcAZ5brEohnxAiZEcawKf7mokvkkOO7qDyxoO4YAAAAA8BnlvMSiGfHu0pwWyFfwMAAAAUAZ5cDFSGfy1UDAhzJSkRMxG4R8AAAAAgAZ5cLFSGf7DWwt86Ve4s8MFHl8TpgbdhLzSy6ZiKGrsAAAAYAZ5cTFSGf7DTKrr8+400RDXNeQeubp+c',
    'base64',
  ),
];

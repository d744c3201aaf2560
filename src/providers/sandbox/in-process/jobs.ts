import { z } from 'zod';
import { localFailure } from '../../shared/local-answer.ts';
import { stripes } from './image.ts';
import { clip, cube, lyrics, MELODY_SECONDS, MODEL_MEDIA_TYPES, melody, SANDBOX_FORMATS } from './job-files.ts';

/*
 * Long-running jobs: videos, music, lyrics and 3D models. Nothing is stored: a job's id encodes the job, so that it survives a
 * restart and every process can answer for it.
 */

const LONGEST_DELAY_MS = 3_600_000;
const USUAL_DELAY_MS = 2_000;
const USUAL_SECONDS = 5;
const OUTCOMES = ['completed', 'failed', 'refused', 'expired', 'never'] as const;
const FAILING_STATUSES = [400, 401, 402, 403, 404, 429, 500, 503] as const;

const milliseconds = z.int().min(0).max(LONGEST_DELAY_MS);

/** `provider_options` (docs/sandbox.md). */
const options = z.strictObject({
  delay_ms: milliseconds.default(USUAL_DELAY_MS),
  outcome: z.enum(OUTCOMES).default('completed'),
  fail_submit: z.union([z.literal(FAILING_STATUSES), z.enum(['timeout', 'garbage'])]).optional(),
  poll_failures_ms: milliseconds.default(0),
  progress: z.boolean().default(true),
});

const KINDS = ['video', 'music', 'lyrics', '3d', 'image'] as const;

const order = z.object({
  model: z.string(),
  kind: z.enum(KINDS),
  prompt: z.string(),
  title: z.string().nullish(),
  tags: z.string().nullish(),
  n: z.int().min(1).max(10).nullish(),
  seconds: z.number().positive().max(60).nullish(),
  resolution: z.string().max(20).nullish(),
  format: z.enum(SANDBOX_FORMATS).nullish(),
  options: options.prefault({}),
});

/** The contents of an id. Anyone may send an id, so it is validated like any request. */
const job = z.strictObject({
  kind: z.enum(KINDS),
  began: z.int().min(0),
  delay: milliseconds,
  outcome: z.enum(OUTCOMES),
  mute: milliseconds,
  progress: z.boolean(),
  prompt: z.string().max(200),
  title: z.string().max(120).nullable(),
  tags: z.string().max(120).nullable(),
  n: z.int().min(1).max(10),
  seconds: z.number().min(0.1).max(60),
  resolution: z.string().max(20).nullable(),
  format: z.enum(SANDBOX_FORMATS),
});
type SandboxJob = z.output<typeof job>;

const PREFIX = 'job_';
const LONGEST_ID = 6_000;

/** Implements `POST /jobs`: starts a job, or fails as the request says. */
export async function submitJob(body: unknown, signal: AbortSignal, nowMs = Date.now()): Promise<Response> {
  const parsed = order.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return localFailure(400, issue?.message ?? 'Invalid request.', { param: issue?.path.join('.') || null });
  }
  const { data } = parsed;
  const failing = data.options.fail_submit;
  if (failing !== undefined) return failedSubmit(failing, signal);
  const cut = (text: string, most: number) => text.slice(0, most).toWellFormed();
  const begun: SandboxJob = {
    ...{ kind: data.kind, began: nowMs, delay: data.options.delay_ms, outcome: data.options.outcome },
    ...{ mute: data.options.poll_failures_ms, progress: data.options.progress, prompt: cut(data.prompt, 200) },
    title: data.title == null ? null : cut(data.title, 120),
    tags: data.tags == null ? null : cut(data.tags, 120),
    ...{ n: data.n ?? 1, seconds: Math.max(0.1, data.seconds ?? USUAL_SECONDS), resolution: data.resolution ?? null },
    format: data.format ?? 'glb',
  };
  return Response.json(reportOf(idOf(begun), begun, nowMs));
}

/** Implements `GET /jobs/{id}`: returns the state, and at the end the result. */
export function pollJob(id: string, nowMs = Date.now()): Response {
  const found = jobOf(id);
  if (found === null) return gone();
  const elapsed = Math.max(0, nowMs - found.began);
  if (elapsed < found.mute) return localFailure(503, 'The sandbox does not report the status of this job yet.');
  if (found.outcome === 'expired' && elapsed >= found.delay) return gone();
  return Response.json(reportOf(id, found, nowMs));
}

/** Implements `POST /jobs/{id}/cancel`. Nothing is stored, so a later poll would report the job as if it had not been cancelled. */
export function cancelJob(id: string, nowMs = Date.now()): Response {
  const found = jobOf(id);
  if (found === null) return gone();
  const isOver = nowMs - found.began >= found.delay && found.outcome !== 'never';
  if (isOver) return localFailure(409, 'The job is over.', { code: 'job_over' });
  return Response.json({ id, status: 'cancelled' });
}

function gone(): Response {
  return localFailure(404, 'There is no such job.', { code: 'job_not_found' });
}

function failedSubmit(failing: number | 'timeout' | 'garbage', signal: AbortSignal): Promise<Response> | Response {
  if (failing === 'garbage') return new Response('<html>', { headers: { 'content-type': 'text/html' } });
  if (failing === 'timeout') return untilAborted(signal);
  const retry = failing === 429 ? { retryAfterS: 1 } : {};
  return localFailure(failing, `The request asked the sandbox to respond with ${failing}.`, {
    code: 'told_to_fail',
    ...retry,
  });
}

function untilAborted(signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function idOf(one: SandboxJob): string {
  return PREFIX + Buffer.from(JSON.stringify(one)).toString('base64url');
}

function jobOf(id: string): SandboxJob | null {
  if (!id.startsWith(PREFIX) || id.length > LONGEST_ID) return null;
  try {
    const read = job.safeParse(JSON.parse(Buffer.from(id.slice(PREFIX.length), 'base64url').toString()));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

/** The part of its time that a job spends pending. */
const WAITING_PART = 0.25;

function reportOf(id: string, one: SandboxJob, nowMs: number): object {
  const { began, delay, outcome } = one;
  const elapsed = Math.max(0, nowMs - began);
  const part = delay === 0 ? 1 : elapsed / delay;
  if (part < 1 || outcome === 'never' || outcome === 'expired') {
    const isWaiting = part < WAITING_PART;
    const percent = Math.min(99, Math.floor(part * 100));
    return { id, status: isWaiting ? 'queued' : 'working', progress: one.progress && !isWaiting ? percent : null };
  }
  if (outcome === 'failed') return { id, status: 'failed', error: 'The request asked the sandbox to fail this job.' };
  if (outcome === 'refused')
    return { id, status: 'refused', error: 'The request asked the sandbox to refuse this prompt.' };
  const items = Array.from({ length: one.n }, (_, index) => itemOf(one, index));
  return { id, status: 'done', resolution: one.resolution, items };
}

const COVER = { width: 64, height: 64 };
const IMAGE = { width: 256, height: 256 };

function itemOf(one: SandboxJob, index: number): object {
  const { kind, prompt, tags, format, seconds } = one;
  const seed = `${prompt} ${index}`;
  const cover = () => ({ media_type: 'image/png', base64: stripes(seed, COVER).toString('base64') });
  if (kind === 'image') return fileOf('image/png', stripes(seed, IMAGE));
  if (kind === 'video') return { ...fileOf('video/mp4', clip(seconds)), seconds, cover: cover() };
  if (kind === '3d') return { ...fileOf(MODEL_MEDIA_TYPES[format], cube(format)), format, cover: cover() };
  const title = one.title ?? titleOf(prompt);
  const song = { title, tags, lyrics: lyrics(prompt) };
  if (kind === 'lyrics') return song;
  const clipId = `clip_${Bun.hash(seed).toString(16)}`;
  return { ...fileOf('audio/wav', melody(seed)), seconds: MELODY_SECONDS, ...song, clip_id: clipId, cover: cover() };
}

function fileOf(mediaType: string, bytes: Buffer): object {
  return { media_type: mediaType, base64: bytes.toString('base64') };
}

/** Returns the first words of the prompt. */
function titleOf(prompt: string): string {
  return prompt.trim().split(/\s+/).slice(0, 5).join(' ').slice(0, 80).toWellFormed();
}

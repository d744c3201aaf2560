import { Failure } from '../../../domain/failure/failure.ts';
import type { PiecedBody } from '../../../domain/media/pieced-body.ts';
import type { GenerationRequest, MusicRequest, ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import type { WireTarget } from '../../wire.ts';
import type { TaskWire } from '../tasks/wire.ts';
import { wireAnswer } from './image-samples.ts';

/* Helpers for tests of task wires: what a wire sends and reads. */

const PLAIN = { model: 'public-model', user: null, options: {}, body: {} } as const;

/** A request in which the client has given only the prompt. */
export const PLAIN_MUSIC: MusicRequest = {
  ...PLAIN,
  kind: 'music',
  prompt: 'a calm song about the sea',
  title: null,
  tags: null,
  action: 'MUSIC',
  mv: null,
  continueClipId: null,
  continueAtSeconds: null,
};

export const PLAIN_3D: ThreeDRequest = {
  ...PLAIN,
  kind: '3d',
  prompt: 'a small wooden boat',
  negativePrompt: null,
  images: [],
  format: null,
  texture: null,
  targetPolycount: null,
  seed: null,
};

export interface SentTask {
  readonly body: Readonly<Record<string, unknown>>;
  /** The files of a form as `name type size`; absent if the body is not a form. */
  readonly files?: Readonly<Record<string, string>>;
  readonly suffix: string;
  /** Each loss as `field verdict`, sorted. */
  readonly lost: readonly string[];
}

const CONTEXT = { reference: 'task_0123456789' };

/** Returns what the wire sends, or its refusal as `400 param`. */
export async function sentTask<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  target: string | WireTarget,
  request: Request,
): Promise<SentTask | string> {
  const sent = await wire.encodeRequest(request, targetOf(target), CONTEXT);
  if (sent instanceof Failure) return `${sent.status} ${sent.details.param}`;
  const read = await readBody(sent.body, sent.headers?.['content-type']);
  const lost = sent.losses.map(({ field, verdict }) => `${field} ${verdict}`).toSorted();
  return { ...read, suffix: sent.suffix ?? '', lost };
}

export function targetOf(target: string | WireTarget): WireTarget {
  return typeof target === 'string' ? { upstreamModel: target } : target;
}

async function readBody(
  body: Uint8Array<ArrayBuffer> | PiecedBody | null,
  type: string | undefined,
): Promise<Pick<SentTask, 'body' | 'files'>> {
  if (body === null) return { body: {} };
  if (body instanceof Uint8Array) return { body: JSON.parse(new TextDecoder().decode(body)) };
  const pieces = await Promise.all(body.pieces.map((one) => (one instanceof Uint8Array ? one : one.file.bytes())));
  const form = await new Response(Buffer.concat(pieces), { headers: { 'content-type': type ?? 'none' } }).formData();
  const texts: Record<string, unknown> = {};
  const files: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') texts[name] = value;
    else files[name] = `${value.name} ${value.type} ${value.size}`;
  }
  return { body: texts, files };
}

/** Returns what the wire reads in the answer to a submission. */
export function submittedTask<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  body: unknown,
  request: Request,
  upstreamModel = 'theirs',
): Submission | Failure {
  return wire.decodeSubmission(wireAnswer(body), request, { upstreamModel });
}

/** Returns the ticket of an accepted job, or the refusal. */
export function takenTask<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  body: unknown,
  request: Request,
): JobTicket | Failure {
  const taken = submittedTask(wire, body, request);
  return taken instanceof Failure ? taken : taken.ticket;
}

/** Returns what the wire reads in the answer to a poll. */
export function polledTask<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  body: unknown,
  ticket: JobTicket,
  upstreamModel = 'theirs',
): JobReport | Failure {
  return wire.decodePoll(wireAnswer(body), ticket, { upstreamModel });
}

/** Returns how a job has ended, in short: `code side: message`. */
export function endOf(report: JobReport | Failure): string {
  if (report instanceof Failure) return `unread ${report.kind}`;
  if (report.state !== 'failed') return report.state;
  const { code, side, message, kind } = report.failure;
  return `${code} ${side} ${kind}: ${message}`;
}

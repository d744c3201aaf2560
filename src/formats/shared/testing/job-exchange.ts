import { Failure } from '../../../domain/failure/failure.ts';
import type { GenerationRequest, MusicRequest, ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket } from '../../../domain/tasks/job.ts';
import type { TaskWire } from '../../wire.ts';
import { imageAnswer } from './image-exchange.ts';

/* What a wire of music or 3D models sends and reads, for the tests of those wires. */

const COMMON = { model: 'public-model', user: null, options: {}, body: {} } as const;

/** Requests in which the client has said nothing but the prompt. */
export const PLAIN_MUSIC: MusicRequest = {
  ...COMMON,
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
  ...COMMON,
  kind: '3d',
  prompt: 'a small wooden boat',
  negativePrompt: null,
  images: [],
  format: null,
  texture: null,
  targetPolycount: null,
  seed: null,
};

export interface SentJob {
  readonly body: Readonly<Record<string, unknown>>;
  readonly suffix: string;
  /** `field verdict`, in the order of the alphabet. */
  readonly lost: readonly string[];
}

/** What the wire sends, or its refusal as `400 param`. */
export async function sentJob<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  request: Request,
  upstreamModel = 'theirs',
): Promise<SentJob | string> {
  const sent = await wire.encodeRequest(request, { upstreamModel }, { reference: 'job_1' });
  if (sent instanceof Failure) return `${sent.status} ${sent.details.param}`;
  if (!(sent.body instanceof Uint8Array)) throw new Error('the wire sends no JSON');
  return {
    body: JSON.parse(new TextDecoder().decode(sent.body)),
    suffix: sent.suffix ?? '',
    lost: sent.losses.map(({ field, verdict }) => `${field} ${verdict}`).toSorted(),
  };
}

/** What the wire reads in an answer to a question about a job. */
export function polledJob<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  body: unknown,
  ticket: JobTicket,
): JobReport | Failure {
  return wire.decodePoll(imageAnswer(body), ticket, { upstreamModel: 'theirs' });
}

/** The ticket of a job that was taken, or the refusal. */
export function takenJob<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  body: unknown,
  request: Request,
): JobTicket | Failure {
  const taken = wire.decodeSubmission(imageAnswer(body), request, { upstreamModel: 'theirs' });
  return taken instanceof Failure ? taken : taken.ticket;
}

/** Ids that would lead an address elsewhere, or are none. */
export const HOSTILE_IDS: readonly unknown[] = [
  ...[
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a/../b',
    '/x',
    'https://evil.example/x',
    'a?b=c',
    'a#b',
    'a%2fb',
    'a b',
    'a\nb',
    'ü',
  ],
  ...[7, null, true, [], ['a'], {}, { id: 'a' }, 'x'.repeat(501)],
];

/** Values that no member of an answer should have; nothing may throw on any. */
export const HOSTILE_VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e308,
    '',
    'x',
    '__proto__',
    'constructor',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ],
  ...[[], [null], [[]], [{}], {}, { a: 1 }, { toString: 'x' }, 'x'.repeat(20_000), 'https://'],
  JSON.parse('{"__proto__": {"status": "SUCCESS"}}'),
];

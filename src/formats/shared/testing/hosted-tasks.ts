import { Failure } from '../../../domain/failure/failure.ts';
import type { GenerationRequest, MusicRequest, ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import type { TaskWire } from '../../wire.ts';
import { wireAnswer } from './image-samples.ts';

/* What wires of music and of 3D models send and read, for their tests. */

const PLAIN = { model: 'public-model', user: null, options: {}, body: {} } as const;

export const PLAIN_MUSIC: MusicRequest = {
  ...PLAIN,
  kind: 'music',
  prompt: 'slow jazz',
  title: null,
  tags: null,
  action: 'MUSIC',
  mv: null,
  continueClipId: null,
  continueAtSeconds: null,
};

export const PLAIN_THREE_D: ThreeDRequest = {
  ...PLAIN,
  kind: '3d',
  prompt: 'a teapot',
  negativePrompt: null,
  images: [],
  format: null,
  texture: null,
  targetPolycount: null,
  seed: null,
};

export interface SentTask {
  readonly body: Readonly<Record<string, unknown>>;
  readonly suffix: string | undefined;
  /** `field verdict`, sorted. */
  readonly lost: readonly string[];
}

/** What the wire sends, or its refusal as `400 param`. */
export async function sentTask<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  upstreamModel: string,
  request: Request,
): Promise<SentTask | string> {
  const sent = await wire.encodeRequest(request, { upstreamModel }, { reference: 'job_1' });
  if (sent instanceof Failure) return `${sent.status} ${sent.details.param}`;
  if (!(sent.body instanceof Uint8Array)) throw new Error('the wire sends no JSON');
  const lost = sent.losses.map(({ field, verdict }) => `${field} ${verdict}`).toSorted();
  return { body: JSON.parse(new TextDecoder().decode(sent.body)), suffix: sent.suffix, lost };
}

export function submittedTask<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  body: unknown,
  request: Request,
  upstreamModel = 'theirs',
): Submission | Failure {
  return wire.decodeSubmission(wireAnswer(body), request, { upstreamModel });
}

export function polledTask<Request extends GenerationRequest>(
  wire: TaskWire<Request>,
  body: unknown,
  ticket: JobTicket,
  upstreamModel = 'theirs',
): JobReport | Failure {
  return wire.decodePoll(wireAnswer(body), ticket, { upstreamModel });
}

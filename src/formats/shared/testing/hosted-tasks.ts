import { Failure } from '../../../domain/failure/failure.ts';
import type {
  GenerationRequest,
  MusicRequest,
  ThreeDRequest,
  VideoRequest,
} from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import type { TaskWire } from '../../wire.ts';
import { INLINE_PIXEL, wireAnswer } from './image-samples.ts';

/* What wires of hosted models send and read, for their tests. */

const PLAIN = { model: 'public-model', user: null, options: {}, body: {} } as const;

export const PLAIN_VIDEO: VideoRequest = {
  ...PLAIN,
  kind: 'video',
  operation: 'text-to-video',
  prompt: 'a fox in the snow',
  negativePrompt: null,
  firstImage: null,
  lastImage: null,
  referenceImages: [],
  videoUrl: null,
  durationSeconds: null,
  aspectRatio: null,
  resolution: null,
  size: null,
  count: 1,
  seed: null,
  audio: null,
};

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

/** One value of each kind, by the client's name for it. */
export const VIDEO_ASKS: Readonly<Record<string, Partial<VideoRequest>>> = {
  nothing: {},
  negative_prompt: { negativePrompt: 'fog' },
  image_url: { firstImage: INLINE_PIXEL },
  end_image_url: { lastImage: INLINE_PIXEL },
  reference_image_urls: { referenceImages: [INLINE_PIXEL] },
  video_url: { videoUrl: 'https://example.com/a.mp4' },
  duration: { durationSeconds: 8 },
  aspect_ratio: { aspectRatio: '9:16' },
  resolution: { resolution: '1080p' },
  size: { size: { width: 1280, height: 720 } },
  n: { count: 2 },
  seed: { seed: 7 },
  audio: { audio: true },
  user: { user: 'u' },
  unheard_of: { body: { unheard_of: 1 } },
  their_own: { options: { their_own: 'thing' } },
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

import { Failure } from '../../../domain/failure/failure.ts';
import type { PiecedBody } from '../../../domain/media/pieced-body.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork, JobReport, JobTicket, Submission } from '../../../domain/tasks/job.ts';
import type { TaskWire, WireTarget } from '../../wire.ts';
import { INLINE_PIXEL } from './image-samples.ts';

/* What a wire of videos sends and reads, for the tests of those wires. */

export const PLAIN_VIDEO: VideoRequest = {
  kind: 'video',
  model: 'public-model',
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
  user: null,
  options: {},
  body: {},
};

/** Each with the names under which a wire may carry, lose or refuse it. */
const ASKS: Readonly<Record<string, { readonly asked: Partial<VideoRequest>; readonly field: string }>> = {
  negativePrompt: { asked: { negativePrompt: 'fog' }, field: 'negative_prompt' },
  firstImage: { asked: { firstImage: INLINE_PIXEL }, field: 'image_url' },
  lastImage: { asked: { lastImage: INLINE_PIXEL }, field: 'end_image_url' },
  references: { asked: { referenceImages: [INLINE_PIXEL, INLINE_PIXEL] }, field: 'reference_image_urls' },
  video: { asked: { videoUrl: 'https://example.com/v.mp4' }, field: 'video_url' },
  duration: { asked: { durationSeconds: 8 }, field: 'duration' },
  oddDuration: { asked: { durationSeconds: 7 }, field: 'duration' },
  ratio: { asked: { aspectRatio: '16:9' }, field: 'aspect_ratio' },
  oddRatio: { asked: { aspectRatio: '5:1' }, field: 'aspect_ratio' },
  resolution: { asked: { resolution: '720p' }, field: 'resolution' },
  largeResolution: { asked: { resolution: '8k' }, field: 'resolution' },
  count: { asked: { count: 2 }, field: 'n' },
  seed: { asked: { seed: 7 }, field: 'seed' },
  audio: { asked: { audio: true }, field: 'audio' },
  silence: { asked: { audio: false }, field: 'audio' },
  user: { asked: { user: 'u' }, field: 'user' },
  unknown: { asked: { body: { unheard_of: 1 } }, field: 'unheard_of' },
  option: { asked: { options: { their_own: 'thing' } }, field: 'their_own' },
};
const SIZED = { asked: { size: { width: 1280, height: 720 } }, field: 'size' } as const;

export interface SentVideo {
  readonly body: Readonly<Record<string, unknown>>;
  /** The files of a form as `name type size`. */
  readonly files: Readonly<Record<string, string>>;
  readonly suffix: string;
  /** `field verdict`, sorted. */
  readonly lost: readonly string[];
}

const CONTEXT = { reference: 'task_0123456789' };

/** What the wire sends, or its refusal as `400 param`. */
export async function videoSent(
  wire: TaskWire<VideoRequest>,
  target: string | WireTarget,
  asked: Partial<VideoRequest> = {},
): Promise<SentVideo | string> {
  const sent = await wire.encodeRequest({ ...PLAIN_VIDEO, ...asked }, targetOf(target), CONTEXT);
  if (sent instanceof Failure) return `${sent.status} ${sent.details.param}`;
  const read = await readBody(sent.body, sent.headers?.['content-type']);
  const lost = sent.losses.map(({ field, verdict }) => `${field} ${verdict}`).toSorted();
  return { ...read, suffix: sent.suffix ?? '', lost };
}

export function videoAsked(
  wire: TaskWire<VideoRequest>,
  target: string | WireTarget,
  asked: Partial<VideoRequest> = {},
): AskedWork {
  return wire.asks({ ...PLAIN_VIDEO, ...asked }, targetOf(target));
}

function targetOf(target: string | WireTarget): WireTarget {
  return typeof target === 'string' ? { upstreamModel: target } : target;
}

async function readBody(
  body: Uint8Array<ArrayBuffer> | PiecedBody | null,
  type: string | undefined,
): Promise<Pick<SentVideo, 'body' | 'files'>> {
  if (body === null) return { body: {}, files: {} };
  if (body instanceof Uint8Array) return { body: JSON.parse(new TextDecoder().decode(body)), files: {} };
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

/**
 * What a wire neither sends nor reports as lost, for each pair of what a client may ask for. `carried` says the client's names of
 * what was sent; a refusal must name a field that the pair has asked for.
 */
export async function unaccountedVideo(
  wire: TaskWire<VideoRequest>,
  target: string | WireTarget,
  carried: (sent: SentVideo) => readonly string[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const all = Object.entries(ASKS);
  for (const [first, one] of [...all, ['size', SIZED] as const]) {
    for (const [second, other] of all) {
      if (one === SIZED && ['aspect_ratio', 'resolution'].includes(other.field)) continue;
      const asked = new Set([other.field, ...(one.field === other.field ? [] : [one.field])]);
      const sent = await videoSent(wire, target, { ...one.asked, ...other.asked });
      if (typeof sent === 'string') {
        if (!asked.has(sent.replace(/^400 /, ''))) problems.push(`${first} and ${second}: ${sent}`);
        continue;
      }
      const told = new Set([...carried(sent), ...sent.lost.map((loss) => loss.split(' ')[0])]);
      for (const field of asked) if (!told.has(field)) problems.push(`${first} and ${second}: ${field} is silent`);
      for (const loss of sent.lost) {
        if (!asked.has(loss.split(' ')[0] ?? '')) problems.push(`${first} and ${second}: ${loss}, unasked`);
      }
    }
  }
  return problems;
}

const bytesOf = (body: unknown) => new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));

export function videoSubmitted(
  wire: TaskWire<VideoRequest>,
  body: unknown,
  upstreamModel = 'theirs',
): Submission | Failure {
  return wire.decodeSubmission({ bytes: bytesOf(body), headers: new Headers() }, PLAIN_VIDEO, { upstreamModel });
}

export function videoPolled(
  wire: TaskWire<VideoRequest>,
  body: unknown,
  ticket: JobTicket,
  upstreamModel = 'theirs',
): JobReport | Failure {
  return wire.decodePoll({ bytes: bytesOf(body), headers: new Headers() }, ticket, { upstreamModel });
}

/** How a job has ended, in short: `code side: message`. */
export function endOf(report: JobReport | Failure): string {
  if (report instanceof Failure) return `unread ${report.kind}`;
  if (report.state !== 'failed') return report.state;
  const { code, side, message, kind } = report.failure;
  return `${code} ${side} ${kind}: ${message}`;
}

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import type { WireTarget } from '../../wire.ts';
import type { TaskWire } from '../tasks/wire.ts';
import { INLINE_PIXEL } from './image-samples.ts';
import { type SentTask, sentTask, targetOf } from './task-exchange.ts';

/* Helpers for tests of video wires: what a wire sends and reads. */

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

/** Each option with the name under which a wire may carry, lose or refuse it. */
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

/** Returns what the wire sends, or its refusal as `400 param`. */
export function videoSent(
  wire: TaskWire<VideoRequest>,
  target: string | WireTarget,
  asked: Partial<VideoRequest> = {},
): Promise<SentTask | string> {
  return sentTask(wire, target, { ...PLAIN_VIDEO, ...asked });
}

export function videoAsked(
  wire: TaskWire<VideoRequest>,
  target: string | WireTarget,
  asked: Partial<VideoRequest> = {},
): AskedWork {
  return wire.asks({ ...PLAIN_VIDEO, ...asked }, targetOf(target));
}

/**
 * Returns, for each pair of options, what a wire neither sends nor reports as lost. `carried` lists the client's names of what
 * was sent; a refusal must name a field that the pair has set.
 */
export async function unaccountedVideo(
  wire: TaskWire<VideoRequest>,
  target: string | WireTarget,
  carried: (sent: SentTask) => readonly string[],
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

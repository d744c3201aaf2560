import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { MusicRequest, ThreeDRequest, VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import {
  type Lengths,
  musicLosses,
  nearestLength,
  threeDLosses,
  videoLosses,
} from '../../shared/tasks/generation-request.ts';
import { resolutionOf } from '../../video/shared/video-shape.ts';
import type { WireRequest, WireTarget } from '../../wire.ts';

/*
 * The sandbox's `POST /jobs` (docs/sandbox.md, "Videos, music and 3D models"). Images and videos are counted but not inspected.
 */

const LENGTHS: Lengths = { least: 1, most: 60 };
const USUAL_SECONDS = 5;
const USUAL_RESOLUTION = '720p';

function bodyOf(members: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(members));
}

function requestOf(
  request: VideoRequest | MusicRequest | ThreeDRequest,
  { upstreamModel: model }: WireTarget,
  members: { readonly kind: string; readonly prompt: string },
  losses: readonly Loss[],
): WireRequest {
  return { body: bodyOf({ model, ...members, options: request.options }), losses };
}

export function asksOfVideo(request: VideoRequest): AskedWork {
  const { count, resolution, size, audio } = request;
  return {
    count,
    seconds: nearestLength(request, LENGTHS).seconds ?? USUAL_SECONDS,
    resolution: resolution ?? (size === null ? USUAL_RESOLUTION : resolutionOf(size)),
    ...(audio === true && { traits: ['audio'] }),
  };
}

export function encodeVideo(request: VideoRequest, target: WireTarget): WireRequest | Failure {
  const losses = videoLosses(request, {
    ...{
      negativePrompt: 'exact',
      firstImage: 'exact',
      lastImage: 'exact',
      referenceImages: 'exact',
      videoUrl: 'exact',
    },
    ...{ duration: 'exact', aspectRatio: 'exact', resolution: 'exact', size: 'exact', count: 'exact', seed: 'exact' },
    ...{ audio: { verdict: 'approximated', why: 'the sandbox’s videos are silent' }, user: 'exact' },
  });
  if (losses instanceof Failure) return losses;
  const { count: n, seconds, resolution } = asksOfVideo(request);
  const members = { kind: 'video', prompt: request.prompt, n, seconds, resolution };
  return requestOf(request, target, members, [...losses, ...nearestLength(request, LENGTHS).losses]);
}

export function asksOfMusic(): AskedWork {
  return { count: 1, seconds: null, resolution: null };
}

export function encodeMusic(request: MusicRequest, target: WireTarget): WireRequest | Failure {
  const losses = musicLosses(request, {
    ...{ title: 'exact', tags: 'exact', lyrics: 'exact', mv: 'exact', continueClipId: 'exact' },
    ...{ continueAtSeconds: 'exact', user: 'exact' },
  });
  if (losses instanceof Failure) return losses;
  const { prompt, title, tags, action } = request;
  const kind = action === 'LYRICS' ? 'lyrics' : 'music';
  return requestOf(request, target, { kind, prompt, ...{ title, tags } }, losses);
}

export function asksOfThreeD(): AskedWork {
  return { count: 1, seconds: null, resolution: null };
}

const FORMATS: readonly string[] = ['glb', 'gltf', 'obj', 'stl'];

export function encodeThreeD(request: ThreeDRequest, target: WireTarget): WireRequest | Failure {
  const { format, prompt } = request;
  const isMade = format === null || FORMATS.includes(format);
  const losses = threeDLosses(request, {
    ...{ prompt: 'exact', negativePrompt: 'exact', images: 'exact', severalImages: 'exact' },
    format: isMade ? 'exact' : { verdict: 'refused', why: `the sandbox makes ${FORMATS.join(', ')}` },
    texture: { verdict: 'approximated', why: 'the sandbox’s cube has no texture' },
    targetPolycount: { verdict: 'approximated', why: 'the sandbox’s cube has 12 triangles' },
    ...{ seed: 'exact', user: 'exact' },
  });
  if (losses instanceof Failure) return losses;
  return requestOf(request, target, { kind: '3d', prompt: prompt ?? '', ...{ format } }, losses);
}

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { batch, decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * Seedance at Volcengine Ark, and at BytePlus ModelArk, which has the same API. Settings that older models read from the end of
 * the prompt, such as `--ratio 16:9`, are sent as members, which all models accept.
 */
export const arkVideos: TaskWire<VideoRequest> = {
  name: 'ark-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // A draft and a video without a watermark cost no more; a web search, another service tier and a priority may.
  harmlessOptions: ['watermark', 'camera_fixed', 'return_last_frame', 'execution_expires_after', 'draft'],
  pricedOptions: ['frames'],
  intervals: { firstMs: 5_000, leastMs: 5_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  batch,
  decodeFailure,
};

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/** Wan at Alibaba Cloud Model Studio, over the provider's native API instead of the compatible one. */
export const dashscopeVideos: TaskWire<VideoRequest> = {
  name: 'dashscope-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // Seconds of reference videos are billed; audio to lip-sync is not.
  harmlessOptions: ['prompt_extend', 'watermark', 'shot_type', 'audio_url', 'template'],
  // "Query the result": every fifteen seconds.
  intervals: { firstMs: 10_000, leastMs: 10_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  decodeFailure,
};

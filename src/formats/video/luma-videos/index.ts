import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * Luma's Dream Machine (docs.lumalabs.ai). Images are given by URL; a job cannot be looked up by a name that the gateway gave it.
 */
export const lumaVideos: TaskWire<VideoRequest> = {
  name: 'luma-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // `keyframes` is left out because it can refer to other videos of the channel's owner, and so is a callback.
  harmlessOptions: ['loop', 'concepts'],
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  decodeFailure,
};

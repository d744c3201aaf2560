import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * Luma's Dream Machine (docs.lumalabs.ai). Images are named by their URL; a job keeps no name of the gateway's by which it could be
 * asked for.
 */
export const lumaVideos: TaskWire<VideoRequest> = {
  name: 'luma-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // Not `keyframes`, which can name other videos of the channel's owner, nor a callback.
  harmlessOptions: ['loop', 'concepts'],
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  decodeFailure,
};

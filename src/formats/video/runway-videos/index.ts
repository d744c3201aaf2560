import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * Videos at Runway: an endpoint each for videos from texts, images and videos, and one for all jobs. `contentModeration` and the
 * members that take files of the account (`runway://`) are left to the owner of the channel.
 */
export const runwayVideos: TaskWire<VideoRequest> = {
  name: 'runway-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  harmlessOptions: ['proresProfile', 'mode'],
  pricedOptions: ['outputFormat'],
  // "Get task": a client that asks more often than every five seconds may be slowed down.
  intervals: { firstMs: 5_000, leastMs: 5_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  decodeFailure,
};

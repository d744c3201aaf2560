import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * Videos at Runway: one endpoint each for videos from texts, images and videos, and one for all jobs. `contentModeration`, and
 * members that refer to files of the account (`runway://`), are left to the owner of the channel.
 */
export const runwayVideos: TaskWire<VideoRequest> = {
  name: 'runway-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  harmlessOptions: ['proresProfile', 'mode'],
  pricedOptions: ['outputFormat'],
  // "Get task": a client that polls more often than every five seconds may be throttled.
  intervals: { firstMs: 5_000, leastMs: 5_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  decodeFailure,
};

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { batch, decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/** Videos at MiniMax: Hailuo, whose file is requested after the job, and H3 on a second API of the same host. */
export const minimaxVideos: TaskWire<VideoRequest> = {
  name: 'minimax-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  harmlessOptions: ['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark'],
  // The guide polls every ten seconds.
  intervals: { firstMs: 10_000, leastMs: 10_000, mostMs: 30_000 },
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  batch,
  decodeFailure,
};

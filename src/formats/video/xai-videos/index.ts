import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * xAI's `/videos/generations` and `/videos/edits` (docs.x.ai, "Video Generation", "Image-to-Video", "Reference-to-Video", "Video
 * Editing"), polled at `/videos/{request_id}`.
 */
export const xaiVideos: TaskWire<VideoRequest> = {
  name: 'xai-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  asks,
  encodeRequest,
  decodeSubmission: (answer) => decodeSubmission(answer),
  poll,
  decodePoll: (answer) => decodePoll(answer),
  decodeFailure,
};

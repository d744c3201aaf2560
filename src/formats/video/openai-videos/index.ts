import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { decodePoll, decodeSubmission, poll } from '../shared/openai-video-jobs.ts';
import { videoModel } from './models.ts';
import { asks, encodeRequest } from './request.ts';

/** Only OpenAI itself has thumbnails. */
const hasThumbnail = (upstreamModel: string) => videoModel(upstreamModel) !== null;

/**
 * OpenAI's `/videos` (its published document, "Videos"). OpenAI has retired Sora and this API in 2026; servers that have copied
 * the API offer other models.
 */
export const openaiVideos: TaskWire<VideoRequest> = {
  name: 'openai-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  asks,
  encodeRequest,
  decodeSubmission: (answer, _request, target) => decodeSubmission(answer, target, hasThumbnail),
  poll,
  decodePoll: (answer, ticket, target) => decodePoll(answer, ticket, target, hasThumbnail),
  decodeFailure,
};

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { jsonRequest } from '../../shared/media/image-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { openaiJobs } from '../shared/openai-video-jobs.ts';
import { videoModel } from './models.ts';
import { asks, encodeRequest } from './request.ts';

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
  /** "Remix video": only a prompt is sent. */
  remix: ({ id = '' }, { prompt }) =>
    jsonRequest({ prompt }, { options: {} }, [], { suffix: `/${encodeURIComponent(id)}/remix` }),
  // Only OpenAI itself has thumbnails.
  ...openaiJobs((upstreamModel) => videoModel(upstreamModel) !== null),
  decodeFailure,
};

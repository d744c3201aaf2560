import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { openaiJobs } from '../shared/openai-video-jobs.ts';
import { asks, encodeRequest } from './request.ts';

/** Together's `/v2/videos` (its published document, `CreateVideoBody`, `VideoJob`), whose jobs resemble OpenAI's. */
export const togetherVideos: TaskWire<VideoRequest> = {
  name: 'together-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // More frames or steps may cost more.
  harmlessOptions: ['guidance_scale', 'output_format', 'output_quality'],
  asks,
  encodeRequest,
  ...openaiJobs(),
  decodeFailure,
};

import type { VideoRequest } from '../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../shared/upstream-failure.ts';
import type { TaskWire } from '../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * OpenAI's `/videos` (its published document, "Videos"). OpenAI has ended Sora and this API in 2026; servers that have copied it
 * serve models of their own.
 */
export const openaiVideos: TaskWire<VideoRequest> = {
  name: 'openai-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  asks,
  encodeRequest,
  decodeSubmission: (answer, _request, target) => decodeSubmission(answer, target),
  poll,
  decodePoll,
  decodeFailure,
};

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * Google's `predictLongRunning` for Veo, on the Gemini API and on Vertex AI (ai.google.dev, "Generate videos with Veo"; Google
 * Cloud, "Veo on Vertex AI video generation API").
 */
export const veo: TaskWire<VideoRequest> = {
  name: 'veo',
  operations: ['videos.generations'],
  harmlessOptions: ['personGeneration', 'enhancePrompt', 'compressionQuality', 'resizeMode', 'fps', 'safetySetting'],
  // Vertex AI puts the files into its answers.
  holdsFiles: true,
  asks,
  encodeRequest,
  decodeSubmission: (answer) => decodeSubmission(answer),
  poll,
  decodePoll: (answer) => decodePoll(answer),
  decodeFailure,
};

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeFailure, decodeFound, decodePoll, decodeSubmission, find, poll } from './response.ts';

/**
 * Kling's videos (klingai.com, "API Reference"). A job carries the gateway's own name (`external_task_id`), by which it can be
 * looked up at the endpoint that accepted it.
 */
export const klingVideos: TaskWire<VideoRequest> = {
  name: 'kling-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // Elements and voices belong to an account; only the channel's owner may set a callback.
  harmlessOptions: [
    'cfg_scale',
    'camera_control',
    'static_mask',
    'dynamic_masks',
    'multi_shot',
    'shot_type',
    'watermark_info',
  ],
  pricedOptions: ['mode', 'sound', 'multi_prompt'],
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  find,
  decodeFound,
  decodeFailure,
};

import type { VideoRequest } from '../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * Kling's videos (klingai.com, "API Reference"). A job carries the gateway's name of it (`external_task_id`), and can be asked for by
 * it only at the endpoint at which it was made, which is not known without the request: there is no `find`.
 */
export const klingVideos: TaskWire<VideoRequest> = {
  name: 'kling-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // Elements and voices belong to an account; a callback is for the channel's owner to allow.
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
  decodeFailure,
};

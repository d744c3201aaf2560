import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';
import { decodeFailure, decodePoll, decodeSubmission, poll } from './response.ts';

/**
 * Vidu's videos (platform.vidu.com): one endpoint for each kind of input, and one for the results. A job cannot be looked up by a
 * name that the gateway gave it.
 */
export const viduVideos: TaskWire<VideoRequest> = {
  name: 'vidu-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // `is_rec` costs ten credits more, `off_peak` takes up to two days, and voices and subjects belong to an account.
  harmlessOptions: [
    'style',
    'movement_amplitude',
    'bgm',
    'audio_type',
    'payload',
    'watermark',
    'wm_position',
    'wm_url',
    'meta_data',
  ],
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  decodeFailure,
};

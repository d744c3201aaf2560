import type { ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest, PRICED_OPTIONS } from './request.ts';
import { decodePoll, decodeSubmission, poll } from './response.ts';

/** Meshy's 3D models (docs.meshy.ai/en/api): from text without a texture, from one to four images with one. */
export const meshy3d: TaskWire<ThreeDRequest> = {
  name: 'meshy-3d',
  operations: ['3d.generations'],
  takesUrls: true,
  harmlessOptions: [
    ...['enable_pbr', 'texture_prompt', 'should_remesh', 'topology', 'decimation_mode', 'save_pre_remeshed_model'],
    ...['pose_mode', 'is_a_t_pose', 'symmetry_mode', 'art_style', 'image_enhancement', 'remove_lighting'],
    ...['moderation', 'target_formats', 'auto_size', 'origin_at', 'alpha_thumbnail', 'multi_view_thumbnails'],
  ],
  pricedOptions: PRICED_OPTIONS,
  // A model takes one to several minutes.
  intervals: { firstMs: 8_000, leastMs: 5_000, mostMs: 20_000 },
  asks,
  encodeRequest,
  decodeSubmission,
  poll,
  decodePoll,
  decodeFailure,
};

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { falTasks } from '../shared/fal-queue.ts';
import { HOSTED_VIDEOS } from '../shared/hosted-videos.ts';
import { falVideo } from './models.ts';

/** Members that have another name in the client's request. */
const CLIENTS_NAMES: Readonly<Record<string, string>> = {
  start_image_url: 'image_url',
  first_frame_url: 'image_url',
  tail_image_url: 'end_image_url',
  last_frame_url: 'end_image_url',
  image_urls: 'reference_image_urls',
  num_frames: 'duration',
  generate_audio: 'audio',
};

/** Video models of many vendors at fal, each with its own endpoints for texts and images. */
export const falVideos: TaskWire<VideoRequest> = {
  ...falTasks('fal-videos', HOSTED_VIDEOS, { placeOf: falVideo, imageField: 'image_url', names: CLIENTS_NAMES }),
  // Steps and frame rates are left out, because fal bills some models by compute time.
  harmlessOptions: [
    ...['auto_fix', 'enhance_prompt', 'cfg_scale', 'guidance_scale', 'camera_fixed', 'loop', 'shift'],
    ...['prompt_optimizer', 'enable_prompt_expansion'],
  ],
};

import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { HOSTED_VIDEOS } from '../shared/hosted-videos.ts';
import { replicateTasks } from '../shared/replicate-predictions.ts';
import { replicateVideo } from './models.ts';

/** Members of `input` that have another name in the client's request. */
const CLIENTS_NAMES: Readonly<Record<string, string>> = {
  image: 'image_url',
  start_image: 'image_url',
  first_frame_image: 'image_url',
  last_frame: 'end_image_url',
  last_image: 'end_image_url',
  end_image: 'end_image_url',
  last_frame_image: 'end_image_url',
  reference_images: 'reference_image_urls',
  video: 'video_url',
  num_frames: 'duration',
  mode: 'resolution',
  generate_audio: 'audio',
};

/** Video models at Replicate: predictions whose `input` differs by model. */
export const replicateVideos: TaskWire<VideoRequest> = {
  ...replicateTasks('replicate-videos', HOSTED_VIDEOS, replicateVideo, CLIENTS_NAMES),
  // Steps and frame rates are left out, because some models are billed by compute time.
  harmlessOptions: [
    ...['camera_fixed', 'cfg_scale', 'guidance_scale', 'loop', 'concepts', 'prompt_optimizer'],
    ...['enable_prompt_expansion', 'sample_shift', 'camera_motion'],
  ],
};

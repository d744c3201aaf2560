import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { askedOfVideo, videoMembers } from '../shared/hosted-videos.ts';
import {
  polledPrediction,
  pollPrediction,
  predictionFailure,
  predictionRequest,
  submittedPrediction,
} from '../shared/replicate-predictions.ts';
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
  name: 'replicate-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // Steps and frame rates are left out, because some models are billed by compute time.
  harmlessOptions: [
    ...['camera_fixed', 'cfg_scale', 'guidance_scale', 'loop', 'concepts', 'prompt_optimizer'],
    ...['enable_prompt_expansion', 'sample_shift', 'camera_motion'],
  ],
  asks: (request, { upstreamModel }) => askedOfVideo(request, replicateVideo(upstreamModel)),
  async encodeRequest(request, { upstreamModel }) {
    const input = await videoMembers(request, replicateVideo(upstreamModel));
    if (input instanceof Failure) return input;
    return predictionRequest(upstreamModel, input.members, request.options, input.losses);
  },
  decodeSubmission: (answer) => submittedPrediction(answer, 'video'),
  poll: pollPrediction,
  decodePoll: (answer, ticket) => polledPrediction(answer, ticket, 'video'),
  decodeFailure: (status, headers, bytes) => predictionFailure(status, headers, bytes, CLIENTS_NAMES),
};

import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { entryOf } from '../../shared/json/record.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { falFailure } from '../shared/fal-failure.ts';
import { falRequest, polledFal, pollFal, refusedByFal, submittedToFal } from '../shared/fal-queue.ts';
import { askedOfVideo, videoMembers } from '../shared/hosted-videos.ts';
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
  name: 'fal-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // Steps and frame rates are left out, because fal bills some models by compute time.
  harmlessOptions: [
    ...['auto_fix', 'enhance_prompt', 'cfg_scale', 'guidance_scale', 'camera_fixed', 'loop', 'shift'],
    ...['prompt_optimizer', 'enable_prompt_expansion'],
  ],
  asks: (request, { upstreamModel }) => askedOfVideo(request, falVideo(upstreamModel, request).model),
  async encodeRequest(request, { upstreamModel }) {
    const { endpoint, model } = falVideo(upstreamModel, request);
    const input = await videoMembers(request, model);
    if (input instanceof Failure) return input;
    return falRequest(endpoint, input.members, request.options, input.losses);
  },
  decodeSubmission: (answer, request, { upstreamModel }) =>
    submittedToFal(answer, falVideo(upstreamModel, request).endpoint),
  poll: pollFal,
  decodePoll: (answer, ticket) => polledFal(answer, ticket, 'video'),
  decodeRefusal: refusedByFal,
  decodeFailure: (status, headers, bytes) =>
    falFailure(status, headers, bytes, 'image_url', (member) => entryOf(CLIENTS_NAMES, member) ?? null),
};

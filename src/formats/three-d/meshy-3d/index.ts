import type { ModelFormat, ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { MadeItem } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { isRecord, objectOf } from '../../shared/json/record.ts';
import { mediaTypeOf } from '../../shared/tasks/file-types.ts';
import { failed, jobFailed, made, percentOf } from '../../shared/tasks/job-answer.ts';
import { fileAt } from '../../shared/tasks/job-file.ts';
import { jobs } from '../../shared/tasks/job-tables.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest, endpointOf, PATHS, PRICED_OPTIONS } from './request.ts';

/** The order in which files are returned. Materials of the OBJ and the original mesh also exist but are left out. */
const FORMATS: readonly ModelFormat[] = ['glb', 'fbx', 'obj', 'usdz', 'stl', '3mf'];

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
  ...jobs<ThreeDRequest>({
    // A submission is answered with `{result: <id>}`.
    id: 'result',
    ticketOf: ({ images, format }) => ({ endpoint: endpointOf(images.length), ...(format !== null && { format }) }),
    /** A job is polled below the endpoint that accepted it. */
    pathOf: (id, { endpoint }) =>
      `${endpoint === 'image' || endpoint === 'images' ? PATHS[endpoint] : PATHS.text}/${id}`,
    status: 'status',
    states: {
      PENDING: 'pending',
      IN_PROGRESS: 'processing',
      SUCCEEDED: 'done',
      FAILED: 'failed',
      CANCELED: 'canceled',
    },
    progressOf: ({ progress }) => percentOf(progress),
    /** Returns the requested format's file, or all files if none was requested. */
    resultOf({ model_urls: files, thumbnail_url: picture }, { format: wanted }) {
      if (!isRecord(files)) return bodyNoAnswer();
      const cover = fileAt(picture);
      const items = FORMATS.filter((format) => wanted === undefined || format === wanted).flatMap(
        (format): readonly MadeItem[] => {
          const source = fileAt(files[format]);
          return source === null ? [] : [{ source, mediaType: mediaTypeOf(format), format, cover }];
        },
      );
      if (items.length > 0) return made(items);
      return failed(jobFailed({ message: 'the result has no file in the requested format' }));
    },
    /** Decodes `{type, code, message}`; a fault in the request itself is the client's to fix. */
    failureOf({ task_error: error }) {
      const { type, code, message } = objectOf(error);
      return jobFailed({ message, code, about: type === 'invalid_input' ? 'input' : null });
    },
  }),
  decodeFailure,
};

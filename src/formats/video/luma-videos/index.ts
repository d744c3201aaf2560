import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { objectOf } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  aboutField,
  type ClientsNames,
  channelFailure,
  errorBody,
  jobFailed,
  made,
} from '../../shared/tasks/job-answer.ts';
import { madeVideo } from '../../shared/tasks/job-file.ts';
import { jobs } from '../../shared/tasks/job-tables.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';

const LONGEST_MODEL = 100;

/** Messages of Luma's filters. */
const FLAGGED =
  /\bmoderat|\bcontent (?:policy|filter|safety)\b|\binappropriate\b|\bviolat|\bnot allowed\b|\bnsfw\b|\bblacklisted\b/i;
const NO_CREDITS = /^insufficient credits\b/i;
/** Matches the status before a message, as in `400: Content moderated`, which is useless to a client. */
const STATUS_BEFORE = /^\d{3}: */;

/** The client's names for Luma's members. */
const FIELDS: ClientsNames = [
  [/\bframe0\b/, 'image_url'],
  [/\bframe1\b/, 'end_image_url'],
];

/**
 * Luma's Dream Machine (docs.lumalabs.ai). Images are given by URL; a job cannot be looked up by a name that the gateway gave it.
 */
export const lumaVideos: TaskWire<VideoRequest> = {
  name: 'luma-videos',
  operations: ['videos.generations'],
  takesUrls: true,
  // `keyframes` is left out because it can refer to other videos of the channel's owner, and so is a callback.
  harmlessOptions: ['loop', 'concepts'],
  asks,
  encodeRequest,
  ...jobs({
    id: 'id',
    isToldAtOnce: true,
    pathOf: (id) => `/generations/${id}`,
    status: 'state',
    states: { queued: 'pending', dreaming: 'processing', completed: 'done', failed: 'failed' },
    resultOf({ assets, model }) {
      const { video: url, image: cover } = objectOf(assets);
      const name = nonEmptyText(model);
      return made([madeVideo({ url, cover })], { model: (name?.length ?? 0) > LONGEST_MODEL ? null : name });
    },
    failureOf({ failure_reason: reason }) {
      const message = textOrEmpty(reason).replace(STATUS_BEFORE, '');
      return jobFailed({ message, about: FLAGGED.test(message.slice(0, 2_000)) ? 'content' : null });
    },
  }),
  /** Decodes `{detail}`. */
  decodeFailure(status, headers, bytes) {
    const usual = decodeFailure(status, headers, bytes);
    const said = cleanMessage(textOrEmpty(errorBody(bytes).detail));
    if (NO_CREDITS.test(said)) {
      return channelFailure('upstream_quota', 'The channel’s account at the provider has no credits left.');
    }
    if (usual.code !== 'invalid_request') return usual;
    if (FLAGGED.test(said)) return contentRefused(said);
    return aboutField(usual, usual.details.param ?? said, FIELDS);
  },
};

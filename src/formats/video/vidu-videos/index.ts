import { Failure } from '../../../domain/failure/failure.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { cleanMessage } from '../../shared/failure/clean-message.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { listOf, nonEmptyText, textOrEmpty } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { contentRefused } from '../../shared/media/image-answer.ts';
import {
  aboutField,
  type ClientsNames,
  channelFailure,
  errorBody,
  jobEnded,
  jobFailed,
  made,
} from '../../shared/tasks/job-answer.ts';
import { madeVideo } from '../../shared/tasks/job-file.ts';
import { jobs } from '../../shared/tasks/job-tables.ts';
import type { TaskWire } from '../../shared/tasks/wire.ts';
import { asks, encodeRequest } from './request.ts';

const MOST_VIDEOS = 10;

const content = (message: string) => () => contentRefused(message);
const mistake = (message: string) => (words: string) =>
  new Failure('invalid_request', {
    kind: 'job_failed',
    message: words === '' ? message : `${message} It said: ${words}`,
  });
const canceled = () => jobEnded('job_canceled');
const ofChannel = (kind: string, message: string) => () => channelFailure(kind, message);

/** The failures for Vidu's error codes (platform.vidu.com, "Error Code"); some add the provider's own words. */
const REFUSALS: Readonly<Record<string, (words: string) => Failure>> = {
  TaskPromptPolicyViolation: content('The provider’s content filter refused the prompt.'),
  AuditSubmitIllegal: content('The provider’s content filter refused the prompt or an image.'),
  CreationPolicyViolation: content('The provider’s content filter refused the video.'),
  BadRequest: mistake('The provider refused the request as invalid.'),
  FieldLacking: mistake('The provider requires a field that is missing.'),
  FieldUnwanted: mistake('The provider does not accept a field of the request.'),
  FieldInvalid: mistake('The provider refused the value of a field.'),
  FieldItemCountOutOfRange: mistake('A field has more or fewer items than the provider accepts.'),
  PageSizeOutOfRange: mistake('An image is too large or too long for the provider, or has the wrong format.'),
  ImageFormatInvalid: mistake('An image has a format that the provider does not accept.'),
  ImageDownloadFailure: mistake('The provider could not fetch an image of the request.'),
  ImageCheckBodyJointsFailed: mistake('The provider found no person in the image.'),
  ImageCheckFaceFailed: mistake('The provider found no face in the image.'),
  ImageObjectsUndetected: mistake('The person in the image is too obscured for the provider.'),
  UserCancelled: canceled,
  Canceled: canceled,
  CreditInsufficient: ofChannel('upstream_quota', 'The channel’s account at the provider has no credits left.'),
  ModelUnavailable: ofChannel('http_404', 'The provider does not have the model that the channel names.'),
};

/** The client's names for Vidu's members. */
const FIELDS: ClientsNames = [
  [/\bimages?\b/, 'image_url'],
  [/\b(?:duration|resolution|aspect_ratio|seed|prompt|model|audio)\b/, null],
];

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
    ...['style', 'movement_amplitude', 'bgm', 'audio_type', 'payload', 'watermark', 'wm_position', 'wm_url'],
    'meta_data',
  ],
  asks,
  encodeRequest,
  ...jobs<VideoRequest>({
    id: 'task_id',
    isToldAtOnce: true,
    ticketOf: ({ options }) => (options.watermark === true ? { marked: 'yes' } : {}),
    pathOf: (id) => `/tasks/${id}/creations`,
    status: 'state',
    states: {
      created: 'pending',
      queueing: 'pending',
      processing: 'processing',
      success: 'done',
      failed: 'failed',
    },
    resultOf({ creations }, { marked }) {
      const list = listOf(creations).slice(0, MOST_VIDEOS).filter(isRecord);
      // If the client wanted a watermark, there is a second video with it.
      const items = list.map(({ url, watermarked_url: other, cover_url: cover }) => {
        return (marked === 'yes' ? madeVideo({ url: other, cover }) : null) ?? madeVideo({ url, cover });
      });
      return made(items);
    },
    failureOf({ err_code: told, err_msg: said, message }) {
      const code = textOrEmpty(told);
      const words = nonEmptyText(said) ?? nonEmptyText(message) ?? code;
      return entryOf(REFUSALS, code)?.('') ?? jobFailed({ message: words, code });
    },
  }),
  /** Decodes `{code, reason: "FieldInvalid", message, metadata}`. */
  decodeFailure(status, headers, bytes) {
    const usual = decodeFailure(status, headers, bytes);
    if (status === 401 || status === 429 || status >= 500) return usual;
    const body = errorBody(bytes);
    const code = [body.reason, body.err_code, body.code].find((value) => typeof value === 'string');
    const said = cleanMessage(textOrEmpty(body.message));
    const failure = entryOf(REFUSALS, textOrEmpty(code))?.(said);
    if (failure === undefined) return usual;
    return failure.details.param === undefined ? aboutField(failure, said, FIELDS) : failure;
  },
};

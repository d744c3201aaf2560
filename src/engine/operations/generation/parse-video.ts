import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import { VIDEO_OPERATIONS, type VideoOperation, type VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { parseBody } from '../../../formats/shared/request/body.ts';
import type { BodySource } from '../../../formats/shared/request/body-scan.ts';
import { GovernedNames } from '../../../formats/shared/request/governed-names.ts';
import { missingField, wrongField } from '../../../formats/shared/request/request-fields.ts';
import { BodyFields, LARGEST_SEED, LONGEST_PROMPT } from '../body-fields.ts';
import { type ReadVideoImages, readVideoImages, type VideoImages } from './video-images.ts';

/** Members that the gateway reads. Each may occur once, in the correct spelling. */
export const VIDEO_FIELDS = {
  model: true,
  prompt: true,
  operation: true,
  negative_prompt: true,
  image_url: true,
  'image_urls[].url': true,
  'image_urls[].role': true,
  end_image_url: true,
  reference_image_urls: true,
  video_url: true,
  duration: true,
  seconds: true,
  size: true,
  resolution: true,
  aspect_ratio: true,
  n: true,
  seed: true,
  audio: true,
  generate_audio: true,
  user: true,
  provider_options: true,
} as const;
export const VIDEO_NAMES = new GovernedNames(VIDEO_FIELDS);

const MOST_VIDEOS = 10;
/** No model makes longer videos; the models' own bounds are in the catalog. */
const MOST_SECONDS = 3_600;
const LONGEST_URL = 16_384;
const RESOLUTION = /^(?:[1-9]\d{2,3}p|[1-9]\d?k)$/;
const WHOLE_RATIO = /^\d+:\d+$/;

/**
 * Reads and checks the body of `POST /v1/videos/generations`. `modelProblem` checks model-specific bounds, and the wires check
 * provider-specific ones. Undocumented members stay in `body`.
 */
export function parseVideo(source: BodySource): VideoRequest | Failure {
  const parsed = parseBody(source, '`model` and `prompt`', VIDEO_NAMES);
  if (parsed instanceof Failure) return parsed;
  return videoFrom(parsed.body);
}

interface VideoBody {
  /** Whether the body is a form, in which numbers are texts. */
  readonly isForm?: boolean;
  /** The model of a request that names none; `null` if one must be named. */
  readonly defaultModel?: string | null;
  /** The first frame, if it came as a file. */
  readonly firstImage?: ImageInput | null;
}

/** Reads the members of a video request. */
export function videoFrom(
  body: Readonly<Record<string, unknown>>,
  { isForm = false, defaultModel = null, firstImage = null }: VideoBody = {},
): VideoRequest | Failure {
  const fields = new BodyFields(body, isForm);
  const model = fields.model('video', defaultModel);
  const prompt = fields.text('prompt', LONGEST_PROMPT) ?? '';
  const said = fields.oneOf('operation', VIDEO_OPERATIONS);
  const shape = readShape(fields);
  const videoUrl = videoUrlOf(fields);
  const rest = {
    negativePrompt: fields.text('negative_prompt', LONGEST_PROMPT),
    durationSeconds: lengthOf(fields),
    count: fields.integer('n', 1, MOST_VIDEOS) ?? 1,
    seed: fields.integer('seed', 0, LARGEST_SEED),
    audio: audioOf(fields),
    user: fields.text('user'),
    options: fields.record('provider_options'),
  };
  if (fields.failure !== null) return fields.failure;
  const read = readVideoImages(body, said);
  if (read instanceof Failure) return read;
  const images = firstImage === null ? read.images : { ...read.images, firstImage };
  const problem = operationProblem(said, { ...read, images }, videoUrl);
  if (problem !== null) return problem;
  const operation = said ?? operationOf(images, videoUrl);
  if (prompt.trim() === '' && operation === 'text-to-video') {
    return missingField('prompt', 'a description of the video; required unless it starts from an image or a video');
  }
  return { kind: 'video', model, prompt, operation, ...images, videoUrl, ...shape, ...rest, body };
}

function readShape(fields: BodyFields): Pick<VideoRequest, 'size' | 'resolution' | 'aspectRatio'> {
  const size = fields.pixels('size');
  const resolution = fields.text('resolution')?.toLowerCase() ?? null;
  const aspectRatio = fields.ratio('aspect_ratio');
  if (resolution !== null && !RESOLUTION.test(resolution)) {
    fields.wrong('invalid_value', 'resolution', 'must be a resolution such as `720p`, `768p`, `1080p`, `2k` or `4k`');
  }
  if (aspectRatio !== null && !WHOLE_RATIO.test(aspectRatio)) {
    fields.wrong('invalid_value', 'aspect_ratio', 'must be two whole numbers, such as `16:9`');
  }
  if (size !== null && resolution !== null) {
    fields.wrong('invalid_value', 'resolution', 'means the same as `size`; send only one of them');
  }
  if (size !== null && aspectRatio !== null) {
    fields.wrong('invalid_value', 'aspect_ratio', 'means the same as `size`; send only one of them');
  }
  return { size, resolution, aspectRatio };
}

function lengthOf(fields: BodyFields): number | null {
  const duration = secondsOf(fields, 'duration');
  const seconds = secondsOf(fields, 'seconds');
  if (duration !== null && seconds !== null && duration !== seconds) {
    return fields.wrong('invalid_value', 'seconds', 'differs from `duration`; send only one of them');
  }
  return duration ?? seconds;
}

/** Reads seconds, which OpenAI's clients write as a text, and others as `5s`. */
function secondsOf(fields: BodyFields, name: string): number | null {
  const value = fields.valueOf(name);
  if (value === null) return null;
  const [, digits] = typeof value === 'string' ? (/^(\d{1,5}(?:\.\d{1,6})?)s?$/.exec(value) ?? []) : [];
  const seconds = digits === undefined ? value : Number(digits);
  const rule = `must be a number of seconds above 0, up to ${MOST_SECONDS}`;
  if (typeof seconds !== 'number') return fields.wrong('invalid_type', name, rule);
  return seconds > 0 && seconds <= MOST_SECONDS ? seconds : fields.wrong('invalid_value', name, rule);
}

function audioOf(fields: BodyFields): boolean | null {
  const audio = fields.flag('audio');
  const alias = fields.flag('generate_audio');
  if (audio !== null && alias !== null && audio !== alias) {
    return fields.wrong('invalid_value', 'generate_audio', 'contradicts `audio`; send only one of them');
  }
  return audio ?? alias;
}

function videoUrlOf(fields: BodyFields): string | null {
  const url = fields.text('video_url', LONGEST_URL);
  if (url === null || isPublicUrl(url)) return url;
  return fields.wrong('invalid_value', 'video_url', 'must be a public https URL');
}

/** Returns whether a text is an https URL that providers could read. */
export function isPublicUrl(url: string): boolean {
  if (!/^https:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}

/**
 * Returns the operation that the inputs imply. A given video is the one to change, and images next to it show how. Frame images take
 * precedence over references.
 */
function operationOf({ firstImage, lastImage, referenceImages }: VideoImages, videoUrl: string | null): VideoOperation {
  if (videoUrl !== null) return 'video-to-video';
  if (firstImage !== null || lastImage !== null) return 'image-to-video';
  return referenceImages.length > 0 ? 'reference-to-video' : 'text-to-video';
}

/** Returns the failure for a field that contradicts the named operation, or that it requires. */
function operationProblem(
  operation: VideoOperation | null,
  { images, paths }: ReadVideoImages,
  videoUrl: string | null,
): Failure | null {
  if (operation === null) return null;
  const { firstImage, lastImage, referenceImages } = images;
  const isFramed = firstImage !== null || lastImage !== null;
  const frameField = firstImage === null ? paths.last : paths.first;
  const wrong = (field: string, what: string, instead: string) =>
    wrongField('invalid_value', field, `is ${what}, but \`operation\` is \`${operation}\`; ${instead}`);
  if (videoUrl !== null && operation !== 'video-to-video') {
    return wrong('video_url', 'a video to change', 'omit one of them');
  }
  if (operation === 'video-to-video') return videoUrl === null ? missing('video_url', operation, 'a video') : null;
  if (operation === 'text-to-video') {
    if (isFramed) return wrong(frameField, 'an image to start from', 'send `image-to-video`');
    if (referenceImages.length === 0) return null;
    return wrong(paths.reference, 'reference images', 'send `reference-to-video`');
  }
  if (operation === 'image-to-video') return isFramed ? null : missing('image_url', operation, 'an image');
  if (isFramed) {
    return wrong(frameField, 'a first or last image', 'put it in `reference_image_urls`');
  }
  return referenceImages.length > 0 ? null : missing('reference_image_urls', operation, 'reference images');
}

function missing(param: string, operation: VideoOperation, what: string): Failure {
  const message = `\`${param}\` is missing: \`operation\` is \`${operation}\`, which requires ${what}.`;
  return new Failure('missing_required_parameter', { message, param });
}

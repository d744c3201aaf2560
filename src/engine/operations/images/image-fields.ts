import type { Failure } from '../../../domain/failure/failure.ts';
import {
  IMAGE_FILE_FORMATS,
  IMAGE_QUALITIES,
  type ImageRequest,
  type PixelSize,
} from '../../../domain/images/images.ts';
import { LONGEST_MODEL } from '../../../formats/shared/request/request-fields.ts';
import { BodyFields, LARGEST_SEED, LONGEST_PROMPT } from '../body-fields.ts';

/* The fields that both endpoints share. Forms have only texts, so numbers may be written as text. */

const MOST_IMAGES = 10;
const MOST_PARTIAL_IMAGES = 3;

const BACKGROUNDS = ['transparent', 'opaque', 'auto'] as const;
const MODERATIONS = ['low', 'auto'] as const;
const FIDELITIES = ['high', 'low'] as const;
const RESPONSE_FORMATS = ['url', 'b64_json'] as const;

/** The part of a request that both endpoints express in the same way. */
export type CommonFields = Pick<
  ImageRequest,
  | 'model'
  | 'prompt'
  | 'negativePrompt'
  | 'count'
  | 'size'
  | 'aspectRatio'
  | 'quality'
  | 'style'
  | 'background'
  | 'moderation'
  | 'inputFidelity'
  | 'seed'
  | 'responseFormat'
  | 'fileFormat'
  | 'compression'
  | 'stream'
  | 'partialImages'
  | 'user'
  | 'options'
>;

/** The members of a request, or parts of a form, that `readFields` reads. */
export const FIELD_NAMES = [
  ...[
    'model',
    'prompt',
    'negative_prompt',
    'n',
    'size',
    'aspect_ratio',
    'quality',
    'style',
    'background',
    'moderation',
  ],
  ...['input_fidelity', 'seed', 'response_format', 'output_format', 'output_compression', 'stream', 'partial_images'],
  ...['user', 'provider_options'],
] as const;

type Body = Readonly<Record<string, unknown>>;

/** Reads the shared fields. `defaultModel` is that of a request without a model; `null` if it must name one. */
export function readFields(
  body: Body,
  { isForm, defaultModel }: { readonly isForm: boolean; readonly defaultModel: string | null },
): CommonFields | Failure {
  const fields = new BodyFields(body, isForm);
  const model = fields.model('image', defaultModel);
  const prompt = fields.text('prompt', LONGEST_PROMPT) ?? '';
  if (prompt === '') fields.missing('prompt', 'a description of the image');
  const read: CommonFields = {
    model,
    prompt,
    negativePrompt: fields.text('negative_prompt'),
    count: fields.integer('n', 1, MOST_IMAGES) ?? 1,
    size: sizeOf(fields),
    aspectRatio: fields.ratio('aspect_ratio'),
    quality: fields.oneOf('quality', IMAGE_QUALITIES),
    style: fields.text('style', LONGEST_MODEL),
    background: fields.oneOf('background', BACKGROUNDS),
    moderation: fields.oneOf('moderation', MODERATIONS),
    inputFidelity: fields.oneOf('input_fidelity', FIDELITIES),
    seed: fields.integer('seed', 0, LARGEST_SEED),
    responseFormat: fields.oneOf('response_format', RESPONSE_FORMATS),
    fileFormat: fields.oneOf('output_format', IMAGE_FILE_FORMATS),
    compression: fields.integer('output_compression', 0, 100),
    stream: fields.flag('stream') ?? false,
    partialImages: fields.integer('partial_images', 0, MOST_PARTIAL_IMAGES),
    user: fields.text('user'),
    options: fields.record('provider_options'),
  };
  if (read.size !== null && read.size !== 'auto' && read.aspectRatio !== null) {
    fields.wrong('invalid_value', 'aspect_ratio', 'means the same as `size`; send only one of them');
  }
  if ((read.partialImages ?? 0) > 0 && !read.stream) {
    fields.wrong('invalid_value', 'partial_images', 'needs `stream: true`');
  }
  return fields.failure ?? read;
}

function sizeOf(fields: BodyFields): PixelSize | 'auto' | null {
  return fields.valueOf('size') === 'auto' ? 'auto' : fields.pixels('size', ', or `auto`');
}

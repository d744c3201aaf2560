import type { Failure } from '../../../domain/failure/failure.ts';
import {
  IMAGE_FILE_FORMATS,
  IMAGE_QUALITIES,
  type ImageRequest,
  type PixelSize,
} from '../../../domain/images/images.ts';
import { parseJson } from '../../../formats/shared/json-text.ts';
import { isRecord } from '../../../formats/shared/record.ts';
import { LONGEST_MODEL, missingField, wrongField } from '../../../formats/shared/request-fields.ts';

/* The fields that both endpoints have in common. A form has only texts, so numbers may be written as such. */

/** OpenAI's published document: what its image models read at most. Most others read less, and say so themselves. */
const LONGEST_PROMPT = 32_000;
const LONGEST_TEXT = 32_000;
const MOST_IMAGES = 10;
const MOST_PIXELS_A_SIDE = 16_384;
const MOST_OF_A_RATIO = 1_000;
const LARGEST_SEED = 2 ** 53 - 1;
const MOST_PARTIAL_IMAGES = 3;

const BACKGROUNDS = ['transparent', 'opaque', 'auto'] as const;
const MODERATIONS = ['low', 'auto'] as const;
const FIDELITIES = ['high', 'low'] as const;
const RESPONSE_FORMATS = ['url', 'b64_json'] as const;

/** All of a request that is said in the same way at both endpoints. */
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

type Body = Readonly<Record<string, unknown>>;

/** Reads one field; the failure names it. Reading goes on after a failure, and the first one counts. */
class Fields {
  failure: Failure | null = null;

  constructor(
    private readonly body: Body,
    private readonly isForm: boolean,
  ) {}

  text(name: string, most = LONGEST_TEXT): string | null {
    const value = this.valueOf(name);
    if (value === null) return null;
    if (typeof value !== 'string') return this.wrong('invalid_type', name, 'must be a text');
    if (value.length <= most) return value;
    return this.wrong('invalid_value', name, `has ${value.length} characters, and may have ${most}`);
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | null {
    const value = this.text(name);
    const found = choices.find((choice) => choice === value);
    if (value === null || found !== undefined) return found ?? null;
    return this.wrong('invalid_value', name, `must be ${choices.map((choice) => `\`${choice}\``).join(', ')}`);
  }

  integer(name: string, least: number, most: number): number | null {
    const value = this.valueOf(name);
    if (value === null) return null;
    const number = this.isForm && typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value) ? Number(value) : value;
    const rule = `must be a whole number from ${least} to ${most}`;
    if (typeof number !== 'number' || !Number.isInteger(number)) return this.wrong('invalid_type', name, rule);
    return number >= least && number <= most ? number : this.wrong('invalid_value', name, rule);
  }

  flag(name: string): boolean {
    const value = this.valueOf(name);
    if (value === null || typeof value === 'boolean') return value ?? false;
    if (this.isForm && (value === 'true' || value === 'false')) return value === 'true';
    this.wrong('invalid_type', name, 'must be `true` or `false`');
    return false;
  }

  record(name: string): Body {
    const value = this.valueOf(name);
    if (value === null) return {};
    const read = this.isForm && typeof value === 'string' ? parseJson(value) : value;
    if (isRecord(read)) return read;
    this.wrong('invalid_type', name, this.isForm ? 'must be a JSON object, as a text' : 'must be an object');
    return {};
  }

  wrong(code: 'invalid_type' | 'invalid_value', param: string, rule: string): null {
    this.failure ??= wrongField(code, param, rule);
    return null;
  }

  missing(param: string, what: string): null {
    this.failure ??= missingField(param, what);
    return null;
  }

  private valueOf(name: string): unknown {
    return (Object.hasOwn(this.body, name) ? this.body[name] : null) ?? null;
  }
}

/** `defaultModel`: what a request without a model asks for; `null` where it must name one. */
export function readFields(
  body: Body,
  { isForm, defaultModel }: { readonly isForm: boolean; readonly defaultModel: string | null },
): CommonFields | Failure {
  const fields = new Fields(body, isForm);
  const model = fields.text('model', LONGEST_MODEL) ?? defaultModel ?? '';
  if (model === '') fields.missing('model', 'the id of a model, as `GET /v1/models?category=image` lists them');
  const prompt = fields.text('prompt', LONGEST_PROMPT) ?? '';
  if (prompt === '') fields.missing('prompt', 'a text that says what the image shows');
  const read: CommonFields = {
    model,
    prompt,
    negativePrompt: fields.text('negative_prompt'),
    count: fields.integer('n', 1, MOST_IMAGES) ?? 1,
    size: sizeOf(fields),
    aspectRatio: ratioOf(fields),
    quality: fields.oneOf('quality', IMAGE_QUALITIES),
    style: fields.text('style', LONGEST_MODEL),
    background: fields.oneOf('background', BACKGROUNDS),
    moderation: fields.oneOf('moderation', MODERATIONS),
    inputFidelity: fields.oneOf('input_fidelity', FIDELITIES),
    seed: fields.integer('seed', 0, LARGEST_SEED),
    responseFormat: fields.oneOf('response_format', RESPONSE_FORMATS),
    fileFormat: fields.oneOf('output_format', IMAGE_FILE_FORMATS),
    compression: fields.integer('output_compression', 0, 100),
    stream: fields.flag('stream'),
    partialImages: fields.integer('partial_images', 0, MOST_PARTIAL_IMAGES),
    user: fields.text('user'),
    options: fields.record('provider_options'),
  };
  if (read.size !== null && read.size !== 'auto' && read.aspectRatio !== null) {
    fields.wrong('invalid_value', 'aspect_ratio', 'says the same as `size`; send one of the two');
  }
  if ((read.partialImages ?? 0) > 0 && !read.stream) {
    fields.wrong('invalid_value', 'partial_images', 'needs `stream: true`');
  }
  return fields.failure ?? read;
}

function sizeOf(fields: Fields): PixelSize | 'auto' | null {
  const text = fields.text('size');
  if (text === null || text === 'auto') return text;
  const [, width = '', height = ''] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? [];
  const size = { width: Number(width), height: Number(height) };
  const isRight = (pixels: number) => pixels >= 1 && pixels <= MOST_PIXELS_A_SIDE;
  if (isRight(size.width) && isRight(size.height)) return size;
  return fields.wrong('invalid_value', 'size', 'must be a width and a height in pixels such as `1024x1024`, or `auto`');
}

function ratioOf(fields: Fields): string | null {
  const text = fields.text('aspect_ratio');
  if (text === null || text === 'auto') return null;
  const [, width = '', height = ''] = /^(\d{1,4}(?:\.\d{1,2})?):(\d{1,4}(?:\.\d{1,2})?)$/.exec(text) ?? [];
  const isRight = (side: string) => Number(side) > 0 && Number(side) <= MOST_OF_A_RATIO;
  if (isRight(width) && isRight(height)) return text;
  return fields.wrong('invalid_value', 'aspect_ratio', 'must be the width to the height, such as `16:9`');
}

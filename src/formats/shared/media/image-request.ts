import type { Carriage, Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageFileFormat, ImageInput, ImageRequest } from '../../../domain/images/images.ts';
import type { WireRequest } from '../../wire.ts';
import { type ImageLimits, imagesField, passedLimit } from '../image-limits.ts';
import { isRecord, setMember } from '../json/record.ts';
import { spellingsOf } from '../request/governed-names.ts';

/* Shared by image wires that write their own body. */

/** The members of a request that not every wire carries, except for sizes, which `image-size.ts` maps. */
const KNOBS = [
  'mask',
  'negativePrompt',
  'quality',
  'style',
  'background',
  'moderation',
  'inputFidelity',
  'seed',
  'compression',
  'partialImages',
  'user',
] as const;
export type ImageKnob = (typeof KNOBS)[number];

/** The features that a wire supports. */
export interface ImageRules extends ImageLimits {
  /** The most input images of an edit; 0 if the wire cannot edit. */
  readonly mostInputs: number;
  /** The file formats that it can produce. Any other format is refused, because the gateway does not convert images. */
  readonly fileFormats: readonly ImageFileFormat[];
  /**
   * A member that is absent here is refused if it changes the meaning (a mask, a transparent background), and dropped otherwise.
   */
  readonly carries: Readonly<Partial<Record<ImageKnob, Carriage>>>;
}

/** The client's names of the members. */
const FIELDS: Readonly<Record<ImageKnob, string>> = {
  mask: 'mask',
  negativePrompt: 'negative_prompt',
  quality: 'quality',
  style: 'style',
  background: 'background',
  moderation: 'moderation',
  inputFidelity: 'input_fidelity',
  seed: 'seed',
  compression: 'output_compression',
  partialImages: 'partial_images',
  user: 'user',
};

const NO_MEMBER: Carriage = { verdict: 'dropped', why: 'the provider does not support this field' };
const NO_MASK: Carriage = { verdict: 'refused', why: 'the provider of this model cannot restrict an edit to an area' };
const NO_TRANSPARENCY: Carriage = {
  verdict: 'refused',
  why: 'the provider of this model does not make transparent images',
};

const OPAQUE_FORMAT: Carriage = {
  verdict: 'refused',
  why: 'a JPEG has no transparency; ask for `png` or `webp` as `output_format`',
};

/** Every request member that the gateway reads itself; the others are specific to a provider. */
export const READ_MEMBERS: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS),
  'model',
  'prompt',
  'operation',
  'image',
  'image[]',
  'image_url',
  'image_urls',
  'n',
  'size',
  'aspect_ratio',
  'response_format',
  'output_format',
  'stream',
  'provider_options',
  'cache_control',
]);

/** Members that are read only from a form. */
const FILE_PARTS: ReadonlySet<string> = new Set(['image', 'image[]']);

/**
 * Returns the losses of a request, apart from its size; a failure (400) if the wire cannot carry something that changes the
 * meaning, which another channel may carry.
 */
export function lossesOf(request: ImageRequest, rules: ImageRules): readonly Loss[] | Failure {
  const losses = readLosses(request, rules);
  return losses instanceof Failure ? losses : [...losses, ...unreadMembers(request)];
}

/** Does the same for a wire that passes on members that the gateway does not read. */
export function readLosses(request: ImageRequest, rules: ImageRules): readonly Loss[] | Failure {
  const refusal = inputsRefused(request, rules.mostInputs) ?? fileFormatRefused(request, rules.fileFormats);
  if (refusal !== null) return refusal;
  const passed = passedLimit(request, rules);
  if (passed !== null) return refused(passed.field, passed.why);
  const losses: Loss[] = [];
  for (const knob of KNOBS) {
    if (!isAsked(request, knob)) continue;
    const carried = rules.carries[knob] ?? usualCarriage(knob);
    const carriage = knob === 'background' && carried === 'exact' ? backgroundOf(request) : carried;
    if (carriage === 'exact') continue;
    const field = FIELDS[knob];
    if (carriage.verdict === 'refused') return refused(field, carriage.why);
    losses.push({ field, ...carriage });
  }
  return losses;
}

/** Reports the members of the body that the gateway does not read, for a wire that cannot pass them on. */
function unreadMembers({ body, endpoint }: Pick<ImageRequest, 'body' | 'endpoint'>): readonly Loss[] {
  const why = 'the field is unknown; send provider-specific fields in `provider_options`';
  return Object.keys(body)
    .filter((field) => !READ_MEMBERS.has(field) || (endpoint === 'generations' && FILE_PARTS.has(field)))
    .filter((field) => body[field] !== null && body[field] !== undefined)
    .map((field) => ({ field, verdict: 'dropped', why }));
}

/** Returns how the background is carried: only some file formats support transparency. */
function backgroundOf({ background, fileFormat }: ImageRequest): Carriage {
  return background === 'transparent' && fileFormat === 'jpeg' ? OPAQUE_FORMAT : 'exact';
}

/** Returns whether a value asks for more than what every provider does anyway. */
function isAsked(request: ImageRequest, knob: ImageKnob): boolean {
  const value = request[knob];
  if (value === null || value === 'auto') return false;
  return knob !== 'background' || value === 'transparent';
}

function usualCarriage(knob: ImageKnob): Carriage {
  if (knob === 'mask') return NO_MASK;
  return knob === 'background' ? NO_TRANSPARENCY : NO_MEMBER;
}

function inputsRefused(request: ImageRequest, most: number): Failure | null {
  const { length } = request.images;
  if (length <= most) return null;
  const field = imagesField(request);
  if (most === 0) return refused(field, 'the provider of this model makes images from text only');
  return refused(field, `the provider of this model accepts at most ${most} ${most === 1 ? 'image' : 'images'}`);
}

function fileFormatRefused({ fileFormat }: ImageRequest, formats: readonly ImageFileFormat[]): Failure | null {
  if (fileFormat === null || formats.includes(fileFormat)) return null;
  const made = formats.map((format) => `\`${format}\``).join(' or ');
  const why =
    made === '' ? 'the provider of this model chooses the format' : `the provider of this model makes ${made}`;
  return refused('output_format', why);
}

/** Returns a 400 for something that changes the meaning and cannot be carried. Another channel may be tried. */
export function refused(param: string, why: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`${param}\` cannot be sent: ${why}.`,
    param,
    kind: 'loss_refused',
    retry: 'other-target',
    hint: 'Leave it out, or use a model that supports it.',
  });
}

/** Members by name. A member that is `null` or `undefined` is left out. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * Encodes these members as a JSON body, with the client's `provider_options` merged in, also into objects of the same name. Fails
 * (400) for an option that would replace a member that the gateway writes itself. `to` is the request's place, if it is not the
 * target's own.
 */
export function jsonRequest(
  members: Members,
  { options }: Pick<ImageRequest, 'options'>,
  losses: readonly Loss[],
  to: Pick<WireRequest, 'suffix' | 'headers'> = {},
): WireRequest | Failure {
  const body = written(members);
  const problem = mergeOptions(body, options);
  return problem ?? { body: new TextEncoder().encode(JSON.stringify(body)), losses, ...to };
}

/** Returns a mutable copy, including nested objects. */
function written(members: Members): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== null && value !== undefined) setMember(copy, name, isRecord(value) ? written(value) : value);
  }
  return copy;
}

/**
 * Adds the client's `provider_options` to the gateway's own members. Fails (400) for an option that would replace one of these,
 * also in another spelling, which some providers would read as the same member.
 */
export function mergeOptions(
  body: Record<string, unknown>,
  options: Members,
  path = 'provider_options',
): Failure | null {
  const spelledAs = spellingsOf(Object.keys(body).filter((name) => body[name] !== undefined));
  for (const [name, value] of Object.entries(options)) {
    const written = spelledAs(name);
    if (written === undefined) {
      setMember(body, name, value);
      continue;
    }
    const own = body[written];
    if (written !== name || !isRecord(own) || !isRecord(value)) return writtenByGateway(`${path}.${name}`);
    const merged = { ...own };
    const problem = mergeOptions(merged, value, `${path}.${name}`);
    if (problem !== null) return problem;
    setMember(body, name, merged);
  }
  return null;
}

/** Refuses (400) options for which the request has a field of its own: as options they would bypass its price. */
export function reservedOptions(options: Members, names: readonly string[]): Failure | null {
  return mergeOptions(Object.fromEntries(names.map((name) => [name, true])), options);
}

function writtenByGateway(param: string): Failure {
  return new Failure('invalid_value', {
    message: `\`${param}\` names a field that the gateway sets from other fields of the request.`,
    param,
    hint: 'Use those fields instead of this option.',
  });
}

export interface ReadImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
}

/** Returns an image in memory; only for wires that take no URLs, for which the gateway has fetched the images. */
export async function imageBytes(input: ImageInput): Promise<ReadImage> {
  if (input.kind === 'url') throw new Error('the image was not fetched, although the wire takes no URLs');
  const { mediaType } = input;
  return { bytes: input.kind === 'inline' ? input.bytes : await input.file.bytes(), mediaType };
}

/** Returns an image as base64 text, in the standard alphabet. */
export async function imageBase64(input: ImageInput): Promise<{ readonly base64: string; readonly mediaType: string }> {
  const { bytes, mediaType } = await imageBytes(input);
  return { base64: bytes.toBase64(), mediaType };
}

/** Returns the URL of an image, or the image itself as a `data:` URI. */
export async function imageUrl(input: ImageInput): Promise<string> {
  if (input.kind === 'url') return input.url;
  const { base64, mediaType } = await imageBase64(input);
  return `data:${mediaType};base64,${base64}`;
}

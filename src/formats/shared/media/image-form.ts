import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput, ImageRequest } from '../../../domain/images/images.ts';
import type { WireRequest } from '../../wire.ts';
import { addMembers } from '../json/record.ts';
import { encodeForm, type FormPart } from '../request/form-body.ts';
import { opaqueMask } from './alpha-mask.ts';
import { imageBytes, type Members, mergeOptions } from './image-request.ts';

/* Image requests as `multipart/form-data`. */

/**
 * Encodes texts and files as a form, with the client's `provider_options` among the texts: a list becomes several parts of one
 * name, an object its JSON. Members that are `null` are left out. Fails (400) for an option that would replace another part.
 * The last argument is the request's place, if it is not the target's own, and further headers.
 */
export function formRequest(
  members: Members,
  files: readonly FormPart[],
  { options }: Pick<ImageRequest, 'options'>,
  losses: readonly Loss[],
  { headers, ...to }: Pick<WireRequest, 'suffix' | 'headers'> = {},
): WireRequest | Failure {
  const texts: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== null) addMembers(texts, { [name]: value });
  const taken = addMembers({}, texts, Object.fromEntries(files.map(({ name }) => [name, true])));
  const problem = mergeOptions(taken, options);
  if (problem !== null) return problem;
  const form = encodeForm([...textParts(addMembers(texts, options)), ...files]);
  return { ...form, headers: { ...form.headers, ...headers }, losses, ...to };
}

function textParts(texts: Members): readonly FormPart[] {
  return Object.entries(texts).flatMap(([name, value]) =>
    [value].flat().map((one: unknown) => ({ name, value: textOf(one) })),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns an image as a file part; only for wires that take no URLs, for which the gateway has fetched the images. */
export function imagePart(name: string, input: ImageInput, fileName = name): FormPart {
  if (input.kind === 'url') throw new Error('the image was not fetched, although the wire takes no URLs');
  const { mediaType } = input;
  const extension = mediaType.replace(/^image\//, '');
  if (input.kind === 'file') return { name, file: input.file, mediaType, fileName: named(input.file.name, extension) };
  return { name, file: { name: `${fileName}.${extension}`, bytes: input.bytes }, mediaType };
}

/** Returns the client's file name with the extension that fits the bytes, because some upstreams rely on it alone. */
function named(fileName: string, extension: string): string {
  const own = /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase();
  const isRight = own === extension || (own === 'jpg' && extension === 'jpeg');
  return isRight ? fileName : `${fileName}.${extension}`;
}

/** Returns the client's mask in the colours of a provider that edits black, or white, areas. */
export async function maskPart(mask: ImageInput, edited: 'black' | 'white'): Promise<FormPart | Failure> {
  const bytes = await maskBytes(mask, edited);
  return bytes instanceof Failure ? bytes : { name: 'mask', file: { name: 'mask.png', bytes }, mediaType: 'image/png' };
}

export async function maskBytes(
  mask: ImageInput,
  edited: 'black' | 'white',
): Promise<Uint8Array<ArrayBuffer> | Failure> {
  return await opaqueMask((await imageBytes(mask)).bytes, edited);
}

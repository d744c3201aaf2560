import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput, ImageRequest } from '../../../domain/images/images.ts';
import { parseBody } from '../../../formats/shared/request/body.ts';
import type { BodySource } from '../../../formats/shared/request/body-scan.ts';
import { type FoundNames, GovernedNames } from '../../../formats/shared/request/governed-names.ts';
import { wrongField } from '../../../formats/shared/request/request-fields.ts';
import { imagesOf } from '../input-images.ts';
import { FIELD_NAMES, readFields } from './image-fields.ts';

/** Members that the gateway reads. Each may occur once, in the correct spelling. */
export const NAMES = new GovernedNames(
  Object.fromEntries([...FIELD_NAMES, 'operation', 'image_url', 'image_urls', 'async'].map((name) => [name, true])),
);

export interface ParsedImages {
  readonly request: ImageRequest;
  /** The names in a JSON body; `null` for a form. */
  readonly names: FoundNames | null;
  /** Whether the client accepts a task instead of the images. */
  readonly isAsync: boolean;
}

/** Reads and checks the body of `POST /v1/images/generations`. Undocumented members are forwarded unchecked. */
export function parseGeneration(source: BodySource): ParsedImages | Failure {
  const parsed = parseBody(source, '`model` and `prompt`', NAMES);
  if (parsed instanceof Failure) return parsed;
  const { scan } = parsed;
  const answer = asyncOf(parsed);
  if (answer instanceof Failure) return answer;
  const { body, bytes, isAsync } = answer;
  const fields = readFields(body, { isForm: false, defaultModel: null });
  if (fields instanceof Failure) return fields;
  const images = imagesOf(body, { one: 'image_url', several: 'image_urls' });
  if (images instanceof Failure) return images;
  const problem =
    asyncProblem(isAsync, fields) ?? fileProblem(body, images) ?? operationProblem(body.operation ?? null, images);
  if (problem !== null) return problem;
  const kind = images.length > 0 ? 'edit' : 'generation';
  const request: ImageRequest = { ...fields, kind, endpoint: 'generations', images, mask: null, bytes, body };
  return { request, names: scan, isAsync };
}

interface Answering {
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array | null;
  readonly isAsync: boolean;
}

/** Removes `async`, which is only for the gateway, from the forwarded body. */
function asyncOf({ body, bytes }: Omit<Answering, 'isAsync'>): Answering | Failure {
  const { async: wanted = null, ...rest } = body;
  if (wanted === null) return { body, bytes, isAsync: false };
  if (typeof wanted !== 'boolean') return wrongField('invalid_type', 'async', 'must be true or false');
  return { body: rest, bytes: null, isAsync: wanted };
}

/** Returns the failure for a task with a stream, which tasks do not have. */
export function asyncProblem(isAsync: boolean, { stream }: Pick<ImageRequest, 'stream'>): Failure | null {
  if (!isAsync || !stream) return null;
  return wrongField('invalid_value', 'async', 'cannot be combined with `stream: true`; send only one of them');
}

/** Returns the failure for fields of the other endpoint, whose omission would change the image. */
function fileProblem(body: Readonly<Record<string, unknown>>, images: readonly ImageInput[]): Failure | null {
  const mask = ['mask', 'mask_url'].find((name) => (body[name] ?? null) !== null);
  if (mask !== undefined) {
    return wrongField('invalid_value', mask, 'is only for `POST /v1/images/edits`, as the file `mask` of a form');
  }
  if (images.length === 0 || (body.image ?? null) === null) return null;
  return wrongField('invalid_value', 'image', 'cannot be combined with `image_url`; send only one of them');
}

function operationProblem(operation: unknown, images: readonly ImageInput[]): Failure | null {
  if (operation === null) return null;
  if (operation !== 'text-to-image' && operation !== 'image-to-image') {
    return wrongField('invalid_value', 'operation', 'must be `text-to-image` or `image-to-image`');
  }
  if (operation === 'image-to-image' && images.length === 0) {
    const message = '`image_url` is missing: `operation` is `image-to-image`, which requires an image.';
    return new Failure('missing_required_parameter', { message, param: 'image_url' });
  }
  if (operation === 'text-to-image' && images.length > 0) {
    return wrongField(
      'invalid_value',
      'operation',
      'is `text-to-image`, but the request has an image; send `image-to-image`',
    );
  }
  return null;
}

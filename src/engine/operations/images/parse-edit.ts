import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput, ImageRequest } from '../../../domain/images/images.ts';
import type { FormRules, UploadedFile, UploadedForm } from '../../../domain/media/uploaded-file.ts';
import { wrongField } from '../../../formats/shared/request/request-fields.ts';
import { BodyFields } from '../body-fields.ts';
import { MOST_INPUT_IMAGES } from '../input-images.ts';
import { FIELD_NAMES, readFields } from './image-fields.ts';
import { asyncProblem, type ParsedImages } from './parse-generation.ts';

/** The contract's limit (POST /v1/images/edits) is under 4 MB. */
const MOST_EDIT_BYTES = 4 * 1024 * 1024 - 1;

export const EDIT_RULES: FormRules = {
  files: {
    image: { maxBytes: MOST_EDIT_BYTES, maxCount: MOST_INPUT_IMAGES },
    mask: { maxBytes: MOST_EDIT_BYTES, maxCount: 1 },
  },
  lists: [],
  texts: [...FIELD_NAMES, 'async'],
};

/** The facts of a checked PNG. */
export interface CheckedPng {
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
}

/** Checks a whole file that should be a PNG. Resolves to its facts or its problem. */
export type CheckPng = (file: UploadedFile) => Promise<CheckedPng | { readonly problem: string }>;

/** Reads and checks the form of `POST /v1/images/edits`. `defaultModel` is that of a request that names no model. */
export async function parseEdit(
  form: UploadedForm,
  { checkPng, defaultModel }: { readonly checkPng: CheckPng; readonly defaultModel: string | null },
): Promise<ParsedImages | Failure> {
  const sent = Object.fromEntries(
    [...form.fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
  const answering = new BodyFields(sent, true);
  const isAsync = answering.flag('async') ?? false;
  if (answering.failure !== null) return answering.failure;
  // `async` is only for the gateway, so it is removed from the forwarded form.
  const { async: _read, ...body } = sent;
  const fields = readFields(body, { isForm: true, defaultModel });
  if (fields instanceof Failure) return fields;
  const problem = asyncProblem(isAsync, fields);
  if (problem !== null) return problem;
  const files = form.files.get('image') ?? [];
  if (files.length === 0) {
    const message = '`image` is missing: the image file to edit, a square PNG under 4 MB.';
    return new Failure('missing_required_parameter', { message, param: 'image' });
  }
  const images = await checkedImages(files, checkPng);
  if (images instanceof Failure) return images;
  const [maskFile] = form.files.get('mask') ?? [];
  const mask = maskFile === undefined ? null : await checkedMask(maskFile, images.first, checkPng);
  if (mask instanceof Failure) return mask;
  const request: ImageRequest = {
    ...fields,
    ...{ kind: 'edit', endpoint: 'edits', images: images.inputs, mask, bytes: null, body },
  };
  return { request, names: null, isAsync };
}

async function checkedImages(files: readonly UploadedFile[], checkPng: CheckPng) {
  const inputs: ImageInput[] = [];
  let first: CheckedPng | null = null;
  for (const [index, file] of files.entries()) {
    const param = files.length === 1 ? 'image' : `image[${index}]`;
    const png = await checkPng(file);
    if ('problem' in png) return wrongField('invalid_value', param, png.problem);
    if (png.width !== png.height) {
      return wrongField(
        'invalid_value',
        param,
        `has ${png.width} x ${png.height} pixels; an image to edit must be square`,
      );
    }
    first ??= png;
    inputs.push(pngInput(file, png));
  }
  if (first === null) throw new Error('an edit without images was read');
  return { inputs, first };
}

async function checkedMask(file: UploadedFile, image: CheckedPng, checkPng: CheckPng): Promise<ImageInput | Failure> {
  const png = await checkPng(file);
  if ('problem' in png) return wrongField('invalid_value', 'mask', png.problem);
  if (png.width !== image.width || png.height !== image.height) {
    const is = `${png.width} x ${png.height} pixels, but \`image\` has ${image.width} x ${image.height}`;
    return wrongField('invalid_value', 'mask', `has ${is}; both must have the same size`);
  }
  if (png.hasAlpha) return pngInput(file, png);
  return wrongField('invalid_value', 'mask', 'has no alpha channel to mark the areas to edit');
}

function pngInput(file: UploadedFile, { width, height }: CheckedPng): ImageInput {
  return { kind: 'file', file, mediaType: 'image/png', pixels: { width, height } };
}

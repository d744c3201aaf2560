import { Failure } from '../../../domain/failure/failure.ts';
import { MODEL_FORMATS, type ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import { parseBody } from '../../../formats/shared/request/body.ts';
import type { BodySource } from '../../../formats/shared/request/body-scan.ts';
import { GovernedNames } from '../../../formats/shared/request/governed-names.ts';
import { missingField } from '../../../formats/shared/request/request-fields.ts';
import { BodyFields, LARGEST_SEED, LONGEST_PROMPT } from '../body-fields.ts';
import { imagesOf } from '../input-images.ts';

/** Members that the gateway reads. Each may occur once, in the correct spelling. */
export const THREE_D_NAMES = new GovernedNames({
  model: true,
  prompt: true,
  negative_prompt: true,
  image_url: true,
  image_urls: true,
  format: true,
  texture: true,
  target_polycount: true,
  seed: true,
  user: true,
  provider_options: true,
});

/** More than any provider makes; the models' own bounds are in the catalog. */
const MOST_POLYGONS = 100_000_000;

/** Reads and checks the body of `POST /v1/3d/generations`. */
export function parseThreeD(source: BodySource): ThreeDRequest | Failure {
  const parsed = parseBody(source, '`model` and `prompt`', THREE_D_NAMES);
  if (parsed instanceof Failure) return parsed;
  const { body } = parsed;
  const fields = new BodyFields(body);
  const model = fields.model('3d');
  const prompt = fields.text('prompt', LONGEST_PROMPT);
  const read = {
    negativePrompt: fields.text('negative_prompt', LONGEST_PROMPT),
    format: fields.oneOf('format', MODEL_FORMATS),
    texture: fields.flag('texture'),
    targetPolycount: fields.integer('target_polycount', 1, MOST_POLYGONS),
    seed: fields.integer('seed', 0, LARGEST_SEED),
    user: fields.text('user'),
    options: fields.record('provider_options'),
  };
  if (fields.failure !== null) return fields.failure;
  const images = imagesOf(body, { one: 'image_url', several: 'image_urls' });
  if (images instanceof Failure) return images;
  const isSaid = prompt !== null && prompt.trim() !== '';
  if (!isSaid && images.length === 0) {
    return missingField('prompt', 'a description of what to model; required unless `image_url` shows it');
  }
  return { kind: '3d', model, prompt: isSaid ? prompt : null, images, ...read, body };
}

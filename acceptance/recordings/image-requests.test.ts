import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { judgeRequest } from '../../conformance/judges/index.ts';
import { asObject, isObject } from '../../conformance/shared/json.ts';
import { sharedFolder } from '../../conformance/shared/recordings.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import type { ImageInput, ImageRequest } from '../../src/domain/images/images.ts';
import type { PiecedBody } from '../../src/domain/media/pieced-body.ts';
import { imageWires } from '../../src/formats/index.ts';
import { PLAIN_IMAGE } from '../../src/formats/shared/testing/image-samples.ts';

/*
 * Compares the requests of the image wires with the providers' published documents: for every pair of members that a client can use, every
 * member sent is documented and has a documented value.
 */

const PNG = Uint8Array.fromBase64('iVBORw0KGgo=');
const INLINE: ImageInput = { kind: 'inline', bytes: PNG, mediaType: 'image/png' };

/** The client's name and value of a member, and its canonical form. */
const MEMBERS: readonly (readonly [string, unknown, Partial<ImageRequest>])[] = [
  ['n', 4, { count: 4 }],
  ['size', 'auto', { size: 'auto' }],
  ['size', '256x256', { size: { width: 256, height: 256 } }],
  ['size', '1920x1080', { size: { width: 1920, height: 1080 } }],
  ['aspect_ratio', '16:9', { aspectRatio: '16:9' }],
  ['aspect_ratio', '7:3', { aspectRatio: '7:3' }],
  ...(['standard', 'hd', 'low', 'medium', 'high', 'auto'] as const).map(
    (quality) => ['quality', quality, { quality }] as const,
  ),
  ['style', 'vivid', { style: 'vivid' }],
  ...(['transparent', 'opaque', 'auto'] as const).map(
    (background) => ['background', background, { background }] as const,
  ),
  ['moderation', 'low', { moderation: 'low' }],
  ['input_fidelity', 'high', { inputFidelity: 'high' }],
  ['seed', 7, { seed: 7 }],
  ['negative_prompt', 'fog', { negativePrompt: 'fog' }],
  ['response_format', 'url', { responseFormat: 'url' }],
  ['response_format', 'b64_json', { responseFormat: 'b64_json' }],
  ...(['png', 'jpeg', 'webp'] as const).map((fileFormat) => ['output_format', fileFormat, { fileFormat }] as const),
  ['output_compression', 60, { compression: 60 }],
  ['stream', true, { stream: true }],
  ['partial_images', 2, { partialImages: 2 }],
  ['user', 'u', { user: 'u' }],
  ['provider_options', {}, {}],
];

function pairs(of: Partial<ImageRequest> = {}): readonly ImageRequest[] {
  return MEMBERS.flatMap(([first, one, canonical]) =>
    MEMBERS.map(([second, other, another]) => ({
      ...{ ...PLAIN_IMAGE, ...of, ...canonical, ...another },
      body: { model: PLAIN_IMAGE.model, prompt: PLAIN_IMAGE.prompt, [first]: one, [second]: other },
    })),
  );
}

interface Sent {
  readonly body: Readonly<Record<string, unknown>>;
  readonly suffix: string | undefined;
}

/** Resolves to the upstream requests that the wire does not refuse; for a form, the text of its parts. */
async function sent(
  wireName: string,
  upstreamModel: string,
  requests: readonly ImageRequest[],
): Promise<readonly Sent[]> {
  const wire = imageWires.get(wireName);
  if (wire === undefined) throw new Error(`there is no wire ${wireName}`);
  const bodies: Sent[] = [];
  for (const request of requests) {
    const encoded = await wire.encodeRequest(request, { upstreamModel });
    if (encoded instanceof Failure) {
      expect([encoded.code, encoded.kind]).toEqual(['unsupported_parameter', 'loss_refused']);
      continue;
    }
    bodies.push({ body: await bodyOf(encoded.body, encoded.headers ?? {}), suffix: encoded.suffix });
  }
  return bodies;
}

async function bodyOf(
  body: Uint8Array<ArrayBuffer> | PiecedBody | null,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (body instanceof Uint8Array) return asObject(JSON.parse(new TextDecoder().decode(body)));
  const pieces = body?.pieces.map((piece) => (piece instanceof Uint8Array ? piece : PNG)) ?? [];
  const form = await new Response(new Blob(pieces), { headers }).formData();
  const numbers = ['n', 'output_compression', 'partial_images'];
  const value = (name: string, text: string) => {
    if (name === 'stream') return text === 'true';
    return numbers.includes(name) ? Number(text) : text;
  };
  return Object.fromEntries(
    [...form.entries()].flatMap(([name, part]) => (typeof part === 'string' ? [[name, value(name, part)]] : [])),
  );
}

function documentOf(file: string): Readonly<Record<string, unknown>> {
  const text = readFileSync(path.join(sharedFolder, 'specs', file), 'utf8');
  // A null is never sent, and the validator rejects the keyword without a type beside it.
  const withoutNullable = (name: string, value: unknown) => (name === 'nullable' ? undefined : value);
  return asObject(file.endsWith('.json') ? JSON.parse(text, withoutNullable) : Bun.YAML.parse(text));
}

/** Returns a validator that also rejects unknown members. Files are not required in forms. */
function validatorOf(document: Readonly<Record<string, unknown>>, schema: unknown): ValidateFunction {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const { required, ...rest } = asObject(schema);
  const needed = Array.isArray(required) ? required.filter((name) => name !== 'image') : [];
  return ajv.compile({ ...rest, required: needed, additionalProperties: false, components: document.components });
}

function problemsOf(validate: ValidateFunction, bodies: readonly Sent[]): readonly string[] {
  const problems = bodies.flatMap(({ body }) => {
    if (validate(body)) return [];
    const [first] = validate.errors ?? [];
    return [`${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)} ${JSON.stringify(body)}`];
  });
  return problems.slice(0, 5);
}

const schemaIn = (document: Readonly<Record<string, unknown>>, name: string) =>
  asObject(asObject(document.components).schemas)[name];

describe('every pair of members, sent to', () => {
  test.each(['gpt-image-1.5', 'gpt-image-2', 'dall-e-2', 'dall-e-3'])('OpenAI for %s', async (model) => {
    const document = documentOf('openai.openapi.json');
    const bodies = await sent('openai-images', model, pairs());
    expect(bodies.length).toBeGreaterThan(400);
    expect(problemsOf(validatorOf(document, schemaIn(document, 'CreateImageRequest')), bodies)).toEqual([]);
  });

  test.each(['gpt-image-1.5', 'gpt-image-2', 'dall-e-2'])('OpenAI as an edit for %s', async (model) => {
    const document = documentOf('openai.openapi.json');
    const edit = { kind: 'edit', endpoint: 'edits', images: [INLINE], mask: INLINE } as const;
    const bodies = await sent('openai-image-edits', model, pairs(edit));
    expect(bodies.length).toBeGreaterThan(400);
    expect(problemsOf(validatorOf(document, schemaIn(document, 'CreateImageEditRequest')), bodies)).toEqual([]);
  });

  test.each([
    ['texts', []],
    ['images', [INLINE, INLINE]],
  ])('OpenRouter with %s', async (_, images) => {
    const document = documentOf('openrouter.openapi.yaml');
    const bodies = await sent('openrouter-images', 'maker/model', pairs({ images }));
    expect(bodies.length).toBeGreaterThan(400);
    expect(problemsOf(validatorOf(document, schemaIn(document, 'ImageGenerationRequest')), bodies)).toEqual([]);
  });

  test.each([
    ['texts', []],
    ['images', [INLINE]],
  ])('Together with %s', async (_, images) => {
    const document = documentOf('together.openapi.yaml');
    const operation = asObject(asObject(asObject(document.paths)['/images/generations']).post);
    const content = asObject(asObject(asObject(operation.requestBody).content)['application/json']);
    for (const model of ['black-forest-labs/FLUX.2-pro', 'black-forest-labs/FLUX.1-kontext-pro']) {
      const bodies = await sent('together-images', model, pairs({ images }));
      expect(bodies.length).toBeGreaterThan(300);
      expect(problemsOf(validatorOf(document, content.schema), bodies)).toEqual([]);
    }
  });

  test.each([
    ['texts', []],
    ['images', [INLINE]],
  ])('Gemini with %s', async (_, images) => {
    for (const model of ['gemini-2.5-flash-image', 'gemini-3-pro-image']) {
      const bodies = await sent('gemini-images', model, pairs({ images }));
      expect(bodies.length).toBeGreaterThan(300);
      expect([...new Set(bodies.flatMap(({ body }) => judgeRequest('gemini', body)))]).toEqual([]);
    }
  });

  test('Imagen', async () => {
    const document = documentOf('gemini-v1beta.openapi.json');
    const bodies = await sent('imagen', 'imagen-4.0-generate-001', pairs());
    expect(problemsOf(validatorOf(document, schemaIn(document, 'PredictRequest')), bodies)).toEqual([]);
    expect(bodies.every(({ body }) => isObject(body.parameters))).toBe(true);
  });
});

test('xAI has separate URLs for edits and generations', async () => {
  const [first] = await sent('xai-images', 'grok-imagine-image', [PLAIN_IMAGE]);
  const [second] = await sent('xai-images', 'grok-imagine-image', [{ ...PLAIN_IMAGE, images: [INLINE] }]);
  expect([first?.suffix, second?.suffix]).toEqual(['/generations', '/edits']);
});

import { expect, test } from 'bun:test';
import { ideogramImages } from '../../../src/formats/images/ideogram-images/index.ts';
import { RESOLUTIONS } from '../../../src/formats/images/ideogram-images/models.ts';
import { IDEOGRAM_RATIOS } from '../../../src/formats/images/shared/image-ratios.ts';
import { answeredOver, type SentImageRequest, sentOver } from '../../../src/formats/shared/testing/image-exchange.ts';
import { INLINE_PIXEL, MASK_PIXEL } from '../../../src/formats/shared/testing/image-samples.ts';
import { publishedDocument } from '../documents.ts';

const document = publishedDocument('ideogram.openapi.json');
const EDIT = { kind: 'edit', images: [INLINE_PIXEL] } as const;

/** Returns the request's violations of the published document. */
function misfits({ suffix, body, files, headers }: SentImageRequest): readonly string[] {
  const isForm = headers['content-type'] !== undefined;
  const { content } = document.paths[suffix].post.requestBody;
  const media = content[isForm ? 'multipart/form-data' : 'application/json'];
  if (media === undefined) return [`${suffix} takes no ${isForm ? 'form' : 'JSON'}`];
  const resolved = (schema: any): any =>
    schema.$ref === undefined ? schema : resolved(document.components.schemas[schema.$ref.split('/').at(-1)]);
  const { properties, required = [] } = resolved(media.schema);
  const names = [...Object.keys(body), ...Object.keys(files)];
  const problems = required.filter((name: string) => !names.includes(name)).map((name: string) => `lacks ${name}`);
  for (const [name, value] of Object.entries(body)) {
    if (name === 'their_own') continue;
    const member = Object.hasOwn(properties, name) ? resolved(properties[name]) : null;
    if (member === null) problems.push(`${name} is unknown`);
    else if (member.enum !== undefined && !member.enum.includes(value)) problems.push(`${name} may not be ${value}`);
    else if (member.type === 'integer' && !Number.isInteger(Number(value))) problems.push(`${name} is no number`);
    else if (Number(value) > member.maximum || Number(value) < member.minimum)
      problems.push(`${name} is out of bounds`);
  }
  for (const name of Object.keys(files)) {
    const member = resolved(properties[name] ?? {});
    if ((member.items ?? member).format !== 'binary') problems.push(`${name} is no file`);
  }
  return problems;
}

test('sizes and ratios are the published ones', () => {
  const { ResolutionV3, AspectRatioV3 } = document.components.schemas;
  expect([...RESOLUTIONS].toSorted()).toEqual(ResolutionV3.enum.toSorted());
  expect(IDEOGRAM_RATIOS.map((ratio) => ratio.replace(':', 'x')).toSorted()).toEqual(AspectRatioV3.enum.toSorted());
});

test.each(['ideogram-v3', 'ideogram-v3-quality', 'ideogram-v4', 'ideogram-edit'])(
  'requests to %s fit the published document',
  async (model) => {
    for (const asked of [{}, { count: 8 }, EDIT, { ...EDIT, mask: MASK_PIXEL }, { aspectRatio: '7:5', seed: 9 }]) {
      const sent = await sentOver(ideogramImages, model, asked);
      if (typeof sent !== 'string') expect(misfits(sent)).toEqual([]);
    }
  },
);

test('the published example responses are decoded', () => {
  for (const name of ['ImageGenerationResponseV3', 'ImageGenerationResponseV4', 'V1EditImagesResponse']) {
    const { example } = document.components.schemas[name];
    expect(answeredOver(ideogramImages, example)).toMatchObject({ images: [{}, {}], created: 948_603_367 });
  }
});

import { expect, test } from 'bun:test';
import { INLINE_PIXEL } from '../../../src/formats/shared/testing/image-samples.ts';
import { videoSent } from '../../../src/formats/shared/testing/video-exchange.ts';
import { runwayVideos } from '../../../src/formats/video/runway-videos/index.ts';
import { RUNWAY_MODELS } from '../../../src/formats/video/runway-videos/models.ts';
import { publishedDocument } from '../documents.ts';

interface Schema {
  readonly properties?: { readonly model?: { readonly const?: string } };
}

const document = publishedDocument('runway.openapi.json');

test.each(RUNWAY_MODELS)('a request to %s has only members of Runway’s document', async (model) => {
  const requests = [
    {},
    { resolution: '1080p' },
    { aspectRatio: '1:1' },
    { firstImage: INLINE_PIXEL },
    { videoUrl: 'https://example.com/v.mp4' },
    { durationSeconds: 3.5, seed: 1, negativePrompt: 'x', audio: false },
  ];
  for (const asked of requests) {
    const request = await videoSent(runwayVideos, model, asked);
    if (typeof request === 'string') continue;
    const { oneOf } = document.paths[`/v1${request.suffix}`].post.requestBody.content['application/json'].schema;
    const variants = oneOf.flatMap((one: { oneOf?: unknown }) => one.oneOf ?? one);
    const schema = variants.find((one: Schema) => one.properties?.model?.const === model);
    expect(schema).toBeDefined();
    for (const [name, value] of Object.entries(request.body)) {
      const member = schema.properties[name];
      expect([name, member !== undefined]).toEqual([name, true]);
      if (member.enum !== undefined) expect(member.enum).toContain(value);
      if (typeof value === 'number')
        expect(value >= (member.minimum ?? 0) && value <= (member.maximum ?? 1e9)).toBe(true);
    }
    for (const name of schema.required) expect(Object.keys(request.body)).toContain(name);
  }
});

import { expect, test } from 'bun:test';
import { recordingsFolder, rowsIn } from '../../../conformance/shared/recordings.ts';
import { replicateImages } from '../../../src/formats/hosts/replicate-images/index.ts';
import { REPLICATE_MODELS } from '../../../src/formats/hosts/replicate-images/models.ts';
import {
  answeredOver,
  failedOver,
  nextOver,
  type SentImageRequest,
  unaccounted,
} from '../../../src/formats/shared/testing/image-exchange.ts';
import { publishedDocument, recordedFile } from '../documents.ts';

const { properties } = publishedDocument('replicate.openapi.json').components.schemas.schemas_prediction_request;

test.each(REPLICATE_MODELS)('requests to %s have only members of Replicate’s document', async (id) => {
  const unknown = new Set<string>();
  const carried = ({ body }: SentImageRequest) => {
    for (const name of Object.keys(body)) if (!Object.hasOwn(properties, name)) unknown.add(name);
    return [];
  };
  await unaccounted(replicateImages, id, [], carried);
  expect([...unknown]).toEqual([]);
});

const predictions = rowsIn(recordingsFolder)
  .filter(({ provider, api }) => provider === 'replicate' && api === 'predictions')
  .map(({ file }) => {
    const { request, response } = recordedFile(file);
    return { file, request, status: Number(response.status), body: String(response.body) };
  });

test('recorded predictions exist', () => expect(predictions.length).toBeGreaterThan(0));

test.each(predictions.map((one) => [one.file, one] as const))('%s is decoded', (_, { request, status, body }) => {
  if (status >= 400) {
    expect(failedOver(replicateImages, status, body)).toMatchObject({ side: 'upstream', kind: 'upstream_auth' });
    return;
  }
  const next = nextOver(replicateImages, body);
  const { id, status: state, output, urls } = JSON.parse(body);
  if (state === 'starting' || state === 'processing') {
    expect(next).toMatchObject({ url: `/predictions/${id}` });
    expect(urls.get).toEndWith(`/v1/predictions/${id}`);
  } else if (state === 'succeeded') {
    expect(next).toBeNull();
    const images = [output].flat();
    if (images.every((url: unknown) => typeof url === 'string' && url.startsWith('http'))) {
      expect(answeredOver(replicateImages, body)).toMatchObject({ images: images.map((url: string) => ({ url })) });
    }
  } else {
    expect(next).toMatchObject({ kind: 'job_canceled' });
  }
  if (request.method === 'POST')
    expect(request.url).toMatch(/\/v1\/predictions(?:\/[a-z0-9]+\/cancel)?$|\/models\/.+\/predictions$/);
});

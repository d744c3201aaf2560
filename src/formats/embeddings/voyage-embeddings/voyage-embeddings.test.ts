import { expect, test } from 'bun:test';
import { answeredOver, embeddingOf, sentOver } from '../../shared/testing/embedding-samples.ts';
import { voyageEmbeddings } from './index.ts';

const BASE64 = Buffer.from(Float32Array.of(1, -0.5).buffer).toString('base64');

test('the input type is query or document, or else a loss', () => {
  const more = { input_type: 'query', dimensions: 256, truncation: false, output_dtype: 'int8' };
  expect(sentOver(voyageEmbeddings, embeddingOf(['a', 'b'], more))).toEqual({
    body: {
      ...{ truncation: false, model: 'theirs', input: ['a', 'b'], input_type: 'query', output_dimension: 256 },
      encoding_format: 'base64',
    },
    lost: ['output_dtype'],
  });
  const { body, lost } = sentOver(voyageEmbeddings, embeddingOf(['a'], { input_type: 'clustering' }));
  expect([body, lost]).toEqual([{ model: 'theirs', input: ['a'], encoding_format: 'base64' }, ['input_type']]);
});

test('vectors are ordered by index, and the usage is the total', async () => {
  const data = [
    { embedding: BASE64, index: 1 },
    { embedding: [2, 3], index: 0 },
  ];
  const answer = { object: 'list', data, model: 'voyage-4', usage: { total_tokens: 12 } };
  expect(await answeredOver(voyageEmbeddings, answer, embeddingOf(['a', 'b']))).toEqual({
    vectors: [[2, 3], Float32Array.of(1, -0.5)],
    tokens: 12,
    model: 'voyage-4',
  });
});

test.each([
  [{ data: [{ embedding: 'AAA=', index: 0 }] }, 'garbage'],
  [{ data: [] }, 'garbage'],
  [{ detail: 'broken' }, 'error_in_200'],
])('%p is not a response', async (answer, kind) => {
  expect(await answeredOver(voyageEmbeddings, answer, embeddingOf(['a']))).toMatchObject({ kind, side: 'upstream' });
});

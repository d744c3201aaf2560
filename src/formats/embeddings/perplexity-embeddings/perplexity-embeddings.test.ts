import { expect, test } from 'bun:test';
import { answeredOver, embeddingOf, sentOver } from '../../shared/testing/embedding-samples.ts';
import { perplexityEmbeddings } from './index.ts';

test('vectors are requested as signed bytes', () => {
  expect(sentOver(perplexityEmbeddings, embeddingOf(['a'], { dimensions: 128, input_type: 'query' }))).toEqual({
    body: { model: 'theirs', input: ['a'], dimensions: 128, encoding_format: 'base64_int8' },
    lost: ['input_type'],
  });
});

test('each byte is a number from -128 to 127', async () => {
  const embedding = Buffer.from([0, 1, 127, 128, 255]).toString('base64');
  const usage = { prompt_tokens: 4, total_tokens: 4, cost: { total_cost: 0.1 } };
  const answer = { object: 'list', data: [{ object: 'embedding', index: 0, embedding }], model: 'x', usage };
  expect(await answeredOver(perplexityEmbeddings, answer, embeddingOf(['a']))).toEqual({
    vectors: [Float32Array.of(0, 1, 127, -128, -1)],
    tokens: 4,
    model: 'x',
  });
});

test('invalid base64 is not a vector', async () => {
  const answer = { data: [{ index: 0, embedding: 'no!' }] };
  expect(await answeredOver(perplexityEmbeddings, answer, embeddingOf(['a']))).toMatchObject({ kind: 'garbage' });
});

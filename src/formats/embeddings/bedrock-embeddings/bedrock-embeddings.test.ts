import { expect, test } from 'bun:test';
import { answeredOver, embeddingOf, sentOver } from '../../shared/testing/embedding-samples.ts';
import { bedrockEmbeddings } from './index.ts';

test.each([
  ['amazon.titan-embed-text-v2:0', { dimensions: 256 }, []],
  ['us.amazon.titan-embed-text-v2:0', { dimensions: 256 }, []],
  ['amazon.titan-embed-image-v1', { embeddingConfig: { outputEmbeddingLength: 256 } }, []],
  ['amazon.titan-embed-text-v1', {}, ['dimensions']],
])('%s gets the length in its own parameter', (model, length, lost) => {
  expect(sentOver(bedrockEmbeddings, embeddingOf(['a'], { dimensions: 256, normalize: false }), model)).toEqual({
    body: { inputText: 'a', normalize: false, ...length },
    lost,
  });
});

test('one text is one request, and its input type is not sent', () => {
  expect(bedrockEmbeddings.boundsOf?.({ upstreamModel: 'amazon.titan-embed-text-v2:0' }).mostInputs).toBe(1);
  expect(sentOver(bedrockEmbeddings, embeddingOf(['a'], { input_type: 'query' })).lost).toEqual(['input_type']);
});

test('the response is one vector with its tokens', async () => {
  const answer = { embedding: [1, 2], inputTextTokenCount: 3, embeddingsByType: { float: [1, 2] } };
  expect(await answeredOver(bedrockEmbeddings, answer, embeddingOf(['a']))).toEqual({
    vectors: [[1, 2]],
    tokens: 3,
    model: null,
  });
});

test.each([
  ['<html>', 'garbage'],
  [{ embedding: ['a'] }, 'garbage'],
  [{ embedding: null, message: 'Unable to embed.' }, 'error_in_200'],
])('%p is not a response', async (answer, kind) => {
  expect(await answeredOver(bedrockEmbeddings, answer, embeddingOf(['a']))).toMatchObject({ kind });
});

import { expect, test } from 'bun:test';
import { answeredOver, embeddingOf, sentOver } from '../../shared/testing/embedding-samples.ts';
import { vertexEmbeddings } from './index.ts';

test('each text is an instance with its task; the length is a parameter', () => {
  expect(sentOver(vertexEmbeddings, embeddingOf(['a', 'b'], { input_type: 'document', dimensions: 256 }))).toEqual({
    body: {
      instances: ['a', 'b'].map((content) => ({ content, task_type: 'RETRIEVAL_DOCUMENT' })),
      parameters: { outputDimensionality: 256 },
    },
    lost: [],
  });
  expect(sentOver(vertexEmbeddings, embeddingOf(['a'])).body).toEqual({ instances: [{ content: 'a' }] });
});

test('the Gemini model takes one text per request', () => {
  const most = ['gemini-embedding-001', 'text-embedding-005'].map(
    (upstreamModel) => vertexEmbeddings.boundsOf?.({ upstreamModel }).mostInputs,
  );
  expect(most).toEqual([1, 250]);
});

test('the tokens of all texts are added up, and unknown if one is missing', async () => {
  const predictions = [5, 6].map((token_count) => ({ embeddings: { values: [1, 2], statistics: { token_count } } }));
  const request = embeddingOf(['a', 'b']);
  const vectors = [
    [1, 2],
    [1, 2],
  ];
  expect(await answeredOver(vertexEmbeddings, { predictions }, request)).toEqual({ vectors, tokens: 11, model: null });
  const uncounted = { predictions: [predictions[0], { embeddings: { values: [3, 4] } }] };
  expect(await answeredOver(vertexEmbeddings, uncounted, request)).toMatchObject({ tokens: null });
  const failed = await answeredOver(vertexEmbeddings, { predictions: [{}, {}] }, request);
  expect(failed).toMatchObject({ kind: 'garbage' });
});

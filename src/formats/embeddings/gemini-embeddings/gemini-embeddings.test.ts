import { expect, test } from 'bun:test';
import { answeredOver, embeddingOf, sentOver } from '../../shared/testing/embedding-samples.ts';
import { geminiEmbeddings } from './index.ts';

test('each text is a request of the batch, with its task and length', () => {
  const more = { input_type: 'code_query', dimensions: 768, user: 'u' };
  const common = { model: 'models/gemini-embedding-001', taskType: 'CODE_RETRIEVAL_QUERY', outputDimensionality: 768 };
  expect(sentOver(geminiEmbeddings, embeddingOf(['a', 'b'], more), 'gemini-embedding-001')).toEqual({
    body: { requests: ['a', 'b'].map((text) => ({ ...common, content: { parts: [{ text }] } })) },
    lost: ['user'],
  });
  const tuned = sentOver(geminiEmbeddings, embeddingOf(['a']), 'tunedModels/mine');
  expect(tuned.body).toEqual({ requests: [{ model: 'tunedModels/mine', content: { parts: [{ text: 'a' }] } }] });
});

test('second-generation models get no task', () => {
  const { lost } = sentOver(geminiEmbeddings, embeddingOf(['a'], { input_type: 'query' }), 'gemini-embedding-2');
  expect(lost).toEqual(['input_type']);
});

test('usage is read if present, although undocumented', async () => {
  const embeddings = [{ values: [1, 2] }, { values: [3, 4], shape: [2] }];
  const vectors = embeddings.map(({ values }) => values);
  const request = embeddingOf(['a', 'b']);
  expect(await answeredOver(geminiEmbeddings, { embeddings }, request)).toEqual({ vectors, tokens: null, model: null });
  const counted = { embeddings, usageMetadata: { promptTokenCount: 9 } };
  expect(await answeredOver(geminiEmbeddings, counted, request)).toMatchObject({ tokens: 9 });
  const failed = await answeredOver(geminiEmbeddings, { embeddings: [{}, {}] }, request);
  expect(failed).toMatchObject({ kind: 'garbage' });
});

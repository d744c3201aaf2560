import { expect, test } from 'bun:test';
import { answeredOver, embeddingOf, sentOver } from '../../shared/testing/embedding-samples.ts';
import { jinaEmbeddings } from './index.ts';

test.each([
  ['jina-embeddings-v3', 'clustering', 'separation'],
  ['jina-embeddings-v3', 'query', 'retrieval.query'],
  ['jina-embeddings-v4', 'code_query', 'code.query'],
  ['jina-embeddings-v5-text-small', 'clustering', 'clustering'],
  ['jina-embeddings-v5-text-nano', 'document', 'retrieval.passage'],
  ['jina-code-embeddings-1.5b', 'document', 'nl2code.passage'],
])('%s: %s becomes the task %s', (model, input_type, task) => {
  expect(sentOver(jinaEmbeddings, embeddingOf(['a'], { input_type }), model)).toEqual({
    body: { model, input: ['a'], task, embedding_type: 'float' },
    lost: [],
  });
});

test("models without tasks lose the input type, and a task of the client's is passed on", () => {
  const more = { input_type: 'query', dimensions: 64, normalized: false, embedding_type: 'binary' };
  expect(sentOver(jinaEmbeddings, embeddingOf(['a'], more), 'jina-clip-v2')).toEqual({
    body: { normalized: false, model: 'jina-clip-v2', input: ['a'], dimensions: 64, embedding_type: 'float' },
    lost: ['embedding_type', 'input_type'].reverse(),
  });
  const { body } = sentOver(
    jinaEmbeddings,
    embeddingOf(['a'], { task: 'code2code.query' }),
    'jina-code-embeddings-0.5b',
  );
  expect(body).toMatchObject({ task: 'code2code.query' });
});

test('the response is OpenAI’s', async () => {
  const usage = { total_tokens: 5, prompt_tokens: 4 };
  const answer = { model: 'x', object: 'list', usage, data: [{ object: 'embedding', index: 0, embedding: [1, 2] }] };
  expect(await answeredOver(jinaEmbeddings, answer, embeddingOf(['a']))).toEqual({
    vectors: [[1, 2]],
    tokens: 4,
    model: 'x',
  });
});

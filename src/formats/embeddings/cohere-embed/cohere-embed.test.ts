import { expect, test } from 'bun:test';
import { answeredOver, embeddingOf, sentOver } from '../../shared/testing/embedding-samples.ts';
import { cohereEmbed } from './index.ts';

test('texts are documents unless the client specifies otherwise', () => {
  expect(sentOver(cohereEmbed, embeddingOf(['a', 'b']))).toEqual({
    body: { model: 'theirs', texts: ['a', 'b'], input_type: 'search_document', embedding_types: ['float'] },
    lost: [],
  });
  const { body } = sentOver(
    cohereEmbed,
    embeddingOf(['a'], { input_type: 'query', dimensions: 256, truncate: 'NONE' }),
  );
  expect(body).toEqual({
    ...{ model: 'theirs', texts: ['a'], input_type: 'search_query', embedding_types: ['float'] },
    ...{ output_dimension: 256, truncate: 'NONE' },
  });
  const lossy = sentOver(cohereEmbed, embeddingOf(['a'], { input_type: 'similarity', user: 'u' }));
  expect(lossy).toMatchObject({ body: { input_type: 'search_document' }, lost: ['input_type', 'user'] });
});

test('vectors are read by type, or as the bare list of older versions; billed units are the usage', async () => {
  const meta = { billed_units: { input_tokens: 10 }, tokens: { input_tokens: 12 } };
  const answer = {
    id: 'x',
    embeddings: {
      float: [
        [1, -0.5],
        [0, 2],
      ],
    },
    meta,
  };
  expect(await answeredOver(cohereEmbed, answer, embeddingOf(['a', 'b']))).toEqual({
    vectors: [
      [1, -0.5],
      [0, 2],
    ],
    tokens: 10,
    model: null,
  });
  const bare = { response_type: 'embeddings_floats', embeddings: [[1]] };
  expect(await answeredOver(cohereEmbed, bare, embeddingOf(['a']))).toEqual({
    vectors: [[1]],
    tokens: null,
    model: null,
  });
});

test('Bedrock has the model in the URL, and the tokens in a header', async () => {
  const encoded = cohereEmbed.encodeRequest(embeddingOf(['a']), { upstreamModel: 'm', members: { model: null } });
  expect(new TextDecoder().decode('body' in encoded ? encoded.body : undefined)).not.toContain('"model"');
  const answer = { id: 'x', embeddings: [[1]], response_type: 'embeddings_floats' };
  const headers = { 'x-amzn-bedrock-input-token-count': '7' };
  expect(await answeredOver(cohereEmbed, answer, embeddingOf(['a']), headers)).toMatchObject({ tokens: 7 });
});

test.each([
  ['<html>', 'garbage'],
  [{ embeddings: { int8: [[1]] } }, 'garbage'],
  [{ embeddings: { float: [['a']] } }, 'garbage'],
  [{ message: 'overloaded', embeddings: null }, 'error_in_200'],
])('%p is not a response', async (answer, kind) => {
  expect(await answeredOver(cohereEmbed, answer, embeddingOf(['a']))).toMatchObject({ kind, side: 'upstream' });
});

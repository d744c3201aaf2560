import { expect, test } from 'bun:test';
import type { EmbeddingAnswer, EmbeddingRequest } from '../../../domain/embeddings/embeddings.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { vectorAsBase64 } from '../shared/vector-text.ts';
import { decodeAnswer, encodeAnswer } from './response.ts';

const utf8 = new TextEncoder();
const PATCH = { publicModel: 'mine', routing: { json: '{"r":1}' }, tokens: 3 };

const asking = (count = 1, encoding: EmbeddingRequest['encoding'] = 'float'): EmbeddingRequest => {
  const texts = Array.from({ length: count }, () => 'a');
  const inputs = { kind: 'texts', texts } as const;
  return { model: 'mine', inputs, encoding, dimensions: null, user: null, bytes: new Uint8Array(), body: {} };
};
const decoded = async (text: string, request: EmbeddingRequest): Promise<EmbeddingAnswer> => {
  const answer = await decodeAnswer(utf8.encode(text), request);
  if (answer instanceof Failure) throw new Error(answer.message);
  return answer;
};
const through = async (text: string, request = asking()) => {
  const body = await encodeAnswer(await decoded(text, request), request, PATCH);
  return body instanceof Failure ? body : new TextDecoder().decode(typeof body === 'string' ? utf8.encode(body) : body);
};
const ITEM = '{"object":"embedding","index":0,"embedding":[1.50, -0]}';

test('matching members keep their bytes; missing ones are added, and wrong ones replaced', async () => {
  const usage = '"usage":{"prompt_tokens":5,"total_tokens":5,"cost":0.10}';
  expect(await through(`{"object":"list","data":[ ${ITEM}],"model":"theirs",${usage}}`)).toBe(
    `{"object":"list","data":[ ${ITEM}],"model":"mine",${usage},"_routing":{"r":1}}`,
  );
  expect(await through(`{"_routing":{"theirs":1},"object":"x","data":[${ITEM}]}`)).toBe(
    `{"_routing":{"r":1},"object":"list","data":[${ITEM}],"model":"mine","usage":{"prompt_tokens":3,"total_tokens":3,"estimated":true}}`,
  );
  expect(await through(`{"data":[${ITEM}],"usage":{"total_tokens":5,"cost":1}}`)).toContain(
    '"usage":{"prompt_tokens":5,"total_tokens":5,"cost":1}',
  );
});

test('-0 is kept when a list is rewritten', async () => {
  expect(await through('{"data":[{"embedding":[-0]}]}')).toContain(
    '"data":[{"object":"embedding","index":0,"embedding":[-0]}]',
  );
});

test('the vectors of another wire are encoded in the same shape', async () => {
  const answer: EmbeddingAnswer = { vectors: [[1, 2], Float32Array.of(0.5, -0)], tokens: 3, model: 'theirs' };
  expect(await encodeAnswer(answer, { encoding: 'float' }, PATCH)).toBe(
    '{"object":"list","data":[{"object":"embedding","index":0,"embedding":[1,2]},{"object":"embedding","index":1,"embedding":[0.5,-0]}],"model":"mine","usage":{"prompt_tokens":3,"total_tokens":3},"_routing":{"r":1}}',
  );
  const inBase64 = await encodeAnswer(answer, { encoding: 'base64' }, PATCH);
  expect(JSON.parse(String(inBase64)).data[0].embedding).toBe(vectorAsBase64([1, 2]));
});

test("tokens are read from the upstream's usage", async () => {
  const tokensOf = async (usage: string) => (await decoded(`{"data":[${ITEM}],"usage":${usage}}`, asking())).tokens;
  expect(await tokensOf('{"prompt_tokens":5,"total_tokens":9}')).toBe(5);
  expect(await tokensOf('{"total_tokens":9}')).toBe(9);
  for (const none of ['null', '{}', '7', '{"prompt_tokens":0}', '{"prompt_tokens":-1}', '{"prompt_tokens":1.5}']) {
    expect([none, await tokensOf(none)]).toEqual([none, null]);
  }
});

test.each<[string, string]>([
  ['', 'garbage'],
  ['[]', 'garbage'],
  ['{}', 'garbage'],
  ['{"data":{}}', 'garbage'],
  ['{"data":[1]}', 'garbage'],
  [`{"data":[${ITEM}],}`, 'garbage'],
  [`{"data":[${ITEM}]} x`, 'garbage'],
  [`{"data":[${ITEM}],"data":[${ITEM}]}`, 'garbage'],
  [`{"data":[${ITEM}],"usage":{]}`, 'garbage'],
  [`{"data":[${ITEM}`, 'garbage'],
  [`{"data":[${ITEM},${ITEM}]}`, 'garbage'],
  ['{"data":[{"index":0.5,"embedding":[1]}]}', 'garbage'],
  ['{"data":[{"index":"0","embedding":[1]}]}', 'garbage'],
  ['{"data":[{"index":-1,"embedding":[1]}]}', 'garbage'],
  ['{"data":[{"index":0,"embedding":"no"}]}', 'garbage'],
  ['{"data":[{"index":0}]}', 'garbage'],
  ['{"error":{"message":"Overloaded","code":503}}', 'error_in_200'],
  ['{"object":"error","message":"Too long","code":400}', 'invalid_request'],
])('%s is not a response', async (text, kind) => {
  const answer = await decodeAnswer(utf8.encode(text), asking());
  expect(answer).toBeInstanceOf(Failure);
  expect(answer).toMatchObject({ kind });
});

test('a number beyond float32 cannot be encoded as one', async () => {
  const text = '{"data":[{"embedding":[1e39]}]}';
  expect(await through(text, asking(1, 'base64'))).toMatchObject({ kind: 'garbage' });
  expect(await through(text)).toContain('[1e+39]');
});

test('a large response is read without blocking', async () => {
  const vector = `[${Array.from({ length: 1_536 }, () => Math.fround(Math.random())).join(',')}]`;
  const items = Array.from(
    { length: 500 },
    (_, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`,
  );
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  await through(`{"object":"list","data":[${items.join(',')}]}`, asking(500, 'base64'));
  clearInterval(counting);
  expect(turns).toBeGreaterThan(3);
});

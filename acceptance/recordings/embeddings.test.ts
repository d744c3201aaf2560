import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Answer } from '../../conformance/shared/answer.ts';
import { asArray, asObject, parseJson } from '../../conformance/shared/json.ts';
import { readRecording, recordedExchanges } from '../../conformance/shared/recordings.ts';
import { type RecordedBed, startRecordedBed } from './recorded-bed.ts';

/* Clients get the vectors of recorded embedding responses. */

type Json = Readonly<Record<string, unknown>>;

/** A provider's model, the `api` of its recordings, and how to read the vectors of a recorded response. */
interface Shape {
  readonly model: string;
  readonly provider: string;
  /** The provider's name in the recordings, if different. */
  readonly recordedAs?: string;
  readonly api: string;
  vectorsIn(recorded: Json): readonly unknown[];
}

const SHAPES: readonly Shape[] = [
  {
    ...{ model: 'embed-v4.0', provider: 'cohere', api: 'embed' },
    vectorsIn: ({ embeddings }) => asArray(asObject(embeddings).float ?? embeddings),
  },
  {
    ...{ model: 'voyage-4', provider: 'voyage', api: 'embeddings' },
    vectorsIn: ({ data }) => asArray(data).map((one) => asObject(one).embedding),
  },
  {
    ...{ model: 'gemini-embedding-001', provider: 'google', recordedAs: 'gemini', api: 'embedContent' },
    vectorsIn: ({ embeddings }) => asArray(embeddings).map((one) => asObject(one).values),
  },
  {
    ...{ model: 'text-embedding-005', provider: 'vertex', api: 'predict' },
    vectorsIn: ({ predictions }) => asArray(predictions).map((one) => asObject(asObject(one).embeddings).values),
  },
  {
    ...{ model: 'amazon.titan-embed-text-v2:0', provider: 'bedrock', api: 'invoke' },
    vectorsIn: ({ embedding }) => (Array.isArray(embedding) ? [embedding] : []),
  },
  {
    ...{ model: 'cohere.embed-english-v3', provider: 'bedrock', api: 'invoke' },
    vectorsIn: ({ embeddings }) => asArray(embeddings),
  },
];

const recordings = recordedExchanges()
  .filter(({ status }) => status === 200)
  .filter(({ api }) => api === 'embeddings' || SHAPES.some((shape) => shape.api === api))
  .map(readRecording);

let bed: RecordedBed;
let answer = '';

beforeAll(async () => {
  const models = [
    { id: 'alike', provider: 'openai-compatible', upstreamModel: 'alike' },
    ...SHAPES.map(({ model, provider }) => ({ id: model, provider, upstreamModel: model })),
  ];
  const headers = { 'content-type': 'application/json' };
  bed = await startRecordedBed('embedding', models, () => new Response(answer, { headers }));
});
afterAll(() => bed?.stop());

const vectorsIn = ({ json }: Answer) => asArray(json.data).map((one) => asObject(one).embedding);

function floats(vector: unknown): Float32Array {
  if (typeof vector !== 'string') return Float32Array.from(asArray(vector), Number);
  return new Float32Array(Uint8Array.from(Buffer.from(vector, 'base64')).buffer);
}

describe('of providers with the OpenAI format', () => {
  for (const { file, api, requestBody, responseBody } of recordings) {
    const body = asObject(parseJson(requestBody ?? ''));
    if (api !== 'embeddings' || body.input === undefined) continue;
    test(file, async () => {
      answer = responseBody;
      const recorded = asObject(parseJson(responseBody));
      for (const encoding_format of ['float', 'base64']) {
        const answered = await bed.post('/embeddings', { ...body, model: 'alike', encoding_format });
        expect([answered.status, answered.error]).toEqual([200, {}]);
        const vectors = asArray(recorded.data).map((one) => asObject(one).embedding);
        const isText = vectorsIn(answered).map((vector) => typeof vector === 'string');
        expect(isText).toEqual(isText.map(() => encoding_format === 'base64'));
        expect(vectorsIn(answered).map(floats)).toEqual(vectors.map(floats));
        const { prompt_tokens, total_tokens } = asObject(recorded.usage);
        expect(answered.json.usage).toMatchObject({ prompt_tokens: prompt_tokens ?? total_tokens, total_tokens });
        // All other members are preserved.
        const { data: _data, model: _model, usage: _usage, ...others } = recorded;
        expect(answered.json).toMatchObject(others);
      }
    });
  }
});

describe('of providers with their own format', () => {
  for (const shape of SHAPES) {
    const name = shape.recordedAs ?? shape.provider;
    for (const { file, api, provider, responseBody } of recordings) {
      if (provider !== name || api !== shape.api) continue;
      const recorded = asObject(parseJson(responseBody));
      const vectors = shape.vectorsIn(recorded);
      const isAsked = vectors.every(Array.isArray) || shape.provider === 'voyage';
      if (vectors.length === 0 || !isAsked) continue;
      test(`${file}, by ${shape.model}`, async () => {
        answer = responseBody;
        const input = vectors.map((_, index) => `text ${index}`);
        const answered = await bed.post('/embeddings', { model: shape.model, input });
        expect([answered.status, answered.error]).toEqual([200, {}]);
        expect(vectorsIn(answered).map(floats)).toEqual(vectors.map(floats));
      });
    }
  }
});

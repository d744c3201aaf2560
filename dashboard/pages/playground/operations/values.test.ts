import { expect, test } from 'bun:test';
import { operationsIn } from './contract.ts';
import { cosine, vectorOf } from './similarity.ts';
import { filled } from './values.ts';

function operation(parameters: object, type = 'application/json', id = 'images.generations') {
  const contract = { operations: [{ operation: id, endpoint: '/v1/x', content_type: type, parameters }] };
  // Operators may rename the member `vendor`.
  const [found] = operationsIn({ id: 'm', acme: { category: 'image', public_contract: contract } });
  if (!found) throw new Error('There is no operation.');
  return found;
}

const PARAMETERS = {
  model: { type: 'string', required: true },
  prompt: { type: 'string', required: true },
  n: { type: 'integer', minimum: 1, maximum: 10 },
  speed: { type: 'number', minimum: 0.25 },
  audio: { type: 'boolean' },
  documents: { type: 'array' },
  input: { type: ['string', 'array'] },
  voice: { type: ['string', 'object'] },
  provider_options: { type: 'object' },
  stream: { type: 'boolean' },
};

test("converts input to the contract's types, and omits empty fields", () => {
  const values = {
    ...{ prompt: ' a "fox" ', n: '2', speed: '0.5', audio: 'false', documents: 'one\n\ntwo', input: 'just one' },
    ...{ voice: '{"id": "v1"}', provider_options: '{"seed": 1}', stream: 'true' },
  };
  expect(filled(operation(PARAMETERS), 'm', values)).toEqual({
    problems: {},
    call: {
      path: '/v1/x',
      body: {
        json: {
          ...{ model: 'm', prompt: ' a "fox" ', n: 2, speed: 0.5, audio: false, documents: ['one', 'two'] },
          ...{ input: 'just one', voice: { id: 'v1' }, provider_options: { seed: 1 } },
        },
      },
    },
  });
  const least = filled(operation(PARAMETERS), 'm', { prompt: 'x', voice: 'alloy', input: 'a\nb', n: ' ' });
  expect(least.call.body).toEqual({ json: { model: 'm', prompt: 'x', input: ['a', 'b'], voice: 'alloy' } });
});

test('names the invalid field', () => {
  const values = { n: '1.5', speed: '0.1', provider_options: 'no' };
  expect(filled(operation(PARAMETERS), 'm', values).problems).toEqual({
    ...{ prompt: 'required', n: 'number', speed: 'least', provider_options: 'json' },
  });
  expect(filled(operation(PARAMETERS), 'm', { prompt: 'x', n: '11' }).problems).toEqual({ n: 'most' });
});

test('puts files and lists into a form', () => {
  const file = new File(['x'], 'a.wav');
  const parameters = {
    file: { type: 'file', required: true },
    temperature: { type: 'number' },
    keywords: { type: 'array' },
  };
  const asked = filled(operation(parameters, 'multipart/form-data'), 'm', {
    ...{ file: [file], temperature: '0', keywords: 'one\ntwo' },
  });
  expect(asked.problems).toEqual({});
  expect(asked.call.body).toEqual({
    form: [
      ['model', 'm'],
      ['file', file],
      ['temperature', '0'],
      ['keywords[]', 'one'],
      ['keywords[]', 'two'],
    ],
  });
  expect(filled(operation(parameters, 'multipart/form-data'), 'm', {}).problems).toEqual({ file: 'required' });
});

test('compares vectors, in base64, too', () => {
  const base64 = Buffer.from(new Float32Array([3, 4]).buffer).toString('base64');
  expect(cosine(vectorOf(base64), vectorOf([6, 8]))).toBeCloseTo(1);
  expect(cosine([1, 0], [0, 1])).toBe(0);
  expect(cosine([0, 0], [1, 1])).toBeNull();
  expect(cosine([1], [1, 1])).toBeNull();
});

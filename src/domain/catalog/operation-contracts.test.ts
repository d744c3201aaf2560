import { describe, expect, test } from 'bun:test';
import { type ModelOperation, OPERATIONS, type Parameter } from './model-operation.ts';
import { OPERATION_CONTRACTS } from './operation-contracts.ts';
import { CONTRACT_TABLES, type Row } from './testing/contract-tables.ts';

/** Parses `string or array of strings` as a string or an array. */
function typesIn(cell: string): string | string[] {
  const types = cell.split(' or ').map((type) => type.split(' ')[0] ?? '');
  return types.length === 1 ? (types[0] ?? '') : types;
}

for (const [operation, rows] of Object.entries(CONTRACT_TABLES) as [ModelOperation, readonly Row[]][]) {
  const { endpoint, parameters } = OPERATION_CONTRACTS[operation];

  describe(`POST ${endpoint}`, () => {
    test.each(rows)('%s | %s | %s | %s', (field, type, required, _notes, { bounds = {}, says = [] } = {}) => {
      const { description, properties, ...parameter } = parameters[field]!;
      expect(parameter).toEqual({
        type: typesIn(type),
        ...(required === 'yes' && { required: true }),
        ...bounds,
      } as typeof parameter);
      const said = `${description} ${JSON.stringify(properties)}`;
      for (const words of says) expect(said).toContain(words);
    });

    test('accepts no other field', () => {
      expect(Object.keys(parameters)).toEqual(rows.map(([field]) => field));
    });
  });
}

describe('every operation', () => {
  const deliveries: [result: string, operations: ModelOperation[]][] = [
    ['task', ['videos.generations', 'music.generations', '3d.generations']],
    ['inline_or_task', ['images.generations']],
  ];
  test.each(deliveries)('%s is the result of exactly %j', (result, operations) => {
    expect(OPERATIONS.filter((operation) => OPERATION_CONTRACTS[operation].result === result)).toEqual(operations);
  });

  test('only task operations are polled, all at one path', () => {
    for (const operation of OPERATIONS) {
      const { result, pollEndpoint } = OPERATION_CONTRACTS[operation];
      expect(pollEndpoint).toBe(result === 'inline' ? null : '/v1/tasks/{id}');
    }
  });

  test('only operations that take a file are forms', () => {
    for (const operation of OPERATIONS) {
      const { contentType, parameters } = OPERATION_CONTRACTS[operation];
      const takesFile = Object.values(parameters).some(({ type }) => type === 'file');
      expect([operation, contentType]).toEqual([operation, takesFile ? 'multipart/form-data' : 'application/json']);
    }
  });

  const all = OPERATIONS.flatMap((operation) =>
    Object.entries(OPERATION_CONTRACTS[operation].parameters).map(([name, parameter]): [string, Parameter] => [
      `${operation}: ${name}`,
      parameter,
    ]),
  );

  test('a default is one of the values and within the bounds', () => {
    for (const [name, { default: value, enum: values, minimum, maximum }] of all) {
      if (typeof value === 'string' && values !== undefined)
        expect([name, values]).toEqual([name, expect.arrayContaining([value])]);
      if (typeof value !== 'number') continue;
      expect([name, value >= (minimum ?? value) && value <= (maximum ?? value)]).toEqual([name, true]);
    }
  });

  test('a required field has no default', () => {
    expect(all.filter(([, { required, default: value }]) => required === true && value !== undefined)).toEqual([]);
  });

  test('every field has a one-sentence description', () => {
    expect(all.filter(([, { description }]) => !/^\S.*[^.]\.$/.test(description ?? '')).map(([name]) => name)).toEqual(
      [],
    );
  });
});

describe('the 413 limit is documented for', () => {
  const fields: [ModelOperation, string, string][] = [
    ['images.generations', 'image_url', '20 MB'],
    ['images.generations', 'image_urls', '20 MB'],
    ['videos.generations', 'image_url', '20 MB'],
    ['videos.generations', 'end_image_url', '20 MB'],
    ['videos.generations', 'reference_image_urls', '20 MB'],
    ['3d.generations', 'image_url', '20 MB'],
    ['3d.generations', 'image_urls', '20 MB'],
    ['audio.transcriptions', 'file', '25 MB'],
    ['audio.translations', 'file', '25 MB'],
  ];
  test.each(fields)('%s, %s: %s', (operation, field, bound) => {
    expect(OPERATION_CONTRACTS[operation].parameters[field]?.description).toContain(bound);
  });
});

describe('an operation without a sample request', () => {
  const required: [ModelOperation, string[]][] = [
    ['messages', ['model', 'messages', 'max_tokens']],
    ['generate_content', ['contents']],
    ['images.generations', ['model', 'prompt']],
    ['audio.speech', ['model', 'input']],
    ['audio.transcriptions', ['file', 'model']],
    ['videos.generations', ['model']],
    ['3d.generations', ['model']],
  ];
  test.each(required)('%s requires %j', (operation, fields) => {
    const parameters = Object.entries(OPERATION_CONTRACTS[operation].parameters);
    expect(parameters.filter(([, { required }]) => required).map(([name]) => name)).toEqual(fields);
  });

  test('image-to-image is an operation of images.generations, with image_url', () => {
    const { operation, image_url } = OPERATION_CONTRACTS['images.generations'].parameters;
    expect(operation?.enum).toContain('image-to-image');
    expect(image_url?.type).toBe('string');
  });
});

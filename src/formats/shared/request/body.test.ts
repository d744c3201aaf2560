import { describe, expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../../../domain/failure/failure.ts';
import { parseBody, readLargeBody } from './body.ts';
import { GovernedNames } from './governed-names.ts';
import { BODY_BOUNDS } from './scan-levels.ts';

const NAMES = new GovernedNames({ model: 'exact', max_tokens: 'exact', 'messages[].content[].text': 'text' });
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Reads a body in both ways and checks that the results agree. */
async function read(text: string | Uint8Array) {
  const bytes = typeof text === 'string' ? bytesOf(text) : text;
  const atOnce = parseBody(bytes, '`model`', NAMES);
  const large = await readLargeBody(bytes);
  const inSlices = large instanceof Failure ? large : parseBody(large, '`model`', NAMES);
  if (atOnce instanceof Failure || inSlices instanceof Failure) {
    if (!(atOnce instanceof Failure && inSlices instanceof Failure)) throw new Error('only one of the two refuses it');
    expect(inSlices.code).toBe(atOnce.code);
    expect(inSlices.details.param).toBe(atOnce.details.param);
    return atOnce;
  }
  expect(inSlices.body).toEqual(atOnce.body);
  expect(inSlices.scan.inexact).toEqual(atOnce.scan.inexact);
  return atOnce;
}

async function refusalOf(text: string | Uint8Array): Promise<Failure> {
  const result = await read(text);
  if (!(result instanceof Failure)) throw new Error('it was not refused');
  return result;
}

describe('a body is parsed like JSON.parse, at once and in slices', () => {
  test('for any value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom(0, 1, 4), async (value, indent) => {
        // `__proto__` is refused by name, and -0 is written as 0.
        const text = JSON.stringify({ value }, null, indent);
        if (text.includes('__proto__')) return;
        const result = await read(text);
        if (result instanceof Failure) throw new Error(result.message);
        expect(result.body).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  const unit = ['a', 'ä', '\\', '"', '\u{1F600}', '\n', '\ud83d', '\u2028', 'x'.repeat(60)];
  test('for strings and members longer than one slice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...unit), { minLength: 1, maxLength: 12 }),
        fc.nat({ max: 9 }),
        async (units, offset) => {
          const text = '.'.repeat(offset) + units.join('').repeat(Math.ceil(400_000 / units.join('').length));
          const value = { a: text, deep: [{ b: [text, 1, { c: text }], d: {} }, [], null, -1.5e3], z: true };
          const result = await read(JSON.stringify(value, null, offset));
          if (result instanceof Failure) throw new Error(result.message);
          expect(result.body).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
      { numRuns: 25 },
    );
  }, 600_000);

  test('and refused wherever it is broken', async () => {
    const text = JSON.stringify({ model: 'm', list: [1, 'two', { three: null }], text: 'ä\n"\\' });
    const bytes = bytesOf(text);
    for (let length = 1; length < bytes.length; length++) {
      expect((await refusalOf(bytes.slice(0, length))).code).toBe('invalid_json');
    }
    for (let at = 0; at < bytes.length; at++) {
      for (const byte of [0x00, 0x22, 0x2c, 0x3a, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0xff, 0x31]) {
        const changed = bytes.slice();
        changed[at] = byte;
        let expected: unknown = null;
        try {
          expected = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(changed));
        } catch {
          expect((await refusalOf(changed)).code).toMatch(/invalid_json|invalid_value/);
          continue;
        }
        const result = await read(changed);
        if (!(result instanceof Failure)) expect(result.body).toEqual(expected as Record<string, unknown>);
      }
    }
  });

  test.each([
    ['a second byte order mark', '\ufeff\ufeff{"model":"m"}'],
    ['a trailing NUL', '{"model":"m"}\0'],
    ['a second object', '{"model":"m"}{"model":"n"}'],
    ['an extra comma', '{"model":"m",}'],
    ['a raw line feed in a string', '{"model":"m\n"}'],
    ['a comment', '{"model":"m"/**/}'],
    ['NaN', '{"model":NaN}'],
    ['an invalid escape', '{"model":"\\x"}'],
  ])('and refused with %s', async (_, text) => {
    expect((await refusalOf(text)).code).toBe('invalid_json');
  });

  test('and accepted with a byte order mark or an escaped NUL', async () => {
    expect(await read('\ufeff{"model":"m\\u0000"}')).toMatchObject({ body: { model: 'm\0' } });
  });

  test('and refused with half a character', async () => {
    const bytes = bytesOf('{"model":"\u00e4"}');
    expect((await refusalOf(bytes.filter((byte) => byte !== 0xa4))).code).toBe('invalid_json');
    expect((await refusalOf(bytesOf('{"model":"mm"}').map((byte) => (byte === 0x6d ? 0xed : byte)))).code).toBe(
      'invalid_json',
    );
  });
});

describe('an expensive body is refused before it is parsed', () => {
  const million = 1_000_000;
  test.each([
    ['brackets', '['.repeat(5 * million), 'too deep'],
    ['braces', '{"a":'.repeat(million), 'too deep'],
    ['values', `{"a":[${'1,'.repeat(million)}1]}`, 'values'],
    ['objects', `{"a":[${'{},'.repeat(million)}{}]}`, 'values'],
    ['members', `{${Array.from({ length: 30_000 }, (_, i) => `"${i}":1`).join()}}`, 'fields in one object'],
    ['names twice', `{${'"a":1,'.repeat(100)}"a":1}`, 'duplicate names'],
    ['white space', `{"a":${' '.repeat(9 * million)}1}`, 'white space'],
    ['one name', `{"${'a'.repeat(million)}":1}`, 'field name'],
  ])('with many %s', async (_, text, said) => {
    const parse = spyOn(JSON, 'parse');
    const failure = await refusalOf(text).finally(() => parse.mockRestore());
    expect(failure.message).toContain(said);
    expect([400, 413]).toContain(failure.status);
    expect(parse).not.toHaveBeenCalled();
  });

  test('but not at the limits', async () => {
    const deep = BODY_BOUNDS.depth - 1;
    const members = Array.from({ length: BODY_BOUNDS.members }, (_, i) => `"${i}":1`).join();
    expect(await read(`{"a":${'['.repeat(deep)}${']'.repeat(deep)},"b":{${members}}}`)).not.toBeInstanceOf(Failure);
  });
});

describe('numbers', () => {
  test.each([
    ['{"tools":[{"maximum":1e400}]}', 'tools[0].maximum'],
    ['{"a":[1,-1E999]}', 'a[1]'],
    [`{"a":{"b":${'9'.repeat(400)}}}`, 'a.b'],
    [`{"a":{"b":${'9'.repeat(400)}.5}}`, 'a.b'],
  ])('as large as %p are refused with their path', async (text, param) => {
    expect((await refusalOf(text)).details.param).toBe(param);
  });

  test('that are inexact integers are reported', async () => {
    const text = `{"seed":9007199254740993,"id":[9007199254740992,1234567890123456789,-9007199254740993,0.1234567890123456789]}`;
    expect(await read(text)).toMatchObject({ scan: { inexact: ['seed', 'id[1]', 'id[2]'] } });
  });
});

describe('names', () => {
  const many = Array.from({ length: 40 }, (_, i) => `"n${i}":1`).join();
  test.each([
    ['a duplicate', '{"model":"a","model":"b"}', 'model'],
    ['a duplicate, the second escaped', '{"model":"a","mod\\u0065l":"b"}', 'model'],
    ['a duplicate, the first escaped', '{"mod\\u0065l":"a","model":"b"}', 'model'],
    ['a duplicate at depth', '{"messages":[{},{"content":[{"text":1,"text":1}]}]}', 'messages[1].content[0].text'],
    ['a duplicate among many', `{"model":1,${many},"model":1}`, 'model'],
    ['a duplicate at the end of many', `{${many},"model":1,"model":1}`, 'model'],
    ['a duplicate after others', `{"x":1,"x":2,"model":1,"model":1}`, 'model'],
    ['another case', '{"model":"a","MODEL":"b"}', 'MODEL'],
    ['another case only', '{"Max_Tokens":5}', 'Max_Tokens'],
    ['camel case', '{"maxTokens":5}', 'maxTokens'],
    ['a letter that Unicode folds', '{"max_to\u212aens":5}', '["max_to\u212aens"]'],
    ['another case, escaped', '{"m\\u004fdel":5}', 'mOdel'],
    ['another case at depth', '{"messages":[{"content":[{"Text":5}]}]}', 'messages[0].content[0].Text'],
    ['__proto__', '{"a":{"__proto__":{"model":"x"}}}', 'a.__proto__'],
    ['__proto__, escaped', '{"a":{"\\u005f_proto__":{}}}', 'a.__proto__'],
    ['NUL', '{"model\\u0000":"x"}', '["model\\u0000"]'],
    ['half a surrogate pair', '{"model\\ud800":"x"}', '["model\\ud800"]'],
  ])('with %s are refused', async (_, text, param) => {
    const failure = await refusalOf(text);
    expect(failure.details.param).toBe(param);
    expect([failure.status, failure.code]).toEqual([400, 'invalid_value']);
  });

  test.each([
    '{"mod\\u0065l":"a"}',
    '{"own":{"id":1,"ID":2},"Own":1}',
    '{"messages":[{"role":1},{"role":2}],"tools":{"properties":{"Text":{},"text":{}}}}',
    '{"constructor":1,"toString":2,"":3,"hasOwnProperty":{"prototype":1}}',
    `{${many},"N3":1,"n3":1}`,
    '{"own":1,"own":2,"messages":[{"own":1,"own":2}],"metadata":{"model":1,"model":2}}',
  ])('as in %s are accepted', async (text) => {
    expect(await read(text)).not.toBeInstanceOf(Failure);
  });

  test('of protocol buffers have two spellings, of which one may be used', async () => {
    const names = new GovernedNames({ maxTokens: 'exact', 'inOne.topK': 'exact', 'in_one.top_k': 'exact' }, true);
    const of = (text: string) => parseBody(bytesOf(text), '', names);
    for (const text of ['{"maxTokens":1}', '{"max_tokens":1}', '{"inOne":{"top_k":1}}', '{"in_one":[{"topK":1}]}']) {
      expect(of(text)).not.toBeInstanceOf(Failure);
    }
    expect(of('{"in_one":{"topK":1,"top_k":1}}')).toBeInstanceOf(Failure);
    for (const text of ['{"maxTokens":1,"max_tokens":1}', '{"max_tokens":null,"maxTokens":1}', '{"maxtokens":1}']) {
      expect(of(text)).toBeInstanceOf(Failure);
    }
  });

  test('read from the bytes equal those of a walk through the values', async () => {
    const table = { maxTokens: 'exact', 'inOne.topK': 'exact', 'inOne[].own': 'exact', 'any.*.topK': 'exact' };
    const name = fc.constantFrom(
      ...[
        'maxTokens',
        'max_tokens',
        'maxtokens',
        'MaxTokens',
        'max__tokens',
        'ma\u0078Tokens',
        'ma\u017fTokens',
        'any',
      ],
      ...['inOne', 'in_one', 'inone', 'topK', 'top_k', 'TopK', 'top\u212a', 'own', 'OWN', 'other', 'Other', 'k', ''],
    );
    const holding = (inner: fc.Arbitrary<unknown>) =>
      fc.dictionary(name, fc.oneof(fc.constant(1), inner, fc.array(inner, { maxLength: 2 })), { maxKeys: 4 });
    const object = holding(holding(holding(fc.constant(1))));
    const law = async (body: unknown, both: boolean) => {
      const names = new GovernedNames(table, both);
      // Names with a backslash become escaped spellings of others.
      const bytes = bytesOf(JSON.stringify(body).replaceAll('\\\\u', '\\u'));
      const walked = await readLargeBody(bytes);
      const large = await readLargeBody(bytes, names.table);
      if (walked instanceof Failure || large instanceof Failure) throw walked;
      const found = parseBody(walked, '', names);
      for (const told of [parseBody(bytes, '', names), parseBody(large, '', names)]) {
        expect(told instanceof Failure ? told.message : null).toBe(found instanceof Failure ? found.message : null);
      }
    };
    await fc.assert(fc.asyncProperty(object, fc.boolean(), law), { numRuns: 500 });
  });
});

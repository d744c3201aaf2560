import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { keyValuesOf, objectOfRows } from './key-values.ts';

test('values keep their types, and texts stay texts', () => {
  const map = { region: 'eu', port: 8080, strict: true, code: '007', list: ['a', 1], none: null };
  const rows = keyValuesOf(map);
  expect(rows.slice(0, 4).map(({ value }) => value)).toEqual(['eu', '8080', 'true', '007']);
  expect(objectOfRows(rows)).toEqual(map);
  expect(objectOfRows([{ name: ' a ', value: ' b ' }])).toEqual({ a: 'b' });
  expect(objectOfRows([{ name: '', value: 'x' }])).toEqual({});
});

test('every object survives the editor', () => {
  const name = fc.stringMatching(/^[a-z_]{1,12}$/);
  const word = fc.string().map((text) => text.trim());
  fc.assert(
    fc.property(
      fc.dictionary(name, fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word)), { noNullPrototype: true }),
      (map) => {
        expect(objectOfRows(keyValuesOf(map))).toEqual(map);
      },
    ),
  );
});

import { expect, test } from 'bun:test';
import { isClosed } from './closed-schemas.ts';

const text = { type: 'string' };
const closed = (properties: object, required = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});

test.each([
  [closed({ city: text }), true],
  [closed({}), true],
  [closed({ cities: { type: 'array', items: closed({ name: text }) } }), true],
  [{ ...closed({ city: { $ref: '#/$defs/city' } }), $defs: { city: closed({ name: text }) } }, true],
  [closed({ city: text }, []), false],
  [{ type: 'object', properties: { city: text }, required: ['city'] }, false],
  [closed({ cities: { type: 'array', items: { type: 'object', properties: { name: text } } } }), false],
  [closed({ city: { anyOf: [text, { type: 'object' }] } }), false],
  [{ ...closed({}), $defs: { city: { properties: { name: text } } } }, false],
  [closed({ city: { allOf: [text] } }), false],
  [closed({ constructor: text }, []), false],
])('%j is closed: %p', (schema, expected) => {
  expect(isClosed(schema)).toBe(expected);
});

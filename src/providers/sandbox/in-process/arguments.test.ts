import { expect, test } from 'bun:test';
import { inputFor } from './arguments.ts';
import type { Tool } from './request.ts';

const PARAMETERS = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer', minimum: 1, maximum: 7 },
    unit: { enum: ['celsius', 'fahrenheit'] },
    hourly: { type: 'boolean' },
  },
  required: ['city', 'unit'],
  additionalProperties: false,
};
const FORECAST: Tool = { kind: 'function', name: 'forecast', parameters: PARAMETERS };
const COMMAND: Tool = {
  kind: 'function',
  name: 'bash',
  parameters: {
    type: 'object',
    properties: { command: { type: 'string' }, timeout: { type: 'number' } },
    required: ['command'],
  },
};

test.each<[string | null, string, object]>([
  [null, 'forecast', { city: 'synthetic', unit: 'celsius' }],
  [null, 'forecast for city: Paris, in fahrenheit please.', { city: 'Paris', unit: 'fahrenheit' }],
  [null, 'forecast, city="New York" days=3 hourly: true', { city: 'New York', unit: 'celsius', days: 3, hourly: true }],
  ['city=Rome, days=99', 'forecast(city=Rome, days=99) city: Oslo', { city: 'Rome', unit: 'celsius' }],
  [null, 'velocity: 3, my-city: Rome', { city: 'synthetic', unit: 'celsius' }],
  ['{"city": 5, "more": true}', '', { city: 5, more: true }],
])('%j in %j', (given, prompt, input) => {
  expect(JSON.parse(inputFor(FORECAST, given, prompt))).toEqual(input);
});

test.each<[string, object]>([
  ['"ls -la"', { command: 'ls -la' }],
  ['ls -la', { command: 'ls -la' }],
  ["'a' 'b'", { command: "a' 'b" }],
  ['', { command: 'synthetic' }],
  ['5', { command: '5' }],
  ['command="echo a, b", timeout=5', { command: 'echo a, b', timeout: 5 }],
])('one required property needs no name: %j', (given, input) => {
  expect(JSON.parse(inputFor(COMMAND, given, 'bash'))).toEqual(input);
});

test('a missing or recursive schema is answered as well', () => {
  const tool = (parameters: unknown): Tool => ({ kind: 'function', name: 'x_y', parameters });
  expect(JSON.parse(inputFor(tool(undefined), null, 'x_y'))).toEqual({});
  const schema = {
    $defs: { a: { type: 'string', minLength: 3 } },
    type: 'object',
    properties: { a: { $ref: '#/$defs/a' } },
  };
  expect(JSON.parse(inputFor(tool(schema), null, 'a: ab'))).toEqual({});
  expect(JSON.parse(inputFor(tool(schema), null, 'a: abc'))).toEqual({ a: 'abc' });
});

test('a prompt of nothing but names takes little time', () => {
  const properties = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`a${index}`, { type: 'string' }]));
  const tool: Tool = { kind: 'function', name: 'x_y', parameters: { type: 'object', properties } };
  expect(inputFor(tool, null, 'a1:"'.repeat(100_000))).toBe('{"a1":"a1:"}');
});

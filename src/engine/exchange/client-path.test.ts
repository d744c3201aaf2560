import { expect, test } from 'bun:test';
import { clientPath } from './client-path.ts';

const body = { tools: [{ function: { name: 'f', strict: true } }], generation_config: { top_k: 1 }, user: null };

test.each([
  ['tools[0].function.strict', 'tools[0].function.strict'],
  ['tools[0].strict', 'tools[0]'],
  ['tools[3].strict', 'tools'],
  ['generation_config.top_k', 'generation_config.top_k'],
  ['user', 'user'],
  ['json-schema', 'json-schema'],
])('of %s the client knows %s', (field, known) => {
  expect(clientPath(body, field)).toBe(known);
});

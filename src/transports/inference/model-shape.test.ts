import { expect, test } from 'bun:test';
import { shapeOf } from './model-shape.ts';

const ANTHROPIC = 'anthropic-messages';
const GEMINI = 'gemini';
const OPENAI = 'openai-chat';

test.each<[shape: string, headers: Record<string, string>, query: string]>([
  [OPENAI, {}, ''],
  [OPENAI, { authorization: 'Bearer sk-a' }, ''],
  [ANTHROPIC, { 'x-api-key': 'sk-a' }, ''],
  [ANTHROPIC, { 'anthropic-version': '2023-06-01' }, ''],
  [ANTHROPIC, { 'anthropic-version': '2023-06-01', authorization: 'Bearer sk-a' }, ''],
  [ANTHROPIC, { 'anthropic-version': '2023-06-01', 'x-api-key': 'sk-a' }, '?key=sk-a'],
  [GEMINI, { 'x-goog-api-key': 'sk-a' }, ''],
  [GEMINI, { 'x-goog-api-client': 'google-genai-sdk/1.0' }, ''],
  [GEMINI, { 'x-goog-api-client': 'google-genai-sdk/1.0', authorization: 'Bearer sk-a' }, ''],
  [GEMINI, {}, '?key=sk-a'],
  [GEMINI, {}, '?pageSize=1&key='],
  [OPENAI, { authorization: 'Bearer sk-a', 'x-api-key': 'sk-a' }, ''],
  [OPENAI, { authorization: 'Bearer sk-a' }, '?key=sk-a'],
  [ANTHROPIC, { 'x-api-key': 'sk-a' }, '?key=sk-a'],
  [OPENAI, {}, '?monkey=sk-a'],
])('%s: %j %s', (shape, headers, query) => {
  expect(shapeOf(new Request(`http://gateway.example/v1/models${query}`, { headers })).name).toBe(shape);
});

import { expect, test } from 'bun:test';
import { noncePlaceholder } from '../load/protocol.ts';
import { putInForm } from './request-form.ts';

test('a request in another form keeps its text, its number and the expected response', () => {
  const template = {
    path: '/v1/chat/completions',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ours' },
    body: JSON.stringify({
      model: 'ours',
      messages: [{ role: 'user', content: `No. ${noncePlaceholder}` }],
      stream: true,
    }),
    expectedMarkers: 64,
    expectedEnding: 'data: [DONE]',
  };
  const form = { path: '/openai/v1/chat/completions', headers: { 'x-key': 'theirs' }, model: 'theirs' };
  const { body, ...rest } = putInForm(template, form);
  expect(JSON.parse(body)).toEqual({ ...JSON.parse(template.body), model: 'theirs' });
  expect(body).toContain(noncePlaceholder);
  expect(rest).toEqual({
    path: form.path,
    headers: { 'Content-Type': 'application/json', 'x-key': 'theirs' },
    expectedMarkers: 64,
    expectedEnding: 'data: [DONE]',
  });
});

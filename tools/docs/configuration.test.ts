import { expect, test } from 'bun:test';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { configurationSchema } from './configuration.ts';

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(JSON.parse(configurationSchema()));

test('the schema for editors accepts the example of docs/configuration.md', async () => {
  const page = await Bun.file(path.join(import.meta.dir, '..', '..', 'docs', 'configuration.md')).text();
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  validate(parse(example, { merge: true }));
  expect(validate.errors ?? []).toEqual([]);
});

test.each([
  ['an amount as a number', { accounts: [{ id: 'a', balance_usd: 12.5 }] }],
  ['a price as a number', { models: [{ id: 'm', pricing: { input_per_1m: 0.5, output_per_1m: '1.50' } }] }],
  [
    'a cost as a number',
    { channels: [{ id: 'a', provider: 'openai', models: ['m'], costs: { m: { input_per_1m: 1 } } }] },
  ],
  ['a secret of the environment', { accounts: [{ id: 'a', keys: [{ id: 'k', secret: `$${'{KEY}'}` }] }] }],
])('the schema for editors accepts %s', (_what, file) => {
  validate(file);
  expect(validate.errors ?? []).toEqual([]);
});

test.each([
  ['an unknown section', { chanels: [] }],
  ['an unknown provider', { channels: [{ id: 'a', provider: 'opnai', models: ['m'] }] }],
  ['an unknown key', { routing: { max_attempt: 3 } }],
  ['a value of another type', { routing: { strategy: 'random' } }],
])('the schema for editors refuses %s', (_what, file) => {
  expect(validate(file)).toBe(false);
});

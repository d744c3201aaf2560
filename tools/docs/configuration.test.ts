import { expect, test } from 'bun:test';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { fileSchema, KNOWN_FIELDS } from '../../src/engine/admin/schema/configuration-file.ts';
import { configurationSchema, EXPLAINED_IN } from './configuration.ts';

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(JSON.parse(configurationSchema()));

const read = (page: string) => Bun.file(path.join(import.meta.dir, '..', '..', 'docs', page)).text();
const configurationPage = await read('configuration.md');
const examples = [...configurationPage.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, example = '']) => example);

test.each([
  ['the minimal file', examples[0]],
  ["a company's file", examples[1]],
])('the schema for editors accepts %s of docs/configuration.md', (_name, example = '') => {
  validate(parse(example, { merge: true }));
  expect(validate.errors ?? []).toEqual([]);
});

test.each(Object.keys(fileSchema.shape))('docs/configuration.md links the page that explains "%s"', (section) => {
  expect(configurationPage).toMatch(new RegExp(`\\| [^|]*\`${section}\`[^|]*\\|.*\\(${pageOf(section)}[#)]`));
});

/** Prices have a page of their own; the overrides of an account and a model are listed with the settings that they override. */
const PAGES_OF_PARTS: Readonly<Record<string, string>> = {
  'channels.costs': 'prices.md',
  'channels.costs.tiers': 'prices.md',
  'channels.api_keys': 'upstream-keys.md',
  'channels.api_keys.spend_cap': 'upstream-keys.md',
  'models.pricing': 'prices.md',
  'models.pricing.tiers': 'prices.md',
  'models.rules': 'virtual-models.md',
  'models.rules.when': 'virtual-models.md',
  'models.rules.when.time': 'virtual-models.md',
  'models.rules.when.share': 'virtual-models.md',
  'accounts.cache': 'cache.md',
  'accounts.cache.semantic': 'cache.md',
};

const PARTS = Object.entries(KNOWN_FIELDS).filter(([part]) => part !== '');

test.each(PARTS)('the page that explains "%s" names every field', async (part, fields) => {
  const page = await read(PAGES_OF_PARTS[part] ?? pageOf(part));
  for (const field of fields) expect(page).toMatch(new RegExp(`\`([\\w.]+\\.)?${field}[.\`]`));
});

function pageOf(part: string): string {
  const [section = ''] = part.split('.');
  return EXPLAINED_IN[section]?.split('#')[0] ?? '';
}

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

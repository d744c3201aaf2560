import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { MODEL_CATEGORIES } from '../../domain/catalog/category.ts';
import { providers } from '../../providers/index.ts';
import { parseConfiguration } from './load-configuration.ts';

const read = (page: string) => Bun.file(join(import.meta.dir, '../../../docs', page)).text();
const page = await read('configuration.md');
const examplesOf = (text: string) => [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, example = '']) => example);
const [minimal = '', company = ''] = examplesOf(page);

const environment = { OPENAI_API_KEY: 'upstream-key', AZURE_OPENAI_API_KEY: 'another-upstream-key' };

test('the minimal example is valid', () => {
  const configuration = parseConfiguration('example', minimal, { environment, providers });
  expect(configuration).toMatchObject({ channels: [{}], models: [], accounts: [{ credentials: [{}] }] });
});

test("a company's example is valid", () => {
  const configuration = parseConfiguration('example', company, { environment, providers });
  expect(configuration).toMatchObject({ channels: [{}, {}], models: [{}], accounts: [{}], sandbox: false });
});

test('the example with prices is valid', async () => {
  const [prices = ''] = examplesOf(await read('prices.md'));
  const { models } = parseConfiguration('example', prices, { environment: {}, providers });
  expect(models).toMatchObject([{ pricing: [{ effectiveFromMs: null }, { tiers: [{ aboveInputTokens: 200_000 }] }] }]);
});

test('docs/configuration.md names every environment variable of the settings', async () => {
  const settings = await Bun.file(join(import.meta.dir, '../cli/settings.ts')).text();
  const variables = [...settings.matchAll(/variable\('([A-Z_]+)'\)/g)].map((match) => match[1]);
  expect(variables.length).toBeGreaterThanOrEqual(7);
  for (const variable of variables) expect(page).toContain(`\`${variable}\``);
});

test('docs/models.md names every category', async () => {
  const models = await read('models.md');
  for (const category of MODEL_CATEGORIES) expect(models).toContain(`\`${category}\``);
});

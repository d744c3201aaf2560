import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { MODEL_CATEGORIES } from '../../domain/catalog/category.ts';
import { KNOWN_FIELDS } from '../../engine/admin/schema/configuration-file.ts';
import { providers } from '../../providers/index.ts';
import { parseConfiguration } from './load-configuration.ts';

const PAGE = join(import.meta.dir, '../../../docs/configuration.md');
const page = await Bun.file(PAGE).text();
const [example = '', ...pieces] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');

test('the example is valid and names every section', () => {
  const environment = { OPENAI_API_KEY: 'upstream-key' };
  const configuration = parseConfiguration('example', example, { environment, providers });
  expect(configuration).toMatchObject({ channels: [{}], models: [{}], accounts: [{}], sandbox: false });
  for (const section of KNOWN_FIELDS[''] ?? []) expect(example).toMatch(new RegExp(`^${section}:`, 'm'));
});

test('the example of prices is valid', () => {
  const { models } = parseConfiguration('example', pieces.join('\n'), { environment: {}, providers });
  expect(models).toMatchObject([{ pricing: [{ effectiveFromMs: null }, { tiers: [{ aboveInputTokens: 200_000 }] }] }]);
});

test.each(Object.entries(KNOWN_FIELDS))('every field of "%s" has its place on the page', (_section, fields) => {
  for (const field of fields) expect(page).toMatch(new RegExp(`\`(server\\.)?${field}\``));
});

test('every category, and every variable of the settings is on the page', async () => {
  const settings = await Bun.file(join(import.meta.dir, '../cli/settings.ts')).text();
  const variables = [...settings.matchAll(/variable\('([A-Z_]+)'\)/g)].map((match) => match[1]);
  expect(variables.length).toBeGreaterThanOrEqual(7);
  for (const word of [...MODEL_CATEGORIES, ...variables]) expect(page).toContain(`\`${word}\``);
});

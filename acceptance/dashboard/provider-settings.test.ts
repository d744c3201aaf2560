import { expect, test } from 'bun:test';
import { z } from 'zod';
import { type SettingLabels, settingFields } from '../../dashboard/pages/shared/channels/settings-schema.ts';
import { providers } from '../../src/providers/index.ts';

type Words = Readonly<Record<string, SettingLabels>>;

/** Imported by URL: it is dashboard source, which this project does not type-check. */
const TEXTS = new URL('../../dashboard/text/provider-settings.ts', import.meta.url).href;

test('every setting of every provider is described in both languages, in English as in its manifest', async () => {
  const { providerSettings }: { readonly providerSettings: Readonly<Record<'en' | 'zh', Words>> } = await import(TEXTS);
  const of = (texts: Words) =>
    Object.entries(texts).flatMap(([id, words]) => Object.keys(words).map((name) => `${id} ${name}`));
  const fields = [...providers].flatMap(([id, { settings }]) => {
    if (settings === undefined) return [];
    const schema = z.toJSONSchema(settings) as { readonly properties?: object };
    return settingFields({ properties: { ...schema.properties } }).map((field) => ({ id, field }));
  });
  expect(fields.length).toBeGreaterThan(5);
  const all = fields.map(({ id, field }) => `${id} ${field.name}`).sort();
  expect(of(providerSettings.en).sort()).toEqual(all);
  expect(of(providerSettings.zh).sort()).toEqual(all);
  for (const { id, field } of fields) {
    expect(providerSettings.en[id]?.[field.name]).toEqual({ label: field.label, help: field.help ?? '' });
  }
});

import { expect, test } from 'bun:test';
import { SETTING_CLASSES } from '../../src/engine/admin/settings/classes.ts';

/* Every setting of the gateway has a name and a sentence in the dashboard. */

const TEXTS = ['setting-labels', 'setting-help'] as const;
const NAMES = Object.entries(SETTING_CLASSES).flatMap(([section, fields]) =>
  Object.keys(fields).map((path) => `${section}.${path}`),
);

test.each(TEXTS)('%s has a text for each setting in both languages, and for nothing else', async (file) => {
  // A name that the type checker does not follow: the dashboard is checked with its own settings.
  const address = new URL(`../../dashboard/text/${file}.ts`, import.meta.url).href;
  const [texts] = Object.values<Record<string, Record<string, string>>>(await import(address));
  for (const language of ['en', 'zh'])
    expect(Object.keys(texts?.[language] ?? {}).toSorted()).toEqual(NAMES.toSorted());
});

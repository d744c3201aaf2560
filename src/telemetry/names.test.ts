import { expect, test } from 'bun:test';
import { join } from 'node:path';
import * as names from './names.ts';

const page = await Bun.file(join(import.meta.dir, '../../docs/tracing.md')).text();
/** The names of log lines are those of spans, and those of docs/logs.md. */
const { LOG_ATTRIBUTES: _attributes, LOG_PREFIX: _prefix, ...ofSpans } = names;
const all = Object.values(ofSpans)
  .flatMap((group): readonly unknown[] => (typeof group === 'string' ? [group] : Object.values(group)))
  .filter((name): name is string => typeof name === 'string' && name.includes('.'));

test.each(all)('docs/tracing.md has the attribute %s', (name) => {
  expect(page).toContain(`\`${name}\``);
});

test('docs/tracing.md has no other attributes', () => {
  const named = [...page.matchAll(/`((?:gen_ai|switchyard|http|url|client)\.[a-z_.]+[a-z])`/g)].map(
    ([, name = '']) => name,
  );
  expect([...new Set(named)].filter((name) => !all.includes(name))).toEqual([]);
});

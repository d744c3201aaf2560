import { expect, test } from 'bun:test';
import path from 'node:path';
import { METRICS } from '../../src/transports/ops/catalogue/catalogue.ts';

/* Pages, dashboards and rules must not name metrics that have been renamed or removed. */

const root = path.join(import.meta.dir, '..', '..');
const FILES = ['README.md', 'docs/**/*.md', 'deploy/**/*'].flatMap((pattern) => [
  ...new Bun.Glob(pattern).scanSync({ cwd: root }),
]);
/** A variable of nginx, and the table that requests are exported to. */
const OTHERS: ReadonlySet<string> = new Set(['switchyard_connection', 'switchyard_requests']);
const NAMED = /(?<![\w.-])(?:switchyard|gen_ai)_[a-z_]*[a-z]\b(?![*…<{]\w)/g;
/** The labels of the conventions have the same beginning. */
const LABELS = new Set(Object.values(METRICS).flatMap(({ labels }) => [...labels] as string[]));

test.each(FILES)('the metrics that %s names exist', async (file) => {
  const text = await Bun.file(path.join(root, file)).text();
  const names = new Set((text.match(NAMED) ?? []).map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
  const unknown = [...names].filter((name) => !Object.hasOwn(METRICS, name) && !OTHERS.has(name) && !LABELS.has(name));
  expect(unknown).toEqual([]);
});

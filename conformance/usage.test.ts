import { expect, test } from 'bun:test';
import path from 'node:path';
import { ownExchanges } from './shared/recordings.ts';
import { testUsages } from './usage/counted-usages.ts';
import { usageTable } from './usage/page.ts';
import { recordedUsages } from './usage/recorded.ts';

/*
 * One table defines how each format counts its tokens. The usage of every response, whole or streamed, translated or relayed, must match it: no
 * token is lost or counted twice.
 */

test('docs/usage.md has the current table', async () => {
  const page = await Bun.file(path.join(import.meta.dir, '..', 'docs', 'usage.md')).text();
  expect(page).toContain(usageTable());
});

testUsages(recordedUsages(ownExchanges()));

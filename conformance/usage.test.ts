import { expect, test } from 'bun:test';
import path from 'node:path';
import { ownExchanges } from './shared/recordings.ts';
import { testUsages } from './usage/counted-usages.ts';
import { usageTable } from './usage/page.ts';
import { recordedUsages } from './usage/recorded.ts';

/*
 * Who counts what where is one table. Every answer's usage, whole or streamed, decoded or relayed, comes to what the table says: no
 * token is lost, and none is counted twice.
 */

test('the page shows the table', async () => {
  const page = await Bun.file(path.join(import.meta.dir, '..', 'docs', 'usage.md')).text();
  expect(page).toContain(usageTable());
});

testUsages(recordedUsages(ownExchanges()));

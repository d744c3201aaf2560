import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { verifyArchives } from '../../../src/engine/admin/ledger/read-ledger.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { sampleCharge, sampleEntry } from '../../../src/engine/ports/testing/samples.ts';
import { FileArchiveFolder } from '../../../src/stores/ledger-files/archive-folder.ts';
import { killedAfter } from './killed.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const ROUNDS = 4;

/** An empty database, a folder for archives, and the opening of the store by the next gateway. */
export interface ArchivedDatabase {
  /** The path of the file, or the URL. */
  readonly place: string;
  readonly folder: string;
  open(): Promise<Store>;
}

/** Kills the process that archives charges, at random moments, on either database. */
export function archiveKillTests(database: () => ArchivedDatabase): void {
  test('kill -9 while charges are archived leaves correct books, and the archive is continued', async () => {
    const { place, folder, open } = database();
    const archives = join(folder, 'archives');
    const store = await open();
    await store.ledger.append(sampleEntry({ amountNanoUsd: 1_000_000n, atMs: START }));
    const charged = Array.from({ length: 1_500 }, (_, index) => {
      const at = { atMs: START + Math.floor(index / 30) * DAY_MS, requestId: `req-${index}` };
      return store.ledger.charge(
        sampleCharge({ ...at, costNanoUsd: BigInt(index), keyId: index % 3 === 0 ? null : 'ci' }),
      );
    });
    await Promise.all(charged);
    const before = [await store.ledger.balances(), await store.ledger.spending()];
    await store.close();
    let next = START + DAY_MS;
    for (let round = 0; round < ROUNDS; round++) {
      const now = String(START + 500 * DAY_MS + round * 120_000);
      const lines = 1 + Math.floor(Math.random() * 6);
      const said = await killedAfter(lines, 'ledger-archiver.child.ts', place, archives, String(next), now);
      next = Number(said.at(-1)) + DAY_MS;
      const { ledger, ledgerArchive, close } = await open();
      expect((await ledger.verify()).problems).toEqual([]);
      expect([await ledger.balances(), await ledger.spending()]).toEqual(before);
      if (ledgerArchive === null) throw new Error('There is no archive.');
      expect(await verifyArchives(ledgerArchive, new FileArchiveFolder(archives))).toEqual([]);
      await close();
    }
  });
}

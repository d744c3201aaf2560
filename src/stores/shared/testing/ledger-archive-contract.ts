import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveLedger } from '../../../engine/admin/ledger/archive-ledger.ts';
import { archivedEntries, verifyArchives } from '../../../engine/admin/ledger/read-ledger.ts';
import { failureOf } from '../../../engine/admin/testing/failure-of.ts';
import type { ArchiveFolder, LedgerArchive } from '../../../engine/ports/ledger-archive.ts';
import type { Store } from '../../../engine/ports/store.ts';
import {
  SAMPLE_USAGE,
  sampleAccount,
  sampleCharge,
  sampleEntry,
  sampleHold,
  sampleRecord,
} from '../../../engine/ports/testing/samples.ts';
import { FileArchiveFolder } from '../../ledger-files/archive-folder.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-28T12:00:00Z');
const JANUARY = Date.parse('2026-01-01T00:00:00Z');
const MARCH = Date.parse('2026-03-01T00:00:00Z');

/** Tests for every store with a persistent ledger. `edit` runs a raw statement. */
export function ledgerArchiveTests(store: () => Store, edit: (sql: string) => Promise<unknown>): void {
  describe('archives of the ledger', () => {
    let path: string;
    let folder: ArchiveFolder;
    beforeEach(async () => {
      path = await mkdtemp(join(tmpdir(), 'switchyard-archive-'));
      folder = new FileArchiveFolder(path);
    });
    afterEach(() => rm(path, { recursive: true }));

    const archiveOf = (): LedgerArchive => {
      const { ledgerArchive } = store();
      if (ledgerArchive === null) throw new Error('There is no archive.');
      return ledgerArchive;
    };
    const clock = { nowMs: () => NOW };
    const run = (beforeMs: number, changes: Partial<Parameters<typeof archiveLedger>[0]> = {}) =>
      archiveLedger({ archive: archiveOf(), folder, clock, ...changes }, beforeMs);
    const problems = async () => [
      ...(await store().ledger.verify()).problems,
      ...(await verifyArchives(archiveOf(), folder)),
    ];
    const files = async () => (await readdir(path)).toSorted();

    /** Writes a credit, and monthly charges of two accounts. */
    async function fill(): Promise<void> {
      const { ledger, directory, requestLog, holds } = store();
      await directory.write('all', (writer) => {
        for (const id of ['acme', 'open']) writer.putAccount(sampleAccount({ id, billing: 'unlimited' }));
      });
      const atMs = Date.parse('2025-11-05T00:00:00Z');
      await ledger.append(sampleEntry({ amountNanoUsd: 1_000n, atMs, note: 'order 4711' }));
      for (const month of ['2025-11', '2025-12', '2026-01', '2026-02', '2026-10']) {
        const at = Date.parse(`${month}-15T10:00:00.123Z`);
        for (const [accountId, keyId] of [
          ['acme', 'ci'],
          ['open', null],
        ] as const) {
          const request = { requestId: `${month}-${accountId}`, accountId, keyId, costNanoUsd: 7n };
          await ledger.charge(sampleCharge({ ...request, atMs: at }));
          requestLog.append(sampleRecord({ ...request, atMs: at }));
        }
      }
      await requestLog.flush();
      const hold = sampleHold({ keyId: null, fromLimitNanoUsd: null, keyLimitNanoUsd: null, atMs });
      await holds.hold(hold);
      await holds.settle(hold.holdId, 9n, atMs + DAY_MS, SAMPLE_USAGE);
    }

    const figures = async () => {
      const { ledger, statements } = store();
      const spans = [{ fromMs: Date.parse('2025-11-01T00:00:00Z'), toMs: NOW }];
      const of = (accountId: string) => statements.figures({ accountId, spans, usage: [] });
      return {
        balances: await ledger.balances(),
        spending: await ledger.spending(),
        statements: [await of('acme'), await of('open')],
      };
    };

    test('old charges are moved to the archive; balances, statements and verification do not change', async () => {
      await fill();
      const before = await figures();
      const { archived } = await run(JANUARY);
      expect(archived).toMatchObject([{ number: 1, entries: 5, amountNanoUsd: -37n, previousSha256: null }]);
      expect(await files()).toEqual(['ledger-000001-before-2026-01-01.jsonl.gz']);
      expect(await figures()).toEqual(before);
      const { ledger } = store();
      expect(await ledger.verify()).toMatchObject({ accounts: 2, entries: 7, charges: 6, archived: 5 });
      expect(await problems()).toEqual([]);
      expect(await ledger.find('charge:2025-12-acme')).toBeNull();
      expect((await ledger.find('grant:1'))?.note).toBe('order 4711');
      const entries = await archivedEntries(archiveOf(), folder, 'acme', 2);
      expect(entries.map(({ requestId }) => requestId)).toEqual(['req-hold', '2025-12-acme']);
      expect(entries[1]).toMatchObject({ keyId: 'ci', amountNanoUsd: -7n, kind: 'charge', note: null });
    });

    test('each archive continues the previous one, and a missing or changed one is named', async () => {
      await fill();
      await run(JANUARY);
      const [second] = (await run(MARCH)).archived;
      const [first] = await archiveOf().checkpoints();
      expect(second).toMatchObject({ number: 2, entries: 4, previousSha256: first?.sha256 });
      expect((await run(MARCH)).archived).toEqual([]);
      expect(await problems()).toEqual([]);
      const [one = '', two = ''] = (await files()).map((name) => join(path, name));
      await rename(two, `${two}.away`);
      expect(await problems()).toEqual([
        expect.stringContaining('ledger-000002-before-2026-03-01.jsonl.gz" is missing'),
      ]);
      await writeFile(two, await Bun.file(one).bytes());
      expect(await problems()).toEqual([expect.stringContaining('000002-before-2026-03-01.jsonl.gz" was changed')]);
      await rename(`${two}.away`, two);
      expect(await problems()).toEqual([]);
      await edit(
        "update ledger_archived set amount_nano = amount_nano - 1 where checkpoint = 2 and account_id = 'open'",
      );
      expect(await problems()).toEqual([
        expect.stringContaining('The balance of the account "open"'),
        expect.stringContaining('The sums in the ledger for "ledger-000002'),
      ]);
    });

    test('an interrupted archive is continued, and the ledger is correct at each step', async () => {
      await fill();
      const before = await figures();
      const cut = async () => Promise.reject(new Error('cut off'));
      const archive = archiveOf();
      const broken = (changes: Partial<LedgerArchive>) =>
        run(JANUARY, {
          archive: new Proxy(archive, { get: (of, name) => Reflect.get(changes, name) ?? boundOf(of, name) }),
        });
      const cuts: readonly Partial<LedgerArchive>[] = [
        { chargesAfter: cut },
        { begin: cut },
        { move: (checkpoint, charges) => archive.move(checkpoint, charges.slice(0, 2)).then(cut) },
        { move: cut },
        { complete: cut },
      ];
      for (const changes of cuts) {
        await expect(broken(changes)).rejects.toThrow('cut off');
        expect(await figures()).toEqual(before);
        expect((await store().ledger.verify()).problems).toEqual([]);
      }
      expect(await archive.checkpoints()).toMatchObject([{ isComplete: false, entries: 5 }]);
      expect((await run(JANUARY)).archived).toMatchObject([{ number: 1 }]);
      expect(await archive.checkpoints()).toMatchObject([{ isComplete: true }]);
      expect(await problems()).toEqual([]);
    });

    test('a charge that differs from the archive stays in the ledger, with its whole batch', async () => {
      await fill();
      const archive = archiveOf();
      await archive.begin({
        ...{ number: 1, beforeMs: JANUARY, entries: 1, amountNanoUsd: -7n, fileName: 'x', sha256: 'y' },
        previousSha256: null,
      });
      const { charges } = await archive.chargesAfter(0, 10);
      const [charge] = charges;
      if (charge === undefined) throw new Error('There is no charge.');
      const other = { ...charge, amountNanoUsd: charge.amountNanoUsd - 1n };
      const checkpoint = { number: 1, beforeMs: JANUARY };
      await expect(archive.move(checkpoint, [other])).rejects.toThrow('differs between the ledger and the archive');
      expect(await store().ledger.find(`charge:${charge.requestId}`)).not.toBeNull();
      await expect(archive.move({ number: 1, beforeMs: charge.atMs }, [charge])).rejects.toThrow(
        /append-only|never changed or deleted/,
      );
      await expect(edit('delete from ledger_entries')).rejects.toThrow(/append-only|never changed or deleted/);
      expect((await store().ledger.verify()).problems).toEqual([]);
    });

    test('young charges are refused, and so is a second process at the same time', async () => {
      await fill();
      expect((await failureOf(run(NOW - 61 * DAY_MS))).message).toContain('must be at least 62 days ago');
      await archiveOf().claim('another', NOW - 1_000, NOW + 1_000);
      expect((await failureOf(run(JANUARY))).message).toContain('is being archived by another process');
      await run(JANUARY, { clock: { nowMs: () => NOW + 1_000 } });
      expect(await problems()).toEqual([]);
    });
  });
}

function boundOf(of: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(of, name);
  return typeof member === 'function' ? member.bind(of) : member;
}

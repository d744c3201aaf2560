import { archiveLedger } from '../../../src/engine/admin/ledger/archive-ledger.ts';
import { FileArchiveFolder } from '../../../src/stores/ledger-files/archive-folder.ts';
import { openPostgresStore } from '../../../src/stores/postgres/postgres-store.ts';
import { openSqliteStore } from '../../../src/stores/sqlite/sqlite-store.ts';

/** Archives the ledger day by day and prints each finished day. Arguments: the file or URL, the folder, the first day, the time. */
const [path = '', folder = '', first = '', now = ''] = process.argv.slice(2);
const DAY_MS = 86_400_000;
const silent = () => {};
const clock = { nowMs: () => Number(now), monotonicMs: () => performance.now() };
const logger = { debug: silent, info: silent, warn: silent, error: silent };
const common = { secret: 'crash', clock, logger };
const { ledgerArchive: archive } = path.startsWith('postgres')
  ? await openPostgresStore({ url: path, ...common })
  : await openSqliteStore({ path, ...common });
if (archive === null) throw new Error('There is no archive.');
for (let beforeMs = Number(first); ; beforeMs += DAY_MS) {
  await archiveLedger({ archive, folder: new FileArchiveFolder(folder), clock }, beforeMs);
  process.stdout.write(`${beforeMs}\n`);
}

import type { ExportProgress, ExportStore, StoredExport } from '../../engine/ports/export-store.ts';
import { fromJson } from '../shared/tables/encoding.ts';
import { ask, type ProgramRunner, type SqlRow } from './program.ts';

const COLUMNS = 'export_id, holder, until_ms, progress';

/** The progress of exports, for both databases. */
export class SqlExports implements ExportStore {
  readonly #runner: ProgramRunner;

  constructor(runner: ProgramRunner) {
    this.#runner = runner;
  }

  async claim(exportId: string, claim: Parameters<ExportStore['claim']>[1]): Promise<StoredExport | null> {
    const { dialect } = this.#runner;
    const [row] = await this.#runner.write(() =>
      ask(dialect, (sql) => {
        const now = dialect.nowMs(sql, Math.floor(claim.nowMs));
        return `
          INSERT INTO request_exports AS known (${COLUMNS})
          VALUES (${sql.put(exportId)}, ${sql.put(claim.holder)}, ${now} + ${sql.put(claim.forMs)}, ${sql.put(JSON.stringify(claim.initial))})
          ON CONFLICT (export_id) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
          WHERE known.holder IS NULL OR known.holder = excluded.holder OR known.until_ms <= ${now}
          RETURNING ${COLUMNS}
        `;
      }),
    );
    return row === undefined ? null : stored(row);
  }

  async save(exportId: string, holder: string, progress: ExportProgress): Promise<boolean> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.write(() =>
      ask(
        dialect,
        (sql) => `
          UPDATE request_exports SET progress = ${sql.put(JSON.stringify(progress))}
          WHERE export_id = ${sql.put(exportId)} AND holder = ${sql.put(holder)} RETURNING export_id
        `,
      ),
    );
    return rows.length === 1;
  }

  async release(exportId: string, holder: string): Promise<void> {
    const { dialect } = this.#runner;
    await this.#runner.write(() =>
      ask(
        dialect,
        (sql) => `
          UPDATE request_exports SET holder = NULL, until_ms = 0
          WHERE export_id = ${sql.put(exportId)} AND holder = ${sql.put(holder)}
        `,
      ),
    );
  }

  async list(): Promise<readonly StoredExport[]> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.read(() =>
      ask(dialect, () => `SELECT ${COLUMNS} FROM request_exports ORDER BY export_id`),
    );
    return rows.map(stored);
  }
}

function stored({ export_id, holder, progress }: SqlRow): StoredExport {
  return {
    exportId: String(export_id),
    holder: holder === null ? null : String(holder),
    progress: fromJson<ExportProgress>(String(progress)),
  };
}

import type { FeedbackType } from '../../domain/cache/cache-feedback.ts';
import type { CacheReport, CacheReportStore, CountedReport } from '../../engine/ports/cache-reports.ts';
import type { ContentBox } from '../shared/content-box.ts';
import { ask, lock, type SqlProgram, type SqlRow, type SqlRunner } from './program.ts';

const COLUMNS =
  'id, entry_id, cache_key, account_id, key_id, model_id, type, sealed_description, at_ms, invalidated_at_ms';

type Page = Parameters<CacheReportStore['list']>[0];

/** Reports of wrong cached answers. Descriptions are sealed, as all that clients say is. `row_id` rises with every report. */
export class SqlCacheReports implements CacheReportStore {
  readonly #runner: SqlRunner;
  readonly #box: ContentBox;

  /** @param runner its transactions outlive a crash of the machine */
  constructor(runner: SqlRunner, box: ContentBox) {
    this.#runner = runner;
    this.#box = box;
  }

  add(report: CacheReport, mostOfAccount: number): Promise<CountedReport> {
    return this.#runner.write(() => this.#adding(report, mostOfAccount), { bytes: report.description.length });
  }

  async invalidated(entryId: string, atMs: number): Promise<void> {
    await this.#runner.change(
      (sql) => `
        UPDATE cache_reports SET invalidated_at_ms = ${sql.put(Math.floor(atMs))}
        WHERE entry_id = ${sql.put(entryId)} AND invalidated_at_ms IS NULL
      `,
    );
  }

  async list(page: Page): Promise<readonly CacheReport[]> {
    const rows = await this.#runner.read(() => this.#listing(page));
    return rows.map((row) => this.#reportFrom(row));
  }

  removeOld(beforeMs: number, limit: number): Promise<number> {
    return this.#runner.change((sql) => {
      const most = sql.put(Math.max(0, Math.floor(limit)));
      return this.#deleting(`WHERE at_ms < ${sql.put(Math.floor(beforeMs))} ORDER BY at_ms LIMIT ${most}`);
    });
  }

  *#adding(report: CacheReport, mostOfAccount: number): SqlProgram<CountedReport> {
    const { dialect } = this.#runner;
    const { id, entryId, accountId } = report;
    // Reports of one entry are added one after another: two at once would not see each other, and each would count too few.
    yield* lock(dialect, `cache report ${entryId}`);
    const description = report.description === '' ? null : this.#box.seal(report.description, placeOf(accountId, id));
    const added = yield* ask(dialect, (sql) => {
      const facts = [id, entryId, report.cacheKey, accountId, report.keyId, report.modelId, report.type, description];
      const times = [report.atMs, report.invalidatedAtMs].map((atMs) => (atMs === null ? null : Math.floor(atMs)));
      return `
        INSERT INTO cache_reports (${COLUMNS}) VALUES (${[...facts, ...times].map((value) => sql.put(value)).join(', ')})
        ON CONFLICT (entry_id, account_id, key_id) DO NOTHING RETURNING row_id
      `;
    });
    const isNew = added.length === 1;
    if (isNew) yield* this.#makingRoom(accountId, Math.max(1, mostOfAccount));
    const [counted] = yield* ask(
      dialect,
      (sql) => `
        SELECT count(*) AS keys, count(DISTINCT account_id) AS accounts
        FROM cache_reports WHERE entry_id = ${sql.put(entryId)}
      `,
    );
    return { isNew, keys: Number(counted?.keys ?? 0), accounts: Number(counted?.accounts ?? 0) };
  }

  /** Deletes all but the newest `stay` reports of an account. */
  *#makingRoom(accountId: string, stay: number): SqlProgram<void> {
    yield* ask(this.#runner.dialect, (sql) => {
      const account = sql.put(accountId);
      const first = `SELECT row_id FROM cache_reports WHERE account_id = ${account}`;
      return this.#deleting(
        `WHERE account_id = ${account} AND row_id <= (${first} ORDER BY row_id DESC LIMIT 1 OFFSET ${sql.put(stay)})`,
      );
    });
  }

  /** Only the conditions that the page has, so that each finds its index. */
  *#listing({ limit, before, accountId, entryId }: Page): SqlProgram<readonly SqlRow[]> {
    return yield* ask(this.#runner.dialect, (sql) => {
      const conditions = [
        ...(accountId === null ? [] : [`account_id = ${sql.put(accountId)}`]),
        ...(entryId === null ? [] : [`entry_id = ${sql.put(entryId)}`]),
        ...(before === null ? [] : [`row_id < (SELECT row_id FROM cache_reports WHERE id = ${sql.put(before)})`]),
      ];
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      const most = sql.put(Math.max(0, Math.floor(limit)));
      return `SELECT ${COLUMNS} FROM cache_reports ${where} ORDER BY row_id DESC LIMIT ${most}`;
    });
  }

  #deleting(rest: string): string {
    return `DELETE FROM cache_reports WHERE ${this.#runner.dialect.firstOf('cache_reports', ['row_id'], rest)}`;
  }

  /** Throws a `SecretBoxError` that names the row when it was sealed with another secret. */
  #reportFrom(row: SqlRow): CacheReport {
    const [id, accountId, sealed] = [String(row.id), String(row.account_id), row.sealed_description];
    return {
      id,
      entryId: String(row.entry_id),
      cacheKey: String(row.cache_key),
      accountId,
      keyId: String(row.key_id),
      modelId: String(row.model_id),
      type: row.type as FeedbackType, // The table's check holds what it may be.
      description: sealed instanceof Uint8Array ? this.#box.open(sealed, placeOf(accountId, id)) : '',
      atMs: Number(row.at_ms),
      invalidatedAtMs: row.invalidated_at_ms === null ? null : Number(row.invalidated_at_ms),
    };
  }
}

/** The place that a sealed description is bound to. */
export function placeOf(accountId: string, id: string): readonly string[] {
  return ['cache_reports', accountId, id, 'description'];
}

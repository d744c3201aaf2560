import type { FeedbackType } from '../../domain/cache/cache.ts';
import type { CacheReport, CacheReportStore, CountedReport } from '../../engine/ports/cache-reports.ts';
import type { ContentBox } from '../shared/content-box.ts';
import { ask, lock, type SqlProgram, type SqlRow, type SqlRunner } from './program.ts';

const COLUMNS =
  'id, entry_id, cache_key, account_id, key_id, model_id, type, sealed_description, at_ms, invalidated_at_ms';

type Page = Parameters<CacheReportStore['list']>[0];

/** Stores feedback on cached responses. Descriptions are encrypted, like all client content. `row_id` ascends in write order. */
export class SqlCacheReports implements CacheReportStore {
  readonly #runner: SqlRunner;
  readonly #box: ContentBox;

  /** @param runner must be durable */
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
    // Serialises reports of one entry, since two concurrent ones would not count each other.
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

  /** Includes only the given conditions, so that each query finds its index. */
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

  /** Throws a `SecretBoxError` that names the row if it was sealed with another secret. */
  #reportFrom(row: SqlRow): CacheReport {
    const [id, accountId, sealed] = [String(row.id), String(row.account_id), row.sealed_description];
    return {
      id,
      entryId: String(row.entry_id),
      cacheKey: String(row.cache_key),
      accountId,
      keyId: String(row.key_id),
      modelId: String(row.model_id),
      type: row.type as FeedbackType, // Guaranteed by a check constraint.
      description: sealed instanceof Uint8Array ? this.#box.open(sealed, placeOf(accountId, id)) : '',
      atMs: Number(row.at_ms),
      invalidatedAtMs: row.invalidated_at_ms === null ? null : Number(row.invalidated_at_ms),
    };
  }
}

/** Returns the place to which a sealed description is bound. */
export function placeOf(accountId: string, id: string): readonly string[] {
  return ['cache_reports', accountId, id, 'description'];
}

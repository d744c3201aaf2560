import type {
  IdempotencyState,
  IdempotencyStore,
  IdempotentRequest,
  KeptAnswer,
} from '../../engine/ports/idempotency-store.ts';
import type { ContentBox } from '../shared/content-box.ts';
import { fromJson } from '../shared/tables/encoding.ts';
import { ask, type SqlRow, type SqlRunner, type Values } from './program.ts';

/** Stores responses of requests with an idempotency key, encrypted, since they contain what clients received. */
export class SqlIdempotency implements IdempotencyStore {
  readonly #runner: SqlRunner;
  readonly #box: ContentBox;

  /** @param runner must be durable */
  constructor(runner: SqlRunner, box: ContentBox) {
    this.#runner = runner;
    this.#box = box;
  }

  async begin(request: IdempotentRequest, nowMs: number): Promise<IdempotencyState> {
    const { scope, key, fingerprint } = request;
    const begun = await this.#runner.change(
      (sql) => `
        INSERT INTO idempotent_requests (scope, key, fingerprint, at_ms)
        VALUES (${sql.put(scope)}, ${sql.put(key)}, ${sql.put(fingerprint)}, ${sql.put(Math.floor(nowMs))})
        ON CONFLICT (scope, key) DO NOTHING
      `,
    );
    if (begun === 1) return { kind: 'new' };
    const find = (sql: Values) =>
      `SELECT fingerprint, sealed_answer FROM idempotent_requests WHERE ${at(sql, request)}`;
    const [row] = await this.#runner.read(() => ask(this.#runner.dialect, find));
    // Abandoned between the two statements, so that a retry finds the key free.
    return row === undefined ? { kind: 'running' } : this.#stateFrom(row, request);
  }

  async finish(request: IdempotentRequest, answer: KeptAnswer): Promise<void> {
    const sealed = this.#box.seal(JSON.stringify(answer), placeOf(request.scope, request.key));
    await this.#runner.change(
      (sql) => `UPDATE idempotent_requests SET sealed_answer = ${sql.put(sealed)} WHERE ${at(sql, request)}`,
      { bytes: sealed.length },
    );
  }

  async abandon(request: IdempotentRequest): Promise<void> {
    await this.#runner.change(
      (sql) => `DELETE FROM idempotent_requests WHERE ${at(sql, request)} AND sealed_answer IS NULL`,
    );
  }

  removeOld(beforeMs: number, limit: number): Promise<number> {
    const { dialect } = this.#runner;
    return this.#runner.change((sql) => {
      const oldest = `WHERE at_ms < ${sql.put(Math.floor(beforeMs))} ORDER BY at_ms LIMIT ${sql.put(limit)}`;
      return `DELETE FROM idempotent_requests WHERE ${dialect.firstOf('idempotent_requests', ['scope', 'key'], oldest)}`;
    });
  }

  #stateFrom({ fingerprint, sealed_answer: sealed }: SqlRow, request: IdempotentRequest): IdempotencyState {
    if (fingerprint !== request.fingerprint) return { kind: 'other' };
    // NULL while the request runs, and after a crash interrupted it.
    if (!(sealed instanceof Uint8Array)) return { kind: 'running' };
    const place = placeOf(request.scope, request.key);
    return { kind: 'done', answer: fromJson<KeptAnswer>(this.#box.open(sealed, place)) };
  }
}

function at(sql: Values, { scope, key }: IdempotentRequest): string {
  return `scope = ${sql.put(scope)} AND key = ${sql.put(key)}`;
}

/** Returns the place to which a sealed response is bound. */
export function placeOf(scope: string, key: string): readonly string[] {
  return ['idempotent request', scope, key];
}

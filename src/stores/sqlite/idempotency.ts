import type { Database } from 'bun:sqlite';
import type {
  IdempotencyState,
  IdempotencyStore,
  IdempotentRequest,
  KeptAnswer,
} from '../../engine/ports/idempotency-store.ts';
import type { ContentBox } from '../shared/content-box.ts';
import {
  type IdempotentRow,
  idempotencyStatements,
  sealAnswer,
  stateFrom,
} from '../shared/tables/idempotent-requests.ts';
import { GroupCommit } from './group-commit.ts';

const STATEMENTS = idempotencyStatements('?', '');

export class SqliteIdempotency implements IdempotencyStore {
  readonly #database: Database;
  readonly #box: ContentBox;
  readonly #writes: GroupCommit;

  constructor({ database, box }: { readonly database: Database; readonly box: ContentBox }) {
    this.#database = database;
    this.#box = box;
    this.#writes = new GroupCommit(database);
  }

  async begin(request: IdempotentRequest, nowMs: number): Promise<IdempotencyState> {
    const { scope, key, fingerprint } = request;
    const existing = await this.#writes.run(0, () => {
      const { changes } = this.#database.query(STATEMENTS.begin).run(scope, key, fingerprint, Math.floor(nowMs));
      if (changes === 1) return null;
      return this.#database.query<IdempotentRow, [string, string]>(STATEMENTS.find).get(scope, key);
    });
    return existing === null ? { kind: 'new' } : stateFrom(existing, request, this.#box);
  }

  async finish(request: IdempotentRequest, answer: KeptAnswer): Promise<void> {
    const sealed = sealAnswer(request, answer, this.#box);
    const { scope, key } = request;
    await this.#writes.run(sealed.length, () => {
      this.#database.query(STATEMENTS.finish).run(scope, key, sealed);
    });
  }

  async abandon({ scope, key }: IdempotentRequest): Promise<void> {
    await this.#writes.run(0, () => {
      this.#database.query(STATEMENTS.abandon).run(scope, key);
    });
  }

  async removeOld(beforeMs: number, limit: number): Promise<number> {
    return await this.#writes.run(
      0,
      () => this.#database.query(STATEMENTS.removeOld).run(Math.floor(beforeMs), limit).changes,
    );
  }

  /** Writes what waits. The connection stays its opener's to close. */
  async close(): Promise<void> {
    await this.#writes.close();
  }
}

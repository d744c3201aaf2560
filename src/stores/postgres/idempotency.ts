import type { Pool } from 'pg';
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
import { query } from './connection.ts';

const STATEMENTS = idempotencyStatements('$', 'FOR UPDATE SKIP LOCKED');

export class PostgresIdempotency implements IdempotencyStore {
  readonly #pool: Pool;
  readonly #box: ContentBox;

  constructor({ pool, box }: { readonly pool: Pool; readonly box: ContentBox }) {
    this.#pool = pool;
    this.#box = box;
  }

  async begin(request: IdempotentRequest, nowMs: number): Promise<IdempotencyState> {
    const { scope, key, fingerprint } = request;
    const begun = await query(this.#pool, STATEMENTS.begin, [scope, key, fingerprint, Math.floor(nowMs)]);
    if (begun.rowCount === 1) return { kind: 'new' };
    const { rows } = await query<IdempotentRow>(this.#pool, STATEMENTS.find, [scope, key]);
    const [row] = rows;
    // Abandoned between the two statements: whoever asks again finds it free.
    return row === undefined ? { kind: 'running' } : stateFrom(row, request, this.#box);
  }

  async finish(request: IdempotentRequest, answer: KeptAnswer): Promise<void> {
    const { scope, key } = request;
    await query(this.#pool, STATEMENTS.finish, [scope, key, sealAnswer(request, answer, this.#box)]);
  }

  async abandon({ scope, key }: IdempotentRequest): Promise<void> {
    await query(this.#pool, STATEMENTS.abandon, [scope, key]);
  }

  async removeOld(beforeMs: number, limit: number): Promise<number> {
    return (await query(this.#pool, STATEMENTS.removeOld, [Math.floor(beforeMs), limit])).rowCount ?? 0;
  }
}

import type { Capture, CapturedBody, CaptureStore } from '../../../engine/ports/capture-store.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import { fromJson } from '../../shared/tables/encoding.ts';
import {
  ask,
  lock,
  type ProgramRunner,
  type SqlDialect,
  type SqlProgram,
  type SqlRow,
  type Values,
} from '../program.ts';

/** The number of captures scanned per step when old ones are deleted. */
const MAKING_ROOM_ROWS = 100;
const DAY_MS = 86_400_000;

interface SealedCapture {
  readonly requestId: string;
  readonly accountId: string;
  readonly atMs: number;
  readonly bytes: number;
  readonly facts: string;
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
}

type Facts = Readonly<Record<'request' | 'answer', Omit<CapturedBody, 'bytes'>>>;

/** The capture store for both databases. Writes are serialised to keep the sums per account correct. */
export class SqlCaptures implements CaptureStore {
  readonly #runner: ProgramRunner;
  readonly #box: ContentBox;

  constructor(runner: ProgramRunner, box: ContentBox) {
    this.#runner = runner;
    this.#box = box;
  }

  async add(captures: readonly Capture[], mostBytesOfAccount: number): Promise<void> {
    const sealed = captures.map((capture) => seal(capture, this.#box));
    await this.#runner.write(() => adding(this.#runner.dialect, sealed, mostBytesOfAccount));
  }

  async find(requestId: string, accountId: string | null): Promise<Capture | null> {
    const { dialect } = this.#runner;
    const rows = await this.#runner.read(() =>
      ask(dialect, (sql) => {
        const own = accountId === null ? '' : `AND account_id = ${sql.put(accountId)}`;
        return `SELECT * FROM captures WHERE request_id = ${sql.put(requestId)} ${own}`;
      }),
    );
    const [row] = rows;
    return row === undefined ? null : opened(row, this.#box);
  }

  removeOf(accountId: string, limit: number): Promise<number> {
    return this.#remove((sql) => `account_id = ${sql.put(accountId)}`, limit);
  }

  removeOld(beforeMs: number, limit: number): Promise<number> {
    return this.#remove((sql) => `at_ms < ${sql.put(Math.floor(beforeMs))}`, limit);
  }

  removeOutlived(nowMs: number, limit: number): Promise<number> {
    // The index of accounts that have a retention of their own is the outer loop, that of captures by account the inner one.
    const outlived = (sql: Values) => `
      request_id IN (
        SELECT captures.request_id FROM accounts JOIN captures ON captures.account_id = accounts.id
        WHERE accounts.capture_days IS NOT NULL
        AND captures.at_ms < ${sql.put(Math.floor(nowMs))} - accounts.capture_days * CAST(${DAY_MS} AS bigint)
        LIMIT ${sql.put(Math.max(0, Math.floor(limit)))}
      )
    `;
    return this.#remove(outlived, limit);
  }

  #remove(condition: (sql: Values) => string, limit: number): Promise<number> {
    const { dialect } = this.#runner;
    return this.#runner.write(() => removing(dialect, condition, Math.max(0, Math.floor(limit))));
  }
}

function* adding(dialect: SqlDialect, captures: readonly SealedCapture[], most: number): SqlProgram<void> {
  yield* lock(dialect, 'captures');
  const added = new Map<string, number>();
  for (const capture of captures) {
    const { requestId, accountId, atMs, bytes, facts, request, answer } = capture;
    const rows = yield* ask(dialect, (sql) => {
      const values = [requestId, accountId, atMs, bytes, facts, request, answer].map((value) => sql.put(value));
      return `
        INSERT INTO captures (request_id, account_id, at_ms, bytes, facts, request, answer) VALUES (${values.join(', ')})
        ON CONFLICT (request_id) DO NOTHING RETURNING request_id
      `;
    });
    if (rows.length > 0) added.set(accountId, (added.get(accountId) ?? 0) + bytes);
  }
  for (const [accountId, bytes] of added) {
    const sum = yield* changeSum(dialect, accountId, bytes);
    yield* makeRoom(dialect, accountId, sum - most);
  }
}

/** Returns the new sum. */
function* changeSum(dialect: SqlDialect, accountId: string, by: number): SqlProgram<number> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      INSERT INTO capture_sums (account_id, bytes) VALUES (${sql.put(accountId)}, ${sql.put(by)})
      ON CONFLICT (account_id) DO UPDATE SET bytes = capture_sums.bytes + excluded.bytes RETURNING bytes
    `,
  );
  return Number(rows[0]?.bytes ?? 0);
}

function* makeRoom(dialect: SqlDialect, accountId: string, excess: number): SqlProgram<void> {
  let left = excess;
  while (left > 0) {
    const oldest = yield* ask(
      dialect,
      (sql) => `
        SELECT request_id, bytes FROM captures WHERE account_id = ${sql.put(accountId)}
        ORDER BY at_ms, request_id LIMIT ${MAKING_ROOM_ROWS}
      `,
    );
    if (oldest.length === 0) return;
    const leaving: string[] = [];
    let freed = 0;
    for (const { request_id: requestId, bytes } of oldest) {
      if (freed >= left) break;
      leaving.push(String(requestId));
      freed += Number(bytes);
    }
    yield* ask(
      dialect,
      (sql) => `DELETE FROM captures WHERE request_id IN (${leaving.map((id) => sql.put(id)).join(', ')})`,
    );
    yield* changeSum(dialect, accountId, -freed);
    left -= freed;
  }
}

function* removing(dialect: SqlDialect, condition: (sql: Values) => string, limit: number): SqlProgram<number> {
  yield* lock(dialect, 'captures');
  const removed = yield* ask(
    dialect,
    (sql) => `
      DELETE FROM captures WHERE request_id IN (
        SELECT request_id FROM captures WHERE ${condition(sql)} ORDER BY at_ms LIMIT ${sql.put(limit)}
      ) RETURNING account_id, bytes
    `,
  );
  const freed = new Map<string, number>();
  for (const { account_id: id, bytes } of removed) freed.set(String(id), (freed.get(String(id)) ?? 0) + Number(bytes));
  for (const [accountId, bytes] of freed) yield* changeSum(dialect, accountId, -bytes);
  return removed.length;
}

function seal({ requestId, accountId, atMs, request, answer }: Capture, box: ContentBox): SealedCapture {
  const sealed = [request, answer].map(({ bytes }, at) => box.seal(bytes, placeOf(accountId, requestId, at)));
  const [sealedRequest = new Uint8Array(), sealedAnswer = new Uint8Array()] = sealed;
  const facts: Facts = { request: factsOf(request), answer: factsOf(answer) };
  return {
    ...{ requestId, accountId, atMs, facts: JSON.stringify(facts), request: sealedRequest, answer: sealedAnswer },
    bytes: sealedRequest.length + sealedAnswer.length,
  };
}

function opened(row: SqlRow, box: ContentBox): Capture {
  const requestId = String(row.request_id);
  const accountId = String(row.account_id);
  const facts = fromJson<Facts>(String(row.facts));
  const bytesOf = (sealed: unknown, at: number) => box.openBytes(bytesIn(sealed), placeOf(accountId, requestId, at));
  return {
    ...{ requestId, accountId, atMs: Number(row.at_ms) },
    request: { ...facts.request, bytes: bytesOf(row.request, 0) },
    answer: { ...facts.answer, bytes: bytesOf(row.answer, 1) },
  };
}

function factsOf({ size, contentType, omitted }: CapturedBody): Omit<CapturedBody, 'bytes'> {
  return { size, contentType, omitted };
}

/** Returns the place to which the sealed bytes are bound. */
export function placeOf(accountId: string, requestId: string, at: number): readonly string[] {
  return ['captures', accountId, requestId, at === 0 ? 'request' : 'answer'];
}

function bytesIn(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new Error('a capture is not stored as bytes');
}

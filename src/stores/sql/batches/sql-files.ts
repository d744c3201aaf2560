import { FILE_CHUNK_BYTES, FILE_PURPOSES, type StoredFile } from '../../../domain/batches/stored-file.ts';
import { freeBytes } from '../../../domain/own-bytes.ts';
import type { FileQuery, FileStore, StoredAmount } from '../../../engine/ports/file-store.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow, type SqlRunner, type Values } from '../program.ts';
import { isStorable, toLimit } from '../texts.ts';
import { removeWithParts } from './remove-with-parts.ts';
import { IS_OPEN } from './rows.ts';

const COLUMNS = 'id, account_id, key_id, purpose, state, bytes, created_at_ms, expires_at_ms, sealed_name';
/** A file and its chunks. */
const FILES = { table: 'files', parts: { table: 'file_chunks', of: 'file_id' } };
/** How many files one transaction removes at most. */
const FILES_AT_ONCE = 100;
/** How many chunks of a deleted file one transaction removes at most, which are 10 MiB. */
const CHUNKS_AT_ONCE = 40;
/** The condition on a row of `files` that no open batch reads it. An account has few open batches, and they have an index. */
const IS_UNREAD = `NOT EXISTS (
  SELECT 1 FROM batches
  WHERE batches.account_id = files.account_id AND batches.input_file_id = files.id AND ${IS_OPEN}
)`;

/** The file store for both databases. */
export class SqlFiles implements FileStore {
  /** @param runner must be durable */
  constructor(
    private readonly runner: SqlRunner,
    private readonly box: ContentBox,
  ) {}

  async create(file: StoredFile): Promise<void> {
    const { dialect } = this.runner;
    const values = this.#valuesOf(file);
    await this.runner.write(() => ask(dialect, (sql) => inserting(values, sql)));
  }

  createWithin(file: StoredFile, most: StoredAmount): Promise<boolean> {
    const { dialect } = this.runner;
    const values = this.#valuesOf(file);
    return this.runner.write(function* (): SqlProgram<boolean> {
      // Two uploads at the same time would each find room for one.
      const lock = dialect.lock(`files ${file.accountId}`);
      if (lock !== null) yield lock;
      const { files, bytes } = toAmount(yield* ask(dialect, (sql) => amountOf(file.accountId, sql)));
      if (files + 1 > most.files || bytes + file.bytes > most.bytes) return false;
      yield* ask(dialect, (sql) => inserting(values, sql));
      return true;
    });
  }

  async append(fileId: string, number: number, bytes: Uint8Array): Promise<boolean> {
    const sealed = this.box.seal(bytes, placeOfChunk(fileId, number));
    const end = number * FILE_CHUNK_BYTES + bytes.length;
    const isOpen = await this.runner.write(() => this.#appending(fileId, number, sealed, end), {
      bytes: sealed.length,
      isRepeatable: true,
    });
    freeBytes(sealed);
    return isOpen;
  }

  async finish(fileId: string, bytes: number, expiresAtMs: number | null): Promise<boolean> {
    const finished = await this.runner.change(
      (sql) => `
        UPDATE files SET state = 'whole', bytes = ${sql.put(bytes)}, expires_at_ms = ${sql.put(expiresAtMs)}
        WHERE id = ${sql.put(fileId)} AND state = 'writing'
      `,
    );
    return finished === 1;
  }

  async find(id: string, accountId: string | null): Promise<StoredFile | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#rows((sql) => {
      const own = accountId === null ? '' : `AND account_id = ${sql.put(accountId)}`;
      return `SELECT ${COLUMNS} FROM files WHERE id = ${sql.put(id)} AND state = 'whole' ${own}`;
    });
    return row === undefined ? null : this.#fileFrom(row);
  }

  async findKept(id: string): Promise<StoredFile | null> {
    const [row] = await this.#rows(
      (sql) => `SELECT ${COLUMNS} FROM files WHERE id = ${sql.put(id)} AND state <> 'writing'`,
    );
    return row === undefined ? null : this.#fileFrom(row);
  }

  async list(query: FileQuery, limit: number): Promise<readonly StoredFile[]> {
    const { accountId, purpose, readableAtMs, after, isAscending = false } = query;
    const rows = await this.#rows((sql) => {
      const conditions = [
        "state = 'whole'",
        `(expires_at_ms IS NULL OR expires_at_ms > ${sql.put(Math.floor(readableAtMs))})`,
        ...(accountId === undefined ? [] : [`account_id = ${sql.put(accountId)}`]),
        ...(purpose === undefined ? [] : [`purpose = ${sql.put(purpose)}`]),
        ...(after === undefined
          ? []
          : [
              `(created_at_ms, id) ${isAscending ? '>' : '<'} (${sql.put(Math.floor(after.createdAtMs))}, ${sql.put(after.id)})`,
            ]),
      ];
      const down = isAscending ? '' : ' DESC';
      return `
        SELECT ${COLUMNS} FROM files WHERE ${conditions.join(' AND ')}
        ORDER BY created_at_ms${down}, id${down} LIMIT ${sql.put(toLimit(limit))}
      `;
    });
    return rows.map((row) => this.#fileFrom(row));
  }

  async chunk(fileId: string, number: number): Promise<Uint8Array | null> {
    if (!isStorable(fileId)) return null;
    const [row] = await this.#rows(
      (sql) => `SELECT sealed FROM file_chunks WHERE file_id = ${sql.put(fileId)} AND number = ${sql.put(number)}`,
    );
    if (row === undefined) return null;
    const sealed = row.sealed as Uint8Array; // A binary column.
    const bytes = this.box.openBytes(sealed, placeOfChunk(fileId, number));
    freeBytes(sealed);
    return bytes;
  }

  async delete(id: string, accountId: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    const deleted = await this.runner.change(
      (sql) => `
        UPDATE files SET state = 'deleted', expires_at_ms = 0
        WHERE id = ${sql.put(id)} AND account_id = ${sql.put(accountId)} AND state <> 'deleted'
      `,
    );
    await this.removeDeleted(id);
    return deleted === 1;
  }

  async removeDeleted(id: string): Promise<void> {
    const { dialect } = this.runner;
    const step = () => removingDeleted(dialect, id, CHUNKS_AT_ONCE);
    while ((await this.runner.write(step, { isRepeatable: true })) >= CHUNKS_AT_ONCE);
  }

  async amountOf(accountId: string): Promise<StoredAmount> {
    return toAmount(await this.#rows((sql) => amountOf(accountId, sql)));
  }

  removeExpired(nowMs: number, limit: number): Promise<number> {
    return this.runner.write(() => removing(this.runner.dialect, nowMs, toLimit(limit)), { isRepeatable: true });
  }

  *#appending(fileId: string, number: number, sealed: Uint8Array, end: number): SqlProgram<boolean> {
    const { dialect } = this.runner;
    const open = yield* ask(dialect, (sql) => {
      const bytes = sql.put(end);
      return `
        UPDATE files SET bytes = CASE WHEN bytes > ${bytes} THEN bytes ELSE ${bytes} END
        WHERE id = ${sql.put(fileId)} AND state = 'writing' RETURNING id
      `;
    });
    if (open.length === 0) return false;
    yield* ask(
      dialect,
      (sql) => `
        INSERT INTO file_chunks (file_id, number, sealed)
        VALUES (${sql.put(fileId)}, ${sql.put(number)}, ${sql.put(sealed)})
        ON CONFLICT (file_id, number) DO UPDATE SET sealed = excluded.sealed
      `,
    );
    return true;
  }

  #valuesOf({
    id,
    accountId,
    keyId,
    purpose,
    name,
    bytes,
    createdAtMs,
    expiresAtMs,
  }: StoredFile): readonly FileValue[] {
    const sealed = this.box.seal(name, placeOfName(id));
    return [id, accountId, keyId, purpose, 'writing', bytes, createdAtMs, expiresAtMs, sealed];
  }

  #rows(text: (sql: Values) => string): Promise<readonly SqlRow[]> {
    return this.runner.read(() => ask(this.runner.dialect, text));
  }

  #fileFrom(row: SqlRow): StoredFile {
    const id = String(row.id);
    const purpose = FILE_PURPOSES.find((known) => known === row.purpose);
    if (purpose === undefined) throw new Error(`The file ${id} has the unknown purpose ${String(row.purpose)}.`);
    return {
      id,
      accountId: String(row.account_id),
      keyId: row.key_id === null ? null : String(row.key_id),
      purpose,
      name: this.box.open(row.sealed_name as Uint8Array, placeOfName(id)), // A binary column.
      bytes: Number(row.bytes),
      createdAtMs: Number(row.created_at_ms),
      expiresAtMs: row.expires_at_ms === null ? null : Number(row.expires_at_ms),
      isWhole: row.state === 'whole',
    };
  }
}

type FileValue = string | number | Uint8Array | null;

function inserting(values: readonly FileValue[], sql: Values): string {
  return `INSERT INTO files (${COLUMNS}) VALUES (${values.map((value) => sql.put(value)).join(', ')})`;
}

function amountOf(accountId: string, sql: Values): string {
  return `SELECT count(*) AS files, sum(bytes) AS bytes FROM files WHERE account_id = ${sql.put(accountId)}`;
}

function toAmount([row]: readonly SqlRow[]): StoredAmount {
  return { files: Number(row?.files ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/** Removes the chunks of expired files first, and a file when it has none. */
function* removing(dialect: SqlDialect, nowMs: number, limit: number): SqlProgram<number> {
  const expired = yield* ask(
    dialect,
    (sql) => `
      SELECT id FROM files WHERE expires_at_ms <= ${sql.put(Math.floor(nowMs))} AND ${IS_UNREAD}
      ORDER BY expires_at_ms LIMIT ${sql.put(Math.min(limit, FILES_AT_ONCE))} ${dialect.skipLocked}
    `,
  );
  if (expired.length === 0) return 0;
  return yield* removeWithParts(
    dialect,
    FILES,
    expired.map(({ id }) => String(id)),
    limit,
  );
}

function* removingDeleted(dialect: SqlDialect, id: string, limit: number): SqlProgram<number> {
  const found = yield* ask(
    dialect,
    (sql) => `SELECT id FROM files WHERE id = ${sql.put(id)} AND state = 'deleted' AND ${IS_UNREAD}`,
  );
  return found.length === 0 ? 0 : yield* removeWithParts(dialect, FILES, [id], limit);
}

/** Returns the place to which a file's name is bound. */
export function placeOfName(id: string): readonly string[] {
  return ['files', id, 'name'];
}

/** Returns the place to which a chunk is bound. */
export function placeOfChunk(fileId: string, number: number | string): readonly string[] {
  return ['file_chunks', fileId, String(number)];
}

import {
  type ArchivedCharge,
  type ArchivedSum,
  ArchiveMismatch,
  type ChargePage,
  type Checkpoint,
  type NewCheckpoint,
} from '../../../engine/ports/ledger-archive.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow } from '../program.ts';

const COLUMNS = 'number, before_ms, entries, amount_nano, file_name, sha256, previous_sha256, moved_to, is_complete';

function toCheckpoint(row: SqlRow): Checkpoint {
  return {
    number: Number(row.number),
    beforeMs: Number(row.before_ms),
    entries: Number(row.entries),
    amountNanoUsd: toBigInt(row.amount_nano),
    fileName: String(row.file_name),
    sha256: String(row.sha256),
    previousSha256: row.previous_sha256 === null ? null : String(row.previous_sha256),
    movedTo: Number(row.moved_to),
    isComplete: Number(row.is_complete) === 1,
  };
}

/** Amounts are read as text, since a JavaScript number loses precision. */
function toBigInt(value: unknown): bigint {
  return BigInt(String(value));
}

export function* claimArchiving(
  dialect: SqlDialect,
  holder: string,
  nowMs: number,
  untilMs: number,
): SqlProgram<boolean> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      INSERT INTO ledger_archiving (one, holder, until_ms) VALUES (1, ${sql.put(holder)}, ${sql.put(Math.floor(untilMs))})
      ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
      WHERE ledger_archiving.holder = excluded.holder OR ledger_archiving.until_ms <= ${sql.put(Math.floor(nowMs))}
      RETURNING 1 AS claimed
    `,
  );
  return rows.length > 0;
}

export function* releaseArchiving(dialect: SqlDialect, holder: string): SqlProgram<void> {
  yield* ask(dialect, (sql) => `DELETE FROM ledger_archiving WHERE holder = ${sql.put(holder)}`);
}

export function* listCheckpoints(dialect: SqlDialect): SqlProgram<readonly Checkpoint[]> {
  const columns = COLUMNS.replace('amount_nano', 'CAST(amount_nano AS text) AS amount_nano');
  return (yield* ask(dialect, () => `SELECT ${columns} FROM ledger_checkpoints ORDER BY number`)).map(toCheckpoint);
}

export function* chargesAfter(dialect: SqlDialect, sequence: number, limit: number): SqlProgram<ChargePage> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      SELECT sequence, kind, request_id, account_id, key_id, CAST(amount_nano AS text) AS amount_nano, at_ms, counted_at_ms
      FROM ledger_entries WHERE sequence > ${sql.put(sequence)} ORDER BY sequence LIMIT ${sql.put(limit)}
    `,
  );
  const last = rows.at(-1);
  const earliestMs = rows.reduce((least, { at_ms }) => Math.min(least, Number(at_ms)), Number.POSITIVE_INFINITY);
  return {
    charges: rows.filter(({ kind }) => kind === 'charge').map(toCharge),
    last: last === undefined ? null : { sequence: Number(last.sequence), earliestMs },
  };
}

function toCharge(row: SqlRow): ArchivedCharge {
  return {
    sequence: Number(row.sequence),
    requestId: String(row.request_id),
    accountId: String(row.account_id),
    keyId: row.key_id === null ? null : String(row.key_id),
    amountNanoUsd: toBigInt(row.amount_nano),
    atMs: Number(row.at_ms),
    countedAtMs: row.counted_at_ms === null ? null : Number(row.counted_at_ms),
  };
}

export function* beginCheckpoint(dialect: SqlDialect, checkpoint: NewCheckpoint): SqlProgram<void> {
  const { number, beforeMs, entries, amountNanoUsd, fileName, sha256, previousSha256 } = checkpoint;
  yield* ask(dialect, (sql) => {
    const amount = `CAST(${sql.put(amountNanoUsd.toString())} AS bigint)`;
    const values = [
      ...[number, beforeMs, entries].map((value) => sql.put(value)),
      amount,
      ...[fileName, sha256, previousSha256].map((value) => sql.put(value)),
    ];
    return `INSERT INTO ledger_checkpoints (${COLUMNS}) VALUES (${values.join(', ')}, 0, 0)`;
  });
}

/** Deletes charges from the ledger. Its trigger allows that only for charges older than the time set for the transaction. */
export function* moveCharges(
  dialect: SqlDialect,
  { number, beforeMs }: Pick<Checkpoint, 'number' | 'beforeMs'>,
  charges: readonly ArchivedCharge[],
): SqlProgram<void> {
  const [state] = yield* ask(
    dialect,
    (sql) => `SELECT moved_to FROM ledger_checkpoints WHERE number = ${sql.put(number)} AND is_complete = 0`,
  );
  if (state === undefined) throw new ArchiveMismatch(`the archive ${number} is unknown or already complete`);
  const due = charges.filter(({ sequence }) => sequence > Number(state.moved_to));
  const last = due.at(-1);
  if (last === undefined) return;
  yield dialect.letGo(beforeMs);
  const gone = yield* ask(
    dialect,
    (sql) => `
      DELETE FROM ledger_entries WHERE sequence IN (${due.map(({ sequence }) => sql.put(sequence)).join(', ')})
      RETURNING sequence, request_id, account_id, key_id, CAST(amount_nano AS text) AS amount_nano, at_ms, counted_at_ms
    `,
  );
  yield dialect.letGo(0);
  refuseDifferent(due, gone.map(toCharge));
  for (const sum of sumsOf(due)) yield* addSum(dialect, number, sum);
  yield* ask(
    dialect,
    (sql) => `UPDATE ledger_checkpoints SET moved_to = ${sql.put(last.sequence)} WHERE number = ${sql.put(number)}`,
  );
}

/** Throws unless each deleted charge is identical to its copy in the archive. */
function refuseDifferent(archived: readonly ArchivedCharge[], gone: readonly ArchivedCharge[]): void {
  const inLedger = new Map(gone.map((charge) => [charge.sequence, charge]));
  for (const charge of archived) {
    const other = inLedger.get(charge.sequence);
    if (other !== undefined && textOfCharge(other) === textOfCharge(charge)) continue;
    throw new ArchiveMismatch(
      `the charge of the request "${charge.requestId}" (entry ${charge.sequence}) differs between the ledger and the archive`,
    );
  }
}

function textOfCharge(charge: ArchivedCharge): string {
  const { sequence, requestId, accountId, keyId, amountNanoUsd, atMs, countedAtMs } = charge;
  return JSON.stringify([sequence, requestId, accountId, keyId, amountNanoUsd.toString(), atMs, countedAtMs]);
}

interface MovedSum extends ArchivedSum {
  readonly firstAtMs: number;
}

function sumsOf(charges: readonly ArchivedCharge[]): readonly MovedSum[] {
  const groups = Map.groupBy(charges, ({ accountId, keyId }) => JSON.stringify([accountId, keyId]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return {
      accountId: first.accountId,
      keyId: first.keyId,
      amountNanoUsd: group.reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n),
      entries: group.length,
      firstAtMs: group.reduce((least, { atMs }) => Math.min(least, atMs), first.atMs),
    };
  });
}

function* addSum(dialect: SqlDialect, number: number, sum: MovedSum): SqlProgram<void> {
  yield* ask(dialect, (sql) => {
    const place = [sum.accountId, sum.keyId ?? '', number].map((value) => sql.put(value)).join(', ');
    const amount = `CAST(${sql.put(sum.amountNanoUsd.toString())} AS bigint)`;
    return `
      INSERT INTO ledger_archived (account_id, key_id, checkpoint, amount_nano, entries, first_at_ms)
      VALUES (${place}, ${amount}, ${sql.put(sum.entries)}, ${sql.put(sum.firstAtMs)})
      ON CONFLICT (account_id, key_id, checkpoint) DO UPDATE SET
        amount_nano = ledger_archived.amount_nano + excluded.amount_nano, entries = ledger_archived.entries + excluded.entries,
        first_at_ms = CASE WHEN excluded.first_at_ms < ledger_archived.first_at_ms
          THEN excluded.first_at_ms ELSE ledger_archived.first_at_ms END
    `;
  });
}

export function* completeCheckpoint(dialect: SqlDialect, checkpoint: NewCheckpoint): SqlProgram<void> {
  const { number, entries, amountNanoUsd, fileName } = checkpoint;
  const [sums] = yield* ask(
    dialect,
    (sql) => `
      SELECT coalesce(sum(entries), 0) AS entries, CAST(coalesce(sum(amount_nano), 0) AS text) AS amount_nano
      FROM ledger_archived WHERE checkpoint = ${sql.put(number)}
    `,
  );
  if (Number(sums?.entries) !== entries || toBigInt(sums?.amount_nano) !== amountNanoUsd)
    throw new ArchiveMismatch(`the moved charges do not add up to those in "${fileName}"`);
  yield* ask(dialect, (sql) => `UPDATE ledger_checkpoints SET is_complete = 1 WHERE number = ${sql.put(number)}`);
}

export function* sumsOfCheckpoint(dialect: SqlDialect, number: number): SqlProgram<readonly ArchivedSum[]> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      SELECT account_id, key_id, CAST(amount_nano AS text) AS amount_nano, entries FROM ledger_archived
      WHERE checkpoint = ${sql.put(number)}
    `,
  );
  return rows.map((row) => ({
    accountId: String(row.account_id),
    keyId: String(row.key_id) || null,
    amountNanoUsd: toBigInt(row.amount_nano),
    entries: Number(row.entries),
  }));
}

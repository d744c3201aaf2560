import {
  type Batch,
  type BatchChanges,
  LINE_OUTCOMES,
  type LineCounts,
  type LineResult,
  NO_BATCH_USAGE,
  NO_LINES,
  type NotedCharge,
  type WaitingLine,
} from '../../../domain/batches/batch.ts';
import type { BatchQuery, BatchStore, LineSums, StoredResult } from '../../../engine/ports/batch-store.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import {
  ask,
  type Columns,
  type SqlDialect,
  type SqlProgram,
  type SqlRow,
  type SqlRunner,
  type Values,
} from '../program.ts';
import { isStorable, toLimit } from '../texts.ts';
import { claiming, countingOpen, creating, inserting, removing } from './batch-programs.ts';
import {
  type FinishedLine,
  fromBatchRow,
  fromLineRow,
  IS_OPEN,
  placeOfLine,
  sumsWith,
  toBatchValues,
  toChangedColumns,
  toNumber,
} from './rows.ts';

/** The members of a result as the statement reads them. */
const RESULT: Columns = {
  of_number: 'bigint',
  outcome: 'text',
  cost_nano: 'bigint',
  input_tokens: 'bigint',
  cached_tokens: 'bigint',
  output_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  sealed_from: 'bigint',
  sealed_length: 'bigint',
};
const LINE: Columns = { of_number: 'bigint', at_byte: 'bigint', bytes: 'bigint' };
/** The columns of a result, without the charge that was stored with it. */
const RESULT_COLUMNS =
  'number, at_byte, bytes, relay, outcome, sealed_result, cost_nano, input_tokens, cached_tokens, output_tokens, reasoning_tokens';
/** How many results one read returns at most, so that many without content are bounded, too. */
const RESULTS_AT_ONCE = 1_000;

/** The batch store for both databases. */
export class SqlBatches implements BatchStore {
  /** @param runner must be durable and return integers as `bigint` */
  constructor(
    private readonly runner: SqlRunner,
    private readonly box: ContentBox,
  ) {}

  async create(batch: Batch): Promise<void> {
    const values = toBatchValues(batch, this.box);
    await this.#write((sql) => inserting(values, sql));
  }

  createWithin(batch: Batch, mostOpen: number): Promise<'created' | 'full' | 'no-file'> {
    const { dialect } = this.runner;
    const values = toBatchValues(batch, this.box);
    return this.runner.write(() => creating(dialect, batch, values, mostOpen));
  }

  async find(id: string, accountId: string | null): Promise<Batch | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#rows((sql) => {
      const own = accountId === null ? '' : `AND account_id = ${sql.put(accountId)}`;
      return `SELECT * FROM batches WHERE id = ${sql.put(id)} ${own}`;
    });
    return row === undefined ? null : fromBatchRow(row, this.box);
  }

  async list(query: BatchQuery, limit: number): Promise<readonly Batch[]> {
    const down = query.isAscending === true ? '' : ' DESC';
    const rows = await this.#rows(
      (sql) => `
        SELECT * FROM batches WHERE ${conditionsOf(query, sql).join(' AND ')}
        ORDER BY created_at_ms${down}, id${down} LIMIT ${sql.put(toLimit(limit))}
      `,
    );
    return rows.map((row) => fromBatchRow(row, this.box));
  }

  async countOpen(accountId: string): Promise<number> {
    const [row] = await this.#rows((sql) => countingOpen(accountId, sql));
    return Number(row?.batches ?? 0);
  }

  async change(id: string, claim: number, changes: BatchChanges): Promise<boolean> {
    const columns = toChangedColumns(id, changes, this.box);
    const changed = await this.#write(
      (sql) => `
        UPDATE batches SET ${columns.map(([column, value]) => `${column} = ${sql.put(value)}`).join(', ')}
        WHERE id = ${sql.put(id)} AND claim = ${sql.put(claim)} AND ${IS_OPEN} RETURNING id
      `,
    );
    return changed.length === 1;
  }

  async askToCancel(id: string, nowMs: number): Promise<boolean> {
    if (!isStorable(id)) return false;
    const asked = await this.#write((sql) => {
      const now = sql.put(Math.floor(nowMs));
      return `
        UPDATE batches SET cancel_asked_at_ms = coalesce(cancel_asked_at_ms, ${now})
        WHERE id = ${sql.put(id)} AND ${IS_OPEN} RETURNING id
      `;
    });
    return asked.length === 1;
  }

  async deleteEnded(id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    const deleted = await this.#write(
      (sql) => `UPDATE batches SET expires_at_ms = 0 WHERE id = ${sql.put(id)} AND NOT (${IS_OPEN}) RETURNING id`,
    );
    return deleted.length === 1;
  }

  async claim(owner: string, limit: number, besides: readonly string[] = []): Promise<readonly Batch[]> {
    const { dialect } = this.runner;
    const claimed = await this.runner.write(() => claiming(dialect, owner, toLimit(limit), besides));
    return claimed
      .map((row) => fromBatchRow(row, this.box))
      .toSorted((one, other) => one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1));
  }

  async giveBack(owner: string): Promise<void> {
    await this.#write(
      (sql) => `
        UPDATE batches SET owner = NULL, claim = claim + 1 WHERE owner = ${sql.put(owner)} AND ${IS_OPEN} RETURNING id
      `,
    );
  }

  async claimsOf(owner: string): Promise<ReadonlyMap<string, Pick<Batch, 'accountId' | 'claim' | 'cancelAskedAtMs'>>> {
    const rows = await this.#rows(
      (sql) =>
        `SELECT id, account_id, claim, cancel_asked_at_ms FROM batches WHERE ${IS_OPEN} AND owner = ${sql.put(owner)}`,
    );
    return new Map(
      rows.map(({ id, account_id, claim, cancel_asked_at_ms }) => [
        String(id),
        { accountId: String(account_id), claim: Number(claim), cancelAskedAtMs: toNumber(cancel_asked_at_ms) },
      ]),
    );
  }

  addLines(batchId: string, claim: number, lines: readonly WaitingLine[]): Promise<boolean> {
    const json = JSON.stringify(
      lines.map(({ number, offset, bytes }) => ({ of_number: number, at_byte: offset, bytes })),
    );
    return this.#asOwner(batchId, claim, (sql, dialect) => {
      const places = dialect.rowsOf(sql.put(json), 'wanted', LINE);
      return `
        INSERT INTO batch_lines (batch_id, number, at_byte, bytes)
        SELECT ${sql.put(batchId)}, of_number, at_byte, bytes FROM ${places} WHERE true
        ON CONFLICT (batch_id, number) DO NOTHING RETURNING number${dialect.durably}
      `;
    });
  }

  async waitingLines(batchId: string, afterNumber: number, limit: number): Promise<readonly WaitingLine[]> {
    const rows = await this.#rows(
      (sql) => `
        SELECT number, at_byte, bytes, relay FROM batch_lines
        WHERE batch_id = ${sql.put(batchId)} AND number > ${sql.put(afterNumber)} AND outcome IS NULL AND charge IS NULL
          AND (relay IS NULL OR relay = '')
        ORDER BY number LIMIT ${sql.put(toLimit(limit))}
      `,
    );
    return rows.map(fromLineRow);
  }

  noteCharge(batchId: string, claim: number, noted: NotedCharge): Promise<boolean> {
    const { number, json, costNanoUsd, usage, charge } = noted;
    const sealed = this.box.seal(json, placeOfLine(batchId, number));
    const noting = (sql: Values, { durably }: SqlDialect) => `
      UPDATE batch_lines SET charge = ${sql.put(charge)}, sealed_result = ${sql.put(sealed)},
        cost_nano = ${sql.put(costNanoUsd)}, input_tokens = ${sql.put(usage.inputTokens)},
        cached_tokens = ${sql.put(usage.cachedTokens)}, output_tokens = ${sql.put(usage.outputTokens)},
        reasoning_tokens = ${sql.put(usage.reasoningTokens)}
      WHERE batch_id = ${sql.put(batchId)} AND number = ${sql.put(number)} AND outcome IS NULL
        AND (charge IS NULL OR charge = ${sql.put(charge)})
      RETURNING number${durably}
    `;
    return this.#asOwner(batchId, claim, noting, { bytes: sealed.length, isOk: (rows) => rows.length === 1 });
  }

  async notedCharges(batchId: string, limit: number): Promise<readonly NotedCharge[]> {
    const rows = await this.#rows(
      (sql) => `
        SELECT * FROM batch_lines WHERE batch_id = ${sql.put(batchId)} AND outcome IS NULL AND charge IS NOT NULL
        ORDER BY number LIMIT ${sql.put(toLimit(limit))}
      `,
    );
    return rows.map((row) => {
      const { number, json, costNanoUsd, usage } = this.#resultFrom(batchId, { ...row, outcome: 'succeeded' });
      return { number, json: json ?? '', costNanoUsd, usage, charge: String(row.charge) };
    });
  }

  async finishLines(batchId: string, claim: number, results: readonly LineResult[]): Promise<boolean> {
    const contents: Uint8Array[] = [];
    let length = 0;
    const rows = results.map(({ number, outcome, json, costNanoUsd, usage }) => {
      const sealed = json === null ? null : this.box.seal(json, placeOfLine(batchId, number));
      const from = length + 1;
      if (sealed !== null) contents.push(sealed);
      length += sealed?.length ?? 0;
      return {
        ...{ of_number: number, outcome, cost_nano: String(costNanoUsd) },
        ...{ input_tokens: usage.inputTokens, cached_tokens: usage.cachedTokens },
        ...{ output_tokens: usage.outputTokens, reasoning_tokens: usage.reasoningTokens },
        ...(sealed !== null && { sealed_from: from, sealed_length: sealed.length }),
      };
    });
    const [json, bytes] = [JSON.stringify(rows), Buffer.concat(contents)];
    const byNumber = new Map(results.map((result) => [result.number, result]));
    const numbers = JSON.stringify([...byNumber.keys()]);
    const finished = await this.#finishing(
      batchId,
      claim,
      {
        bytes: bytes.length,
        added: (finished) => finished.flatMap((number) => byNumber.get(number) ?? []),
      },
      (sql, dialect) => {
        const [places, content] = [dialect.rowsOf(sql.put(json), 'wanted', RESULT), sql.put(bytes)];
        const sealed = dialect.slice(content, 'wanted.sealed_from', 'wanted.sealed_length');
        // The list lets the database look the lines up, rather than read all that wait.
        const plain = ['outcome', 'cost_nano', 'input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens'];
        return `
        UPDATE batch_lines SET ${plain.map((column) => `${column} = wanted.${column}`).join(', ')},
          sealed_result = CASE WHEN wanted.sealed_from IS NULL THEN NULL ELSE ${sealed} END
        FROM ${places}
        WHERE batch_lines.batch_id = ${sql.put(batchId)} AND batch_lines.number = wanted.of_number
          AND batch_lines.number ${dialect.inList(sql.put(numbers), 'bigint')} AND batch_lines.outcome IS NULL
        RETURNING batch_lines.number
      `;
      },
    );
    return finished !== null;
  }

  finishRest(batchId: string, claim: number, outcome: 'cancelled' | 'expired', limit: number): Promise<number | null> {
    const nothing = { outcome, costNanoUsd: 0n, usage: NO_BATCH_USAGE };
    return this.#finishing(
      batchId,
      claim,
      { bytes: 0, added: (numbers) => numbers.map(() => nothing) },
      (sql) => `
        UPDATE batch_lines SET outcome = ${sql.put(outcome)}, cost_nano = 0
        WHERE batch_id = ${sql.put(batchId)} AND outcome IS NULL AND charge IS NULL AND number IN (
          SELECT number FROM batch_lines
          WHERE batch_id = ${sql.put(batchId)} AND outcome IS NULL AND charge IS NULL
          ORDER BY number LIMIT ${sql.put(toLimit(limit))}
        )
        RETURNING number
      `,
    );
  }

  async results(batchId: string, afterNumber: number, mostBytes: number): Promise<readonly StoredResult[]> {
    const { dialect } = this.runner;
    // The content is read only once it is known how much of it fits.
    const rows = await this.#rows((sql) => {
      const own = `batch_id = ${sql.put(batchId)} AND number > ${sql.put(afterNumber)} AND outcome IS NOT NULL`;
      return `
        SELECT ${RESULT_COLUMNS} FROM batch_lines WHERE ${own} AND number <= (
          SELECT max(number) FROM (
            SELECT number, sum(size) OVER (ORDER BY number) AS so_far, row_number() OVER (ORDER BY number) AS place
            FROM (
              SELECT number, coalesce(${dialect.bytesOf('sealed_result')}, 0) AS size FROM batch_lines WHERE ${own}
              ORDER BY number LIMIT ${RESULTS_AT_ONCE}
            ) AS next
          ) AS summed
          WHERE so_far <= ${sql.put(Math.floor(mostBytes))} OR place = 1
        )
        ORDER BY number
      `;
    });
    return rows.map((row) => this.#resultFrom(batchId, row));
  }

  async sums(batchId: string): Promise<LineSums> {
    const rows = await this.#rows(
      (sql) => `
        SELECT outcome, count(*) AS lines, ${[
          'cost_nano',
          'input_tokens',
          'cached_tokens',
          'output_tokens',
          'reasoning_tokens',
        ]
          .map((column) => `coalesce(sum(${column}), 0) AS ${column}`)
          .join(', ')}
        FROM batch_lines WHERE batch_id = ${sql.put(batchId)} AND outcome IS NOT NULL GROUP BY outcome
      `,
    );
    const sumOf = (column: string) => rows.reduce((sum, row) => sum + Number(row[column]), 0);
    return {
      counts: countsOf(rows),
      usage: {
        inputTokens: sumOf('input_tokens'),
        cachedTokens: sumOf('cached_tokens'),
        outputTokens: sumOf('output_tokens'),
        reasoningTokens: sumOf('reasoning_tokens'),
      },
      costNanoUsd: rows.reduce((sum, row) => sum + BigInt(String(row.cost_nano)), 0n),
    };
  }

  removeLines(batchId: string, limit: number): Promise<number> {
    const { dialect } = this.runner;
    return this.runner.change(
      (sql) => {
        const rest = `WHERE batch_id = ${sql.put(batchId)} LIMIT ${sql.put(toLimit(limit))}`;
        return `DELETE FROM batch_lines WHERE ${dialect.firstOf('batch_lines', ['batch_id', 'number'], rest)}`;
      },
      { isRepeatable: true },
    );
  }

  removeExpired(nowMs: number, limit: number): Promise<number> {
    return this.runner.write(() => removing(this.runner.dialect, nowMs, toLimit(limit)), { isRepeatable: true });
  }

  /**
   * Finishes lines by a statement that returns their numbers, if the batch is open and has this claim, and adds them to the sums of the
   * batch in the same transaction. Resolves to their number; `null` if the claim differs.
   */
  #finishing(
    batchId: string,
    claim: number,
    { bytes, added }: { bytes: number; added: (numbers: readonly number[]) => readonly FinishedLine[] },
    text: (sql: Values, dialect: SqlDialect) => string,
  ): Promise<number | null> {
    const { dialect } = this.runner;
    const program = function* (): SqlProgram<number | null> {
      const [own] = yield* ask(
        dialect,
        (sql) => `
          SELECT sums, cost_nano FROM batches WHERE id = ${sql.put(batchId)} AND claim = ${sql.put(claim)} AND ${IS_OPEN}
          ${dialect.lockRows}
        `,
      );
      if (own === undefined) return null;
      const finished = yield* ask(dialect, (sql) => text(sql, dialect));
      const { sums, costNanoUsd } = sumsWith(own, added(finished.map(({ number }) => Number(number))));
      yield* ask(
        dialect,
        (sql) => `
          UPDATE batches SET sums = ${sql.put(sums)}, cost_nano = ${sql.put(costNanoUsd)}
          WHERE id = ${sql.put(batchId)} RETURNING id${dialect.durably}
        `,
      );
      return finished.length;
    };
    return this.runner.write(program, { bytes, isRepeatable: true });
  }

  /** Runs a statement if the batch is open and has this claim; resolves to whether it did and has returned the wanted rows. */
  #asOwner(
    batchId: string,
    claim: number,
    text: (sql: Values, dialect: SqlDialect) => string,
    { bytes = 0, isOk = () => true }: { bytes?: number; isOk?: (rows: readonly SqlRow[]) => boolean } = {},
  ): Promise<boolean> {
    const { dialect } = this.runner;
    const program = function* (): SqlProgram<boolean> {
      const own = yield* ask(
        dialect,
        (sql) => `
          SELECT id FROM batches WHERE id = ${sql.put(batchId)} AND claim = ${sql.put(claim)} AND ${IS_OPEN}
          ${dialect.lockRows}
        `,
      );
      return own.length > 0 && isOk(yield* ask(dialect, (sql) => text(sql, dialect)));
    };
    return this.runner.write(program, { bytes, isRepeatable: true });
  }

  #write(text: (sql: Values) => string): Promise<readonly SqlRow[]> {
    const { dialect } = this.runner;
    return this.runner.write(() => ask(dialect, (sql) => `${text(sql)}${dialect.durably}`));
  }

  #rows(text: (sql: Values) => string): Promise<readonly SqlRow[]> {
    return this.runner.read(() => ask(this.runner.dialect, text));
  }

  #resultFrom(batchId: string, row: SqlRow): StoredResult {
    const outcome = LINE_OUTCOMES.find((known) => known === row.outcome);
    const line = fromLineRow(row);
    if (outcome === undefined) throw new Error(`The line ${line.number} of ${batchId} has no outcome.`);
    const sealed = row.sealed_result as Uint8Array | null; // A binary column.
    return {
      ...line,
      outcome,
      json: sealed === null ? null : this.box.open(sealed, placeOfLine(batchId, line.number)),
      costNanoUsd: BigInt(String(row.cost_nano ?? 0)),
      usage: {
        inputTokens: Number(row.input_tokens ?? 0),
        cachedTokens: Number(row.cached_tokens ?? 0),
        outputTokens: Number(row.output_tokens ?? 0),
        reasoningTokens: Number(row.reasoning_tokens ?? 0),
      },
    };
  }
}

function conditionsOf(query: BatchQuery, sql: Values): string[] {
  const { accountId, api, keyId, stages, readableAtMs, after, isAscending = false } = query;
  const equal = Object.entries({ account_id: accountId, api, key_id: keyId });
  return [
    `(expires_at_ms IS NULL OR expires_at_ms > ${sql.put(Math.floor(readableAtMs))})`,
    ...equal.flatMap(([column, value]) => (value === undefined ? [] : [`${column} = ${sql.put(value)}`])),
    // The stages are the code's own list.
    ...(stages === undefined ? [] : [`stage IN (${stages.map((stage) => `'${stage}'`).join(', ') || "''"})`]),
    ...(after === undefined
      ? []
      : [
          `(created_at_ms, id) ${isAscending ? '>' : '<'} (${sql.put(Math.floor(after.createdAtMs))}, ${sql.put(after.id)})`,
        ]),
  ];
}

function countsOf(rows: readonly SqlRow[]): LineCounts {
  const found = rows.flatMap((row) =>
    LINE_OUTCOMES.flatMap((outcome) => (outcome === row.outcome ? [[outcome, Number(row.lines)]] : [])),
  );
  return { ...NO_LINES, ...Object.fromEntries(found) };
}

import type {
  NewRelayedLine,
  RelayedBatch,
  RelayedBatchChanges,
  RelayedLine,
} from '../../../domain/batches/relayed-batch.ts';
import type { BatchRelayStore, LineReturn, RelayClaim } from '../../../engine/ports/batch-relay-store.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import { ask, lock, type SqlDialect, type SqlProgram, type SqlRow, type SqlRunner, type Values } from '../program.ts';
import { toLimit } from '../texts.ts';
import { fromCarriedRow, fromRelayRow, placeOfContent, placeOfVerdicts } from './relay-rows.ts';
import { IS_OPEN } from './rows.ts';

/** How many contents one read returns at most. */
const CONTENTS_AT_ONCE = 500;

/** Columns of the lines that a batch at a provider carries. */
const CARRIED = `
  batch_lines.number, at_byte, batch_lines.bytes, relayed_lines.request_id, relayed_lines.model_id, relayed_lines.sealed_verdicts,
  CASE WHEN outcome IS NULL AND charge IS NULL THEN 1 ELSE 0 END AS is_open`;

const CARRIED_FROM = `
  FROM relayed_lines
  JOIN relayed_batches ON relayed_batches.id = relayed_lines.relay_id
  JOIN batch_lines ON batch_lines.batch_id = relayed_batches.batch_id AND batch_lines.number = relayed_lines.number`;

/** The store of batches at providers for both databases. */
export class SqlBatchRelays implements BatchRelayStore {
  /** @param runner must be durable and return integers as `bigint` */
  constructor(
    private readonly runner: SqlRunner,
    private readonly box: ContentBox,
  ) {}

  async of(batchId: string): Promise<readonly RelayedBatch[]> {
    const rows = await this.#rows(
      (sql) => `SELECT * FROM relayed_batches WHERE batch_id = ${sql.put(batchId)} ORDER BY created_at_ms, id`,
    );
    return rows.map(fromRelayRow);
  }

  create(relay: RelayedBatch, claim: number): Promise<boolean> {
    const { id, batchId, place, endpoint, model, stage, lines, bytes, createdAtMs } = relay;
    const values = [id, batchId, place, endpoint, model, stage, lines, bytes, Math.floor(createdAtMs)];
    return this.#asOwner({ batchId, claim }, function* (dialect) {
      yield* ask(
        dialect,
        (sql) => `
          INSERT INTO relayed_batches (id, batch_id, place, endpoint, model, stage, lines, bytes, created_at_ms)
          VALUES (${values.map((value) => sql.put(value)).join(', ')})
          ON CONFLICT (id) DO NOTHING RETURNING id${dialect.durably}
        `,
      );
      return true;
    });
  }

  change(
    relay: RelayClaim,
    { stage, submittedAtMs, upstreamFileId, upstreamId }: RelayedBatchChanges,
  ): Promise<boolean> {
    const columns = Object.entries({
      ...{ stage, upstream_file_id: upstreamFileId, upstream_id: upstreamId },
      submitted_at_ms: submittedAtMs == null ? submittedAtMs : Math.floor(submittedAtMs),
    }).flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as const]));
    return this.#asOwner(relay, function* (dialect) {
      const changed = yield* ask(
        dialect,
        (sql) => `
          UPDATE relayed_batches SET ${columns.map(([column, value]) => `${column} = ${sql.put(value)}`).join(', ')}
          WHERE id = ${sql.put(relay.id)} RETURNING id${dialect.durably}
        `,
      );
      return changed.length === 1;
    });
  }

  async beginSubmission(relay: RelayClaim, most: number): Promise<'begun' | 'full' | 'lost'> {
    const begun = await this.#asOwner(relay, function* (dialect): SqlProgram<'begun' | 'full' | false> {
      const [own] = yield* ask(dialect, (sql) => `SELECT place FROM relayed_batches WHERE id = ${sql.put(relay.id)}`);
      if (own === undefined) return false;
      const place = String(own.place);
      // Two submissions at the same time would each find room for one.
      yield* lock(dialect, `relays ${place}`);
      const [others] = yield* ask(
        dialect,
        (sql) => `
          SELECT count(*) AS relays FROM relayed_batches
          WHERE place = ${sql.put(place)} AND stage <> 'collecting' AND id <> ${sql.put(relay.id)}
        `,
      );
      if (Number(others?.relays ?? 0) >= most) return 'full';
      yield* ask(
        dialect,
        (sql) => `
          UPDATE relayed_batches
          SET stage = 'submitting', lines = (SELECT count(*) FROM relayed_lines WHERE relay_id = relayed_batches.id)
          WHERE id = ${sql.put(relay.id)} AND stage = 'collecting' RETURNING id${dialect.durably}
        `,
      );
      return 'begun';
    });
    return begun === false ? 'lost' : begun;
  }

  addLine(relay: RelayClaim, { number, requestId, modelId, content, verdicts }: NewRelayedLine): Promise<boolean> {
    const sealed = this.box.seal(content, placeOfContent(relay.id, number));
    const sealedVerdicts = verdicts === null ? null : this.box.seal(verdicts, placeOfVerdicts(relay.id, number));
    const values = [relay.id, number, requestId, modelId, sealed, sealedVerdicts];
    return this.#asOwner(
      relay,
      function* (dialect) {
        const [waits] = yield* ask(
          dialect,
          (sql) => `
            SELECT number FROM batch_lines
            WHERE batch_id = ${sql.put(relay.batchId)} AND number = ${sql.put(number)}
              AND outcome IS NULL AND charge IS NULL AND relay IS NULL
          `,
        );
        if (waits === undefined) return false;
        const grown = yield* ask(
          dialect,
          (sql) => `
            UPDATE relayed_batches SET lines = lines + 1, bytes = bytes + ${sql.put(content.length + 1)}
            WHERE id = ${sql.put(relay.id)} AND stage = 'collecting' RETURNING id
          `,
        );
        if (grown.length === 0) return false;
        yield* ask(
          dialect,
          (sql) => `
            UPDATE batch_lines SET relay = ${sql.put(relay.id)}
            WHERE batch_id = ${sql.put(relay.batchId)} AND number = ${sql.put(number)} RETURNING number
          `,
        );
        yield* ask(
          dialect,
          (sql) => `
            INSERT INTO relayed_lines (relay_id, number, request_id, model_id, sealed_content, sealed_verdicts)
            VALUES (${values.map((value) => sql.put(value)).join(', ')})
            RETURNING number${dialect.durably}
          `,
        );
        return true;
      },
      sealed.length + (sealedVerdicts?.length ?? 0),
    );
  }

  async contents(id: string, afterNumber: number, mostBytes: number) {
    const { dialect } = this.runner;
    const rows = await this.#rows((sql) => {
      const [relay, after] = [sql.put(id), sql.put(afterNumber)];
      return `
        SELECT number, sealed_content FROM (
          SELECT *, sum(${dialect.bytesOf('sealed_content')}) OVER (ORDER BY number) AS so_far,
            row_number() OVER (ORDER BY number) AS place
          FROM (
            SELECT * FROM relayed_lines WHERE relay_id = ${relay} AND number > ${after}
            ORDER BY number LIMIT ${CONTENTS_AT_ONCE}
          ) AS next
        ) AS summed
        WHERE so_far <= ${sql.put(Math.floor(mostBytes))} OR place = 1 ORDER BY number
      `;
    });
    return rows.map((row) => {
      const number = Number(row.number);
      const sealed = row.sealed_content as Uint8Array; // A binary column.
      return { number, content: this.box.openBytes(sealed, placeOfContent(id, number)) };
    });
  }

  async lines(id: string, numbers: readonly number[]): Promise<readonly RelayedLine[]> {
    const { dialect } = this.runner;
    const rows = await this.#rows(
      (sql) => `
        SELECT ${CARRIED} ${CARRIED_FROM}
        WHERE relayed_lines.relay_id = ${sql.put(id)}
          AND relayed_lines.number ${dialect.inList(sql.put(JSON.stringify(numbers)), 'bigint')}
        ORDER BY relayed_lines.number
      `,
    );
    return rows.map((row) => this.#lineOf(id, row));
  }

  async carried(id: string, afterNumber: number, limit: number): Promise<readonly RelayedLine[]> {
    const rows = await this.#rows(
      (sql) => `
        SELECT ${CARRIED} ${CARRIED_FROM}
        WHERE relayed_lines.relay_id = ${sql.put(id)} AND relayed_lines.number > ${sql.put(afterNumber)}
        ORDER BY relayed_lines.number LIMIT ${sql.put(toLimit(limit))}
      `,
    );
    return rows.map((row) => this.#lineOf(id, row));
  }

  #lineOf(id: string, row: SqlRow): RelayedLine {
    return fromCarriedRow(row, (sealed, number) => this.box.open(sealed, placeOfVerdicts(id, number)));
  }

  giveBack(relay: RelayClaim, numbers: readonly number[], as: LineReturn): Promise<boolean> {
    const list = JSON.stringify(numbers);
    return this.#asOwner(relay, function* (dialect) {
      yield* ask(
        dialect,
        (sql) => `
          UPDATE batch_lines SET relay = ${sql.put(as === 'own' ? '' : null)}
          WHERE batch_id = ${sql.put(relay.batchId)} AND relay = ${sql.put(relay.id)}
            AND number ${dialect.inList(sql.put(list), 'bigint')} AND outcome IS NULL RETURNING number
        `,
      );
      yield* ask(
        dialect,
        (sql) => `
          DELETE FROM relayed_lines WHERE relay_id = ${sql.put(relay.id)}
            AND number ${dialect.inList(sql.put(list), 'bigint')} RETURNING number${dialect.durably}
        `,
      );
      return true;
    });
  }

  remove(relay: RelayClaim): Promise<boolean> {
    return this.#asOwner(relay, function* (dialect) {
      yield* ask(
        dialect,
        (sql) => `
          DELETE FROM relayed_batches WHERE id = ${sql.put(relay.id)}
            AND NOT EXISTS (SELECT 1 FROM relayed_lines WHERE relay_id = relayed_batches.id)
          RETURNING id${dialect.durably}
        `,
      );
      return true;
    });
  }

  /** Runs statements if the gateway's batch is open and has this claim. Resolves to `false` if it has not, or to their result. */
  #asOwner<Result>(
    { batchId, claim }: Pick<RelayClaim, 'batchId' | 'claim'>,
    program: (dialect: SqlDialect) => SqlProgram<Result>,
    bytes = 0,
  ): Promise<Result | false> {
    const { dialect } = this.runner;
    const owned = function* (): SqlProgram<Result | false> {
      const own = yield* ask(
        dialect,
        (sql) => `
          SELECT id FROM batches WHERE id = ${sql.put(batchId)} AND claim = ${sql.put(claim)} AND ${IS_OPEN}
          ${dialect.lockRows}
        `,
      );
      return own.length === 0 ? false : yield* program(dialect);
    };
    return this.runner.write(owned, { bytes });
  }

  #rows(text: (sql: Values) => string): Promise<readonly SqlRow[]> {
    return this.runner.read(() => ask(this.runner.dialect, text));
  }
}

import type { HeldCharge, HeldCharges, HeldState, KnownHeldCharge } from '../../engine/ports/held-charges.ts';
import { largestAmount } from '../shared/ledger-rules.ts';
import { ask, type SqlRow, type SqlRunner } from './program.ts';

const COLUMNS =
  'request_id, account_id, key_id, model_id, channel_id, amount_nano, plausible_nano, prompt_tokens, completion_tokens, at_ms';

/** Stores implausible charges until an operator decides. */
export class SqlHeldCharges implements HeldCharges {
  readonly #runner: SqlRunner;

  /** @param runner must be durable and return integers as `bigint` */
  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async hold(charge: HeldCharge): Promise<void> {
    await this.#runner.change(
      (sql) => `
        INSERT INTO held_charges (${COLUMNS}, state)
        VALUES (${valuesOf(charge)
          .map((value) => sql.put(value))
          .join(', ')}, 'open')
        ON CONFLICT (request_id) DO NOTHING
      `,
    );
  }

  async list(
    { accountId = null, state = null }: { readonly accountId?: string | null; readonly state?: HeldState | null },
    limit: number,
  ): Promise<readonly KnownHeldCharge[]> {
    const rows = await this.#runner.read(() =>
      ask(this.#runner.dialect, (sql) => {
        const conditions = [
          ...(accountId === null ? [] : [`account_id = ${sql.put(accountId)}`]),
          ...(state === null ? [] : [`state = ${sql.put(state)}`]),
        ];
        const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
        const most = sql.put(Math.max(0, Math.floor(limit)));
        return `SELECT * FROM held_charges ${where} ORDER BY at_ms DESC, request_id LIMIT ${most}`;
      }),
    );
    return rows.map(fromRow);
  }

  async find(requestId: string): Promise<KnownHeldCharge | null> {
    const [row] = await this.#runner.read(() =>
      ask(this.#runner.dialect, (sql) => `SELECT * FROM held_charges WHERE request_id = ${sql.put(requestId)}`),
    );
    return row === undefined ? null : fromRow(row);
  }

  async decide(requestId: string, state: 'settled' | 'dismissed'): Promise<boolean> {
    const changed = await this.#runner.change(
      (sql) => `
        UPDATE held_charges SET state = ${sql.put(state)} WHERE request_id = ${sql.put(requestId)} AND state = 'open'
      `,
    );
    return changed > 0;
  }
}

/** In the order of `COLUMNS`. Token counts beyond the range of the column are capped. */
function valuesOf(charge: HeldCharge): readonly (string | bigint | null)[] {
  const tokens = (count: number) => BigInt(Math.min(Math.round(count), Number.MAX_SAFE_INTEGER));
  return [
    charge.requestId,
    charge.accountId,
    charge.keyId,
    charge.modelId,
    charge.channelId,
    largestAmount(charge.amountNanoUsd),
    largestAmount(charge.plausibleNanoUsd),
    tokens(charge.promptTokens),
    tokens(charge.completionTokens),
    BigInt(Math.floor(charge.atMs)),
  ];
}

function fromRow(row: SqlRow): KnownHeldCharge {
  const text = (value: unknown) => (value === null ? null : String(value));
  return {
    requestId: String(row.request_id),
    accountId: String(row.account_id),
    keyId: text(row.key_id),
    modelId: String(row.model_id),
    channelId: text(row.channel_id),
    amountNanoUsd: BigInt(row.amount_nano as bigint), // An integer column.
    plausibleNanoUsd: BigInt(row.plausible_nano as bigint), // An integer column.
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    atMs: Number(row.at_ms),
    state: row.state as HeldState, // Guaranteed by a check constraint.
  };
}

import type { HeldCharge, HeldState, KnownHeldCharge } from '../../../engine/ports/held-charges.ts';
import { largestAmount } from '../ledger-rules.ts';

/** Of either database; integers come back as `bigint`, all of them. */
export interface HeldChargeRow {
  readonly request_id: string;
  readonly account_id: string;
  readonly key_id: string | null;
  readonly model_id: string;
  readonly channel_id: string | null;
  readonly amount_nano: bigint;
  readonly plausible_nano: bigint;
  readonly prompt_tokens: bigint;
  readonly completion_tokens: bigint;
  readonly at_ms: bigint;
  /** The table's check holds what it may be. */
  readonly state: HeldState;
}

const COLUMNS =
  'request_id, account_id, key_id, model_id, channel_id, amount_nano, plausible_nano, prompt_tokens, completion_tokens, at_ms';

/**
 * The statements of held charges; the databases differ in how they mark a parameter.
 *
 * @param mark what stands before a parameter's number
 */
export function heldChargeStatements(mark: '?' | '$') {
  const values = COLUMNS.split(', ').map((_, index) => `${mark}${index + 1}`);
  return {
    hold: `
      INSERT INTO held_charges (${COLUMNS}, state) VALUES (${values.join(', ')}, 'open')
      ON CONFLICT (request_id) DO NOTHING
    `,
    find: `SELECT * FROM held_charges WHERE request_id = ${mark}1`,
    /** (account or NULL, state or NULL, limit) */
    list: `
      SELECT * FROM held_charges
      WHERE account_id = coalesce(${mark}1, account_id) AND state = coalesce(${mark}2, state)
      ORDER BY at_ms DESC, request_id LIMIT ${mark}3
    `,
    /** (request, state) */
    decide: `UPDATE held_charges SET state = ${mark}2 WHERE request_id = ${mark}1 AND state = 'open'`,
  };
}

type Value = string | bigint | null;

/** An upstream may say what no column holds: then the most that one does. */
export function toHeldChargeValues(charge: HeldCharge): Value[] {
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

export function fromHeldChargeRow(row: HeldChargeRow): KnownHeldCharge {
  return {
    requestId: row.request_id,
    accountId: row.account_id,
    keyId: row.key_id,
    modelId: row.model_id,
    channelId: row.channel_id,
    amountNanoUsd: row.amount_nano,
    plausibleNanoUsd: row.plausible_nano,
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    atMs: Number(row.at_ms),
    state: row.state,
  };
}

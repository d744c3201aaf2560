import type { Database } from 'bun:sqlite';
import type { Charge } from '../../engine/ports/ledger.ts';
import { usageOfCharge } from '../shared/tables/usage.ts';

const INSERT = `
  INSERT INTO usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, tag, cost_nano)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
`;

/** Adds the money of a new charge to the sums of usage, in the transaction of the charge. */
export function writeChargeUsage(database: Database, charge: Charge): void {
  for (const row of usageOfCharge(charge)) {
    database
      .query(INSERT)
      .run(row.atMs, row.accountId, row.keyId, row.modelId, row.channelId, row.status, row.tag, row.costNanoUsd);
  }
}

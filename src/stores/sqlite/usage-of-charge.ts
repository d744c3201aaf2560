import type { Database } from 'bun:sqlite';
import type { Charge } from '../../engine/ports/ledger.ts';
import { usageOfCharges } from '../shared/tables/usage.ts';

const INSERT = `
  INSERT INTO usage_deltas (at_ms, account_id, key_id, model_id, channel_id, status, tag, cost_nano)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
`;

/** Adds the amounts of new charges to the usage sums, in the same transaction. */
export function writeChargeUsage(database: Database, charges: readonly Charge[]): void {
  const insert = database.query(INSERT);
  for (const row of usageOfCharges(charges)) {
    insert.run(row.atMs, row.accountId, row.keyId, row.modelId, row.channelId, row.status, row.tag, row.costNanoUsd);
  }
}

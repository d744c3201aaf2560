import type { Database } from 'bun:sqlite';
import { inTransaction } from './connection.ts';

/* A spending pool's row has one sum of open holds, which outlive gateways, and the gateway's leases. */

const HELD_OF_BALANCE = `
  SELECT coalesce(sum(from_balance_nano), 0) FROM holds
  WHERE state = 'open' AND holds.account_id = balances.account_id
`;
const HELD_OF_KEY = `
  SELECT coalesce(sum(from_limit_nano), 0) FROM holds
  WHERE state = 'open' AND holds.account_id = key_spending.account_id AND holds.key_id = key_spending.key_id
`;

/** `held_nano` is a string of digits in the JSON. */
const HELD_OF_BUDGET = `
  SELECT coalesce(sum(cast(held.value ->> 'held_nano' AS integer)), 0) FROM holds, json_each(holds.budgets) AS held
  WHERE state = 'open' AND holds.account_id = budget_spending.account_id
    AND held.value ->> 'key_id' = budget_spending.key_id
    AND held.value ->> 'starts_at_ms' = budget_spending.starts_at_ms
    AND held.value ->> 'ends_at_ms' = budget_spending.ends_at_ms
`;

/** Selects the gateway's leases as rows of `LeaseRow`. */
export const GATEWAY_LEASES = `
  SELECT * FROM (
    SELECT account_id, '' AS key_id, NULL AS starts_at_ms, NULL AS ends_at_ms, leased_nano - (${HELD_OF_BALANCE}) AS leased_nano
    FROM balances WHERE leased_nano <> 0
    UNION ALL
    SELECT account_id, key_id, NULL, NULL, leased_nano - (${HELD_OF_KEY}) FROM key_spending WHERE leased_nano <> 0
    UNION ALL
    SELECT account_id, key_id, starts_at_ms, ends_at_ms, leased_nano - (${HELD_OF_BUDGET})
    FROM budget_spending WHERE leased_nano <> 0
  ) WHERE leased_nano > 0
`;

/** Ends the leases of a gateway that has exited. Only a process that owns the data folder can know that it has. */
export function endLeases(database: Database): void {
  inTransaction(database, 'IMMEDIATE', () => {
    database.run(`UPDATE balances SET leased_nano = (${HELD_OF_BALANCE}) WHERE leased_nano <> 0`);
    database.run(`UPDATE key_spending SET leased_nano = (${HELD_OF_KEY}) WHERE leased_nano <> 0`);
    database.run(`UPDATE budget_spending SET leased_nano = (${HELD_OF_BUDGET}) WHERE leased_nano <> 0`);
  });
}

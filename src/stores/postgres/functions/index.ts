import type { DatabaseFunctions } from '../upgrade/functions.ts';
import budgets from './budgets.sql' with { type: 'text' };
import charges from './charges.sql' with { type: 'text' };
import directory from './directory.sql' with { type: 'text' };
import holds from './holds.sql' with { type: 'text' };
import ledger from './ledger.sql' with { type: 'text' };
import records from './records.sql' with { type: 'text' };

/**
 * The functions and trigger functions of the database. Raise the version with every change of a file, and add the new hash to
 * `migrations/released.json`. Nodes of two versions run side by side during an upgrade, and share the newer functions. A change of arguments
 * or of a meaning is therefore a new function with another name (`ledger_charge_2`).
 */
export const FUNCTIONS: DatabaseFunctions = {
  version: 4,
  sql: [ledger, charges, budgets, holds, directory, records].join('\n'),
};

import type { SumDialect } from '../shared/usage-statements.ts';

export const SQLITE_SUMS: SumDialect = {
  mark: '?',
  segments: (list) =>
    `(SELECT value ->> 0 AS place, value ->> 1 AS level, value ->> 2 AS from_ms, value ->> 3 AS to_ms FROM json_each(${list}))`,
  accounts: (list) => `(SELECT value AS id FROM json_each(${list}))`,
  // In the order of the cross joins, which SQLite keeps.
  joined: (segments, accounts, condition) =>
    `FROM ${segments} AS segments CROSS JOIN ${accounts} AS accounts CROSS JOIN usage_rollups WHERE ${condition}`,
  integer: (expression) => expression,
};

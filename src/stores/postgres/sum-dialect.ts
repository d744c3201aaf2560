import { MEASURE_COLUMNS } from '../shared/tables/usage.ts';
import type { SumDialect } from '../shared/usage-statements.ts';

export const POSTGRES_SUMS: SumDialect = {
  mark: '$',
  segments: (list) =>
    `(SELECT (value ->> 0)::bigint AS place, value ->> 1 AS level, (value ->> 2)::bigint AS from_ms, (value ->> 3)::bigint AS to_ms
      FROM json_array_elements(${list}::json))`,
  accounts: (list) => `(SELECT value AS id FROM json_array_elements_text(${list}::json))`,
  // To sum within each look-up saves the sorting of all rows. It also keeps the planner from joining in another way: a plan that was made
  // while the table was small reads all of it.
  joined: (segments, accounts, condition, groups) => {
    const columns = [...new Set(['account_id', ...groups])].join(', ');
    const sums = MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`).join(', ');
    return `FROM ${segments} AS segments CROSS JOIN ${accounts} AS accounts
      CROSS JOIN LATERAL (SELECT ${columns}, ${sums} FROM usage_rollups WHERE ${condition} GROUP BY ${columns}) AS sums`;
  },
  integer: (expression) => `(${expression})::bigint`,
};

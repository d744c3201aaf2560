import type { LogDialect } from '../shared/log-pages.ts';
import { REQUEST_LOG_COLUMNS } from '../shared/tables/request-log.ts';

/** Reads the cost as digits, since a number loses precision beyond 2^53. */
export const READ_COLUMNS = REQUEST_LOG_COLUMNS.map((column) =>
  column === 'cost_nano' ? 'CAST(cost_nano AS TEXT) AS cost_nano' : column,
).join(', ');

export const SQLITE_LOG: LogDialect = {
  mark: '?',
  columns: READ_COLUMNS,
  hasText: (column, parameter) => `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${parameter})`,
};

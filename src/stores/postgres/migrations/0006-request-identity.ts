import { sql } from 'kysely';
import type { OnlineMigration } from '../upgrade/migration.ts';
import requestIdentity from './0006-request-identity.sql' with { type: 'text' };

const TABLE = 'request_log';

/** Indexes the partitions one after the other, since that reads all lines of the log. */
export const requestIdentityOnline: OnlineMigration = {
  async up(db) {
    await sql.raw(requestIdentity.replaceAll(` on ${TABLE} (`, ` on only ${TABLE} (`)).execute(db);
    return {};
  },
  steps: {
    clientIds: {
      ...{ kind: 'partitioned index', table: TABLE, name: 'request_log_by_client_id' },
      suffix: 'expr_client_request_id_idx',
      on: '((id / 16384), client_request_id) where client_request_id is not null',
    },
    traces: {
      ...{ kind: 'partitioned index', table: TABLE, name: 'request_log_by_trace' },
      suffix: 'expr_trace_id_idx',
      on: '((id / 16384), trace_id) where trace_id is not null',
    },
  },
};

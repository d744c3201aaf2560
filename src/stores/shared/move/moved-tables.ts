export interface MovedTable {
  readonly name: string;
  /** Columns that only one of the two schemas has, each with the reason. */
  readonly leftColumns?: Readonly<Record<string, string>>;
  /** Whether a new PostgreSQL database has rows, which are replaced. */
  readonly isSeeded?: true;
}

/**
 * The tables that a move from SQLite to PostgreSQL copies, in an order in which every row comes after those that it refers to. All columns
 * are copied, except `leftColumns`. A test compares the list with both schemas.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: 'directory_version', isSeeded: true },
  { name: 'account_changes' },
  { name: 'serving_changes' },
  { name: 'accounts' },
  { name: 'credentials' },
  { name: 'retired_secrets' },
  { name: 'key_use' },
  { name: 'token_use' },
  { name: 'models' },
  { name: 'synced_models' },
  { name: 'guards' },
  { name: 'channels' },
  { name: 'channel_health' },
  { name: 'upstream_key_health' },
  { name: 'upstream_key_spending' },
  { name: 'ledger_entries' },
  { name: 'balances' },
  { name: 'key_spending' },
  { name: 'budget_spending' },
  { name: 'held_charges' },
  { name: 'holds' },
  { name: 'ledger_checkpoints' },
  { name: 'ledger_archived' },
  { name: 'request_log' },
  { name: 'request_exports' },
  { name: 'success_snapshot' },
  { name: 'usage_deltas' },
  { name: 'usage_rollups' },
  { name: 'usage_account_days' },
  { name: 'usage_thinning' },
  { name: 'captures' },
  { name: 'capture_sums' },
  { name: 'cache_reports' },
  { name: 'responses' },
  { name: 'response_usage' },
  { name: 'object_origins' },
  { name: 'tasks', leftColumns: { row_id: 'PostgreSQL has none; pages are ordered by time and id' } },
  { name: 'files' },
  { name: 'file_chunks' },
  { name: 'batches' },
  { name: 'batch_lines' },
  { name: 'relayed_batches' },
  { name: 'relayed_lines' },
  { name: 'users' },
  { name: 'user_activity' },
  { name: 'memberships' },
  { name: 'invitations' },
  { name: 'sign_in_sessions' },
  { name: 'sign_in_credentials' },
  { name: 'sign_in_verifications' },
  { name: 'sign_in_two_factors' },
  { name: 'sign_in_passkeys' },
  { name: 'sign_in_attempts' },
  { name: 'audit_log' },
  { name: 'idempotent_requests' },
  { name: 'erasures' },
  { name: 'account_erasures' },
  { name: 'alert_rules' },
  { name: 'alert_targets' },
  { name: 'alert_states' },
  { name: 'alert_events' },
  { name: 'alert_deliveries' },
  { name: 'settings' },
  {
    name: 'secret_check',
    isSeeded: true,
    leftColumns: { one: 'limits the table to one row; PostgreSQL has an index for that' },
  },
];

const OF_PROCESSES = 'belongs to running processes, and none runs during a move';
const OF_A_TRANSACTION = 'is set within a transaction only; PostgreSQL has a setting for that';

/** The tables that are not copied, each with the reason. */
export const LEFT_TABLES: Readonly<Record<string, string>> = {
  kysely_migration: 'each schema has its own migrations',
  gateway_nodes: OF_PROCESSES,
  task_owners: OF_PROCESSES,
  alert_leader: OF_PROCESSES,
  ledger_archiving: OF_PROCESSES,
  nodes: OF_PROCESSES,
  leases: OF_PROCESSES,
  budget_leases: OF_PROCESSES,
  retention_leader: OF_PROCESSES,
  write_probe: OF_PROCESSES,
  ledger_door: OF_A_TRANSACTION,
  audit_horizon: OF_A_TRANSACTION,
  audit_erasure: OF_A_TRANSACTION,
  deferred_steps: 'the rest of an upgrade of PostgreSQL',
  functions_version: 'the functions of PostgreSQL',
};

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const IS_OPEN = `stage not in ('completed', 'failed')`;

/**
 * Work that outlives its request. Finished tasks are many and are only read by id. Frequent queries read open tasks, which have their own
 * indexes.
 */
export const tasksMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

/** Pages have free space, so that updates of a task's progress stay on the page and no index changes. */
const STATEMENTS = [
  `create table tasks (
    id text collate "C" primary key,
    request_id text not null,
    account_id text collate "C" not null,
    key_id text collate "C",
    kind text collate "C" not null,
    model_id text not null,
    created_at_ms bigint not null,
    deadline_ms bigint not null,
    stage text collate "C" not null
      check (stage in ('created', 'submitting', 'submitted', 'closing', 'completed', 'failed')),
    is_processing smallint not null,
    progress bigint,
    channel_id text collate "C",
    provider text collate "C",
    upstream_model text,
    wire text,
    is_private smallint,
    asked text,
    submitted_at_ms bigint,
    poll_errors bigint not null,
    last_poll_error text,
    kept text not null,
    cost_nano bigint,
    ended_at_ms bigint,
    expires_at_ms bigint,
    owner text collate "C",
    claim bigint not null,
    sealed_ticket bytea,
    sealed_ending bytea
  ) with (fillfactor = 85)`,
  'create index tasks_by_account on tasks (account_id, created_at_ms, id)',
  'create index tasks_by_time on tasks (created_at_ms, id)',
  'create index tasks_by_expiry on tasks (expires_at_ms) where expires_at_ms is not null',
  `create index tasks_open_by_time on tasks (created_at_ms, id) where ${IS_OPEN}`,
  `create index tasks_open_by_owner on tasks (owner, created_at_ms, id) where ${IS_OPEN}`,
  `create index tasks_open_by_account on tasks (account_id, created_at_ms, id) where ${IS_OPEN}`,
  `create index tasks_open_figures on tasks (kind, provider, stage, created_at_ms) where ${IS_OPEN}`,
  `create table task_owners (
    owner text collate "C" primary key,
    alive_until_ms bigint not null
  )`,
];

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const IS_OPEN = sql.raw(`stage not in ('completed', 'failed')`);

/**
 * Work that outlives its request. Finished tasks are many and are only read by id. Frequent queries read open tasks, which have their own
 * indexes.
 */
export const tasksMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table tasks (
        row_id integer primary key,
        id text not null unique,
        request_id text not null,
        account_id text not null,
        key_id text,
        kind text not null,
        model_id text not null,
        created_at_ms integer not null,
        deadline_ms integer not null,
        stage text not null
          check (stage in ('created', 'submitting', 'submitted', 'closing', 'completed', 'failed')),
        is_processing integer not null,
        progress integer,
        channel_id text,
        provider text,
        upstream_model text,
        wire text,
        is_private integer,
        asked text,
        submitted_at_ms integer,
        poll_errors integer not null,
        last_poll_error text,
        kept text not null,
        cost_nano integer,
        ended_at_ms integer,
        expires_at_ms integer,
        owner text,
        claim integer not null,
        sealed_ticket blob,
        sealed_ending blob
      ) strict
    `.execute(db);
    await sql`create index tasks_by_account on tasks (account_id, created_at_ms, id)`.execute(db);
    await sql`create index tasks_by_time on tasks (created_at_ms, id)`.execute(db);
    await sql`create index tasks_by_expiry on tasks (expires_at_ms) where expires_at_ms is not null`.execute(db);
    await sql`create index tasks_open_by_time on tasks (created_at_ms, id) where ${IS_OPEN}`.execute(db);
    await sql`create index tasks_open_by_owner on tasks (owner, created_at_ms, id) where ${IS_OPEN}`.execute(db);
    await sql`create index tasks_open_by_account on tasks (account_id, created_at_ms, id) where ${IS_OPEN}`.execute(db);
    await sql`create index tasks_open_figures on tasks (kind, provider, stage, created_at_ms) where ${IS_OPEN}`.execute(
      db,
    );
    await sql`
      create table task_owners (
        owner text not null primary key,
        alive_until_ms integer not null
      ) strict, without rowid
    `.execute(db);
  },
};

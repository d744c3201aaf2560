import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { OnlineMigration } from '../../upgrade/migration.ts';

/**
 * Partitions the request log by week, so that old lines are dropped with their files instead of being deleted individually. Existing lines
 * form the first partition, which has no lower bound. Lines that belong to no week, such as those without a time, go to the partition
 * `request_log_rest`, so that none is rejected.
 */
export const logPartitionsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [bound(''), `create index ${BY_ID.name} on ${BY_ID.on}`, swap()])
      await sql.raw(statement).execute(db);
  },
};

const BY_ID = { name: 'request_log_first_by_id', on: 'request_log (id)' };

/** Extracts the number from the text of the constraint. */
const FIRST_UNTIL = `(
  select substring(pg_get_constraintdef(oid) from '[0-9]{12,}')::bigint from pg_constraint
    where conname = 'request_log_first_bound' and connamespace = current_schema()::regnamespace
)`;

/** Validates while nodes keep running that every line is before the first week, so that attaching the table does not scan it. */
export const logPartitionsOnlineMigration: OnlineMigration = {
  async up(db) {
    await sql.raw(bound('not valid')).execute(db);
    return {};
  },
  steps: {
    strays: { kind: 'statements', statements: [strays()] },
    check: { kind: 'statements', statements: ['alter table request_log validate constraint request_log_first_bound'] },
    index: { kind: 'index', ...BY_ID },
    swap: { kind: 'statements', statements: [swap()], isLocking: true },
  },
};

/** Adds the bound: the first Monday (UTC) at least a day ahead. 1970 began on a Thursday, so weeks begin at 4 days. */
function bound(validity: '' | 'not valid'): string {
  return `do $$
    declare
      week constant bigint := 604800000;
      monday constant bigint := 345600000;
      now_ms bigint := (extract(epoch from now()) * 1000)::bigint;
      first_until bigint := ((now_ms + 86400000 - monday) / week + 1) * week + monday;
    begin
      execute format(
        'alter table request_log add constraint request_log_first_bound check (at_ms is not null and at_ms < %s) ${validity}',
        first_until
      );
    end
  $$`;
}

/** Deletes lines in the far future, due to a wrong clock, or without a time, which would be in no week. The log is no record of money. */
function strays(): string {
  return `delete from request_log where at_ms is null or at_ms >= ${FIRST_UNTIL}`;
}

/** Replaces the table by a partitioned one in one short transaction, unless that was done already. */
function swap(): string {
  return `do $$
    declare
      first_until bigint := ${FIRST_UNTIL};
      last_id bigint;
    begin
      if (select relkind from pg_class where oid = 'request_log'::regclass) = 'p' then
        return;
      end if;
      perform set_config('lock_timeout', '500ms', true);
      lock table request_log in access exclusive mode;
      last_id := nextval(pg_get_serial_sequence('request_log', 'id'));
      alter table request_log rename to request_log_first;
      alter index request_log_by_time rename to request_log_first_by_time;
      alter table request_log_first alter column id drop identity;
      alter table request_log_first drop constraint request_log_pkey;
      create table request_log (like request_log_first) partition by range (at_ms);
      create sequence request_log_ids owned by request_log.id;
      perform setval('request_log_ids', last_id);
      alter table request_log alter column id set default nextval('request_log_ids');
      create index request_log_by_time on request_log (at_ms);
      create index request_log_by_id on request_log (id);
      execute format(
        'alter table request_log attach partition request_log_first for values from (minvalue) to (%s)', first_until
      );
      alter table request_log_first drop constraint request_log_first_bound;
      create table request_log_rest partition of request_log default;
    end
  $$`;
}

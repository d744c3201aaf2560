import { sql } from 'kysely';
import type { OnlineMigration } from '../upgrade/migration.ts';
import taskLists from './0012-task-lists.sql' with { type: 'text' };

/** Builds the indexes while other nodes create and change tasks. */
export const taskListsOnline: OnlineMigration = {
  async up(db) {
    const [columns = ''] = taskLists.split('create index');
    await sql.raw(columns.replace(/--[^\n]*\n/g, '')).execute(db);
    return {};
  },
  steps: {
    kinds: { kind: 'index', name: 'tasks_by_account_kind', on: 'tasks (account_id, kind, created_at_ms, id)' },
    models: { kind: 'index', name: 'tasks_by_account_model', on: 'tasks (account_id, model_id, created_at_ms, id)' },
    keys: { kind: 'index', name: 'tasks_by_account_key', on: 'tasks (account_id, key_id, created_at_ms, id)' },
    ended: {
      ...{ kind: 'index', name: 'tasks_ended_by_account' },
      on: "tasks (account_id, stage, created_at_ms, id) where stage in ('completed', 'failed')",
    },
  },
};

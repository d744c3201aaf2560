import { type Kysely, sql } from 'kysely';
import { fromJson } from './tables/encoding.ts';

type Words = Readonly<Record<string, unknown>>;

/** Moves the setting `tasks.keep_days` to `retention.tasks_days`. */
export async function moveRetentionOfTasks(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ words: string }>`select words from settings where section = 'tasks'`.execute(db);
  const { keep_days: days, ...others } = fromJson<Words>(rows[0]?.words ?? '{}');
  if (days === undefined) return;
  const moved = { tasks: others, retention: { tasks_days: days } };
  for (const [section, words] of Object.entries(moved)) {
    await sql`
      insert into settings (section, words) values (${section}, ${JSON.stringify(words)})
      on conflict (section) do update set words = excluded.words
    `.execute(db);
  }
}

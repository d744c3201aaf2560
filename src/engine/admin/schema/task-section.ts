import { z } from 'zod';
import { flag, integer, MAP } from '../../../providers/shared/file-fields.ts';
import { DEFAULT_TASKS, type RetentionSettings, type TaskSettings } from '../../settings/settings.ts';

const MINUTE_MS = 60_000;

const minutes = integer('must be a whole number of minutes from 1 to 10080', 1, 10_080);

export const deadlinesSchema = z.strictObject(
  { video: minutes.nullish(), music: minutes.nullish(), '3d': minutes.nullish(), image: minutes.nullish() },
  MAP,
);

export const tasksSchema = z.strictObject(
  {
    poll_interval_ms: integer('must be a whole number of milliseconds from 10 to 600000', 10, 600_000).nullish(),
    polls_per_second: integer('must be a whole number from 1 to 10000', 1, 10_000).nullish(),
    max_open_per_account: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    rehost: flag.nullish(),
    max_file_bytes: integer(
      'must be a whole number of bytes from 1048576 to 1099511627776',
      2 ** 20,
      2 ** 40,
    ).nullish(),
    deadline_minutes: deadlinesSchema.nullish(),
  },
  MAP,
);

export function tasksFrom(
  tasks: z.output<typeof tasksSchema>,
  { tasksMs }: Pick<RetentionSettings, 'tasksMs'>,
): TaskSettings {
  const { deadline_minutes: deadlines = null } = tasks;
  const deadline = (kind: keyof TaskSettings['deadlineMs']) => {
    const set = deadlines?.[kind] ?? null;
    return set === null ? DEFAULT_TASKS.deadlineMs[kind] : set * MINUTE_MS;
  };
  return {
    pollIntervalMs: tasks.poll_interval_ms ?? DEFAULT_TASKS.pollIntervalMs,
    pollsPerSecond: tasks.polls_per_second ?? DEFAULT_TASKS.pollsPerSecond,
    maxOpenPerAccount: tasks.max_open_per_account ?? DEFAULT_TASKS.maxOpenPerAccount,
    keepMs: tasksMs,
    rehost: tasks.rehost ?? DEFAULT_TASKS.rehost,
    maxFileBytes: tasks.max_file_bytes ?? DEFAULT_TASKS.maxFileBytes,
    deadlineMs: { video: deadline('video'), music: deadline('music'), '3d': deadline('3d'), image: deadline('image') },
  };
}

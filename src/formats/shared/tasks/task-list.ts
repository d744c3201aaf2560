import { Failure } from '../../../domain/failure/failure.ts';
import type { JobReport, JobTicket } from '../../../domain/tasks/job.ts';
import type { WireTarget } from '../../wire.ts';
import { jsonObject } from '../failure/error-in-answer.ts';
import { listOf } from '../json/json-values.ts';
import { isRecord } from '../json/record.ts';
import { reportsByTicket } from './job-answer.ts';
import type { BatchedPolls } from './wire.ts';

/** The most ids in one poll; the lists themselves allow larger pages. */
const MOST_AT_ONCE = 50;

/**
 * Implements `TaskWire.batch` for lists of tasks that accept several ids (`filter.task_ids`) and answer with `items` that have an
 * `id`.
 */
export function taskList(
  place: string,
  idOf: (value: unknown) => string | null,
  read: (task: Readonly<Record<string, unknown>>, ticket: JobTicket, target: WireTarget) => JobReport | Failure,
): Pick<BatchedPolls, 'most' | 'poll' | 'decode'> {
  return {
    most: MOST_AT_ONCE,
    poll: (tickets) => {
      const ids = tickets.map(({ id = '' }) => `&filter.task_ids=${encodeURIComponent(id)}`).join('');
      return { url: `${place}?page_num=1&page_size=${MOST_AT_ONCE}${ids}` };
    },
    decode: ({ bytes }, tickets, target) => {
      const body = jsonObject(bytes);
      if (body instanceof Failure) return body;
      const tasks = listOf(body.items).filter(isRecord);
      return reportsByTicket(tickets, new Map(tasks.map((task) => [idOf(task.id), task])), (task, ticket) =>
        read(task, ticket, target),
      );
    },
  };
}

import { z } from 'zod';
import { TASK_KINDS } from '../../../domain/tasks/task-kind.ts';
import { TASK_STAGES, TASK_STATUSES } from '../../../domain/tasks/task-stage.ts';

/** The output of `taskWords` and `taskPreview`. */
export const TASK = z
  .looseObject({
    object: z.literal('task'),
    id: z.string(),
    account: z.string(),
    kind: z.enum(TASK_KINDS),
    model: z.string(),
    stage: z.enum(TASK_STAGES).meta({ description: 'The gateway’s internal progress.' }),
    status: z.enum(TASK_STATUSES).meta({ description: 'The status that the client sees.' }),
    progress: z.number().nullable(),
    channel: z.string().nullable(),
    provider: z.string().nullable(),
    poll_errors: z.number().meta({ description: 'The number of consecutive failed polls.' }),
    created_at: z.string(),
    ended_at: z.string().nullable(),
    preview: z
      .object({ url: z.string(), content_type: z.string().optional(), cover_url: z.string().optional() })
      .nullable()
      .optional()
      .meta({ description: 'Only in lists, and for its own account: the first result.' }),
  })
  .meta({ id: 'ManagedTask' });

const MADE = z.looseObject({
  url: z.string().optional(),
  content_type: z.string().optional(),
  duration: z.number().optional().meta({ description: 'In seconds.' }),
  cover_url: z.string().optional(),
  video_url: z.string().optional(),
  title: z.string().optional(),
  lyrics: z.string().optional(),
  format: z.string().optional(),
  revised_prompt: z.string().optional(),
});

const ENDING = z.looseObject({
  kind: z.enum(['made', 'failed']),
  code: z.string().optional(),
  failure_kind: z.string().optional(),
  message: z.string().optional(),
});

const HOLD = z.object({
  state: z.string(),
  of_balance_usd: z.string().nullable(),
  of_limit_usd: z.string().nullable(),
  charged_usd: z.string(),
  expires_at: z.string(),
});

const forOperators = <Of extends z.ZodType>(schema: Of) =>
  schema.nullable().optional().meta({ description: 'For operators.' });

/** One task: with the output of `ownTaskWords` for its account, and of `shownTaskWords` for operators. */
export const SHOWN_TASK = TASK.omit({ preview: true })
  .extend({
    request_id: z.string(),
    key: z.string().nullable(),
    cost_usd: z.string().nullable(),
    submitted_at: z.string().nullable(),
    expires_at: z.string().nullable().meta({ description: 'When the results are deleted.' }),
    data: z.array(MADE).nullable().optional().meta({ description: 'For its own account: the results.' }),
    error: z.string().nullable().optional().meta({ description: 'For its own account: why the task failed.' }),
    deadline: z.string().optional().meta({ description: 'For operators: when it fails unless it has finished.' }),
    target: forOperators(z.looseObject({ channel: z.string(), upstream_model: z.string(), private: z.boolean() })),
    ticket: forOperators(z.record(z.string(), z.string())),
    last_poll_error: forOperators(z.string()),
    ending: forOperators(ENDING),
    hold: forOperators(HOLD),
  })
  .meta({ id: 'ShownTask' });

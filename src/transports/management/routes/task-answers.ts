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
    stage: z.enum(TASK_STAGES).meta({ description: 'How far the gateway is with it.' }),
    status: z.enum(TASK_STATUSES).meta({ description: 'What its client sees.' }),
    progress: z.number().nullable(),
    channel: z.string().nullable(),
    provider: z.string().nullable(),
    poll_errors: z.number().meta({ description: 'How often in a row the provider could not be asked.' }),
    created_at: z.string(),
    ended_at: z.string().nullable(),
    preview: z
      .object({ url: z.string(), content_type: z.string().optional(), cover_url: z.string().optional() })
      .nullable()
      .optional()
      .meta({ description: 'In lists, for its account: the first file that was made.' }),
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
    expires_at: z.string().nullable().meta({ description: 'When what was made is forgotten.' }),
    data: z.array(MADE).nullable().optional().meta({ description: 'For its account: what was made.' }),
    error: z.string().nullable().optional().meta({ description: 'For its account: why nothing was made.' }),
    deadline: z.string().optional().meta({ description: 'For operators: when it has failed if it is not done.' }),
    target: forOperators(z.looseObject({ channel: z.string(), upstream_model: z.string(), private: z.boolean() })),
    ticket: forOperators(z.record(z.string(), z.string())),
    last_poll_error: forOperators(z.string()),
    ending: forOperators(ENDING),
    hold: forOperators(HOLD),
  })
  .meta({ id: 'ShownTask' });

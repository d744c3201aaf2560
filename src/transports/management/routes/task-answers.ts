import { z } from 'zod';
import { HOLD_STATES } from '../../../domain/ledger/hold.ts';
import { TASK_KINDS, TASK_STAGES, TASK_STATUSES } from '../../../domain/tasks/task.ts';
import { NAMED } from './named-answers.ts';

/** The output of `taskSummaryView` and `taskPreview`. */
export const TASK = z
  .looseObject({
    object: z.literal('task'),
    id: z.string(),
    account: z.string(),
    ...NAMED.account,
    request_id: z.string(),
    key: z.string().nullable(),
    ...NAMED.key,
    kind: z.enum(TASK_KINDS),
    model: z.string(),
    stage: z.enum(TASK_STAGES).meta({ description: 'The gateway’s internal progress.' }),
    status: z.enum(TASK_STATUSES).meta({ description: 'The status that the client sees.' }),
    progress: z.number().nullable(),
    cancelled: z.boolean().meta({ description: 'Whether it failed because it was cancelled.' }),
    cancel_requested_at: z.string().nullable().meta({ description: 'When its cancellation was last requested.' }),
    channel: z.string().nullable(),
    ...NAMED.channel,
    provider: z.string().nullable(),
    cost_usd: z.string().nullable().meta({ description: '`null` while the task is open, and if it has no price.' }),
    poll_errors: z.number().meta({ description: 'The number of consecutive failed polls.' }),
    created_at: z.string(),
    submitted_at: z.string().nullable(),
    ended_at: z.string().nullable(),
    preview: z
      .object({
        url: z.string(),
        content_type: z.string().optional(),
        cover_url: z.string().optional(),
        title: z.string().optional().meta({ description: 'The title or the revised prompt, shortened.' }),
        format: z.string().optional(),
        count: z.number().meta({ description: 'The number of results.' }),
      })
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
  tags: z.string().optional(),
  format: z.string().optional(),
  revised_prompt: z.string().optional(),
  clip_id: z.string().optional(),
});

const ENDING = z.looseObject({
  kind: z.enum(['made', 'failed']),
  code: z.string().optional(),
  failure_kind: z.string().optional(),
  message: z.string().optional(),
  items: z
    .array(
      z.object({
        source: z.string().nullable().meta({ description: 'Where the file is, without what would open it.' }),
        content_type: z.string().nullable(),
        duration: z.number().nullable(),
        format: z.string().nullable(),
        clip_id: z.string().nullable(),
      }),
    )
    .optional(),
  resolution: z.string().nullable().optional(),
  upstream_model: z.string().nullable().optional(),
  tokens: z.object({ input: z.number(), output: z.number() }).nullable().optional(),
  quantities: z.array(z.object({ unit: z.string(), amount: z.number(), variant: z.string().optional() })).optional(),
  quantities_are: z.enum(['reported', 'estimated']).optional(),
});

const TARGET = z.looseObject({
  channel: z.string(),
  provider: z.string(),
  upstream_model: z.string(),
  wire: z.string(),
  private: z.boolean(),
  asked: z.object({
    count: z.number(),
    seconds: z.number().nullable(),
    resolution: z.string().nullable(),
    traits: z.array(z.string()),
    output_tokens: z.number().nullable(),
  }),
});

const KEPT_FILE = z.object({ place: z.string(), id: z.string(), content_type: z.string(), expires_at: z.string() });

const HOLD = z.object({
  state: z.enum(HOLD_STATES),
  of_balance_usd: z.string().nullable(),
  of_limit_usd: z.string().nullable(),
  charged_usd: z.string(),
  expires_at: z.string(),
});

const forOperators = <Of extends z.ZodType>(schema: Of) =>
  schema.nullable().optional().meta({ description: 'For operators.' });

/** One task: with the output of `ownTaskView` for its account, and of `shownTaskView` for operators. */
export const SHOWN_TASK = TASK.omit({ preview: true })
  .extend({
    expires_at: z.string().nullable().meta({ description: 'When the results are deleted.' }),
    data: z.array(MADE).nullable().optional().meta({ description: 'For its own account: the results.' }),
    error: z.string().nullable().optional().meta({ description: 'For its own account: why the task failed.' }),
    deadline: z.string().optional().meta({ description: 'For operators: when it fails unless it has finished.' }),
    target: forOperators(TARGET),
    ticket: forOperators(z.record(z.string(), z.string())),
    last_poll_error: forOperators(z.string()),
    ending: forOperators(ENDING),
    kept_files: z
      .array(KEPT_FILE)
      .optional()
      .meta({ description: 'For operators: the gateway’s copies of the results.' }),
    hold: forOperators(HOLD),
    owner: forOperators(z.string()),
    claim: z.number().optional().meta({ description: 'For operators: how often the owner has changed.' }),
  })
  .meta({ id: 'ShownTask' });

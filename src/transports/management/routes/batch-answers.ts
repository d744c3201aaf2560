import { z } from 'zod';
import { BATCH_STAGES } from '../../../domain/batches/batch.ts';
import { FILE_PURPOSES } from '../../../domain/batches/stored-file.ts';
import { NAMED } from './named-answers.ts';

export const BATCH_APIS = ['openai', 'anthropic'] as const;

/** The output of `batchSummaryView`. */
export const BATCH = z
  .looseObject({
    object: z.literal('batch'),
    id: z.string(),
    account: z.string(),
    ...NAMED.account,
    key: z.string().meta({ description: 'The key that created it, and that its lines use.' }),
    ...NAMED.key,
    api: z.enum(BATCH_APIS).meta({ description: 'The API over which it was created.' }),
    endpoint: z.string().meta({ description: 'The path of all its lines.' }),
    model: z.string().nullable().meta({ description: '`null` if its lines have several, or are not read yet.' }),
    stage: z.enum(BATCH_STAGES),
    cancel_requested_at: z.string().nullable(),
    lines: z.number().meta({ description: '0 until the input is read.' }),
    succeeded: z.number(),
    errored: z.number(),
    cancelled: z.number(),
    expired: z.number(),
    tokens: z.object({ input: z.number(), cached_input: z.number(), output: z.number(), reasoning: z.number() }),
    cost_usd: z.string().meta({ description: 'The sum of its charges so far.' }),
    input_file: z.string(),
    output_file: z.string().nullable(),
    error_file: z.string().nullable(),
    created_at: z.string(),
    deadline: z.string().meta({ description: 'When lines that have not been answered expire.' }),
    ended_at: z.string().nullable(),
    expires_at: z.string().nullable().meta({ description: 'When it is deleted.' }),
  })
  .meta({ id: 'ManagedBatch' });

/** The output of `shownBatchView`. */
export const SHOWN_BATCH = BATCH.extend({
  started_at: z.string().nullable(),
  finalizing_at: z.string().nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  errors: z
    .array(
      z.object({
        code: z.string(),
        message: z.string(),
        param: z.string().nullable(),
        line: z.number().nullable().meta({ description: 'Counted from 1. `null` if it is about the file.' }),
      }),
    )
    .meta({ description: 'Why the input file was refused.' }),
}).meta({ id: 'ShownBatch' });

/** The output of `managedFileView`. */
export const FILE = z
  .looseObject({
    object: z.literal('file'),
    id: z.string(),
    account: z.string(),
    ...NAMED.account,
    key: z.string().nullable().meta({ description: 'The key that uploaded it, or that created its batch.' }),
    ...NAMED.key,
    purpose: z.enum(FILE_PURPOSES),
    name: z.string(),
    bytes: z.number(),
    created_at: z.string(),
    expires_at: z.string().nullable(),
  })
  .meta({ id: 'ManagedFile' });

import { z } from 'zod';
import { PROBLEM_CODES, STATUS_LEVELS } from '../../engine/admin/status/problems.ts';
import { RUNNING_CHANNEL_STATES, RUNNING_KEY_STATES } from '../../engine/ports/health-store.ts';

const count = z.int().min(0);
const time = z.string().meta({ format: 'date-time' });

const PROBLEM = z.object({
  code: z.enum(PROBLEM_CODES),
  level: z.enum(['degraded', 'down']),
  subject: z.string().nullable().meta({ description: 'The id of the channel, model, node or disk concerned.' }),
  message: z.string().meta({ description: 'What is wrong and, where one is known, the remedy.' }),
});

const NODE = z.object({
  id: z.string(),
  host: z.string(),
  process: z.int(),
  version: z.string(),
  started_at: time,
  last_seen_at: time,
  is_current: z.boolean().meta({ description: 'Whether it uses the latest keys, channels and models.' }),
});

const CHANNEL = z.object({
  channel: z.string(),
  state: z.enum(RUNNING_CHANNEL_STATES),
  affected_models: z.array(z.string()).meta({ description: 'Upstream models in this state, at most 5.' }),
  reason: z.string().nullable().meta({ description: 'Why it is blocked, or the kind of its latest failure.' }),
  in_flight: count.meta({ description: 'Attempts in flight.' }),
  requests: count.meta({
    description: 'Attempts since the gateway began to count. Subtract an earlier value for a rate.',
  }),
  failures: count,
  first_byte_ms: count.nullable().meta({ description: 'A moving average of the time to the first byte.' }),
  keys: z
    .array(
      z.object({
        name: z.string(),
        state: z.enum(RUNNING_KEY_STATES),
        reason: z.string().nullable(),
        in_flight: count,
        requests: count,
        failures: count,
        spent_usd: z.string().meta({ description: 'Spent in the period of its cap, or in all without a cap.' }),
        cap_usd: z.string().nullable(),
        resets_at: z.string().nullable().meta({ description: 'When the period of the cap ends.' }),
      }),
    )
    .optional()
    .meta({ description: 'Each upstream key in use, if the channel has several.' }),
});

const STORED = z.object({ entries: count, bytes: count });

/** The answer of `GET /status.json`. New members may be added; none is removed or changes its meaning. */
export const STATUS_DOCUMENT = z
  .object({
    object: z.literal('status'),
    status: z.enum(STATUS_LEVELS).meta({
      description:
        '`down`: it cannot serve requests; `degraded`: it can, but there are problems; `ok`: there are none.',
    }),
    problems: z.array(PROBLEM).meta({ description: 'The worst first, at most 20 of each code.' }),
    at: time.meta({ description: 'When the document was made. It is up to a second old.' }),
    version: z.string(),
    runtime: z.string(),
    node: z.string().meta({ description: 'The id of the process that answers, as in `nodes`.' }),
    host: z.string(),
    started_at: time,
    uptime_seconds: count,
    workers: count.meta({
      description: 'The processes on this machine that the document covers (`SWITCHYARD_WORKERS`).',
    }),
    ready: z.boolean(),
    not_ready_reason: z.string().nullable(),
    memory_bytes: count,
    requests: z.object({
      in_flight: count,
      last_minute: z.object({
        finished: count,
        failed: count.meta({ description: 'Through no fault of the client.' }),
        failure_rate: z.number().min(0).max(1),
      }),
    }),
    database: z.object({
      reachable: z.boolean(),
      problem: z.string().nullable().meta({ description: 'Why nothing can be stored.' }),
      latency_ms: z.number().nullable().meta({ description: 'The duration of the latest test write.' }),
      kind: z.enum(['sqlite', 'postgresql']).nullable(),
      version: z.string().nullable(),
      bytes: count.nullable(),
      schema: z.string().nullable().meta({ description: 'The latest migration.' }),
    }),
    redis: z.enum(['reachable', 'away']).nullable().meta({ description: '`null` if none is configured.' }),
    queues: z.object({
      charges: z.object({
        waiting: count.meta({ description: 'Charges that are not durable yet.' }),
        late_ms: count.meta({ description: 'How long the oldest has been in flight.' }),
      }),
      request_log: z.object({
        waiting: count,
        dropped: count.meta({ description: 'Lines lost since the start because the queue was full.' }),
      }),
    }),
    nodes: z.object({ count, list: z.array(NODE).max(100) }).meta({ description: 'All processes on the database.' }),
    channels: z.object({
      in_use: count.meta({ description: 'Enabled PLATFORM channels.' }),
      by_state: z.object({ ready: count, probing: count, resting: count, blocked: count }),
      private_in_flight: count.nullable().meta({ description: 'Attempts in flight at PRIVATE channels.' }),
      list: z.array(CHANNEL).max(100).meta({ description: 'PLATFORM channels, the worst first, then the busiest.' }),
    }),
    models: z.object({
      count: count.meta({ description: 'Models that every account can see.' }),
      unavailable: z.object({ count, list: z.array(z.string()).max(50) }).meta({
        description: 'Those that no PLATFORM channel can be asked for now.',
      }),
    }),
    tasks: z.object({ open: count, oldest_seconds: count.nullable() }).nullable(),
    alerts: z
      .object({
        active: count.meta({ description: 'Active alerts of operators and accounts.' }),
        list: z
          .array(z.object({ rule: z.string(), name: z.string(), subject: z.string(), since: time }))
          .max(20)
          .meta({ description: 'Those of operators.' }),
      })
      .nullable(),
    ledger: z.object({
      last_verification: z
        .object({ at: time, ok: z.boolean(), problems: count })
        .nullable()
        .meta({ description: 'The latest run of `switchyard ledger verify`.' }),
    }),
    disks: z.array(z.object({ name: z.enum(['data', 'media']), free_bytes: count })),
    configuration: z.object({
      file: z.string().nullable(),
      loaded_at: time,
      rejected_at: time.nullable().meta({ description: 'When the latest reload failed.' }),
      problem: z.string().nullable(),
    }),
    cache: z.object({
      memory: STORED,
      beyond: STORED.extend({ kind: z.enum(['disk', 'redis']) }).nullable(),
    }),
    media_store: z.object({ bytes: count, files: count, refused: count }),
  })
  .meta({
    description:
      'The state of a gateway. `tasks`, `alerts` and some members of `database` are `null` while the database does not answer.',
  });

export type StatusDocument = z.output<typeof STATUS_DOCUMENT>;

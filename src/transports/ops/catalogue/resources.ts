import { COMMIT_SECONDS } from '../../../domain/metrics/bounds.ts';
import type { MetricSection } from './definition.ts';

export const QUEUES = {
  title: 'Queues and memory',
  about:
    'Every bounded queue and every bounded use of memory has a value of the label: alerts on all of them need one rule.\n\n| `queue` | holds |\n|---|---|\n| `charges` | charges that are not durable yet; clients wait for them |\n| `request_log` | lines of the request log |\n| `captures` | captured requests and responses |\n| `media_fetches`, `media_streams` | files of prompts that wait for a slot to be fetched, and those passed on as streams |\n| `redis_limits`, `redis_conversation_state`, `redis_cache` | commands that Redis has not answered |\n| `redis_conversation_state_writes` | values that wait to be written to Redis |\n| `cache_removals` | removals from the cache that the disk or Redis has not applied; too many become a removal of everything |\n| `key_uses` | times of last use of keys |\n| `token_counts` | texts whose tokens are counted |\n| `embeddings` | characters of texts for the local embedding model |\n| `log` | log lines, while standard output is blocked (in blocks of 64 KiB) |\n| `traces`, `logs` | spans and log records on their way to the OTLP collector |\n\n| `part` | holds |\n|---|---|\n| `request_bodies` | the bodies of requests (`server.body_memory_bytes`) |\n| `responses` | whole responses and streams whose clients are behind |\n| `media` | media fetched for prompts |\n| `uploads` | files of forms, on the disk |\n| `captures` | captures of running calls and waiting ones |\n| `realtime` | bytes of clients of Realtime sessions that upstreams have not taken |\n| `cache_writes` | cache entries on their way to the disk or to Redis |',
  families: {
    switchyard_queue_length: {
      type: 'gauge',
      labels: ['queue'],
      isSummed: true,
      help: 'Items that wait in a queue.',
    },
    switchyard_queue_capacity: {
      type: 'gauge',
      labels: ['queue'],
      isSummed: true,
      help: 'The most items that a queue holds; further ones, or the oldest, are dropped or refused. Missing for queues with another bound, such as a number per account.',
    },
    switchyard_queue_oldest_seconds: {
      type: 'gauge',
      labels: ['queue'],
      help: 'How long the oldest item of a queue has waited; 0 if it is empty.',
    },
    switchyard_queue_dropped_total: {
      type: 'counter',
      labels: ['queue'],
      help: 'Items that were lost: the queue was full, or they could not be written in time.',
    },
    switchyard_queue_failed_writes_total: {
      type: 'counter',
      labels: ['queue'],
      help: 'Failed attempts to write a batch of a queue, which are retried.',
    },
    switchyard_memory_held_bytes: {
      type: 'gauge',
      labels: ['part'],
      isSummed: true,
      help: 'Bytes that requests hold of a bounded memory or disk space.',
    },
    switchyard_memory_limit_bytes: {
      type: 'gauge',
      labels: ['part'],
      isSummed: true,
      help: 'The bound of this memory.',
    },
    switchyard_memory_refusals_total: {
      type: 'counter',
      labels: ['part'],
      help: 'Requests for such memory that were refused because it, or the share of one account, was used up.',
    },
  },
} as const satisfies MetricSection;

export const STORES = {
  title: 'Databases, Redis and disks',
  families: {
    switchyard_database_up: {
      type: 'gauge',
      labels: ['database'],
      help: '1 if the database (`sqlite` or `postgresql`) can be written, above all with charges; else 0.',
    },
    switchyard_database_commit_duration_seconds: {
      type: 'histogram',
      labels: ['database'],
      bounds: COMMIT_SECONDS,
      help: 'Time to write a batch of charges durably. Failed attempts are not counted.',
    },
    switchyard_database_connections: {
      type: 'gauge',
      labels: ['pool', 'state'],
      isSummed: true,
      help: 'Connections to PostgreSQL, `used` or `idle`, by pool: `main`, `responses`, `keys`, `reading`, `counting`.',
    },
    switchyard_database_connections_max: {
      type: 'gauge',
      labels: ['pool'],
      isSummed: true,
      help: 'The most connections of a pool (`database.max_connections` for all together).',
    },
    switchyard_database_pending_requests: {
      type: 'gauge',
      labels: ['pool'],
      isSummed: true,
      help: 'Statements that wait for a connection to PostgreSQL; with SQLite, calls that the `writer` thread or a `reading` thread has not answered yet.',
    },
    switchyard_redis_up: {
      type: 'gauge',
      labels: ['use'],
      help: '1 if Redis is used, 0 during an outage, by use: `limits`, `conversation_state`, `cache`.',
    },
    switchyard_redis_command_duration_seconds: {
      type: 'histogram',
      labels: ['use'],
      bounds: COMMIT_SECONDS,
      help: 'Time until Redis answered a command.',
    },
    switchyard_redis_errors_total: {
      type: 'counter',
      labels: ['use'],
      help: 'Commands that failed or were not answered in time.',
    },
    switchyard_disk_free_bytes: {
      type: 'gauge',
      labels: ['folder'],
      help: 'Free space for the gateway on the file system of a folder: `data`, or `media` if the media store has a folder of its own.',
    },
    switchyard_disk_size_bytes: { type: 'gauge', labels: ['folder'], help: 'The size of this file system.' },
    switchyard_upstream_connections: {
      type: 'gauge',
      labels: ['state'],
      isSummed: true,
      help: 'Pooled connections to upstreams over HTTP/1.1, `used` or `idle`.',
    },
  },
} as const satisfies MetricSection;

export const PROCESSES = {
  title: 'Processes and configuration',
  families: {
    switchyard_build_info: {
      type: 'gauge',
      labels: ['version', 'commit', 'runtime'],
      help: '1; the labels tell the version, the commit (empty in a source tree) and the version of Bun.',
    },
    switchyard_nodes: {
      type: 'gauge',
      labels: [],
      help: 'Living gateway processes on the database, this one included.',
    },
    switchyard_configuration_version: {
      type: 'gauge',
      labels: ['part'],
      help: 'The version in force in this process, of accounts and keys (`access`) and of models and channels (`serving`).',
    },
    switchyard_configuration_lag_seconds: {
      type: 'gauge',
      labels: [],
      help: 'How long this process has been behind a version that another process has in force; 0 if it is not.',
    },
    switchyard_configuration_age_seconds: {
      type: 'gauge',
      labels: [],
      help: 'Time since this process last compared its configuration with the database.',
    },
    switchyard_metric_overflows_total: {
      type: 'counter',
      labels: ['metric'],
      help: 'How often a label set was counted as `__overflow__`, or left out of a gauge, because the metric had reached its maximum of series.',
    },
    switchyard_telemetry_items_total: {
      type: 'counter',
      labels: ['signal', 'outcome'],
      help: 'Spans (`traces`), log records (`logs`) and metric points (`metrics`) for the OTLP collector: `exported`, `failed`, or `dropped` because the queue was full.',
    },
  },
} as const satisfies MetricSection;

import { COMPLETION_TOKEN_UNITS, PROMPT_TOKEN_UNITS, type Unit } from '../../domain/money/quantity.ts';
import { tagKeyOf } from '../../domain/usage/request-tags.ts';
import type { ExportedLine } from '../ports/export-destination.ts';
import type { RequestRecord } from '../ports/request-log.ts';

/**
 * The version of the columns. New columns are added at the end and do not change it. A column that is removed, or gets another meaning or
 * type, does.
 */
export const EXPORT_SCHEMA_VERSION = 1;

/** The largest number of digits after the decimal point of an amount: nano-USD. */
export const MONEY_SCALE = 9;
export const MONEY_PRECISION = 38;

/**
 * The kinds of columns with the JavaScript type of their values:
 * - `text`, `word` (a text with few different values) and `json`: `string`
 * - `flag`: `boolean`
 * - `integer` (within 53 bits), `milliseconds` and `time` (milliseconds since 1970): `number`
 * - `money`: `bigint` in nano-USD
 * - `texts` and `amounts`: pairs of a name and a text or an integer
 */
export type ColumnKind =
  | 'text'
  | 'word'
  | 'json'
  | 'flag'
  | 'integer'
  | 'milliseconds'
  | 'time'
  | 'money'
  | 'texts'
  | 'amounts';

export type ExportPairs = readonly { readonly key: string; readonly value: string | number }[];
export type ExportValue = string | boolean | number | bigint | ExportPairs | null;

export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Whether the value can be `null`. Pairs are empty instead. */
  readonly isNullable: boolean;
  /** One sentence for the documentation. */
  readonly about: string;
  readonly read: (line: ExportedLine) => ExportValue;
}

const TOKEN_UNITS: readonly Unit[] = [...PROMPT_TOKEN_UNITS, ...COMPLETION_TOKEN_UNITS];
const TOKEN_UNIT_SET: ReadonlySet<Unit> = new Set(TOKEN_UNITS);

type Value = ExportColumn['read'];

function required(name: string, kind: ColumnKind, about: string, read: Value): ExportColumn {
  return { name, kind, isNullable: false, about, read };
}

function optional(name: string, kind: ColumnKind, about: string, read: Value): ExportColumn {
  return { name, kind, isNullable: true, about, read };
}

/** The columns of an exported line, in order. They contain no prompt, no answer, no text of an error and no secret. */
export const EXPORT_COLUMNS: readonly ExportColumn[] = [
  required(
    'request_id',
    'text',
    'The id of the request, `req_` and a UUID of version 7.',
    ({ record }) => record.requestId,
  ),
  required(
    'log_id',
    'integer',
    'The number of the line in the log; 0 in a file of `switchyard export requests`. Of two lines of a request, the one with the higher number is valid.',
    ({ id }) => id,
  ),
  optional(
    'client_request_id',
    'text',
    "The client's own id of the request (`x-request-id`), if it sent one.",
    ({ record }) => record.clientRequestId ?? null,
  ),
  optional(
    'trace_id',
    'text',
    'The trace of the request, 32 hexadecimal digits.',
    ({ record }) => record.traceId ?? null,
  ),
  required('arrived_at', 'time', 'The arrival of the request, in UTC.', ({ record }) => record.atMs),
  optional('account_id', 'word', 'The account; none if the key was refused.', ({ record }) => record.accountId),
  optional('key_id', 'word', "The key's id, unique within the account. Never the key.", ({ record }) => record.keyId),
  required('format', 'word', "The client's format, such as `openai-chat`.", ({ record }) => record.format),
  optional('model_id', 'word', 'The public id of the model.', ({ record }) => record.modelId),
  optional('channel_id', 'word', 'The channel that answered or was tried last.', ({ record }) => record.channelId),
  optional('provider', 'word', 'The provider of the channel.', ({ record }) => record.provider),
  optional('upstream_model', 'word', "The channel's id of the model.", ({ record }) => record.upstreamModel),
  optional(
    'answer_model',
    'word',
    'The model named in the response, if it differs.',
    ({ record }) => record.answerModel,
  ),
  optional('is_private', 'flag', 'Whether no shared channel was involved.', ({ record }) => record.isPrivate ?? null),
  required('stream', 'flag', 'Whether the response was streamed.', ({ record }) => record.stream),
  required(
    'status',
    'integer',
    'The HTTP status sent to the client; 499 if it disconnected before.',
    ({ record }) => record.status,
  ),
  optional(
    'error_code',
    'word',
    'The code of the error, also of a stream that failed after its 200.',
    ({ record }) => record.errorCode,
  ),
  optional('failure_kind', 'word', 'The kind of the failure, such as `http_503`.', ({ record }) => record.failureKind),
  required('client_gone', 'flag', 'Whether the client disconnected.', ({ record }) => record.clientGone),
  required('retry_count', 'integer', 'The number of attempts after the first.', ({ record }) => record.retryCount),
  required('attempts', 'json', 'The failed attempts in order, as a JSON array of objects.', ({ record }) =>
    attemptsOf(record),
  ),
  optional(
    'upstream_request_id',
    'text',
    "The upstream's id of the request.",
    ({ record }) => record.upstreamRequestId,
  ),
  optional(
    'usage_source',
    'word',
    '`reported` by the upstream or `estimated` by the gateway; none if the usage is unknown.',
    ({ record }) => record.billable?.source ?? null,
  ),
  ...TOKEN_UNITS.map((unit) =>
    optional(`${unit}s`, 'integer', `Tokens of the kind \`${unit}\`. The kinds do not overlap.`, ({ record }) =>
      amountOf(record, unit),
    ),
  ),
  required('units', 'amounts', 'Other billed quantities by unit, such as `image` or `millisecond`.', ({ record }) =>
    unitsOf(record),
  ),
  optional(
    'cost_usd',
    'money',
    'The amount charged; none if the model has no price.',
    ({ record }) => record.costNanoUsd,
  ),
  optional(
    'upstream_cost_usd',
    'money',
    "The upstream's cost at the channel's `costs`; none if unknown.",
    ({ record }) => record.upstreamCostNanoUsd ?? null,
  ),
  optional(
    'saved_usd',
    'money',
    'The difference between the uncached and the cached price; none if there is none.',
    ({ record }) => record.savedNanoUsd ?? null,
  ),
  optional(
    'cache_match',
    'word',
    'How the response was found in the cache; none if it was not.',
    ({ record }) => record.cacheMatch,
  ),
  optional('cache_entry_id', 'text', 'The entry of the cache.', ({ record }) => record.cacheEntryId),
  required(
    'tags',
    'texts',
    'The tags of the request. End users are under `end_user`, stored as `usage.end_users` says.',
    ({ record }) => tagsOf(record),
  ),
  required('latency_ms', 'milliseconds', 'From arrival to the end of the response.', ({ record }) => record.latencyMs),
  optional(
    'first_byte_ms',
    'milliseconds',
    'From arrival to the first byte sent to the client.',
    ({ record }) => record.firstByteMs,
  ),
  optional(
    'admitted_ms',
    'milliseconds',
    'From arrival to the end of authentication and limits.',
    ({ record }) => record.times?.admittedMs ?? null,
  ),
  optional(
    'cache_looked_up_ms',
    'milliseconds',
    'From arrival to the end of the cache lookup.',
    ({ record }) => record.times?.lookedUpMs ?? null,
  ),
  optional(
    'attempt_began_ms',
    'milliseconds',
    'From arrival to the start of the last attempt.',
    ({ record }) => record.times?.askedMs ?? null,
  ),
  optional(
    'attempt_headers_ms',
    'milliseconds',
    'From arrival to the status and headers of the last attempt.',
    ({ record }) => record.times?.heardMs ?? null,
  ),
  optional(
    'answered_ms',
    'milliseconds',
    'From arrival to the whole response and its usage.',
    ({ record }) => record.times?.answeredMs ?? null,
  ),
  optional(
    'charged_ms',
    'milliseconds',
    'From arrival to the durable charge.',
    ({ record }) => record.times?.chargedMs ?? null,
  ),
  optional(
    'upstream_status',
    'integer',
    'The HTTP status of the last attempt.',
    ({ record }) => record.times?.upstreamStatus ?? null,
  ),
  required(
    'recovered',
    'flag',
    'Whether the line was lost in a crash and recreated from the charge.',
    ({ record }) => record.recovered === true,
  ),
  optional('account_name', 'word', "The account's name, if names are exported.", ({ names }) => names?.account ?? null),
  optional('key_name', 'word', "The key's name, if names are exported.", ({ names }) => names?.key ?? null),
  optional('channel_name', 'word', "The channel's name, if names are exported.", ({ names }) => names?.channel ?? null),
  optional(
    'upstream_key',
    'word',
    "The name of the channel's upstream key, if it has several.",
    ({ record }) => record.upstreamKey ?? null,
  ),
  optional(
    'queue_ms',
    'milliseconds',
    'How long it waited for channels that were at their limits.',
    ({ record }) => record.times?.queuedMs ?? null,
  ),
  optional('batch_id', 'word', 'The batch whose line the request was.', ({ record }) => record.batchId ?? null),
];

/** Messages are left out: they may quote a prompt. */
function attemptsOf({ failedAttempts }: RequestRecord): string {
  if (failedAttempts.length === 0) return '[]';
  return JSON.stringify(
    failedAttempts.map((attempt) => ({
      channel_id: attempt.channelId,
      provider: attempt.provider,
      kind: attempt.kind,
      status: attempt.status,
      upstream_request_id: attempt.upstreamRequestId,
      began_ms: attempt.beganMs,
      headers_ms: attempt.heardMs,
      latency_ms: attempt.latencyMs,
    })),
  );
}

function amountOf({ billable }: RequestRecord, unit: Unit): number | null {
  if (billable === null) return null;
  let sum = 0;
  for (const quantity of billable.quantities) if (quantity.unit === unit) sum += quantity.amount;
  return sum;
}

const NO_PAIRS: ExportPairs = [];

/** A single request is the unit of nearly every line and is left out. */
function unitsOf({ billable }: RequestRecord): ExportPairs {
  if (billable === null) return NO_PAIRS;
  const sums = new Map<string, number>();
  for (const { unit, amount } of billable.quantities) {
    if (!TOKEN_UNIT_SET.has(unit)) sums.set(unit, (sums.get(unit) ?? 0) + amount);
  }
  if (sums.get('request') === 1) sums.delete('request');
  return sums.size === 0 ? NO_PAIRS : [...sums].map(([key, value]) => ({ key, value }));
}

function tagsOf({ tags }: RequestRecord): ExportPairs {
  if (tags === undefined) return NO_PAIRS;
  return tags.map((tag) => {
    const key = tagKeyOf(tag);
    return { key, value: tag.slice(key.length + 1) };
  });
}

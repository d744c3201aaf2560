/**
 * Every field that a line of the log can have, with its type and meaning. Code writes the names as here, lines have them in snake case
 * (`requestId` becomes `request_id`), as the management API does. A field without a value is left out. `docs/logs.md` is generated from this
 * table, and the types of `Logger` admit only these fields.
 *
 * `id` is a text that the gateway or an operator has chosen. `text` comes from elsewhere, so its length is bounded and secrets in it are
 * masked.
 */
export const LOG_FIELDS = {
  // ---- the request
  requestId: ['id', "the gateway's id of the request: the header `x-request-id` of its response"],
  clientRequestId: ['id', "the client's own id of the request"],
  traceId: ['id', 'the id of the trace, 32 hexadecimal digits'],
  spanId: ['id', "the id of the gateway's span of the request, 16 hexadecimal digits"],
  clientAddress: ['id', 'the address of the client; behind a trusted proxy, the one that the proxy names'],
  method: ['id', 'the method of the HTTP request, or of a call between processes'],
  path: [
    'text',
    'the path of the HTTP request, with `*` for parts that differ between requests; of other lines, the path of a file',
  ],
  format: ['id', "the client's format, such as `openai-chat`"],
  stream: ['boolean', 'whether the client asked for a stream'],
  accountId: ['id', 'the account'],
  keyId: ['id', "the API key's id"],
  modelId: ['id', "the model's public id"],
  channelId: ['id', 'the channel that answered or was tried last'],
  provider: ['id', "the channel's provider"],
  upstreamModel: ['id', "the model's id at the provider, if it is another one"],
  upstreamRequestId: ['id', "the provider's own id of the request"],
  upstreamStatus: ['integer', 'the HTTP status of the provider'],
  modelSteps: ['text', 'the changes of the model, such as `fallback: a → b`; only if there were any'],
  status: ['integer', 'the HTTP status of the response'],
  errorCode: ['id', 'the code of the error, as the client received it ([errors.md](errors.md))'],
  failureKind: ['id', 'the exact kind of the failure, such as `http_503` or `tls_certificate_expired`'],
  errorSide: ['id', 'who has to act: `client`, `gateway` or `upstream`'],
  clientGone: ['boolean', 'whether the client disconnected before the end; only if it did'],
  retryCount: ['integer', 'the number of further attempts after the first'],
  answeredParts: [
    'integer',
    'the number of upstream requests that had succeeded before another one of the attempt failed',
  ],
  latencyMs: [
    'number',
    'milliseconds from the arrival of the request to the end of its response; of an attempt, its duration',
  ],
  firstByteMs: ['number', 'milliseconds until the first byte of the response'],
  upstreamMs: ['number', "milliseconds from the start of the last attempt to the provider's status and headers"],
  inputTokens: ['integer', 'all tokens of the prompt, including cached ones'],
  cachedInputTokens: ['integer', "tokens of the prompt that were read from the provider's cache"],
  outputTokens: ['integer', 'all generated tokens, including those of reasoning'],
  costUsd: ['id', 'the charge in US dollars, as a decimal number in a string; missing if it is unknown'],
  cached: ['id', "how the response was found in the gateway's cache: `exact`, `semantic` or `coalesced`"],
  cacheEntryId: ['id', "the entry of the gateway's cache"],
  sampleRate: ['integer', 'how many requests this line stands for, if successes are sampled'],
  // ---- failures
  error: ['text', 'the message of an exception'],
  at: ['text', 'the place in the code at which the exception was thrown'],
  stack: ['text', 'where the exception was thrown, over several lines; only at the level `debug`'],
  reason: ['text', 'the cause, in words'],
  problems: ['list', 'the problems that were found'],
  notice: ['text', 'the notice'],
  code: ['id', 'the code that the system, the database or a library gives an error'],
  // ---- money
  amountUsd: ['id', 'an amount in US dollars, as a decimal number in a string'],
  isBudget: ['boolean', 'whether the amount belongs to a budget of the current period'],
  plausibleUsd: ['id', 'the part of a cost that was charged'],
  heldUsd: ['id', 'the part of a cost that waits for an operator'],
  promptTokens: ['integer', 'the tokens of the prompt, as the upstream reported them'],
  completionTokens: ['integer', 'the generated tokens, as the upstream reported them'],
  // ---- other objects
  taskId: ['id', 'the task'],
  batchId: ['id', 'the batch'],
  relayId: ['id', 'the batch at a provider'],
  upstreamBatchId: ['id', "the provider's id of its batch"],
  userId: ['id', 'the person'],
  pseudonym: ['id', 'the pseudonym of an erased account or person'],
  targetId: ['id', 'the target of alerts'],
  exportId: ['id', 'the export of the request log'],
  guardId: ['id', 'the guard of requests'],
  deliveryId: ['id', 'the delivery of an alert'],
  ruleId: ['id', 'the rule of an alert'],
  eventId: ['id', "the alert's id"],
  alertType: ['id', "the alert's type"],
  dimension: ['id', 'what the values of a rule are about'],
  windowMinutes: ['integer', 'the minutes that the values of a rule cover'],
  nodeId: ['id', 'the gateway process, as PostgreSQL knows it'],
  hosts: ['list', 'names of machines'],
  remedy: ['text', 'what to do'],
  // ---- amounts of things
  addresses: ['integer', 'the number of client addresses'],
  refused: ['integer', 'requests that were refused'],
  throttled: ['integer', 'requests that were refused without a look at the key'],
  most: ['map', 'the addresses with the most requests, and their number'],
  count: ['integer', 'how many there are'],
  groups: ['integer', 'the number of groups'],
  rules: ['integer', 'the number of rules'],
  objects: ['integer', 'the number of objects'],
  entries: ['integer', 'the number of entries'],
  lines: ['integer', 'the number of lines'],
  channels: ['integer', 'the number of channels'],
  channelIds: ['list', 'channels'],
  waiting: ['integer', 'how many wait in the queue'],
  dropped: ['integer', 'how many were dropped'],
  lost: ['integer', 'how many were lost'],
  capacity: ['integer', 'how many the queue can hold'],
  running: ['integer', 'requests in flight'],
  unsettled: ['integer', 'requests that are neither charged nor recorded'],
  inUse: ['integer', 'the number in use'],
  limit: ['integer', 'the limit'],
  created: ['integer', 'objects that were created'],
  updated: ['integer', 'objects that were updated'],
  removed: ['integer', 'objects that were removed'],
  sections: ['list', 'sections of the configuration'],
  settings: ['map', 'the settings in effect'],
  durationMs: ['number', 'how long it took or lasted, in milliseconds'],
  // ---- databases and processes
  server: ['text', 'the server, without its password'],
  database: ['text', 'the name of the database'],
  what: ['id', 'the kind of data'],
  bytes: ['integer', 'the size of the file'],
  rows: ['integer', 'the number of rows'],
  rowsLeft: ['integer', 'rows that are still to be changed'],
  steps: ['integer', 'the number of steps'],
  step: ['id', 'the step of a migration'],
  migration: ['id', 'the migration'],
  migrations: ['list', 'the migrations'],
  functions: ['integer', "the version of the database's functions"],
  atOnce: ['list', 'migrations that run before the gateway starts'],
  online: ['list', 'migrations that run while other nodes serve'],
  secondsLeft: ['number', 'the estimated time until the end, in seconds'],
  holder: ['text', 'the process that holds the lock'],
  attempt: ['integer', 'the number of the attempt'],
  inTheWay: ['text', 'the sessions that hold locks on the tables'],
  recipient: ['id', 'the part of the program that was called'],
  worker: ['integer', 'the number of the worker process, from 1'],
  pid: ['integer', 'the process id, if there are several processes'],
  workerPid: ['integer', 'the process id of the worker that the line is about'],
  signal: ['id', 'the signal that ended the worker; of exports, `traces`, `metrics` or `logs`'],
  exitCode: ['integer', 'the exit code of the worker'],
} as const satisfies Record<string, readonly [keyof FieldTypes, string]>;

interface FieldTypes {
  readonly id: string;
  readonly text: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly list: readonly unknown[];
  readonly map: Readonly<Record<string, unknown>>;
}

export type LogFieldName = keyof typeof LOG_FIELDS;

/** The fields of a line. They never contain prompts, responses, keys or other secrets. */
export type LogFields = {
  readonly [Name in LogFieldName]?: FieldTypes[(typeof LOG_FIELDS)[Name][0]] | null | undefined;
};

/** The type of fields that has no other members, even of an object that was built elsewhere. */
export type OnlyLogFields<Fields> = Fields & LogFields & Readonly<Record<Exclude<keyof Fields, LogFieldName>, never>>;

/** Returns the name that a field has in lines. */
export function writtenName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

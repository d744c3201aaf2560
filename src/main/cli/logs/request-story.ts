import { z } from 'zod';
import { printable } from '../table.ts';

const text = z.string().nullish();
const number = z.number().nullish();

const ATTEMPT = z.object({
  channel: text,
  channel_name: text,
  provider: text,
  outcome: z.string(),
  kind: text,
  message: text,
  status: number,
  upstream_request_id: text,
  began_ms: number,
  headers_ms: number,
  ended_ms: number,
});

const STORY = z.object({
  id: z.string(),
  at: z.string(),
  client_request_id: text,
  trace_id: text,
  account: text,
  account_name: text,
  key: text,
  key_name: text,
  format: text,
  model: text,
  requested_model: text,
  model_steps: z
    .array(z.object({ kind: z.string(), from: z.string(), to: z.string(), reason: z.string(), skipped: text }))
    .nullish(),
  upstream_model: text,
  channel: text,
  channel_name: text,
  provider: text,
  stream: z.boolean().nullish(),
  status: z.number(),
  error_code: text,
  error_message: text,
  error_param: text,
  error_side: text,
  client_gone: z.boolean().nullish(),
  retry_count: number,
  latency_ms: z.number(),
  first_byte_ms: number,
  usage: z
    .object({ source: text, quantities: z.array(z.object({ unit: z.string(), amount: z.number(), variant: text })) })
    .nullish(),
  cost_usd: text,
  cache: z.object({ match: z.string(), entry: text }).nullish(),
  tags: z.record(z.string(), z.string()).nullish(),
  upstream_request_id: text,
  failed_attempts: z.array(z.object({ channel: text, kind: text, message: text, latency_ms: number })).nullish(),
  losses: z.array(z.object({ field: z.string(), verdict: z.string(), why: z.string() })).nullish(),
  price: z
    .object({
      total_usd: z.string(),
      parts: z.array(
        z.object({
          kind: z.string(),
          amount_usd: z.string(),
          unit: text,
          amount: number,
          unit_price_usd: text,
          per: number,
          factor: text,
        }),
      ),
    })
    .nullish(),
  time_line: z
    .object({
      admitted_ms: number,
      cache_looked_up_ms: number,
      queue_ms: number,
      attempts: z.array(ATTEMPT),
      first_byte_ms: number,
      charged_ms: number,
      ended_ms: z.number(),
    })
    .nullish(),
});

type Story = z.output<typeof STORY>;
type Attempt = z.output<typeof ATTEMPT>;
type TimeLine = NonNullable<Story['time_line']>;

/** Formats the story of one request, as the management API sends it, for a person; `null` if it is not one. */
export function requestStory(json: unknown): string | null {
  const parsed = STORY.safeParse(json);
  if (!parsed.success) return null;
  const story = parsed.data;
  return [...identity(story), ...timeLine(story), ...cost(story), ...losses(story)]
    .map((line) => `${printable(line).trimEnd()}\n`)
    .join('');
}

function identity(story: Story): string[] {
  const named = (id: string | null | undefined, name: string | null | undefined) =>
    id === null || id === undefined
      ? null
      : name === null || name === undefined || name === id
        ? id
        : `${id} (${name})`;
  const failure = [story.error_code, story.error_side && `${story.error_side} side`, story.error_param];
  const fields: readonly (readonly [string, string | null | undefined])[] = [
    ['request', story.id],
    ['client request', story.client_request_id],
    ['trace', story.trace_id],
    ['arrived', story.at],
    ['account', named(story.account, story.account_name)],
    ['key', named(story.key, story.key_name)],
    ['format', story.stream === true ? `${story.format} (stream)` : story.format],
    ['model', named(story.model, story.requested_model)],
    ['model steps', (story.model_steps ?? []).map(stepText).join('; ')],
    ['answered by', story.cache ? `the cache (${story.cache.match})` : named(story.channel, story.upstream_model)],
    ['upstream request', story.upstream_request_id],
    ['status', String(story.status)],
    ['failure', story.error_code ? failure.filter(Boolean).join(', ') : null],
    ['message', story.error_message],
    ['client', story.client_gone === true ? 'disconnected before the end' : null],
    [
      'tags',
      Object.entries(story.tags ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
    ],
  ];
  return fields.flatMap(([label, value]) => (value ? [`${label.padEnd(18)}${value}`] : []));
}

function stepText({ kind, from, to, reason, skipped }: NonNullable<Story['model_steps']>[number]): string {
  return `${kind}: ${from} → ${to} (${reason})${skipped ? `, skipped: ${skipped}` : ''}`;
}

function timeLine({ time_line: line, latency_ms: latencyMs, failed_attempts: failed }: Story): string[] {
  if (line === null || line === undefined) {
    const attempts = (failed ?? []).map(({ channel, kind }) => `  attempt at ${channel ?? '-'} failed: ${kind ?? '-'}`);
    return ['', `time line: not recorded; ${latencyMs} ms in all`, ...attempts];
  }
  const events: (readonly [number | null | undefined, string])[] = [
    [0, 'arrived'],
    [line.admitted_ms, 'admitted: the key is valid and within its limits'],
    [line.cache_looked_up_ms, 'looked up in the cache'],
    ...waitOf(line),
    ...line.attempts.flatMap((attempt, index) => ofAttempt(attempt, index + 1)),
    [line.first_byte_ms, 'first byte to the client'],
    [line.charged_ms, 'charge durable'],
    [line.ended_ms, 'ended'],
  ];
  const known = events.flatMap(([ms, what], place) => (ms === null || ms === undefined ? [] : [{ ms, what, place }]));
  const sorted = known.toSorted((one, other) => one.ms - other.ms || one.place - other.place);
  return ['', 'time line', ...sorted.map(({ ms, what }) => `${ms.toFixed(1).padStart(11)} ms  ${what}`)];
}

/** The wait ended when the first attempt began, unless a failed one came before it. */
function waitOf({ queue_ms: queue, attempts }: TimeLine): readonly (readonly [number | null | undefined, string])[] {
  if (queue === null || queue === undefined) return [];
  const at = attempts.findLast(({ began_ms: began }) => (began ?? -1) >= queue)?.began_ms ?? queue;
  return [[at, `waited ${queue.toFixed(1)} ms for a channel at its limit`]];
}

function ofAttempt(attempt: Attempt, number: number): (readonly [number | null | undefined, string])[] {
  const { channel, provider, outcome, kind, message, status, upstream_request_id: upstreamId } = attempt;
  const facts = [
    ...(kind ? [kind] : []),
    ...(status ? [`HTTP ${status}`] : []),
    ...(upstreamId ? [`upstream request ${upstreamId}`] : []),
    ...(message ? [message] : []),
  ];
  const where = provider ? `${channel ?? '-'} (${provider})` : (channel ?? '-');
  const ended = facts.length === 0 ? outcome : `${outcome}: ${facts.join(', ')}`;
  return [
    [attempt.began_ms, `attempt ${number} at ${where} began`],
    [attempt.headers_ms, `attempt ${number} received the upstream's headers`],
    [attempt.ended_ms, `attempt ${number} ${ended}`],
  ];
}

function cost({ usage, price, cost_usd: costUsd }: Story): string[] {
  const quantities = (usage?.quantities ?? []).map(
    ({ unit, amount, variant }) => `  ${amount} ${unit}${variant ? ` (${variant})` : ''}`,
  );
  const used =
    quantities.length === 0 ? [] : ['', `usage, as the ${usage?.source ?? 'upstream'} reported it`, ...quantities];
  const total = costUsd === null || costUsd === undefined ? 'unknown: the model has no price' : `$${costUsd}`;
  const parts = (price?.parts ?? []).map((part) => {
    const each = part.unit_price_usd ? ` at $${part.unit_price_usd} per ${part.per ?? 1}` : '';
    const factor = part.factor ? ` × ${part.factor}` : '';
    const what = part.unit ? `${part.amount ?? 0} ${part.unit}${each}${factor}` : part.kind.replaceAll('_', ' ');
    return `  $${part.amount_usd.padEnd(14)}${what}`;
  });
  return [...used, '', `cost ${total}`, ...parts];
}

function losses({ losses: lost }: Story): string[] {
  if (!lost || lost.length === 0) return [];
  return ['', 'lost in translation', ...lost.map(({ field, verdict, why }) => `  ${field} ${verdict}: ${why}`)];
}

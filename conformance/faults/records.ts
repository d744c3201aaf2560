import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Sample } from '../shared/metrics.ts';
import type { LogRow } from './bed.ts';
import type { FaultCase } from './faults.ts';

/** Returns an empty list if the request log has the channel and kind of each failure. */
export function logProblems(
  { fault, form, publicId, badChannel }: FaultCase,
  log: readonly LogRow[],
): readonly string[] {
  const rows = log.filter(({ model_id }) => model_id === publicId);
  if (fault.isInStream(form)) {
    const failed = rows.filter(({ failure_kind }) => failure_kind !== null);
    const other = failed.filter(({ failure_kind }) => !fault.kinds.includes(failure_kind ?? ''));
    if (failed.length === 0) return [`none of ${rows.length} requests has a failure_kind`];
    return other.map(({ failure_kind }) => `failure_kind is ${failure_kind}`);
  }
  const unfinished = rows.filter(({ failure_kind, status }) => failure_kind !== null || status !== 200);
  const attempts = rows.flatMap(({ failed_attempts }) => asArray(parseJson(failed_attempts ?? '[]')).map(asObject));
  const other = attempts.filter(
    ({ channelId, kind }) => channelId !== badChannel || !fault.kinds.includes(String(kind)),
  );
  return [
    ...unfinished.map(({ status, failure_kind }) => `a request ended with ${status}, ${failure_kind}`),
    ...(attempts.length === 0 ? [`none of ${rows.length} requests has a failed attempt`] : []),
    ...other.map((attempt) => `a failed attempt is ${JSON.stringify(attempt)}`),
  ];
}

/** The value in `/metrics`: 0 closed, 1 half-open, 2 open. */
const OPEN = 2;

/** Returns an empty list if the metrics count the channel's failures by kind and show its breaker open for this model. */
export function metricsProblems(one: FaultCase, metrics: readonly Sample[]): readonly string[] {
  const { fault, badChannel, badModel } = one;
  const problems: string[] = [];
  const counted = metrics.some(
    ({ name, labels, value }) =>
      name === 'switchyard_attempt_failures_total' &&
      labels.channel === badChannel &&
      fault.kinds.includes(labels.kind ?? '') &&
      value > 0,
  );
  if (!counted) problems.push(`no failure of ${badChannel} is counted as ${fault.kinds.join(' or ')}`);
  const breaker = metrics.find(
    ({ name, labels }) =>
      name === 'switchyard_channel_breaker_state' && labels.channel === badChannel && labels.model === badModel,
  );
  if (breaker?.value !== OPEN) problems.push(`the breaker's state is ${breaker?.value ?? 'not there'}`);
  return problems;
}

import type { CallIdentity } from '../../domain/trace/call-identity.ts';
import type { TraceContext } from '../../domain/trace/trace-context.ts';
import type { Writable } from '../../domain/writable.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { CallGuard } from '../guards/call-guard.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import { upstreamCharge } from './upstream-charge.ts';

/** Adds the client's id of a request, and the trace to which it belongs. */
export function addIds(
  record: Writable<RequestRecord>,
  { clientRequestId, clientTrace }: Pick<CallIdentity, 'clientRequestId' | 'clientTrace'>,
  ownTrace: Pick<TraceContext, 'traceId'> | null,
): void {
  if (clientRequestId !== null) record.clientRequestId = clientRequestId;
  const trace = clientTrace ?? ownTrace;
  if (trace !== null) record.traceId = trace.traceId;
}

/** Adds the upstream key and what the provider charges for the request. */
export function addUpstream(record: Writable<RequestRecord>, target: AskedTarget | null): void {
  const name = target?.channel.upstreamKey?.name;
  if (name !== undefined) record.upstreamKey = name;
  const upstreamCostNanoUsd = upstreamCharge(target, record);
  if (upstreamCostNanoUsd !== null) record.upstreamCostNanoUsd = upstreamCostNanoUsd;
}

/** The most verdicts of a record. More would add no information. */
export const MOST_VERDICTS = 50;

/** Adds what the guards of the call have found. */
export function addVerdicts(record: Writable<RequestRecord>, { verdicts }: Pick<CallGuard, 'verdicts'>): void {
  if (verdicts.length > 0) record.guards = verdicts.slice(0, MOST_VERDICTS);
}

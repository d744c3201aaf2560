import type { Channel } from '../../domain/catalog/channel.ts';
import type { ForwardedId } from '../../domain/trace/forwarded-ids.ts';
import { attemptSpanIdOf } from '../../domain/trace/span-ids.ts';
import { type TraceContext, traceparentOf } from '../../domain/trace/trace-context.ts';

/** Where a request goes: a target, or a channel that requests are passed through to. */
export interface IdsPlace {
  readonly channel: Pick<Channel, 'owner' | 'forwardIds'>;
  /** The header in which the provider takes a request id. */
  readonly requestIdHeader: string;
}

interface Ids {
  readonly requestId: string;
  /** The position that the upstream sees as its caller's; `null` without a trace. */
  readonly trace: TraceContext | null;
}

/**
 * Returns the headers with the ids that an upstream gets; `null` for none. The gateway's setting does not apply to channels of accounts,
 * whose upstreams belong to somebody else.
 * @param usual the gateway's setting
 * @param idsOf called only if the upstream gets any
 */
export function forwardedIds(
  { channel, requestIdHeader }: IdsPlace,
  usual: readonly ForwardedId[] | undefined,
  idsOf: () => Ids,
): Readonly<Record<string, string>> | null {
  const wanted = channel.forwardIds ?? (channel.owner === null ? usual : undefined);
  if (wanted === undefined || wanted.length === 0) return null;
  const { requestId, trace } = idsOf();
  const headers: Record<string, string> = {};
  if (wanted.includes('request_id')) headers[requestIdHeader] = requestId;
  if (wanted.includes('trace') && trace !== null) {
    headers.traceparent = traceparentOf(trace);
    if (trace.state !== null) headers.tracestate = trace.state;
  }
  return headers;
}

/**
 * Returns the headers with the ids that the upstream of one attempt of a call gets; `null` for none.
 * @param usual the gateway's setting
 */
export function attemptIds(
  place: IdsPlace,
  usual: readonly ForwardedId[] | undefined,
  call: { readonly requestId: string; readonly traceContext: TraceContext | null },
  retryCount: number,
): Readonly<Record<string, string>> | null {
  return forwardedIds(place, usual, () => {
    const own = call.traceContext;
    const trace = own && { ...own, spanId: attemptSpanIdOf(own.spanId, retryCount) };
    return { requestId: call.requestId, trace };
  });
}

import { serverSpanIdOf } from './span-ids.ts';
import { readTraceContext, type TraceContext } from './trace-context.ts';

/** The ids that a client gave its request. */
export interface ClientIds {
  /** The client's id, which anybody may choose and repeat; `null` if it sent none that is valid. */
  readonly clientRequestId: string | null;
  /** The client's position in its own trace; `null` if it sent none that is valid. */
  readonly clientTrace: TraceContext | null;
}

/** The ids under which a request is known. */
export interface CallIdentity extends ClientIds {
  /** The gateway's own id: `req_` and a UUID of version 7, which encodes the time. */
  readonly requestId: string;
}

export const NO_CLIENT_IDS: ClientIds = { clientRequestId: null, clientTrace: null };

/** The headers of a request. */
export interface RequestHeaders {
  header(name: string): string | null;
}

/** Printable ASCII without spaces and quotes, so that the id needs no escape in a header, a log line or a search. */
const CLIENT_ID = /^[!#-&(-~]{1,128}$/;

/** The headers for a client's id, by rank. The first is OpenAI's name. */
export const CLIENT_ID_HEADERS = ['x-client-request-id', 'x-request-id'] as const;
export const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/** Whether a text may be a client's request id. */
export function isClientRequestId(text: string): boolean {
  return CLIENT_ID.test(text);
}

/** Returns the client's request id; `null` if no header has a valid one. An invalid id is not an error, and never logged. */
export function clientRequestIdIn(headers: RequestHeaders): string | null {
  for (const name of CLIENT_ID_HEADERS) {
    const id = headers.header(name);
    if (id !== null && CLIENT_ID.test(id)) return id;
  }
  return null;
}

/** Returns the client's position in its trace; `null` if it sent none that is valid. */
export function clientTraceIn(headers: RequestHeaders): TraceContext | null {
  const traceparent = headers.header('traceparent');
  return traceparent === null ? null : readTraceContext(traceparent, headers.header('tracestate'));
}

/** Reads the identity of a request from its headers. */
export function identityOf(requestId: string, headers: RequestHeaders): CallIdentity {
  return { requestId, clientRequestId: clientRequestIdIn(headers), clientTrace: clientTraceIn(headers) };
}

/** Returns the members of a request's record with these ids; those that do not exist are missing. */
export function recordedIds({ clientRequestId, clientTrace }: ClientIds): {
  readonly clientRequestId?: string;
  readonly traceId?: string;
} {
  return {
    ...(clientRequestId !== null && { clientRequestId }),
    ...(clientTrace !== null && { traceId: clientTrace.traceId }),
  };
}

/** Returns the position of the gateway's own work in the client's trace; `null` without one. */
export function ownPositionIn({ requestId, clientTrace }: Omit<CallIdentity, 'clientRequestId'>): TraceContext | null {
  return clientTrace === null ? null : { ...clientTrace, spanId: serverSpanIdOf(requestId) };
}

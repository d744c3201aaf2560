/*
 * The ids of the gateway's own spans follow from the request's id, `req_` and a UUID of version 7. They need no random numbers, nothing has
 * to store them, and the request's id leads to its spans.
 */

/** Returns the trace id of a trace that the gateway itself starts: the digits of the UUID. Its last 62 bits are random. */
export function traceIdOf(requestId: string): string {
  return requestId.slice(-36).replaceAll('-', '');
}

/** Returns the span id of the gateway's work on the request: the last 16 digits of the UUID. */
export function serverSpanIdOf(requestId: string): string {
  return requestId.slice(-17, -13) + requestId.slice(-12);
}

/** Returns the request id of a trace that the gateway started; `null` if the trace id cannot be one of those. */
export function requestIdOfTrace(traceId: string): string | null {
  const [, time, low, version, variant, node] =
    /^([0-9a-f]{8})([0-9a-f]{4})(7[0-9a-f]{3})([89ab][0-9a-f]{3})([0-9a-f]{12})$/.exec(traceId) ?? [];
  return time === undefined ? null : `req_${time}-${low}-${version}-${variant}-${node}`;
}

/** An odd number, so that its multiples differ: the golden ratio in 32 bits. */
const STEP = 0x9e37_79b1;

/**
 * Returns the id of a child of a span. Different numbers give different ids.
 * @param number counts the children of the span, from 1
 */
export function childSpanIdOf(spanId: string, number: number): string {
  const low = (Number.parseInt(spanId.slice(8), 16) ^ Math.imul(number, STEP)) >>> 0;
  const id = spanId.slice(0, 8) + low.toString(16).padStart(8, '0');
  // All zeros are not a span id. A number of 32 bits never gets here.
  return id === '0000000000000000' ? 'ffffffff00000000' : id;
}

/*
 * The numbers of a call's spans, below that of its server span: the operation, its attempts (a request has at most 20, after which there is
 * room for retries of the only channel), and its steps.
 */
const OPERATION = 1;
const FIRST_ATTEMPT = 2;
const FIRST_STEP = 1_000;
/** A task is in the trace of the call that created it, which has at most some hundred steps. */
const TASK = 1_000_000;
const SETTLEMENT = 1_000_001;
const FIRST_POLL = 2_000_000;

/** Returns the id of the span of the operation: all attempts and what surrounds them. */
export function operationSpanIdOf(serverSpanId: string): string {
  return childSpanIdOf(serverSpanId, OPERATION);
}

/**
 * Returns the id of the span of an attempt, which an upstream that gets a `traceparent` sees as its caller.
 * @param retryCount the number of earlier attempts of the call
 */
export function attemptSpanIdOf(serverSpanId: string, retryCount: number): string {
  return childSpanIdOf(serverSpanId, FIRST_ATTEMPT + retryCount);
}

/** @param place counts the steps of the call, from 0 */
export function stepSpanIdOf(serverSpanId: string, place: number): string {
  return childSpanIdOf(serverSpanId, FIRST_STEP + place);
}

/** Returns the id of the span of the task that the call has created. */
export function taskSpanIdOf(serverSpanId: string): string {
  return childSpanIdOf(serverSpanId, TASK);
}

/** Returns the id of the span of the charge or the release of the task's reservation. */
export function settlementSpanIdOf(serverSpanId: string): string {
  return childSpanIdOf(serverSpanId, SETTLEMENT);
}

/** @param number counts the polls of the task, from 1 */
export function pollSpanIdOf(serverSpanId: string, number: number): string {
  return childSpanIdOf(serverSpanId, FIRST_POLL + number);
}

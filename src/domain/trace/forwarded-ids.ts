/* The ids that upstreams get with a request. */

/** `request_id`: the gateway's own id of the request. `trace`: `traceparent` and `tracestate`. */
export const FORWARDED_IDS = ['request_id', 'trace'] as const;
export type ForwardedId = (typeof FORWARDED_IDS)[number];

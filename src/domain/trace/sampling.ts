/** The last 14 hex digits of a trace id, 56 bits, decide. Without the last one they are 52 bits, which a number holds exactly. */
const [FROM, TO] = [-14, -1];
const ALL = 16 ** (TO - FROM);

/**
 * Whether a trace belongs to this share of all traces, from 0 to 1. Every node decides alike, and a larger share contains each smaller one.
 * The last 56 bits of a trace id are meant to be random (W3C Trace Context, level 2), and OpenTelemetry's consistent probability sampling
 * keeps the traces in which they are large.
 */
export function isInSample(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  return Number.parseInt(traceId.slice(FROM, TO), 16) >= ALL * (1 - ratio);
}

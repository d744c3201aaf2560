/*
 * The headers `traceparent` and `tracestate` (W3C Trace Context, level 2). An invalid `traceparent` counts as absent, and so does the
 * `tracestate` that came with it.
 */

/** A position in a distributed trace. */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** The span at this position: 16 lower-case hex digits, not all zero. */
  readonly spanId: string;
  /** The known flags: `SAMPLED` and `RANDOM_TRACE_ID`. */
  readonly flags: number;
  /** The value of `tracestate`, within its bounds; `null` for none. */
  readonly state: string | null;
}

/** The caller may have recorded the trace. */
export const SAMPLED = 0x01;
/** The last 56 bits of the trace id are random. */
export const RANDOM_TRACE_ID = 0x02;

/** The first four fields, of every version. A version may add more after another hyphen, which version 00 does not. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE_ID = '0'.repeat(32);
const NO_SPAN_ID = '0'.repeat(16);
/** The length of a `traceparent` of version 00. Later versions are not shorter. */
const LENGTH = 55;
/** Bounds what a later version may add. */
const MOST_CHARACTERS = 512;

/** Reads the headers of a request or of a stored context. Returns `null` if `traceparent` is missing or invalid. */
export function readTraceContext(traceparent: string | null, tracestate: string | null): TraceContext | null {
  if (traceparent === null || traceparent.length < LENGTH || traceparent.length > MOST_CHARACTERS) return null;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return null;
  if (traceId === NO_TRACE_ID || spanId === NO_SPAN_ID) return null;
  const known = Number.parseInt(flags, 16) & (SAMPLED | RANDOM_TRACE_ID);
  return { traceId, spanId, flags: known, state: tracestate === null ? null : readTracestate(tracestate) };
}

/** Returns the value of `traceparent`, in version 00. */
export function traceparentOf({ traceId, spanId, flags }: Omit<TraceContext, 'state'>): string {
  return `00-${traceId}-${spanId}-0${flags & (SAMPLED | RANDOM_TRACE_ID)}`;
}

/** Both levels of the specification: level 1 wants a letter first, level 2 also allows a digit. */
const MEMBER = /^[a-z0-9][a-z0-9_\-*/]{0,255}(?:@[a-z0-9][a-z0-9_\-*/]{0,255})?=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;
const MOST_MEMBERS = 32;
/** A list up to this length must be passed on whole. */
const MOST_STATE_CHARACTERS = 512;
/** Members longer than this are removed first from a list that is too long. */
const LARGE_MEMBER = 128;
/** A list that is so long is not read. */
const MOST_READ_CHARACTERS = 8_192;

/**
 * Returns the list without spaces and empty members, and `null` if it is empty or invalid: one wrong member, or more than 32. A list of more
 * than 512 characters loses members as the specification says: those of more than 128 characters first, then the last ones.
 */
export function readTracestate(text: string): string | null {
  if (text.length > MOST_READ_CHARACTERS) return null;
  const members = text
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  if (members.length > MOST_MEMBERS || !members.every((member) => MEMBER.test(member))) return null;
  return bounded(members) || null;
}

function bounded(members: readonly string[]): string {
  const all = members.join(',');
  if (all.length <= MOST_STATE_CHARACTERS) return all;
  const kept = members.filter(({ length }) => length <= LARGE_MEMBER);
  while (kept.join(',').length > MOST_STATE_CHARACTERS) kept.pop();
  return kept.join(',');
}

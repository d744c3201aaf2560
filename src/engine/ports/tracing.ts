import type { FailureSide } from '../../domain/failure/error-codes.ts';
import type { RequestLine } from '../../domain/http/request-line.ts';
import type { CallIdentity } from '../../domain/trace/call-identity.ts';
import type { TraceContext } from '../../domain/trace/trace-context.ts';
import type { RequestRecord } from './request-log.ts';

/*
 * Traces of calls. Spans are made after a call has ended, from the facts of its record and from what `CallTrace` (engine/call) has noted
 * meanwhile. All times are milliseconds since the call arrived (`RequestRecord.atMs`), unless a member says otherwise.
 */

/** A step of a call that has a span of its own. */
export type StepName =
  /** The body is read and checked. */
  | 'read'
  /** The objects and the channels that the request needs are found. */
  | 'route'
  | 'cache'
  | 'reserve'
  /** The request is translated for an upstream's format, which includes the fetches of media. */
  | 'encode'
  /** A whole answer is translated for the client's format. */
  | 'decode'
  /** One file is fetched that the request refers to. */
  | 'media';

export interface TracedStep {
  readonly name: StepName;
  readonly fromMs: number;
  readonly toMs: number;
  /** The number of attempts before the one that the step belongs to; `null` if it belongs to none. */
  readonly attempt: number | null;
  /** The kind of the failure that ended it; `null` for none. */
  readonly failureKind: string | null;
  /** The size of a fetched file. */
  readonly bytes?: number;
}

/** One request to a channel. */
export interface TracedAttempt {
  /** The number of attempts before it. `attemptSpanIdOf` makes the id of its span from it. */
  readonly retryCount: number;
  readonly channelId: string;
  readonly provider: string;
  readonly upstreamModel: string | null;
  /** Whether the channel is the account's own. */
  readonly isPrivate: boolean;
  /** Whether the client's bytes were relayed; `null` if the operation has no two lanes. */
  readonly isRelayed: boolean | null;
  readonly fromMs: number;
  /** When the upstream's status and headers arrived; `null` if none did. */
  readonly heardMs: number | null;
  /** `null` for the attempt that answered, which ends with the answer. */
  readonly toMs: number | null;
  readonly status: number | null;
  readonly upstreamRequestId: string | null;
  readonly failure: { readonly kind: string; readonly side: FailureSide } | null;
}

/** Parameters of the request, without its content. */
export interface TracedParameters {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
}

/** A prompt and its answer as the client sent and received them, for an account that switched content on. */
export interface TracedContent {
  readonly request: Uint8Array;
  readonly answer: Uint8Array;
  /** The `content-type` of the answer. */
  readonly answerType: string | null;
}

/** Everything about a finished call that its spans say. */
export interface TracedCall {
  /** The server span. */
  readonly context: TraceContext;
  /** The client's span above it; `null` if the gateway started the trace. */
  readonly parent: TraceContext | null;
  readonly record: RequestRecord;
  /** The side at fault; `null` without a failure. */
  readonly failureSide: FailureSide | null;
  /** `null` for a call without an HTTP request of its own, such as a message on a WebSocket. */
  readonly line: RequestLine | null;
  /** `null` if unknown, or unless `Tracing.wantsAddresses`. */
  readonly clientAddress: string | null;
  readonly parameters: TracedParameters | null;
  readonly attempts: readonly TracedAttempt[];
  readonly steps: readonly TracedStep[];
  readonly content: TracedContent | null;
}

/** The end of a call, as far as it decides about the export of its trace. */
export interface CallEnd {
  readonly context: TraceContext;
  readonly failureSide: FailureSide | null;
  readonly latencyMs: number;
}

/** Exports traces. No method waits or throws: a trace that cannot be exported is dropped and counted. */
export interface Tracing {
  /** Whether `TracedCall.clientAddress` is used. */
  readonly wantsAddresses: boolean;
  /**
   * Returns the position of a call's server span, in the client's trace or in a new one. Its flag `SAMPLED` says whether the trace will be
   * exported, unless the end of the call decides otherwise.
   */
  begin(identity: CallIdentity): TraceContext;
  /** Whether the trace of a call that has ended is exported. */
  isExported(end: CallEnd): boolean;
  /** Exports the spans of a call, without asking `isExported`. */
  export(call: TracedCall): void;
}

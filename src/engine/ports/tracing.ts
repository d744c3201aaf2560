import type { FailureSide } from '../../domain/failure/error-codes.ts';
import type { RequestLine } from '../../domain/http/request-line.ts';
import type { Task } from '../../domain/tasks/task.ts';
import type { CallIdentity } from '../../domain/trace/call-identity.ts';
import type { TraceContext } from '../../domain/trace/trace-context.ts';
import type { RequestRecord } from './request-log.ts';

/*
 * Traces of calls, tasks and connections. Spans are made after a call has ended, from the facts of its record and from what `CallTrace` (engine/call) has noted
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
  /** The call waits for a channel that is at its limit. */
  | 'queue'
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

/** The memory for the content of all calls and of what waits for its export. */
export interface ContentRoom {
  /** Takes this many bytes if they are available, and returns whether they were. */
  take(bytes: number): boolean;
  release(bytes: number): void;
}

/** The parts of a prompt and its answer that the spans need. Read it when they are made: a whole answer is sent after the call is recorded. */
export interface TracedExchange {
  /** Whether the account has content switched on. */
  readonly hasContent: boolean;
  /** The body of the request, `null` without content. */
  readonly request: Uint8Array | null;
  /** The whole answer, `null` without content. */
  readonly answer: Uint8Array | null;
  /** The first kilobyte and the last four of the answer. */
  readonly ends: readonly [head: Uint8Array, tail: Uint8Array];
  readonly answerType: string | null;
  /** Whether there is content, but more than is kept. */
  readonly isTooLarge: boolean;
  /** The bytes of content so far. */
  readonly size: number;
  /** Frees the content. It is called when the spans are made, and when it is certain that they are not. */
  release(): void;
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
  /** `null` if the call was not expected to be exported when it began. */
  readonly exchange: TracedExchange | null;
  /** The session whose message the call is (`TracedSession.context`); missing for a call outside of any. */
  readonly session?: TraceContext;
  /** The messages that a realtime session has passed on; missing for other calls. */
  readonly messages?: TracedMessages;
}

export interface TracedMessages {
  readonly fromClient: number;
  readonly fromUpstream: number;
}

/** A poll about a task's job. Times are in milliseconds since 1970. */
export interface TracedPoll {
  /** Counts the polls about the task by this process, from 1. */
  readonly number: number;
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  /** The state of the job in the upstream's words; `unanswered` if the poll failed. */
  readonly outcome: 'working' | 'done' | 'failed' | 'unanswered';
  /** The kind of the failure of the poll or the job; otherwise `null`. */
  readonly failureKind: string | null;
}

/** A task that has ended, in the trace of the request that created it. */
export interface TracedTask {
  /** The server span of that request. */
  readonly creator: TraceContext;
  readonly task: Task;
  /** The task's own line of the request log. */
  readonly record: RequestRecord;
  readonly failureSide: FailureSide | null;
  /** Some of the polls by this process, and the numbers of all and of the failed ones. */
  readonly polls: readonly TracedPoll[];
  readonly pollCount: number;
  readonly failedPollCount: number;
  /**
   * When the charge or the release of the reservation began, and when it was durable, in milliseconds since 1970; `null` if another attempt
   * to end the task had done it.
   */
  readonly settling: { readonly beganAtMs: number; readonly endedAtMs: number } | null;
}

/** A connection of a client that carried calls, such as a WebSocket. Times are in milliseconds since 1970. */
export interface TracedSession {
  readonly context: TraceContext;
  /** The client's span above it; `null` if the gateway started the trace. */
  readonly parent: TraceContext | null;
  /** The id of its handshake. */
  readonly requestId: string;
  readonly clientRequestId: string | null;
  readonly accountId: string;
  readonly line: RequestLine;
  readonly openedAtMs: number;
  readonly closedAtMs: number;
  /** The number of its calls. */
  readonly turns: number;
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
  /** Whether the spans of this account's calls have their prompts and answers. */
  wantsContent(accountId: string): boolean;
  /** Bounds the memory of content; absent for no bound. */
  readonly room?: ContentRoom;
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

export interface TaskTracing extends Pick<Tracing, 'begin' | 'isExported'> {
  /** Exports the spans of a task, without asking `isExported`. */
  exportTask(task: TracedTask): void;
}

export interface SessionTracing extends Pick<Tracing, 'begin' | 'isExported'> {
  /** Exports the span of a connection, without asking `isExported`. */
  exportSession(session: TracedSession): void;
}

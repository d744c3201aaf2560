import { Failure } from '../../domain/failure/failure.ts';
import type { RequestLine } from '../../domain/http/request-line.ts';
import { SAMPLED, type TraceContext } from '../../domain/trace/trace-context.ts';
import type { Writable } from '../../domain/writable.ts';
import type { Caller } from '../access/caller.ts';
import type { AskedTarget } from '../directory/target.ts';
import type { RequestRecord } from '../ports/request-log.ts';
import type {
  StepName,
  TracedAttempt,
  TracedMessages,
  TracedParameters,
  TracedStep,
  Tracing,
} from '../ports/tracing.ts';
import { RecordedExchange } from './traced-exchange.ts';

/** Bounds what one call can collect: a request may name 100 files, and its answer may take as many attempts as the settings allow. */
const MOST_STEPS = 200;
const MOST_ATTEMPTS = 100;

/**
 * Collects what a trace says about a call beyond its record. It exists only while tracing is switched on. All times are milliseconds since
 * the call arrived.
 */
export class CallTrace {
  readonly steps: TracedStep[] = [];
  readonly attempts: Writable<TracedAttempt>[] = [];
  private parameters: TracedParameters | null = null;
  /** `null` until the caller is known, and if the trace is not expected to be exported. */
  exchange: RecordedExchange | null = null;
  private readonly line: RequestLine | null;
  private readonly clientAddress: string | null;
  private readonly session: TraceContext | null;
  private messages: TracedMessages | null = null;
  private markMs = 0;

  constructor(
    private readonly tracing: Tracing,
    /** The server span. */
    readonly context: TraceContext,
    private readonly parent: TraceContext | null,
    caller: Pick<Caller, 'line' | 'address' | 'session'>,
    /** Returns the milliseconds since the call arrived. */
    readonly elapsedMs: () => number,
  ) {
    this.line = caller.line?.() ?? null;
    this.session = caller.session ?? null;
    // The address is unknown once the client has disconnected.
    this.clientAddress = tracing.wantsAddresses ? caller.address() : null;
  }

  /** Notes how many messages a realtime session has passed on. */
  passedOn(messages: TracedMessages): void {
    this.messages = messages;
  }

  asks(parameters: TracedParameters): void {
    this.parameters = parameters;
  }

  /** Notes that the next step of the call begins now. */
  mark(): void {
    this.markMs = this.elapsedMs();
  }

  /**
   * Notes a step that began at the last mark, or when the step before it ended, and ends now.
   * @param outcome a `Failure` is noted as the end of the step
   */
  passed(name: StepName, outcome: unknown, isOfAttempt = false): void {
    this.stepped(name, this.markMs, outcome, isOfAttempt);
    this.mark();
  }

  /** Notes a step that ends now, beside those of the call's own order. */
  stepped(name: StepName, fromMs: number, outcome: unknown, isOfAttempt = false, bytes?: number): void {
    if (this.steps.length >= MOST_STEPS) return;
    this.steps.push({
      ...{ name, fromMs, toMs: this.elapsedMs() },
      attempt: isOfAttempt ? (this.attempts.at(-1)?.retryCount ?? null) : null,
      failureKind: outcome instanceof Failure ? outcome.kind : null,
      ...(bytes !== undefined && { bytes }),
    });
  }

  attemptBegan({ channel, upstreamModel, isPrivate }: AskedTarget, retryCount: number, atMs: number): void {
    if (this.attempts.length >= MOST_ATTEMPTS) return;
    this.attempts.push({
      ...{ retryCount, channelId: channel.id, provider: channel.provider, upstreamModel, isPrivate, isRelayed: null },
      ...{ fromMs: atMs, heardMs: null, toMs: null, status: null, upstreamRequestId: null, failure: null },
    });
  }

  /** Notes on which lane the current attempt carries the request. */
  takesLane(isRelayed: boolean): void {
    const attempt = this.attempts.at(-1);
    if (attempt !== undefined) attempt.isRelayed = isRelayed;
  }

  heard(status: number, upstreamRequestId: string | null, atMs: number): void {
    const attempt = this.attempts.at(-1);
    if (attempt !== undefined) Object.assign(attempt, { status, upstreamRequestId, heardMs: atMs });
  }

  attemptFailed({ kind, side }: Failure, atMs: number): void {
    const attempt = this.attempts.at(-1);
    if (attempt !== undefined) Object.assign(attempt, { failure: { kind, side }, toMs: atMs });
  }

  /** Begins to record what the trace needs of the prompt and the answer. Returns `null` if the trace is not expected to be exported. */
  listens(accountId: string): RecordedExchange | null {
    const isExpected = (this.context.flags & SAMPLED) !== 0;
    this.exchange = isExpected ? new RecordedExchange(this.tracing.wantsContent(accountId), this.tracing.room) : null;
    return this.exchange;
  }

  /** Whether the trace will be exported if the call ends in this way now. */
  isExported(failure: Failure | null, latencyMs: number): boolean {
    return this.tracing.isExported({ context: this.context, failureSide: failure?.side ?? null, latencyMs });
  }

  /** Frees what was recorded of a call whose trace is not exported. */
  discard(): void {
    this.exchange?.release();
  }

  export(record: RequestRecord, failure: Failure | null): void {
    const { context, parent, line, clientAddress, parameters, attempts, steps, exchange, session, messages } = this;
    const failureSide = failure?.side ?? null;
    this.tracing.export({
      ...{ context, parent, record, failureSide, line, clientAddress, parameters, attempts, steps, exchange },
      ...(session !== null && { session }),
      ...(messages !== null && { messages }),
    });
  }
}

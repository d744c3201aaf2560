import type { RequestLine } from '../../domain/http/request-line.ts';
import type { CallIdentity } from '../../domain/trace/call-identity.ts';
import type { TraceContext } from '../../domain/trace/trace-context.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { SessionTracing } from '../../engine/ports/tracing.ts';

export interface SessionTraceOptions {
  readonly tracing: SessionTracing;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The ids of the handshake. */
  readonly identity: CallIdentity;
  readonly accountId: string;
  readonly line: RequestLine;
}

/** The trace of a connection that stays open for many calls. */
export class SessionTrace {
  readonly context: TraceContext;
  private readonly openedAtMs: number;

  constructor(private readonly options: SessionTraceOptions) {
    this.context = options.tracing.begin(options.identity);
    this.openedAtMs = options.clock.nowMs();
  }

  /** Exports the span of the connection. That it was open for long is no reason to export a trace that is not sampled. */
  end(turns: number): void {
    const { context, openedAtMs } = this;
    const { tracing, clock, identity, accountId, line } = this.options;
    if (!tracing.isExported({ context, failureSide: null, latencyMs: 0 })) return;
    const { requestId, clientRequestId, clientTrace: parent } = identity;
    tracing.exportSession({
      ...{ context, parent, requestId, clientRequestId, accountId, line },
      ...{ openedAtMs, closedAtMs: clock.nowMs(), turns },
    });
  }
}

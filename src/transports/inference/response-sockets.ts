import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { CLIENT_ID_HEADERS, identityOf, TRACE_HEADERS } from '../../domain/trace/call-identity.ts';
import { traceparentOf } from '../../domain/trace/trace-context.ts';
import type { Caller } from '../../engine/access/caller.ts';
import { CACHE_HEADER } from '../../engine/cache/read-control.ts';
import type { ConnectionMemory } from '../../engine/operations/text/connection-memory.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { SessionTracing } from '../../engine/ports/tracing.ts';
import { openaiResponses } from '../../formats/text/openai-responses/index.ts';
import type { BodyBudget } from './body-budget.ts';
import { echoedIds } from './echoed-ids.ts';
import { failureResponse } from './failure-response.ts';
import { type PublicOriginOptions, publicOrigin } from './public-origin.ts';
import { type Respond, ResponseSocket } from './response-socket.ts';
import { type ClientRequest, type Connections, requestLine } from './route.ts';
import { SessionTrace } from './session-trace.ts';

export interface ResponseSocketsOptions extends PublicOriginOptions {
  readonly respond: Respond;
  /** Opens the state for the requests of one of the account's connections, kept until it closes. */
  readonly openConnection: (accountId: string) => ConnectionMemory;
  readonly identify: (caller: Caller) => Promise<Principal | Failure>;
  readonly maxBodyBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly newRequestId: () => string;
  readonly maxSocketsPerAccount: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Absent while tracing is switched off. */
  readonly tracing?: SessionTracing | null;
  /** How long a connection may stay open; OpenAI's 60 minutes by default. */
  readonly socketLifetimeMs?: number;
}

const RESPONSES_PATH = '/v1/responses';
const LIFETIME_MS = 60 * 60 * 1_000;
const RETRY_AFTER_MS = 10_000;

/** Manages the WebSockets at `GET /v1/responses`. */
export class ResponseSockets {
  private readonly open = new Set<ResponseSocket>();
  private readonly countOf = new Map<string, number>();
  private isDraining = false;

  constructor(private readonly options: ResponseSocketsOptions) {}

  /** The number of open WebSockets. */
  get size(): number {
    return this.open.size;
  }

  /** Upgrades the request. An invalid key is reported over HTTP, before there is a WebSocket. */
  async upgrade(request: ClientRequest, connections: Connections): Promise<Response> {
    const { respond, openConnection, identify, addresses, newRequestId } = this.options;
    const format = openaiResponses;
    const secret = format.secret(request.headers, request.url);
    const address = () => addresses.of(request, connections);
    const principal = await identify({ envelope: format, secret, address });
    const requestId = newRequestId();
    if (principal instanceof Failure) return failureResponse(format, principal, requestId);
    const accountId = principal.account.id;
    if ((this.countOf.get(accountId) ?? 0) >= this.options.maxSocketsPerAccount) {
      return failureResponse(format, this.tooMany(), requestId);
    }
    const names = [
      CACHE_HEADER,
      ...CLIENT_ID_HEADERS,
      ...TRACE_HEADERS,
      ...format.relayedHeaders.map(({ name }) => name),
    ];
    const sent = new Map(names.map((name) => [name, request.headers.get(name)]));
    const peer = address();
    const origin = publicOrigin(request, connections, this.options);
    const header = (name: string) => sent.get(name) ?? null;
    const trace = this.beginTrace(request, requestId, accountId);
    const session = trace?.context ?? null;
    const caller = { secret, address: () => peer, origin: () => origin, header, session };
    const { socketLifetimeMs: lifetimeMs = LIFETIME_MS, maxBodyBytes, bodyBudget } = this.options;
    const onClosed = () => {
      this.count(socket, accountId, -1);
      trace?.end(socket.turns);
    };
    const memory = openConnection(accountId);
    const socket = new ResponseSocket({
      respond,
      memory,
      maxBodyBytes,
      bodyBudget,
      accountId,
      caller,
      lifetimeMs,
      onClosed,
    });
    const headers = {
      ...{ 'x-request-id': requestId, ...echoedIds(requestId, request.headers) },
      ...(session !== null && { traceparent: traceparentOf(session) }),
    };
    if (!connections.upgrade(request, { data: socket, headers })) {
      return failureResponse(format, noHandshake(), requestId);
    }
    this.count(socket, accountId, 1);
    if (this.isDraining) socket.drain();
    // The server has already answered the handshake and ignores this response.
    return new Response(null, { status: 204 });
  }

  private beginTrace(request: ClientRequest, requestId: string, accountId: string): SessionTrace | null {
    const { tracing, clock } = this.options;
    if (!tracing) return null;
    const identity = identityOf(requestId, { header: (name) => request.headers.get(name) });
    return new SessionTrace({ tracing, clock, identity, accountId, line: requestLine(request, RESPONSES_PATH) });
  }

  /** Closes idle sockets at once, the others when they have answered. */
  drain(): void {
    this.isDraining = true;
    for (const socket of [...this.open]) socket.drain();
  }

  private count(socket: ResponseSocket, accountId: string, change: 1 | -1): void {
    if (change === 1) this.open.add(socket);
    else if (!this.open.delete(socket)) return;
    const count = (this.countOf.get(accountId) ?? 0) + change;
    if (count > 0) this.countOf.set(accountId, count);
    else this.countOf.delete(accountId);
  }

  private tooMany(): Failure {
    return new Failure('rate_limit_exceeded', {
      message: `The account has reached its limit of ${this.options.maxSocketsPerAccount} open WebSockets.`,
      kind: 'account_sockets',
      side: 'client',
      retry: 'never',
      retryAfterMs: RETRY_AFTER_MS,
      hint: 'Close unused ones, or send the request over HTTP.',
    });
  }
}

function noHandshake(): Failure {
  return new Failure('invalid_value', {
    message: 'The request is not a valid WebSocket handshake (RFC 6455, section 4.1).',
    param: 'Sec-WebSocket-Key',
  });
}

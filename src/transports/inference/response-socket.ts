import { Failure } from '../../domain/failure/failure.ts';
import type { TraceContext } from '../../domain/trace/trace-context.ts';
import type { OutboundStream } from '../../engine/call/client-stream.ts';
import type { Outbound } from '../../engine/call/responder.ts';
import type { ConnectionMemory } from '../../engine/operations/text/connection-memory.ts';
import type { TextInbound } from '../../engine/operations/text/inbound.ts';
import { EventSplitter, joinedData } from '../../formats/shared/stream/sse.ts';
import { GENERATE, WARM_UP } from '../../formats/text/openai-responses/endpoints.ts';
import { openaiResponses } from '../../formats/text/openai-responses/index.ts';
import {
  type CreateMessage,
  createMessage,
  errorMessage,
  eventMessage,
  failureMessage,
  preparedMessages,
} from '../../formats/text/openai-responses/socket.ts';
import { tooLarge } from './body.ts';
import { type BodyBudget, BodyLease } from './body-budget.ts';
import type { ClientSocket, SocketHandler } from './socket-route.ts';

/** Answers a request as over HTTP. */
export type Respond = (inbound: TextInbound) => Promise<Outbound>;

export interface ResponseSocketOptions {
  readonly respond: Respond;
  /** State kept for the connection's requests until it closes. */
  readonly memory: ConnectionMemory;
  readonly maxBodyBytes: number;
  readonly bodyBudget: BodyBudget;
  readonly accountId: string;
  /** The caller of the handshake request, who applies to every request on the connection. */
  readonly caller: {
    readonly secret: string | null;
    address(): string | null;
    origin(): string;
    header(name: string): string | null;
    /** The span of the connection; `null` if it is not traced. */
    readonly session: TraceContext | null;
  };
  readonly lifetimeMs: number;
  /** How long a client may leave sent data unread; two minutes by default. */
  readonly stallMs?: number;
  readonly onClosed: () => void;
}

/** The requests of one WebSocket that run or wait for their lane; OpenAI lets 16 lanes run. */
const MOST_PENDING = 32;
const MOST_LANES = 16;

/** The same time as for idle connections. A client that keeps sending is not idle. */
const STALL_MS = 120_000;
/** The number of unsent bytes at which the next event may be produced. */
const ROOM_BYTES = 64 * 1024;
/** The number of errors that may be queued for a client that reads none of them. */
const MOST_UNREAD = 100;

/** RFC 6455, 7.4.1. */
const CLOSE = { normal: 1_000, goingAway: 1_001, policy: 1_008, internal: 1_011 } as const;

const utf8 = new TextEncoder();

/**
 * One WebSocket of a client. Each `response.create` runs as the equivalent HTTP request, one at a time within a lane (`stream_id`);
 * requests without a lane share one.
 */
export class ResponseSocket implements SocketHandler {
  private socket: ClientSocket | null = null;
  private isClosed = false;
  private readonly lanes = new Map<string, Promise<void>>();
  private pending = 0;
  private begunTurns = 0;
  /** Callbacks to run for the requests in flight as soon as the client disconnects. */
  private readonly leaving = new Set<() => void>();
  /** Resolvers of sends that wait for room. */
  private readonly waiting = new Set<() => void>();
  private stall: ReturnType<typeof setTimeout> | null = null;
  private unread = 0;
  /** Why no more requests are accepted; `null` while they are. */
  private end: { readonly failure: Failure; readonly code: number; readonly tells: boolean } | null = null;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly options: ResponseSocketOptions) {}

  /** The number of requests that have been started on the connection. */
  get turns(): number {
    return this.begunTurns;
  }

  opened(socket: ClientSocket): void {
    this.socket = socket;
    this.timer = setTimeout(() => this.expire(), this.options.lifetimeMs);
    this.timer.unref();
    this.closeIfOver();
  }

  message(data: string | Uint8Array): void {
    const bytes = typeof data === 'string' ? utf8.encode(data) : new Uint8Array(data);
    const message = this.end === null ? createMessage(bytes) : this.end.failure;
    if (message instanceof Failure) {
      this.refuse(message, null);
      return;
    }
    const lane = message.streamId ?? '';
    const lease = new BodyLease(this.options.bodyBudget);
    lease.belongTo(this.options.accountId);
    const refusal = this.refusal(lane, bytes.length) ?? lease.grow(message.body.length);
    if (refusal !== null) {
      this.refuse(refusal, message.streamId);
      return;
    }
    this.pending++;
    const before = this.lanes.get(lane) ?? Promise.resolve();
    const answered = before
      .then(() => this.answer(message))
      .catch(() => this.close(CLOSE.internal, 'Something went wrong inside the gateway.'))
      .finally(() => {
        lease.end();
        this.pending--;
        if (this.lanes.get(lane) === answered) this.lanes.delete(lane);
        this.closeIfOver();
      });
    this.lanes.set(lane, answered);
  }

  /** Called by the server after each piece that the client takes, however much is left. */
  drained(): void {
    this.stall?.refresh();
    if ((this.socket?.getBufferedAmount() ?? 0) > ROOM_BYTES) return;
    this.unread = 0;
    this.goOn();
  }

  private goOn(): void {
    if (this.stall !== null) clearTimeout(this.stall);
    this.stall = null;
    for (const go of this.waiting) go();
    this.waiting.clear();
  }

  closed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    for (const leave of this.leaving) leave();
    this.goOn();
    this.options.memory.close();
    this.options.onClosed();
  }

  /** Stops taking requests because the gateway shuts down; those in flight may finish. */
  drain(): void {
    const message = 'The gateway is shutting down. Retry the request over a new connection.';
    this.end ??= { failure: new Failure('shutting_down', { message }), code: CLOSE.goingAway, tells: false };
    this.closeIfOver();
  }

  private expire(): void {
    this.end ??= { failure: expired(this.options.lifetimeMs), code: CLOSE.normal, tells: true };
    this.closeIfOver();
  }

  private closeIfOver(): void {
    if (this.end === null || this.pending > 0 || this.isClosed) return;
    const { failure, code, tells } = this.end;
    if (tells) this.tell(failureMessage(failure, null));
    this.close(code, failure.details.message);
  }

  private refusal(lane: string, length: number): Failure | null {
    const { maxBodyBytes } = this.options;
    if (length > maxBodyBytes) return tooLarge(maxBodyBytes);
    if (!this.lanes.has(lane) && this.lanes.size >= MOST_LANES) return tooManyLanes();
    return this.pending < MOST_PENDING ? null : tooManyWaiting();
  }

  private async answer(message: CreateMessage): Promise<void> {
    if (this.isClosed) return;
    this.begunTurns++;
    const { respond, memory, caller } = this.options;
    const aborter = new AbortController();
    const abort = () => aborter.abort();
    this.leaving.add(abort);
    try {
      const outbound = await respond({
        ...caller,
        format: openaiResponses,
        envelope: openaiResponses,
        call: message.generates ? GENERATE : WARM_UP,
        readBody: async () => message.body,
        signal: aborter.signal,
        connection: memory,
      });
      if (outbound.kind === 'stream') await this.pass(outbound.stream, message.streamId);
      else await this.passWhole(outbound, message.streamId);
    } finally {
      this.leaving.delete(abort);
    }
  }

  private async passWhole({ status, body }: Extract<Outbound, { kind: 'whole' }>, streamId: string | null) {
    const json = typeof body === 'string' ? body : new TextDecoder().decode(body);
    if (status === 200) {
      for (const text of preparedMessages(json, streamId)) await this.send(text);
      return;
    }
    await this.send(errorMessage(status, json, streamId));
    // The key is invalid, so no further request can succeed.
    if (status === 401) this.close(CLOSE.policy, 'The API key is no longer valid.');
  }

  /** Pulls only when the client has taken what came before, as over HTTP. */
  private async pass(stream: OutboundStream, streamId: string | null): Promise<void> {
    const leave = () => stream.clientLeft();
    this.leaving.add(leave);
    if (this.isClosed) leave();
    const splitter = new EventSplitter();
    try {
      for (let piece = await stream.next(); piece !== null; piece = await stream.next()) {
        const events: string[] = [];
        splitter.push(piece, (event) => events.push(joinedData(event)));
        // Comments have no data, and `[DONE]` is not an event.
        for (const json of events) if (json.startsWith('{')) await this.send(eventMessage(json, streamId));
      }
    } finally {
      this.leaving.delete(leave);
    }
  }

  /** Resolves when there is room for more. */
  private async send(text: string): Promise<void> {
    const sent = this.tell(text);
    if (sent !== -1) return;
    this.stall ??= setTimeout(() => this.cut(), this.options.stallMs ?? STALL_MS).unref();
    await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  /** Sends an error without waiting for room, so a client that reads none is cut off after a number of them. */
  private refuse(failure: Failure, streamId: string | null): void {
    if (this.tell(failureMessage(failure, streamId)) === -1) this.unread++;
    if (this.unread > MOST_UNREAD) this.cut();
  }

  /** Returns the server's result: -1 if the buffer is full, 0 if the message was dropped. */
  private tell(text: string): number {
    if (this.isClosed || this.socket === null) return 1;
    const sent = this.socket.send(text);
    // The dropped message leaves a gap in the answer.
    if (sent === 0) this.close(CLOSE.internal, 'The client is not reading.');
    return sent;
  }

  /** Terminates the connection; a close frame would queue behind the unread data. */
  private cut(): void {
    if (!this.isClosed) this.socket?.terminate();
  }

  private close(code: number, reason: string): void {
    if (!this.isClosed) this.socket?.close(code, reason.slice(0, LONGEST_REASON));
  }
}

/** A close frame has room for a reason of 123 bytes. */
const LONGEST_REASON = 120;

/** Returns OpenAI's error for a connection that has reached its lifetime. */
function expired(lifetimeMs: number): Failure {
  const minutes = Math.ceil(lifetimeMs / 60_000);
  return new Failure('invalid_value', {
    publicCode: 'websocket_connection_limit_reached',
    message: `This WebSocket has reached its limit of ${minutes} minutes. Open a new one, and send the whole conversation or the id of a stored response.`,
  });
}

function tooManyLanes(): Failure {
  return new Failure('invalid_value', {
    publicCode: 'websocket_stream_limit_reached',
    message: `This WebSocket already has requests in flight on ${MOST_LANES} streams, which is the limit.`,
    param: 'stream_id',
    hint: 'Wait for one of them to finish, or open another WebSocket.',
  });
}

function tooManyWaiting(): Failure {
  return new Failure('rate_limit_exceeded', {
    message: `This WebSocket already has ${MOST_PENDING} pending requests, which is the limit.`,
    kind: 'socket_requests',
    side: 'client',
    retry: 'never',
    hint: 'Wait for a response before you send the next request.',
  });
}

import { Failure } from '../domain/failure/failure.ts';
import type { AnswerHeaders } from '../domain/http/answer-headers.ts';
import { responseMemoryFull } from '../engine/ports/response-memory.ts';
import type { ReadBounds, Upstream, UpstreamAnswer, UpstreamBody, UpstreamRequest } from '../engine/ports/upstream.ts';
import { DeadlineWatch, UNWATCHED, type Watched } from './deadlines.ts';
import { comingBody, FetchExchange, fetched } from './fetch-exchange.ts';
import { DecodedBytes, formatsOf } from './http1/decoded.ts';
import { ConnectionPool } from './http1/pool.ts';
import type { Proxies } from './proxies.ts';
import { timeoutFailure, transportFailure } from './transport-failure.ts';
import type { AnswerBytes, HeadListener, UpstreamExchange } from './upstream-exchange.ts';
import { type PinnedPlace, UpstreamGuard } from './upstream-guard.ts';

/** How long after its start a call begins to listen for the client's disconnect. */
const FIRST_LOOK_MS = 20;

/** Bodies up to this size are not counted against the memory budget: most answers are smaller. */
const UNCOUNTED_BYTES = 64 * 1024;

const NO_HEADERS: AnswerHeaders = { get: () => null };

type Phase = 'head' | 'reading' | 'paused' | 'over';

export interface HttpUpstreamOptions {
  /** `null` if no proxies are configured. */
  readonly proxies: Proxies | null;
  /** Checks addresses that accounts have chosen; by default only the public internet is allowed. */
  readonly guard?: UpstreamGuard;
}

/**
 * The HTTP client for upstreams: pooled keep-alive connections, four timeouts, and connections that are cut as soon as the answer is no
 * longer wanted. Redirects are not followed, since an API that redirects is misconfigured. Everything goes through our own client except
 * requests by way of a proxy other than plain HTTP (docs/decisions/019-upstream-client.md).
 */
export class HttpUpstream implements Upstream {
  private readonly deadlines = new DeadlineWatch();
  /** Set if one of the proxies is of a kind that only `fetch` supports. */
  private readonly foreignProxies: Proxies | null;
  private readonly pool: ConnectionPool;
  /** Why nothing is sent any more (shutdown); `null` until then. */
  private ended: Failure | null = null;

  private readonly guard: UpstreamGuard;

  constructor(options: HttpUpstreamOptions) {
    this.pool = new ConnectionPool(options.proxies);
    this.foreignProxies = options.proxies?.areMixed ? options.proxies : null;
    this.guard = options.guard ?? new UpstreamGuard({ allowedRanges: [], deniedRanges: [] });
  }

  /** The numbers of pooled connections. */
  get connections(): { readonly used: number; readonly idle: number } {
    return this.pool.figures;
  }

  send(request: UpstreamRequest): Promise<UpstreamAnswer | Failure> {
    if (this.ended !== null) return Promise.resolve(this.ended);
    if (request.isGuarded === true && !request.local) return this.sendGuarded(request);
    return this.call(request, undefined);
  }

  private async sendGuarded(request: UpstreamRequest): Promise<UpstreamAnswer | Failure> {
    const place = await this.guard.pin(request.url, request.timeouts.connectMs);
    if (place instanceof Failure) return place;
    if (this.ended !== null) return this.ended;
    const { url, host, tls } = place;
    return this.call({ ...request, url, headers: { ...request.headers, host } }, tls);
  }

  private call(request: UpstreamRequest, tls: PinnedPlace['tls']): Promise<UpstreamAnswer | Failure> {
    if (request.local || (this.foreignProxies !== null && this.isForFetch(request.url))) {
      return this.callOtherwise(request, tls);
    }
    if (!isPlain(request)) return this.pass(request, tls);
    let exchange: UpstreamExchange;
    try {
      exchange = this.pool.open(request, tls);
    } catch (error) {
      return Promise.resolve(transportFailure(error));
    }
    return new Call(request, exchange, this.deadlines).send();
  }

  /** Sends a request whose body is still arriving: the time limit for the head starts again with each piece that the upstream takes. */
  private pass(request: UpstreamRequest, tls: PinnedPlace['tls']): Promise<UpstreamAnswer | Failure> {
    const body = comingBody(request.body, () => call.taken());
    if (body === null) throw new Error('the body was not sent');
    let exchange: UpstreamExchange;
    try {
      exchange = this.pool.pass({ ...request, body }, tls);
    } catch (error) {
      return Promise.resolve(transportFailure(error));
    }
    const call = new Call(request, exchange, this.deadlines);
    return call.send();
  }

  private isForFetch(url: string): boolean {
    const parsed = URL.parse(url);
    return parsed !== null && this.foreignProxies?.of(parsed)?.isPlain === false;
  }

  private callOtherwise(request: UpstreamRequest, tls: PinnedPlace['tls']): Promise<UpstreamAnswer | Failure> {
    const call: Call = new Call(
      request,
      fetched(request, tls, () => call.taken()),
      this.deadlines,
    );
    return call.send();
  }

  interrupt(failure: Failure): void {
    this.ended = failure;
    this.deadlines.cutAll(failure);
  }
}

/** One request, its answer, and the reader of that answer: a single object, since each further one would be fetched from cold memory. */
class Call implements Watched, HeadListener, UpstreamAnswer, UpstreamBody {
  status = 0;
  headers: AnswerHeaders = NO_HEADERS;
  /** When the watch checks this call next; `limitMs` is when its current phase must end. */
  deadlineMs = 0;
  slot = UNWATCHED;
  dueMs = 0;
  before: Watched | null = null;
  after: Watched | null = null;
  private limitMs = 0;
  private listening = false;
  private outlivesClient = false;
  private readonly startedAtMs = performance.now();
  private sentAtMs = this.startedAtMs;
  private totalDeadlineMs: number;
  private phase: Phase = 'head';
  /** Why the gateway itself cut the connection. */
  private verdict: Failure | null = null;
  private bytes: AnswerBytes;
  private settle: ((answer: UpstreamAnswer | Failure) => void) | null = null;
  private hasRead = false;
  private onPiece: ((piece: Uint8Array | null) => Uint8Array | null | Failure) | null = null;
  private onReadError: ((error: unknown) => Failure) | null = null;

  constructor(
    private readonly request: UpstreamRequest,
    private readonly exchange: UpstreamExchange,
    private readonly deadlines: DeadlineWatch,
  ) {
    this.bytes = exchange;
    this.totalDeadlineMs = this.startedAtMs + request.timeouts.totalMs;
  }

  get body(): UpstreamBody {
    return this;
  }

  send(): Promise<UpstreamAnswer | Failure> {
    const { request } = this;
    this.limit(Math.min(this.headDeadlineMs(), this.startedAtMs + request.timeouts.connectMs), this.startedAtMs);
    this.deadlines.add(this);
    const { promise, resolve } = Promise.withResolvers<UpstreamAnswer | Failure>();
    this.settle = resolve;
    try {
      this.exchange.send(this);
    } catch (error) {
      this.headLost(error);
    }
    return promise;
  }

  headCame(status: number, headers: AnswerHeaders): void {
    this.status = status;
    this.headers = headers;
    try {
      const formats = this.exchange instanceof FetchExchange ? null : formatsOf(headers.get('content-encoding'));
      if (formats !== null) this.bytes = new DecodedBytes(this.exchange, formats);
    } catch (error) {
      this.exchange.abort();
      this.headLost(error);
      return;
    }
    this.pause();
    this.settle?.(this);
  }

  headLost(error: unknown): void {
    this.exchange.abort();
    this.settle?.(this.fail(error));
  }

  // The two read methods run for every chunk of every stream: callbacks created once cost less than the frame of an `async` function each
  // time.
  read(withinMs = this.request.timeouts.idleMs): Promise<Uint8Array | null | Failure> {
    if (this.verdict) return Promise.resolve(this.verdict);
    if (this.phase === 'over') return Promise.resolve(null);
    this.listen();
    this.hasRead = true;
    this.phase = 'reading';
    this.startIdle(withinMs);
    this.onPiece ??= (piece) => this.take(piece);
    this.onReadError ??= (error) => this.fail(error);
    return this.bytes.read().then(this.onPiece, this.onReadError);
  }

  private take(piece: Uint8Array | null): Uint8Array | null | Failure {
    if (piece === null) return this.verdict ?? this.finish();
    this.pause();
    return piece;
  }

  readAll(bounds: ReadBounds): Uint8Array | Failure | Promise<Uint8Array | Failure> {
    const { limitBytes, withinMs, take, outlivesClient } = bounds;
    if (outlivesClient) this.forgetClient();
    if (withinMs !== undefined) this.totalDeadlineMs = Math.min(this.totalDeadlineMs, performance.now() + withinMs);
    const declared = this.hasRead ? Number.NaN : this.declaredBytes();
    if (!(declared <= limitBytes)) return this.readInPieces(bounds);
    if (take !== undefined && declared > UNCOUNTED_BYTES && !take(declared)) return this.refuse(responseMemoryFull());
    const bytes = this.bytes.bytes();
    if (!(bytes instanceof Promise)) {
      this.finish();
      return bytes;
    }
    return this.readLater(bytes);
  }

  private readLater(bytes: Promise<Uint8Array>): Promise<Uint8Array | Failure> {
    this.phase = 'reading';
    this.startIdle();
    return bytes.then(
      (whole) => {
        this.finish();
        return whole;
      },
      (error: unknown) => this.fail(error),
    );
  }

  /** Returns the length of the body, `NaN` if unknown. It is unknown for a compressed body, whose header counts compressed bytes. */
  private declaredBytes(): number {
    const { headers } = this;
    const length = headers.get('content-length');
    return length === null || headers.get('content-encoding') ? Number.NaN : Number(length);
  }

  private refuse(failure: Failure): Failure {
    this.cancel();
    return failure;
  }

  cancel(): void {
    if (this.phase === 'over') return;
    this.leave();
    this.stop();
  }

  onDeadline(nowMs: number): void {
    this.listen();
    this.deadlineMs = this.limitMs;
    if (nowMs < this.limitMs || this.phase === 'over') return;
    const passed = this.passedLimit(nowMs);
    if (passed) this.cut(passed);
    else this.limit(this.phase === 'head' ? this.headDeadlineMs() : this.totalDeadlineMs, nowMs);
  }

  private passedLimit(nowMs: number): Failure | null {
    const { timeouts } = this.request;
    if (nowMs >= this.totalDeadlineMs) return timeoutFailure('total_timeout', timeouts.totalMs);
    if (this.phase === 'reading') return timeoutFailure('idle_timeout', timeouts.idleMs);
    if (this.phase !== 'head') return null;
    if (nowMs >= this.headDeadlineMs()) return timeoutFailure('first_byte_timeout', timeouts.firstByteMs);
    if (this.exchange.isConnecting === true && nowMs >= this.startedAtMs + timeouts.connectMs) {
      return timeoutFailure('connect_timeout', timeouts.connectMs);
    }
    return null;
  }

  private headDeadlineMs(): number {
    return Math.min(this.sentAtMs + this.request.timeouts.firstByteMs, this.totalDeadlineMs);
  }

  /** Restarts the time limit for the head, since the upstream has taken a piece of a streamed body. */
  taken(): void {
    this.sentAtMs = performance.now();
  }

  private async readInPieces({ limitBytes, take }: ReadBounds): Promise<Uint8Array | Failure> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    let taken = UNCOUNTED_BYTES;
    for (;;) {
      const piece = await this.read();
      if (piece instanceof Failure) return piece;
      if (piece === null) break;
      length += piece.length;
      if (length > limitBytes) {
        return this.refuse(
          new Failure('upstream_error', {
            kind: 'answer_too_large',
            message: "The upstream's response is too large.",
          }),
        );
      }
      if (take !== undefined && length > taken) {
        if (!take(length - taken)) return this.refuse(responseMemoryFull());
        taken = length;
      }
      pieces.push(piece);
    }
    const [only] = pieces;
    return pieces.length === 1 && only ? only : Buffer.concat(pieces);
  }

  /** Sets when the current phase must end. Until the call listens for a disconnect, the first check comes earlier. */
  private limit(limitMs: number, nowMs: number): void {
    this.limitMs = limitMs;
    this.deadlineMs = this.listening ? limitMs : Math.min(limitMs, nowMs + FIRST_LOOK_MS);
    this.deadlines.moved(this);
  }

  private startIdle(withinMs = this.request.timeouts.idleMs): void {
    const nowMs = performance.now();
    const idleMs = Math.min(withinMs, this.request.timeouts.idleMs);
    this.limit(Math.min(nowMs + idleMs, this.totalDeadlineMs), nowMs);
  }

  /** Starts listening for the client's disconnect. An answer that arrives before the first check saves the listener, which costs 4 µs. */
  private listen(): void {
    const { client } = this.request;
    if (this.listening || this.outlivesClient || !client) return;
    this.listening = true;
    const { signal } = client;
    if (signal.aborted) this.cut(clientGone());
    else signal.addEventListener('abort', this);
  }

  private forgetClient(): void {
    this.outlivesClient = true;
    if (this.listening) this.request.client?.signal.removeEventListener('abort', this);
    this.listening = false;
  }

  /** Handles the client's abort signal; the call is itself the listener, which avoids creating one. */
  handleEvent(): void {
    this.cut(clientGone());
  }

  cut(verdict: Failure): void {
    if (this.phase === 'over') return;
    this.verdict = verdict;
    this.leave();
    this.stop();
  }

  private stop(): void {
    this.bytes.abort();
  }

  private fail(error: unknown): Failure {
    this.leave();
    this.verdict ??= transportFailure(error);
    return this.verdict;
  }

  /** Applies only the total limit while the reader waits for a slow client. */
  private pause(): void {
    this.phase = 'paused';
    this.limit(this.totalDeadlineMs, this.startedAtMs);
  }

  private finish(): null {
    this.leave();
    return null;
  }

  private leave(): void {
    this.phase = 'over';
    this.deadlines.delete(this);
    if (this.listening) this.request.client?.signal.removeEventListener('abort', this);
  }
}

type PlainUpstreamRequest = UpstreamRequest & { readonly body: Uint8Array<ArrayBuffer> | null };

/** Returns whether the whole body is in memory. */
function isPlain(request: UpstreamRequest): request is PlainUpstreamRequest {
  return request.body === null || request.body instanceof Uint8Array;
}

function clientGone(): Failure {
  return new Failure('client_closed_request', { message: 'The client closed the connection.' });
}

import { Failure } from '../../../domain/failure/failure.ts';
import { responseMemoryFull } from '../../ports/response-memory.ts';
import type { ReadBounds, Upstream, UpstreamAnswer, UpstreamBody, UpstreamRequest } from '../../ports/upstream.ts';

const utf8 = new TextEncoder();

type Piece = string | Uint8Array | Failure;

/**
 * A scripted response: its headers, and the body in pieces. A piece may be a promise, or the failure that ends the
 * body.
 */
export interface Scripted {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces?: readonly (Piece | Promise<Piece>)[];
}

type Answering = Scripted | Failure | Promise<Scripted | Failure>;
type Answerer = (request: UpstreamRequest) => Answering;

/** A request as the upstream received it. */
export interface SentRequest {
  /** The first label of the host name, which is the channel's id in these tests. */
  readonly to: string;
  readonly request: UpstreamRequest;
  readonly text: string;
  /** The body of its response, once there is one. */
  body: ScriptedBody | null;
}

/** Answers the requests of each host from a script, in order. A request without a script entry is an error in the test. */
export class FakeUpstream implements Upstream {
  readonly sent: SentRequest[] = [];
  private readonly scripts = new Map<string, (Answering | Answerer)[]>();

  constructor(private readonly steps: string[] = []) {}

  /** Adds the next responses of a channel. */
  script(channelId: string, ...answers: readonly (Answering | Answerer)[]): this {
    this.scripts.set(channelId, [...(this.scripts.get(channelId) ?? []), ...answers]);
    return this;
  }

  /** Forgets the responses of a channel that were not needed. */
  clear(channelId: string): this {
    this.scripts.delete(channelId);
    return this;
  }

  /** The ids of the channels that were asked, in order. */
  get asked(): readonly string[] {
    return this.sent.map(({ to }) => to);
  }

  async send(request: UpstreamRequest): Promise<UpstreamAnswer | Failure> {
    const { hostname } = new URL(request.url);
    const [to = ''] = hostname.split('.');
    const text = request.body instanceof Uint8Array ? new TextDecoder().decode(request.body) : '';
    const sent: SentRequest = { to, request, text, body: null };
    this.sent.push(sent);
    this.steps.push(`ask ${to}`);
    const next = this.scripts.get(to)?.shift();
    if (next === undefined) throw new Error(`nothing is scripted for request ${this.sent.length}, to ${to}`);
    const answer = await leaving(request, typeof next === 'function' ? next(request) : next);
    if (answer instanceof Failure) return answer;
    const { status = 200, headers = {}, pieces = [] } = answer;
    sent.body = new ScriptedBody(request, pieces);
    return { status, headers: new Headers(headers), body: sent.body };
  }

  interrupt(): void {}
}

/** Ends all waiting when the client disconnects, as the real client does. */
function leaving<Result>({ client }: UpstreamRequest, result: Result | Promise<Result>): Promise<Result | Failure> {
  if (client === undefined || !(result instanceof Promise)) return Promise.resolve(result);
  const { signal } = client;
  const left = () => new Failure('client_closed_request', { message: 'The client closed the connection.' });
  if (signal.aborted) return Promise.resolve(left());
  const gone = new Promise<Failure>((resolve) => signal.addEventListener('abort', () => resolve(left())));
  return Promise.race([result, gone]);
}

class ScriptedBody implements UpstreamBody {
  isCancelled = false;
  readonly bounds: ReadBounds[] = [];
  private readonly pieces: (Piece | Promise<Piece>)[];

  constructor(
    private readonly request: UpstreamRequest,
    pieces: readonly (Piece | Promise<Piece>)[],
  ) {
    this.pieces = [...pieces];
  }

  async read(): Promise<Uint8Array | null | Failure> {
    const next = this.pieces.shift();
    if (next === undefined) return null;
    const piece = await leaving(this.request, next);
    return typeof piece === 'string' ? utf8.encode(piece) : piece;
  }

  async readAll(bounds: ReadBounds): Promise<Uint8Array | Failure> {
    this.bounds.push(bounds);
    const read: Uint8Array[] = [];
    let length = 0;
    for (let piece = await this.read(); piece !== null; piece = await this.read()) {
      if (piece instanceof Failure) return piece;
      length += piece.length;
      if (length > bounds.limitBytes) return tooLarge();
      if (bounds.take?.(piece.length) === false) return responseMemoryFull();
      read.push(piece);
    }
    return Buffer.concat(read);
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

function tooLarge(): Failure {
  return new Failure('upstream_error', { kind: 'too_large', message: 'The upstream sent too much.' });
}

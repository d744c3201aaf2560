import type { CallTimeouts } from '../../../domain/catalog/channel.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { Upstream, UpstreamAnswer } from '../../../engine/ports/upstream.ts';
import { entryOf, isRecord, objectOf } from '../../../formats/shared/json/record.ts';
import { CommandError } from '../command-error.ts';
import { printable } from '../table.ts';
import { type ReceivedEvent, readEvents } from './event-stream.ts';

const MANAGEMENT_PATH = '/v1/management';
/** A page of the management API has about 1 MiB. */
const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024;
const DAY_MS = 86_400_000;
const ANSWER: CallTimeouts = { connectMs: 5_000, firstByteMs: 15_000, idleMs: 15_000, totalMs: 30_000 };
/** A live stream sends something every 16 seconds. */
const STREAM: CallTimeouts = { connectMs: 5_000, firstByteMs: 15_000, idleMs: 40_000, totalMs: DAY_MS };

/** Query parameters; those that are `undefined` are left out. */
export type RemoteQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request to the gateway has failed. */
export class RemoteError extends CommandError {
  constructor(
    message: string,
    /** Whether the same request may succeed later: the gateway restarts, is overloaded or cannot be reached. */
    readonly isPassing: boolean,
    /** The HTTP status; `null` if there was no response. */
    readonly status: number | null,
    /** How long the gateway asks to wait, in milliseconds; `null` if it does not say. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

export interface ManagementClientOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string;
  readonly upstream: Upstream;
}

/** Reads the management API of a running gateway. Every failure is a `RemoteError`. */
export class ManagementClient {
  constructor(private readonly options: ManagementClientOptions) {}

  /** The address of the gateway. */
  get url(): string {
    return this.options.url;
  }

  /** Resolves to the JSON of a path under `/v1/management`. */
  read(path: string, query: RemoteQuery, signal: AbortSignal): Promise<unknown> {
    return this.readAt(`${MANAGEMENT_PATH}${path}${textOf(query)}`, signal);
  }

  /** Does the same for a route whose answer may be shared with other readers of the last second. */
  readShared(path: string, query: RemoteQuery, signal: AbortSignal): Promise<unknown> {
    return this.readAt(`${MANAGEMENT_PATH}${path}${textOf(query)}`, signal, { 'cache-control': 'max-age=1' });
  }

  /** Resolves to `/status.json`. */
  status(signal: AbortSignal): Promise<unknown> {
    return this.readAt('/status.json', signal);
  }

  private async readAt(
    target: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const answer = await this.send(target, ANSWER, signal, headers);
    const text = await this.textOf(answer);
    if (answer.status !== 200) throw this.refusal(answer, text);
    const json = jsonOf(text);
    if (json === undefined) throw this.notAGateway();
    return json;
  }

  /**
   * Yields the events of a stream until it ends.
   *
   * @param after the id of the last event that was received; `null` to begin now
   */
  async *events(
    path: string,
    query: RemoteQuery,
    { after, signal }: { readonly after: string | null; readonly signal: AbortSignal },
  ): AsyncGenerator<ReceivedEvent> {
    const target = `${MANAGEMENT_PATH}${path}${textOf(query)}`;
    const headers = { accept: 'text/event-stream', ...(after !== null && { 'last-event-id': after }) };
    const answer = await this.send(target, STREAM, signal, headers);
    if (answer.status !== 200) throw this.refusal(answer, await this.textOf(answer));
    if (answer.headers.get('content-type')?.startsWith('text/event-stream') !== true) throw this.notAGateway();
    try {
      for await (const event of readEvents(answer.body)) {
        if (event instanceof Failure) throw this.unreachable(event);
        yield event;
      }
    } finally {
      answer.body.cancel();
    }
  }

  private async send(
    target: string,
    timeouts: CallTimeouts,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<UpstreamAnswer> {
    const { url, token, upstream } = this.options;
    const answer = await upstream.send({
      ...{ url: `${url}${target}`, method: 'GET', body: null, timeouts, client: { signal } },
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', ...headers },
    });
    if (answer instanceof Failure) throw this.unreachable(answer);
    return answer;
  }

  private async textOf(answer: UpstreamAnswer): Promise<string> {
    const bytes = await answer.body.readAll({ limitBytes: LARGEST_ANSWER_BYTES });
    if (bytes instanceof Failure) throw this.unreachable(bytes);
    return new TextDecoder().decode(bytes);
  }

  private unreachable({ kind }: Failure): RemoteError {
    return new RemoteError(`${this.url} does not answer (${printable(kind)}). Is the gateway running?`, true, null);
  }

  private notAGateway(): RemoteError {
    return new RemoteError(
      `${this.url} was answered by another program. Name the gateway's address with --url`,
      false,
      200,
    );
  }

  private refusal({ status, headers }: UpstreamAnswer, text: string): RemoteError {
    const error = objectOf(entryOf(objectOf(jsonOf(text)), 'error'));
    const said = [error.message, error.hint].filter((part) => typeof part === 'string').join(' ');
    const isPassing = status === 429 || status >= 500;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
    const location = headers.get('location');
    const otherwise =
      location !== null && status >= 300 && status < 400
        ? `${this.url} redirects to ${location}. Name that address with --url`
        : `${this.url} answered with HTTP ${status}`;
    return new RemoteError(printable(said === '' ? otherwise : said).slice(0, 500), isPassing, status, retryAfterMs);
  }
}

function textOf(query: RemoteQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function jsonOf(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

import { Failure } from '../../../../domain/failure/failure.ts';
import type { Upstream, UpstreamAnswer, UpstreamRequest, UpstreamSockets } from '../../../../engine/ports/upstream.ts';
import { PROBE_PATH } from '../../../../transports/ops/probe.ts';
import { type ProbeReport, probeReportSchema } from '../../../../transports/ops/probe-report.ts';

const LARGEST_ANSWER_BYTES = 64 * 1024;

export interface PublicTimeouts {
  /** For an answer that the gateway gives at once. */
  readonly answerMs: number;
  /** For the first event of a stream that stays open. */
  readonly firstEventMs: number;
  /** For a large body. */
  readonly bodyMs: number;
}

export const PUBLIC_TIMEOUTS: PublicTimeouts = { answerMs: 5_000, firstEventMs: 5_000, bodyMs: 30_000 };

/** An answer that is not the gateway's report. */
export interface OtherAnswer {
  readonly status: number;
  /** The header `Location` of a redirect. */
  readonly location: string | null;
  readonly server: string | null;
  /** Whether a gateway has answered, which did not accept the token. */
  readonly isGateway: boolean;
}

export type Asked = ProbeReport | OtherAnswer | Failure;

export function isReport(asked: Asked): asked is ProbeReport {
  return !(asked instanceof Failure) && 'object' in asked;
}

/** Sends the doctor's requests to a gateway through its public address. */
export class PublicGateway {
  /** @param url without a trailing slash */
  constructor(
    private readonly upstream: Upstream,
    private readonly sockets: UpstreamSockets,
    readonly url: string,
    private readonly token: string,
    private readonly timeouts: PublicTimeouts,
  ) {}

  /** Asks how a request with these headers arrives. */
  async report(headers: Readonly<Record<string, string>>): Promise<Asked> {
    const answer = await this.send({ method: 'GET', headers }, this.timeouts.answerMs);
    if (answer instanceof Failure) return answer;
    const bytes = await answer.body.readAll({ limitBytes: LARGEST_ANSWER_BYTES });
    const report = probeReportSchema.safeParse(bytes instanceof Failure ? null : parsed(bytes));
    if (answer.status === 200 && report.success) return report.data;
    const header = (name: string) => answer.headers.get(name);
    const isGateway = header('x-request-id')?.startsWith('req_') === true;
    return { status: answer.status, location: header('location'), server: header('server'), isGateway };
  }

  /** Opens a stream that stays open after its first event, and resolves to whether that event arrives in time. */
  async streams(): Promise<boolean> {
    const { firstEventMs } = this.timeouts;
    // Clients of the APIs send the same, and a proxy that compresses streams may collect them.
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'gzip, deflate, br' };
    const answer = await this.send({ method: 'GET', headers, query: '&stream=1' }, firstEventMs);
    if (answer instanceof Failure) return false;
    const first = await answer.body.read();
    answer.body.cancel();
    return (
      answer.status === 200 && first instanceof Uint8Array && new TextDecoder().decode(first).includes('"event":1')
    );
  }

  /** Resolves to whether a WebSocket can be opened. */
  async opensSockets(): Promise<boolean> {
    const socket = await this.sockets.connect({
      url: `${this.url.replace(/^http/, 'ws')}${PROBE_PATH}?token=${this.token}&socket=1`,
      headers: {},
      timeoutMs: this.timeouts.answerMs,
      signal: new AbortController().signal,
    });
    if (socket instanceof Failure) return false;
    socket.close(1000, '');
    return true;
  }

  /** Sends a body of this size; resolves to the status of the answer. */
  async takes(bytes: number): Promise<number | Failure> {
    const headers = { 'content-type': 'application/octet-stream' };
    const answer = await this.send({ method: 'POST', headers, body: new Uint8Array(bytes) }, this.timeouts.bodyMs);
    if (answer instanceof Failure) return answer;
    answer.body.cancel();
    return answer.status;
  }

  private send(
    {
      method,
      headers,
      body = null,
      query = '',
    }: Pick<UpstreamRequest, 'method' | 'headers'> & {
      readonly body?: Uint8Array<ArrayBuffer> | null;
      readonly query?: string;
    },
    limitMs: number,
  ): Promise<UpstreamAnswer | Failure> {
    const url = `${this.url}${PROBE_PATH}?token=${this.token}${query}`;
    const timeouts = { connectMs: limitMs, firstByteMs: limitMs, idleMs: limitMs, totalMs: limitMs };
    return this.upstream.send({ url, method, headers, body, timeouts });
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

import type { Sleep } from '../../engine/ports/clock.ts';
import { PROBED_HEADERS, type ProbeReport } from './probe-report.ts';
import type { ProbeTokens } from './probe-tokens.ts';

/** Has the prefix of the endpoints, so that a proxy's rules for `/v1/` apply to it. */
export const PROBE_PATH = '/v1/doctor';
/** A stream is held open for this long after its first event. */
const HELD_MS = 15_000;

export interface ProbeOptions {
  readonly tokens: Pick<ProbeTokens, 'admits'>;
  readonly version: string;
  readonly publicUrl: string | null;
  readonly maxBodyBytes: number;
  readonly sleep: Sleep;
}

/** The sender of a request from the gateway's point of view. */
export interface Sender {
  readonly peer: string | null;
  readonly client: string | null;
  readonly isPeerTrusted: boolean;
  readonly origin: string;
}

/** Answers `switchyard doctor`, which asks a gateway through its reverse proxy how requests arrive. */
export class Probe {
  constructor(private readonly options: ProbeOptions) {}

  /**
   * Returns whether the request comes from the doctor. A path with more in front of it counts, too, since the doctor wants to know that a
   * proxy keeps a prefix; to everybody else the path does not exist.
   */
  admits(path: string, query: URLSearchParams): boolean {
    return path.endsWith(PROBE_PATH) && this.options.tokens.admits(query.get('token') ?? '');
  }

  /** Reports how a GET has arrived, sends a stream if the query has `stream`, or counts the bytes of a POST. */
  answer(request: Request, path: string, query: URLSearchParams, sender: Sender): Response | Promise<Response> {
    if (request.method === 'POST') return this.counted(request);
    return query.has('stream') ? this.stream() : Response.json(this.report(request, path, sender), NOT_STORED);
  }

  private report({ headers }: Request, path: string, sender: Sender): ProbeReport {
    const { version, publicUrl, maxBodyBytes } = this.options;
    const { peer, client, isPeerTrusted, origin } = sender;
    return {
      object: 'gateway.probe',
      ...{ version, path, peer, client, origin },
      is_peer_trusted: isPeerTrusted,
      public_url: publicUrl,
      max_body_bytes: maxBodyBytes,
      headers: Object.fromEntries(
        PROBED_HEADERS.flatMap((name) => {
          const value = headers.get(name);
          return value === null ? [] : [[name, value]];
        }),
      ),
    };
  }

  /** Sends one event at once and another much later, with the headers of other streams. */
  private stream(): Response {
    const left = new AbortController();
    const event = (number: number) => new TextEncoder().encode(`data: {"event":${number}}\n\n`);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(event(1)),
      pull: async (controller) => {
        await this.options.sleep(HELD_MS, left.signal);
        if (left.signal.aborted) return;
        controller.enqueue(event(2));
        controller.close();
      },
      cancel: () => left.abort(),
    });
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' };
    return new Response(body, { headers });
  }

  private async counted({ body }: Request): Promise<Response> {
    let bytes = 0;
    for await (const piece of body ?? []) {
      bytes += piece.length;
      if (bytes > this.options.maxBodyBytes) break;
    }
    return Response.json({ object: 'gateway.probe_body', bytes }, NOT_STORED);
  }
}

const NOT_STORED = { headers: { 'cache-control': 'no-store' } };

import http from 'node:http';
import { type Service, strictRefusal } from '../strict/check.ts';
import { headerOf, type RecordedAnswer, type RecordingRow, readAnswerOf, recordingId, rowsIn } from './recordings.ts';
import type { JournalEntry, ReplayStats, Split } from './replay.ts';
import { type Fault, Faults } from './replay-faults.ts';

const MOST_ENTRIES = 20_000;
/** Long responses are split into about twice this number of pieces; pieces of 100 bytes would take thousands of turns of the event loop. */
const LEAST_PIECES = 50;
/** Matches the path prefix that selects a strict upstream: `/strict/<provider>/<wire>/v1`. */
const STRICT = /^\/strict\/([\w-]+)\/([\w-]+)(?:\/v1)?(?=\/)/;
const NAMED = /(?:fault\.([a-z0-9-]+)\.)?(rec-[0-9a-f]{8})/;

export interface ReplayServerOptions {
  /** Folders with an `index.jsonl`, or with only exchanges. */
  readonly folders: readonly string[];
  readonly split: Split;
  readonly gapMs: number;
  readonly pause: ((piece: number) => Promise<unknown>) | null;
}

/**
 * Stands in for every upstream provider: it answers a request with the exchange whose id (`rec-` and eight hex digits) occurs first in its
 * URL, else in its body. A gateway maps a public model to the id, which thus travels in any format. A fault may precede the id:
 * `fault.reset-mid.rec-01234567`.
 */
export class ReplayServer {
  readonly journal: JournalEntry[] = [];
  /** Requests that the provider would have rejected, each with the reason. */
  readonly refusals: string[] = [];
  readonly stats: { -readonly [key in keyof ReplayStats]: number } = { open: 0, silent: 0, aborted: 0, served: 0 };
  readonly #rows: ReadonlyMap<string, RecordingRow>;
  readonly #faults = new Faults();
  readonly #options: ReplayServerOptions;
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));
  /** A fixed seed, so that runs are reproducible. */
  #seed = 1;

  constructor(options: ReplayServerOptions) {
    this.#options = options;
    this.#rows = new Map(options.folders.flatMap(rowsIn).map((row) => [recordingId(row.file), row] as const));
    // Longer than any test, so that no kept connection is closed under a request.
    this.#server.keepAliveTimeout = 600_000;
  }

  /** @returns the port */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#seed / 2 ** 32;
  }

  /** Returns the pieces in which the body is written. */
  #piecesOf({ headers, body }: RecordedAnswer): readonly Uint8Array[] {
    if (this.#options.split === 'whole' || body.length === 0) return [body];
    if (this.#options.split === 'random') {
      const longest = Math.max(200, body.length / LEAST_PIECES);
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < body.length; ) {
        const end = Math.min(body.length, at + 1 + Math.floor(this.#random() * longest));
        pieces.push(body.subarray(at, end));
        at = end;
      }
      return pieces;
    }
    if (!(headerOf(headers, 'content-type') ?? '').includes('event-stream')) return [body];
    // Latin-1 has one character per byte, so the lengths are the same.
    const events = Buffer.from(body)
      .toString('latin1')
      .split(/(?<=\n\n|\r\n\r\n)/);
    return events.map((event) => Buffer.from(event, 'latin1'));
  }

  /** Writes the response; resolves to false if the fault interrupts it. */
  async #write(answer: RecordedAnswer, fault: Fault | null, response: http.ServerResponse): Promise<boolean> {
    const isCut = fault?.kind === 'reset-mid' || fault?.kind === 'hang-mid';
    const headers = Object.entries(answer.headers).filter(([name]) => !UNSENT_HEADERS.test(name));
    response.writeHead(answer.status, Object.fromEntries(headers));
    const all = this.#piecesOf(answer);
    const [first] = all;
    const isOne = all.length === 1 && first !== undefined;
    const pieces = !isCut
      ? all
      : isOne
        ? [first.subarray(0, Math.floor(first.length / 2))]
        : all.slice(0, Math.ceil(all.length / 2));
    for (const [number, piece] of pieces.entries()) {
      if (response.destroyed) return false;
      if (!response.write(piece)) {
        await new Promise<void>((resume) => response.once('drain', resume).once('close', resume));
      }
      if (this.#options.pause !== null) await this.#options.pause(number);
      else if (this.#options.gapMs > 0) await Bun.sleep(this.#options.gapMs);
      else if (all.length > 1) await new Promise<void>((resume) => setImmediate(resume));
    }
    if (isCut && fault.kind === 'reset-mid') response.socket?.resetAndDestroy();
    else if (isCut) this.#fallSilent(response);
    return !isCut;
  }

  #fallSilent(response: http.ServerResponse): void {
    if (response.destroyed) return;
    this.stats.silent += 1;
    response.once('close', () => {
      this.stats.silent -= 1;
    });
  }

  /** Rejects a request by the rules of the service, as its provider would; resolves to whether it did. */
  async #refuses(request: http.IncomingMessage, bytes: Uint8Array<ArrayBuffer>, response: http.ServerResponse) {
    const [prefix = '', provider, wire] = STRICT.exec(request.url ?? '') ?? [];
    if (provider === undefined || wire === undefined) return false;
    const service: Service = { provider, wire };
    const target = (request.url ?? '').slice(prefix.length);
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const refusal = await strictRefusal(service, { method: request.method ?? '', target, headers, bytes });
    if (refusal === null) return false;
    this.refusals.push(refusal.described);
    answerJson(response, refusal.status, refusal.upstream.envelope(refusal.message, refusal.rule));
    return true;
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const url = decodeURIComponent(request.url ?? '');
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    this.journal.push({
      method: request.method ?? '',
      url: request.url ?? '',
      headers: Object.fromEntries(headers),
      body: body.toString('utf8'),
    });
    if (this.journal.length > MOST_ENTRIES) this.journal.splice(0, MOST_ENTRIES / 2);
    if (await this.#refuses(request, body, response)) return;
    const [, faultName, id = ''] = NAMED.exec(url) ?? NAMED.exec(body.toString('latin1')) ?? [];
    const row = this.#rows.get(id);
    const fault = faultName === undefined ? null : this.#faults.next(faultName, id);
    if (row === undefined || fault === undefined) {
      const message = `replay: ${request.method} ${request.url} names no exchange, or a fault that there is not`;
      answerJson(response, 404, { error: { message, type: 'replay_error', code: 'no_recording' } });
      return;
    }
    this.stats.open += 1;
    let isServed = false;
    response.on('close', () => {
      this.stats.open -= 1;
      if (isServed) this.stats.served += 1;
      else this.stats.aborted += 1;
    });
    if (fault !== null && fail(fault, response)) {
      isServed = response.writableEnded;
      return;
    }
    if (fault?.kind === 'slow') await Bun.sleep(fault.delayMs);
    if (!(await this.#write(readAnswerOf(row), fault, response))) return;
    isServed = true;
    response.end();
  }
}

const UNSENT_HEADERS = /^(?:content-length|content-encoding|transfer-encoding|connection)$/i;

function fail(fault: Fault, response: http.ServerResponse): boolean {
  switch (fault.kind) {
    case 'status': {
      const headers = { 'content-type': 'application/json', ...(fault.status === 429 ? { 'retry-after': '1' } : {}) };
      const type = fault.status === 429 ? 'rate_limit_error' : 'server_error';
      response.writeHead(fault.status, headers);
      response.end(JSON.stringify({ error: { message: `The answer is a ${fault.status}`, type, code: null } }));
      return true;
    }
    case 'reset':
      response.socket?.resetAndDestroy();
      return true;
    case 'hang':
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('<html>bad gateway');
      return true;
    case 'slow':
    case 'reset-mid':
    case 'hang-mid':
      return false;
  }
}

function answerJson(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

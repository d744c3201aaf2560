import http from 'node:http';
import { parseArgs } from 'node:util';
import { headerOf, type RecordedAnswer, type RecordingRow, readAnswerOf, recordingId, rowsIn } from './recordings.ts';
import type { JournalEntry, ReplayStats, Split } from './replay.ts';
import { type Fault, Faults } from './replay-faults.ts';

/*
 * Stands in for every upstream provider: it answers a request with the exchange whose id (`rec-` and eight hex digits) is found first
 * in its URL, else in its body. A gateway maps a public model to the id, which so travels with the request in any format. Before the
 * id a fault may stand: `fault.reset-mid.rec-01234567`.
 */

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    dir: { type: 'string', multiple: true, default: [] },
    split: { type: 'string', default: 'event' },
    'gap-ms': { type: 'string', default: '0' },
  },
});
// Our own starter is the only one who passes it, from this type.
const split = options.split as Split;
const gapMs = Number(options['gap-ms']);

const MOST_ENTRIES = 20_000;
const NAMED = /(?:fault\.([a-z0-9-]+)\.)?(rec-[0-9a-f]{8})/;

const rows = new Map<string, RecordingRow>(
  options.dir.flatMap(rowsIn).map((row) => [recordingId(row.file), row] as const),
);
const faults = new Faults();
const journal: JournalEntry[] = [];
const stats: { -readonly [key in keyof ReplayStats]: number } = { open: 0, aborted: 0, served: 0 };

/** Always the same sequence, so that a run can be repeated. */
let seed = 1;
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
}

/** The pieces in which the body is written. */
function piecesOf({ headers, body }: RecordedAnswer): readonly Uint8Array[] {
  if (split === 'whole' || body.length === 0) return [body];
  if (split === 'random') {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < body.length; ) {
      const end = Math.min(body.length, at + 1 + Math.floor(random() * 200));
      pieces.push(body.subarray(at, end));
      at = end;
    }
    return pieces;
  }
  if (!(headerOf(headers, 'content-type') ?? '').includes('event-stream')) return [body];
  // Latin-1 has one character per byte, so that lengths are the same.
  const events = Buffer.from(body)
    .toString('latin1')
    .split(/(?<=\n\n|\r\n\r\n)/);
  return events.map((event) => Buffer.from(event, 'latin1'));
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

/** Writes the answer; false where the fault ends it in its middle. */
async function write(answer: RecordedAnswer, fault: Fault | null, response: http.ServerResponse): Promise<boolean> {
  const isCut = fault?.kind === 'reset-mid' || fault?.kind === 'hang-mid';
  const headers = Object.entries(answer.headers).filter(([name]) => !UNSENT_HEADERS.test(name));
  response.writeHead(answer.status, Object.fromEntries(headers));
  const all = piecesOf(answer);
  const [first] = all;
  const isOne = all.length === 1 && first !== undefined;
  const pieces = !isCut
    ? all
    : isOne
      ? [first.subarray(0, Math.floor(first.length / 2))]
      : all.slice(0, Math.ceil(all.length / 2));
  for (const piece of pieces) {
    if (response.destroyed) return false;
    if (!response.write(piece)) {
      await new Promise<void>((resume) => response.once('drain', resume).once('close', resume));
    }
    if (gapMs > 0) await Bun.sleep(gapMs);
    else if (all.length > 1) await new Promise<void>((resume) => setImmediate(resume));
  }
  if (isCut && fault.kind === 'reset-mid') response.socket?.resetAndDestroy();
  return !isCut;
}

function answerJson(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** What tests look at: `journal`, which DELETE empties, and `stats`. */
function look(path: string, method: string | undefined, response: http.ServerResponse): void {
  if (path === '/_replay/stats') answerJson(response, 200, stats);
  else if (path !== '/_replay/journal') answerJson(response, 404, { error: 'there is nothing of this name' });
  else if (method === 'DELETE') answerJson(response, 200, { cleared: journal.splice(0).length });
  else answerJson(response, 200, journal);
}

async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const url = decodeURIComponent(request.url ?? '');
  if (url.startsWith('/_replay/')) {
    look(url, request.method, response);
    return;
  }
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  journal.push({
    method: request.method ?? '',
    url: request.url ?? '',
    headers: Object.fromEntries(headers),
    body: body.toString('utf8'),
  });
  if (journal.length > MOST_ENTRIES) journal.splice(0, MOST_ENTRIES / 2);
  const [, faultName, id = ''] = NAMED.exec(url) ?? NAMED.exec(body.toString('latin1')) ?? [];
  const row = rows.get(id);
  const fault = faultName === undefined ? null : faults.next(faultName, id);
  if (row === undefined || fault === undefined) {
    const message = `replay: ${request.method} ${request.url} names no exchange, or a fault that there is not`;
    answerJson(response, 404, { error: { message, type: 'replay_error', code: 'no_recording' } });
    return;
  }
  stats.open += 1;
  let isServed = false;
  response.on('close', () => {
    stats.open -= 1;
    if (isServed) stats.served += 1;
    else stats.aborted += 1;
  });
  if (fault !== null && fail(fault, response)) {
    isServed = response.writableEnded;
    return;
  }
  if (fault?.kind === 'slow') await Bun.sleep(fault.delayMs);
  if (!(await write(readAnswerOf(row), fault, response))) return;
  isServed = true;
  response.end();
}

const server = http.createServer((request, response) => void answer(request, response));
// Longer than any test, so that no kept connection is closed under a request.
server.keepAliveTimeout = 600_000;
server.listen(Number(options.port), '127.0.0.1');

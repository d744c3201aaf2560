import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import net from 'node:net';
import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { pause } from '../../domain/testing/until.ts';
import { HttpUpstream } from '../http-upstream.ts';
import { drawFrom, type HostileAnswer, hostileAnswer } from './testing/hostile-answers.ts';

/* Malicious answers over real sockets, read by our client and by `fetch` as a reference. */

const SEED = Number(process.env.HOSTILE_ANSWERS_SEED ?? 20_261_128);
const COUNT = Number(process.env.HOSTILE_ANSWERS ?? 300);
const AT_ONCE = 16;
const MS_PER_TURN = 2;

const PATIENT: CallTimeouts = { connectMs: 20_000, firstByteMs: 20_000, idleMs: 20_000, totalMs: 40_000 };
const HASTY: CallTimeouts = { connectMs: 300, firstByteMs: 300, idleMs: 300, totalMs: 600 };
/** How long a server waits for another request before it closes: enough for one, and short for an answer that does not end. */
const KEPT_MS = 100;
const OWN = 'the own answer';
const HEADERS = ['content-type', 'retry-after', 'x-a', 'x-b'] as const;

interface Answer {
  readonly status: number;
  readonly headers: readonly (string | null)[];
  readonly body: string;
}

type Outcome = Answer | string;

/** Sends the hostile answer to the first request, and the regular one to all others. */
async function serveOnce({ pieces, end, isEarly }: HostileAnswer) {
  const sockets = new Set<net.Socket>();
  const { promise: allSent, resolve } = Promise.withResolvers<void>();
  const attack = async (socket: net.Socket) => {
    for (const piece of pieces) {
      if (socket.destroyed) break;
      socket.write(piece);
      await new Promise<void>((next) => setImmediate(next));
    }
    if (end === 'closed') socket.end();
    if (end === 'reset') setTimeout(() => socket.resetAndDestroy(), 5);
    if (end === 'kept') setTimeout(() => socket.end(), KEPT_MS);
    resolve();
  };
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    let heard = '';
    socket.on('error', () => {});
    if (isEarly && sockets.size === 1) void attack(socket);
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      for (let at = heard.indexOf('END'); at >= 0; at = heard.indexOf('END')) {
        const isHostile = heard.slice(0, at).includes('/hostile');
        heard = heard.slice(at + 'END'.length);
        if (!isHostile) socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${OWN.length}\r\n\r\n${OWN}`);
        else if (!isEarly) void attack(socket);
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, allSent, close };
}

type Ask = (url: string, timeouts: CallTimeouts) => Promise<Outcome>;

function ours(): Ask {
  const upstream = new HttpUpstream({ proxies: null });
  return async (url, timeouts) => {
    const body = new TextEncoder().encode('END');
    const answer = await upstream.send({ url, method: 'POST', headers: {}, body, timeouts });
    if (answer instanceof Failure) return answer.kind;
    const bytes = await answer.body.readAll({ limitBytes: 1_000_000 });
    if (bytes instanceof Failure) return bytes.kind;
    const headers = HEADERS.map((name) => answer.headers.get(name));
    return { status: answer.status, headers, body: Buffer.from(bytes).toString('latin1') };
  };
}

const fetched: Ask = async (url, { totalMs }) => {
  try {
    const init = { method: 'POST', body: 'END', redirect: 'manual', signal: AbortSignal.timeout(totalMs) } as const;
    const answer = await fetch(url, init);
    const headers = HEADERS.map((name) => answer.headers.get(name));
    return { status: answer.status, headers, body: Buffer.from(await answer.bytes()).toString('latin1') };
  } catch (error) {
    return String((error as { code?: string }).code ?? error);
  }
};

/** Resolves to the outcomes of the hostile answer, and of a following request that may reuse the connection. */
async function attacked(answer: HostileAnswer, ask: Ask): Promise<{ first: Outcome; second: Outcome }> {
  const server = await serveOnce(answer);
  const timeouts = answer.end === 'silent' ? HASTY : PATIENT;
  try {
    const first = await ask(`${server.url}/hostile`, timeouts);
    if (!answer.isEarly || typeof first !== 'string') await server.allSent;
    // Waits until the server's bytes have arrived: before that, no client could know that they are surplus.
    await pause();
    await pause();
    return { first, second: await ask(`${server.url}/own`, PATIENT) };
  } finally {
    server.close();
  }
}

interface Read {
  readonly sent: string;
  readonly end: HostileAnswer['end'];
  readonly own: Answer;
  readonly other: Outcome;
}

/** The cases in which our client answers and `fetch` differs or fails, with the reason why ours is right. */
const EXPLAINED: readonly { readonly why: string; readonly is: (read: Read) => boolean }[] = [
  {
    why: '`fetch` drops the content of a 205, which has none but is framed as any other (RFC 9110, section 15.3.6)',
    is: ({ own, other }) => own.status === 205 && typeof other !== 'string' && other.body === '',
  },
  {
    why: 'one length as a list is what a proxy makes of two headers (RFC 9110, section 8.6); the connection is closed after it',
    is: ({ sent, other }) => other === 'InvalidContentLength' && /content-length:[^\r]*,/i.test(sent),
  },
  {
    why: 'blanks before the extension of a chunk must be understood (RFC 9112, section 7.1.1)',
    is: ({ sent, other }) => other === 'InvalidHTTPResponse' && /\r\n[0-9a-f]+[ \t]+;/i.test(sent),
  },
  {
    why: '`fetch` takes less of a head than our 64 KiB',
    is: ({ sent, other }) => typeof other === 'string' && sent.indexOf('\r\n\r\n') > 8_000,
  },
  {
    why: 'whether a reset overtakes what came before it is chance',
    is: ({ end, other }) => end === 'reset' && typeof other === 'string',
  },
];

/**
 * Time advances with the turns of the event loop, each of which reads everything that has arrived, so suspending the process ends nothing.
 */
class PassingTime {
  /** The longest CPU time between two turns, which would reveal an endless loop. */
  longestWorkMs = 0;
  private isOver = false;

  async pass(): Promise<void> {
    while (!this.isOver) {
      const before = process.cpuUsage();
      await pause();
      const { user, system } = process.cpuUsage(before);
      this.longestWorkMs = Math.max(this.longestWorkMs, (user + system) / 1_000);
      jest.advanceTimersByTime(MS_PER_TURN);
    }
  }

  end(): void {
    this.isOver = true;
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const isSmuggled = (outcome: Outcome) => typeof outcome !== 'string' && outcome.body !== OWN;

test(`${COUNT} hostile responses never affect the next request, and are read as fetch does or refused`, async () => {
  const counts = { same: 0, bothRefuse: 0, stricter: 0, explained: 0, goneOn: 0, fetchSmuggled: 0 };
  const complaints: string[] = [];
  const time = new PassingTime();
  const passing = time.pass();
  let index = 0;
  const work = async () => {
    while (index < COUNT && complaints.length < 20) {
      const seed = SEED + index++;
      const answer = hostileAnswer(drawFrom(seed));
      const startedAtMs = performance.now();
      const [own, other] = await Promise.all([attacked(answer, ours()), attacked(answer, fetched)]);
      const sent = Buffer.concat([...answer.pieces]).toString('latin1');
      const complain = (what: string) =>
        complaints.push(
          `${what}: ${JSON.stringify({ seed, own, other, end: answer.end, isEarly: answer.isEarly, sent: sent.slice(0, 900) })}`,
        );
      if (isSmuggled(own.second)) complain('smuggled');
      if (isSmuggled(other.second)) counts.fetchSmuggled++;
      if (typeof own.second !== 'string') counts.goneOn++;
      if (performance.now() - startedAtMs > 30_000) complain('hung');
      const [first, judged] = [own.first, other.first];
      if (typeof first === 'string') counts[typeof judged === 'string' ? 'bothRefuse' : 'stricter']++;
      else if (JSON.stringify(first) === JSON.stringify(judged)) counts.same++;
      else if (EXPLAINED.some(({ is }) => is({ sent, end: answer.end, own: first, other: judged }))) counts.explained++;
      else complain(typeof judged === 'string' ? 'answered where fetch refuses' : 'differs');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (process.env.HOSTILE_ANSWERS) console.log(counts);
  time.end();
  await passing;
  expect(complaints).toEqual([]);
  expect(time.longestWorkMs).toBeLessThan(5_000);
  // Otherwise the cases would be too random to be meaningful.
  expect(counts.same).toBeGreaterThanOrEqual(Math.floor(COUNT / 8));
}, 3_600_000);

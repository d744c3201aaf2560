import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelName } from './load/mock-answers.ts';
import { readFamilyUsage } from './process-statistics.ts';
import { clientKey, startTarget } from './targets/targets.ts';

/*
 * How many copies of a long conversation are in memory while its request waits for the upstream: many requests of a megabyte each, to an
 * upstream that never answers. `bun bench/conversation-memory.ts` prints the resident memory per request, in copies of its body. A relayed
 * request holds the parsed body, the client's bytes, the upstream's bytes, and the HTTP client's copy of these; a translated one releases
 * the client's bytes.
 */

const REQUESTS = 40;
const BODY_BYTES = 1_000_000;
const SETTLE_MS = 3_000;
const PATIENCE_MS = 30_000;

const WORDS = 'the quick brown fox jumps over the lazy dog ';

function conversation(turns: number): object[] {
  const text = WORDS.repeat(Math.ceil(BODY_BYTES / turns / WORDS.length));
  return Array.from({ length: turns }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index} ${text}`,
  }));
}

const CASES = [
  { name: 'relayed, 10 turns', path: '/v1/chat/completions', turns: 10 },
  { name: 'translated, 10 turns', path: '/v1/messages', turns: 10 },
  { name: 'translated, 200 turns', path: '/v1/messages', turns: 200 },
] as const;

/** Resolves to the resident bytes per waiting request, divided by the size of its body. */
async function copiesHeld({ path, turns }: (typeof CASES)[number]): Promise<number> {
  let taken = 0;
  const upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      await request.arrayBuffer();
      taken++;
      return new Promise<Response>(() => undefined);
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const gateway = await startTarget('gateway', { upstreamPort: upstream.port ?? 0, prefix: [], folder });
  const leaving = new AbortController();
  try {
    const body = JSON.stringify({ model: modelName('bench'), max_tokens: 100, messages: conversation(turns) });
    const headers = { authorization: `Bearer ${clientKey}`, 'content-type': 'application/json' };
    const before = readFamilyUsage(gateway.process.pid).rssBytes;
    for (let sent = 0; sent < REQUESTS; sent++) {
      const url = `http://127.0.0.1:${gateway.port}${path}`;
      void fetch(url, { method: 'POST', headers, body, signal: leaving.signal }).catch(() => undefined);
    }
    const deadline = performance.now() + PATIENCE_MS;
    while (taken < REQUESTS && performance.now() < deadline) await Bun.sleep(50);
    if (taken < REQUESTS) throw new Error(`only ${taken} of ${REQUESTS} requests reached the upstream`);
    await Bun.sleep(SETTLE_MS);
    return (readFamilyUsage(gateway.process.pid).rssBytes - before) / REQUESTS / body.length;
  } finally {
    leaving.abort();
    await gateway.process.stop();
    await upstream.stop(true);
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const one of CASES) console.log(`${one.name.padEnd(24)} ${(await copiesHeld(one)).toFixed(2)} copies in memory`);
process.exit(0);

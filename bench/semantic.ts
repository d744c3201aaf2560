import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_CERTAINTY, LEAST_COSINE } from '../src/domain/cache/cache.ts';
import { LocalEmbedder } from '../src/providers/local/in-process/local-embedder.ts';
import { readQuestion } from '../src/semantic-cache/matcher/question.ts';
import { sameQuestion } from '../src/semantic-cache/matcher/same-question.ts';
import { isHeldOut } from '../src/semantic-cache/training/examples.ts';
import { answersOk, freePort, startLogging } from './child-process.ts';

/*
 * The accuracy of the semantic cache: pairs of questions that people have labelled as same or different (`question-pairs.json` of the
 * shared workloads), restricted to pairs that nothing was tuned on. First the curve of the decision, then some pairs through a gateway: the
 * first question is asked, then the second, which is answered from the cache or not. `npm run bench:semantic -- [--pairs 4000] [--http
 * 600]`; takes a few minutes.
 */

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '100000' }, http: { type: 'string', default: '600' } },
});

interface Pair {
  readonly text_a: string;
  readonly text_b: string;
  /** 1 for pairs that ask the same. */
  readonly label: 0 | 1;
}

interface Judged {
  readonly pair: Pair;
  readonly cosine: number;
  readonly certainty: number;
}

const SHARED = process.env.SWITCHYARD_SHARED ?? join(import.meta.dir, '..', '..', 'shared');
const CLIENT_KEY = 'sk-bench-semantic-0123456789abcdef0123456789';

const all: readonly Pair[] = JSON.parse(readFileSync(join(SHARED, 'workloads', 'question-pairs.json'), 'utf8'));
const pairs = all.filter((_, index) => isHeldOut(index)).slice(0, Number(values.pairs));

async function judged(): Promise<readonly Judged[]> {
  const embedder = new LocalEmbedder({ sleep: () => new Promise(() => {}) });
  const never = new AbortController().signal;
  const results: Judged[] = [];
  for (const pair of pairs) {
    const [known, asked] = await Promise.all([
      embedder.embed('bench', pair.text_a, never),
      embedder.embed('bench', pair.text_b, never),
    ]);
    const cosine = known === null || asked === null ? 0 : dot(known, asked);
    const verdict = sameQuestion(readQuestion(pair.text_b), readQuestion(pair.text_a), cosine);
    results.push({ pair, cosine, certainty: cosine < LEAST_COSINE ? 0 : verdict.certainty });
  }
  return results;
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

function line(name: string, results: readonly Judged[], isAccepted: (one: Judged) => boolean): string {
  const accepted = results.filter(isAccepted);
  const right = accepted.filter(({ pair }) => pair.label === 1).length;
  const same = results.filter(({ pair }) => pair.label === 1).length;
  const precision = accepted.length === 0 ? '    -' : (right / accepted.length).toFixed(3);
  return `${name.padEnd(22)} ${String(accepted.length).padStart(8)}   ${precision.padStart(9)}   ${(right / same).toFixed(3).padStart(6)}`;
}

function printCurve(results: readonly Judged[]): void {
  const same = results.filter(({ pair }) => pair.label === 1).length;
  console.log(`${results.length} pairs not used for tuning; ${same} of them ask the same question\n`);
  console.log('accepted if              accepted   precision   recall');
  for (const least of [0.7, 0.8, 0.85, 0.9, 0.95]) {
    console.log(line(`cosine >= ${least}`, results, ({ cosine }) => cosine >= least));
  }
  const levels = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99, DEFAULT_CERTAINTY];
  for (const least of [...new Set(levels)].sort()) {
    const mark = least === DEFAULT_CERTAINTY ? ' *' : '';
    console.log(line(`certainty >= ${least}${mark}`, results, ({ certainty }) => certainty >= least));
  }
  console.log('* the default (`cache.semantic.certainty`)\n');
}

/** Sends pairs through a gateway. Each pair has a unique system prompt, so that it is compared with nothing else. */
async function throughGateway(results: readonly Judged[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-semantic-'));
  const port = await freePort();
  const keys = [{ id: 'bench', name: 'Bench', secret: CLIENT_KEY }];
  const account = {
    id: 'bench',
    name: 'Bench',
    role: 'VIP',
    billing: 'unlimited',
    requests_per_minute: 1_000_000,
    keys,
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'switchyard.yaml'), JSON.stringify({ sandbox: true, accounts: [account] }));
  const gateway = await startLogging({
    command: [process.execPath, 'src/main/switchyard.ts', 'serve'],
    workingDirectory: join(import.meta.dir, '..'),
    environment: {
      ...{ PORT: String(port), HOST: '127.0.0.1', SWITCHYARD_DATA: join(folder, 'data') },
      SWITCHYARD_CONFIG: join(folder, 'switchyard.yaml'),
    },
    logFile: join(folder, 'gateway.log'),
    isReady: () => answersOk(`http://127.0.0.1:${port}/healthz`),
    patienceMs: 15_000,
  });
  try {
    const cached = new Map<Judged, boolean>();
    for (const [index, one] of results.entries()) {
      await ask(port, index, one.pair.text_a);
      cached.set(one, await ask(port, index, one.pair.text_b));
    }
    const differing = results.filter((one) => cached.get(one) !== one.certainty >= DEFAULT_CERTAINTY).length;
    console.log(`${results.length} of the pairs sent to POST /v1/chat/completions with \`semantic_only\`\n`);
    console.log('accepted if              accepted   precision   recall');
    console.log(line('answered from cache', results, (one) => cached.get(one) === true));
    console.log(`${differing} decided differently than above`);
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ask(port: number, partition: number, question: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CLIENT_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox-chat',
      messages: [
        { role: 'system', content: `This is conversation ${partition}.` },
        { role: 'user', content: question },
      ],
      cache_control: { type: 'semantic_only' },
    }),
  });
  const answer = (await response.json()) as { readonly _routing?: { readonly cached: boolean } };
  if (!response.ok || answer._routing === undefined) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
  return answer._routing.cached;
}

const results = await judged();
printCurve(results);
const step = Math.max(1, Math.floor(results.length / Math.max(1, Number(values.http))));
if (Number(values.http) > 0) await throughGateway(results.filter((_, index) => index % step === 0));
// The model's thread would keep the process alive for some minutes.
process.exit(0);

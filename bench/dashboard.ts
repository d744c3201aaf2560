import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type CDPSession, chromium } from 'playwright-core';
import { answersOk, freePort, startLogging } from './child-process.ts';

/*
 * `npm run bench -- --only dashboard`: the cost of the dashboard's first page for a first-time visitor in Chromium, with a gateway as
 * started by `npm start`.
 */

/** The goals of issue 19: first paint within a second, and a limit on the first page's scripts. */
const MOST_PAINT_MS = 1_000;
const MOST_SCRIPT_BYTES = 250 * 1_024;
const ROUNDS = 5;
const BYTES_A_SECOND_AT_10_MBIT = 10_000_000 / 8;
const ROUND_TRIP_MS = 20;

interface Visit {
  readonly scriptBytes: number;
  readonly styleBytes: number;
  readonly requests: number;
  readonly firstPaintMs: number;
}

interface Received {
  readonly requestId: string;
  readonly encodedDataLength: number;
}

/** Measures transferred bytes, including headers. */
async function visit(browser: Browser, address: string, slow: boolean): Promise<Visit> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const count = await counting(session);
  if (slow) {
    const speed = { downloadThroughput: BYTES_A_SECOND_AT_10_MBIT, uploadThroughput: BYTES_A_SECOND_AT_10_MBIT };
    await session.send('Network.emulateNetworkConditions', { offline: false, latency: ROUND_TRIP_MS, ...speed });
  }
  await page.goto(address, { waitUntil: 'networkidle' });
  const paint = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN");
  await context.close();
  return { ...count(), firstPaintMs: Number(paint) };
}

async function counting(session: CDPSession): Promise<() => Omit<Visit, 'firstPaintMs'>> {
  const kinds = new Map<string, string>();
  const bytes: Record<string, number> = {};
  await session.send('Network.enable');
  session.on('Network.responseReceived', ({ requestId, type }) => void kinds.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }: Received) => {
    const kind = kinds.get(requestId) ?? '';
    bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength;
  });
  return () => ({ scriptBytes: bytes.Script ?? 0, styleBytes: bytes.Stylesheet ?? 0, requests: kinds.size });
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function verdict(value: number, most: number): string {
  return value <= most ? 'within' : 'ABOVE';
}

/** Prints and returns the measurements; `null` without Chromium. */
export async function measureDashboard(): Promise<object | null> {
  const executablePath = Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome');
  if (executablePath === null) {
    console.log('dashboard: skipped, Chromium is not installed');
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-dashboard-'));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const gateway = await startLogging({
    command: ['node', join(import.meta.dir, '..', 'bin', 'switchyard.mjs'), 'serve'],
    environment: { PORT: String(port), HOST: '127.0.0.1', SWITCHYARD_DATA: join(folder, 'data') },
    workingDirectory: folder,
    logFile: join(folder, 'gateway.log'),
    isReady: () => answersOk(`${address}/healthz`),
    patienceMs: 30_000,
  });
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const startedMs = performance.now();
    await (await fetch(address, { headers: { accept: 'text/html' } })).text();
    const buildMs = performance.now() - startedMs;
    const visits: Visit[] = [];
    const slowVisits: Visit[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      visits.push(await visit(browser, `${address}/`, false));
      slowVisits.push(await visit(browser, `${address}/`, true));
    }
    return report(buildMs, visits, slowVisits);
  } finally {
    await browser.close();
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(buildMs: number, visits: readonly Visit[], slowVisits: readonly Visit[]): object {
  const of = (name: keyof Visit, from = visits) => median(from.map((one) => one[name]));
  const measured = {
    firstAnswerMs: buildMs,
    scriptBytes: of('scriptBytes'),
    styleBytes: of('styleBytes'),
    requests: of('requests'),
    firstPaintMs: of('firstPaintMs'),
    firstPaintAt10MbitMs: of('firstPaintMs', slowVisits),
  };
  const { scriptBytes, styleBytes, firstPaintMs, firstPaintAt10MbitMs } = measured;
  const kilobytes = (bytes: number) => `${(bytes / 1_024).toFixed(1)} KB`;
  console.log(`\nThe dashboard's first page, in Chromium with an empty cache (median of ${ROUNDS})`);
  console.log(`  first response after a start, with the build    ${buildMs.toFixed(0)} ms`);
  console.log(
    `  script  ${kilobytes(scriptBytes)} (${verdict(scriptBytes, MOST_SCRIPT_BYTES)} ${kilobytes(MOST_SCRIPT_BYTES)}), style ${kilobytes(styleBytes)}, ${measured.requests} requests`,
  );
  console.log(
    `  first contentful paint  ${firstPaintMs.toFixed(0)} ms (${verdict(firstPaintMs, MOST_PAINT_MS)} ${MOST_PAINT_MS} ms), at 10 Mbit/s and ${ROUND_TRIP_MS} ms ${firstPaintAt10MbitMs.toFixed(0)} ms`,
  );
  return measured;
}

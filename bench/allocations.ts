import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, LineProcess, startAnnouncingPort } from './child-process.ts';
import { startGateway } from './gateway-process.ts';
import type { LoadCommand, LoadResult } from './load/protocol.ts';
import { parseOptions } from './options.ts';
import { allScenarios } from './scenarios.ts';
import { gatewayConfig } from './targets/targets.ts';

/*
 * The objects that a request allocates on the gateway's event loop, by type, and those that survive a young collection. These are counts,
 * so they are the same on a busy machine. `bun bench/allocations.ts [scenario] [requests]`. Prints; asserts nothing.
 */

const SCENARIO = process.argv[2] ?? 'json';
const REQUESTS = Number(process.argv[3] ?? 400);
const WARM_UP_REQUESTS = 20_000;
const CONNECTIONS = 16;
const YOUNG_ROUNDS = 5;
const FEWEST_SHOWN = 0.3;

type Counts = Readonly<Record<string, number>>;

const scenario = allScenarios(parseOptions([])).find(({ name }) => name === SCENARIO);
if (scenario === undefined) throw new Error(`unknown scenario ${SCENARIO}`);
const { request } = scenario;

const folder = mkdtempSync(join(tmpdir(), 'switchyard-allocations-'));
mkdirSync(join(folder, 'data'));
const bench = import.meta.dir;
const upstream = await startAnnouncingPort({ command: [process.execPath, join(bench, 'load/upstream-server.ts')] });
const load = new LineProcess([process.execPath, join(bench, 'load/load-generator.ts')]);
const configFile = join(folder, 'switchyard.yaml');
writeFileSync(configFile, JSON.stringify(gatewayConfig(upstream.port, 'prepaid'))); // JSON is YAML.
const probePort = await freePort();
const gateway = await startGateway({
  folder,
  environment: { SWITCHYARD_CONFIG: configFile, HEAP_PROBE_PORT: String(probePort) },
  bunFlags: `--preload ${join(bench, 'targets/heap-probe.ts')}`,
});

async function ask(requests: number): Promise<void> {
  const plan = { kind: 'closed', connections: CONNECTIONS, requests } as const;
  const port = Number(new URL(gateway.origin).port);
  const command: LoadCommand = { port, request, plan, patienceMs: 120_000 };
  const { lost, firstProblem }: LoadResult = JSON.parse(await load.ask(JSON.stringify(command))); // Written by our own load generator.
  if (lost > 0) throw new Error(`${lost} requests failed; the first: ${firstProblem}`);
}

async function counts(when: 'now' | 'full' | 'young'): Promise<Counts> {
  return (await (await fetch(`http://127.0.0.1:${probePort}/${when}`)).json()) as Counts; // Written by our own probe.
}

const perRequest = (after: Counts, before: Counts, requests: number) =>
  Object.keys(after)
    .map((type) => ({ type, count: ((after[type] ?? 0) - (before[type] ?? 0)) / requests }))
    .sort((left, right) => right.count - left.count);

try {
  await ask(request.expectedMarkers > 1 ? WARM_UP_REQUESTS / 10 : WARM_UP_REQUESTS);
  const before = await counts('full');
  await ask(REQUESTS);
  const made = perRequest(await counts('now'), before, REQUESTS);
  const base = await counts('full');
  let kept = base;
  for (let round = 0; round < YOUNG_ROUNDS; round++) {
    await ask(REQUESTS);
    kept = await counts('young');
  }
  const outlived = new Map(perRequest(kept, base, REQUESTS * YOUNG_ROUNDS).map(({ type, count }) => [type, count]));
  console.log(`${SCENARIO}: objects per request, and those left after young collections only`);
  for (const { type, count } of made.filter((one) => one.count >= FEWEST_SHOWN)) {
    console.log(
      `  ${type.padEnd(32)} ${count.toFixed(1).padStart(7)} ${(outlived.get(type) ?? 0).toFixed(2).padStart(7)}`,
    );
  }
} finally {
  await gateway.child.stop();
  await load.stop();
  await upstream.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

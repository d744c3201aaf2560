import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../conformance/shared/until.ts';
import { built } from '../../tools/monitoring/dashboards/dashboard.ts';
import { DASHBOARDS } from '../../tools/monitoring/dashboards/index.ts';
import type { Model } from './model.ts';
import { Stack } from './stack.ts';

/*
 * Starts the services of compose.yaml with programs of this machine, in a network of their own, and uses them: a first response, both
 * gateways, metrics, and the replacement of a gateway while clients send requests. Prints "ok CHECK" or "not ok CHECK: why".
 *
 *   bun deploy/test/compose.ts MODEL.json EXECUTABLE
 *
 * MODEL.json is what `docker compose config --format json` prints, or the Compose Specification's own program (docs/containers.md). Needs
 * root, iproute2, util-linux, wget and the Debian packages postgresql-15, redis-server, nginx and prometheus.
 */

const INSIDE = 'SWITCHYARD_TEST_INSIDE';
const PROXY_PORT = 8080;
const GATEWAY_PORT = 8787;
const PROMETHEUS_PORT = 9090;
const GATEWAYS = ['gateway-1', 'gateway-2'];
/** Enough for the proxy's distribution to reach both gateways. */
const REQUESTS = 20;

/** Keeps two customers below the limit of their account. */
const PAUSE_MS = 150;

let failures = 0;

async function check(name: string, holds: () => Promise<void>): Promise<void> {
  try {
    await holds();
    console.log(`ok ${name}`);
  } catch (error) {
    failures++;
    console.log(`not ok ${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function expectEqual(actual: unknown, expected: unknown): void {
  if (!Bun.deepEquals(actual, expected))
    throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}

/** Runs this program again in namespaces of its own. All processes in them end with it. */
async function isolate(args: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-compose-'));
  const namespaces = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  // The upper layers of overlays cannot be on the file system of the lower layer.
  const mount = `mount -t tmpfs tmpfs '${folder}' && mount -t tmpfs tmpfs /run && exec "$@"`;
  const child = Bun.spawn([...namespaces, 'bash', '-c', mount, 'bash', process.execPath, import.meta.path, ...args], {
    env: { ...process.env, [INSIDE]: folder },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exitCode = await child.exited;
  await rm(folder, { recursive: true, force: true });
  return exitCode;
}

async function test(folder: string, [modelPath = '', executable = '']: readonly string[]): Promise<void> {
  const model: Model = JSON.parse(await readFile(modelPath, 'utf8'));
  const stack = new Stack({ model, executable, folder });
  await stack.open();
  for (const name of stack.services) {
    await check(`${name} starts and is healthy`, () => stack.start(name));
    if (failures > 0) return;
  }
  const proxy = `http://${stack.addressOf('proxy')}:${PROXY_PORT}`;
  const key = await firstKey(stack);
  const client = new Client(proxy, key);
  await check('the first key works at the proxy', async () => {
    // The first look-up of a key opens a connection to the database, which a busy machine may delay beyond the gateway's patience.
    for (const name of GATEWAYS) {
      const direct = new Client(`http://${stack.addressOf(name)}:${GATEWAY_PORT}`, key);
      await until(`${name} knows the key`, async () => (await direct.ask()) === '200');
    }
    expectEqual(await client.ask(), '200');
  });
  await check('a stream arrives through the proxy', () => client.stream());
  await check('both gateways answer', () => bothAnswer(stack, client));
  await check('metrics need the token', async () => {
    const { status } = await fetch(`http://${stack.addressOf('gateway-1')}:${GATEWAY_PORT}/metrics`);
    expectEqual(status, 403);
  });
  await check('Prometheus reads both gateways', () => prometheusReads(stack));
  await check('every query of the dashboards works', () => dashboardsWork(stack));
  await check('every alert is evaluated', () => alertsWork(stack));
  await check('gateways are replaced one after the other without a failed request', () =>
    replaceGateways(stack, client),
  );
}

class Client {
  constructor(
    private readonly origin: string,
    private readonly key: string,
  ) {}

  /** Resolves to the status, followed by the body if the request failed. */
  async ask(): Promise<string> {
    const response = await this.send({});
    const text = await response.text();
    return response.ok ? `${response.status}` : `${response.status} ${text}`;
  }

  async stream(): Promise<void> {
    const response = await this.send({ stream: true });
    const text = await response.text();
    if (!text.endsWith('data: [DONE]\n\n')) throw new Error(`the stream ends with ${JSON.stringify(text.slice(-100))}`);
  }

  private send(members: object): Promise<Response> {
    return fetch(`${this.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }], ...members }),
    });
  }
}

async function firstKey(stack: Stack): Promise<string> {
  const printed = await stack.runIn('gateway-1', ['/usr/local/bin/switchyard', 'first-start']);
  return /sk-[0-9A-Za-z]+/.exec(printed)?.[0] ?? '';
}

async function bothAnswer(stack: Stack, client: Client): Promise<void> {
  const statuses = await Promise.all(Array.from({ length: REQUESTS }, () => client.ask()));
  expectEqual([...new Set(statuses)], ['200']);
  const token = await stack.secret('metrics_token');
  for (const name of GATEWAYS) {
    const url = `http://${stack.addressOf(name)}:${GATEWAY_PORT}/metrics`;
    const text = await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text();
    if (!/^switchyard_requests_total\{.*status="200".*\} [1-9]/m.test(text))
      throw new Error(`${name} has answered nothing`);
  }
}

/** Resolves to the `data` of Prometheus' response. */
async function prometheus(stack: Stack, path: string): Promise<unknown> {
  const response = await fetch(`http://${stack.addressOf('prometheus')}:${PROMETHEUS_PORT}/api/v1/${path}`);
  const { status, data, error } = (await response.json()) as { status: string; data: unknown; error?: string };
  if (status !== 'success') throw new Error(`${path}: ${error}`);
  return data;
}

async function query(
  stack: Stack,
  expression: string,
): Promise<readonly { readonly value: readonly [number, string] }[]> {
  const data = await prometheus(stack, `query?query=${encodeURIComponent(expression)}`);
  return (data as { result: [] }).result;
}

async function prometheusReads(stack: Stack): Promise<void> {
  await until('Prometheus has read both gateways', async () => {
    const [sum] = await query(stack, 'sum(up{job="switchyard"})');
    return sum?.value[1] === String(GATEWAYS.length);
  });
  await until('Prometheus has the requests', async () => {
    const [sum] = await query(stack, 'sum(switchyard_requests_total{status="200"})');
    return Number(sum?.value[1] ?? 0) > REQUESTS;
  });
}

/** acceptance/monitoring checks that each query has data, which needs more traffic than there is here. */
async function dashboardsWork(stack: Stack): Promise<void> {
  for (const source of DASHBOARDS) {
    for (const panel of built(source).panels ?? []) {
      for (const target of 'targets' in panel ? (panel.targets ?? []) : []) {
        const { expr = '' } = target as { readonly expr?: string };
        await query(stack, expr.replaceAll('$__rate_interval', '1m').replace(/"\$\w+"/g, '".*"'));
      }
    }
  }
}

async function alertsWork(stack: Stack): Promise<void> {
  const rules = async () => {
    const data = (await prometheus(stack, 'rules')) as { groups: { rules: { name: string; health: string }[] }[] };
    return data.groups.flatMap((group) => group.rules);
  };
  await until('all rules were evaluated', async () => (await rules()).every(({ health }) => health !== 'unknown'));
  const broken = (await rules()).filter(({ health }) => health !== 'ok').map(({ name }) => name);
  expectEqual(broken, []);
}

async function replaceGateways(stack: Stack, client: Client): Promise<void> {
  let isDone = false;
  const counts = new Map<string, number>();
  const customer = async () => {
    while (!isDone) {
      const outcome = await client.ask().catch((error: unknown) => String(error));
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      await Bun.sleep(PAUSE_MS);
    }
  };
  const customers = Promise.all([customer(), customer()]);
  try {
    for (const name of GATEWAYS) {
      expectEqual(await stack.stop(name), 0);
      await stack.start(name);
    }
  } finally {
    isDone = true;
    await customers;
  }
  expectEqual([...counts.keys()], ['200']);
}

const args = process.argv.slice(2);
const folder = process.env[INSIDE];
if (folder === undefined) process.exit(await isolate(args));
await test(folder, args);
process.exit(failures === 0 ? 0 : 1);

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUNTIME_SETTINGS } from '../../src/main/process-limits.ts';
import { answersOk, type ChildProcess, freePort, startAnnouncingPort, startLogging } from '../child-process.ts';
import { freeModelName, modelName, pacedGapsMs } from '../load/mock-answers.ts';
import type { RequestForm } from './request-form.ts';

export const targetNames = [
  'bare',
  'gateway',
  'gateway-unlimited',
  'gateway-sampled',
  'gateway-telemetry',
  'gateway-unused-guards',
  'gateway-unused-search',
  'gateway-unused-traces',
  'gateway-before',
  'nginx',
  'node-http',
  'node-fetch',
  'bare-pull',
  'bare-direct',
  'bare-generator',
] as const;
export type TargetName = (typeof targetNames)[number];

export const clientKey = 'sk-bench0000000000000000000000000000000000000001';

export interface Target {
  readonly name: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** The form of its requests, if it differs from the scenario's. */
  readonly requestForm?: RequestForm;
}

export interface TargetSurroundings {
  readonly upstreamPort: number;
  /** Pins the server to its core. */
  readonly prefix: readonly string[];
  /** An empty folder for this target. */
  readonly folder: string;
  /** The checkout whose gateway is started; this one by default. */
  readonly checkout?: string;
}

// Bun reads it only at process start: without it at most 256 fetches run at once. The gateway gets the rest of its settings, too.
const manyFetches = { BUN_CONFIG_MAX_HTTP_REQUESTS: RUNTIME_SETTINGS.BUN_CONFIG_MAX_HTTP_REQUESTS };
const benchFolder = join(import.meta.dir, '..');

/** Starts a server under test; throws an Error with the reason if it cannot. */
export async function startTarget(name: TargetName, surroundings: TargetSurroundings): Promise<Target> {
  const upstreamOrigin = { UPSTREAM_ORIGIN: `http://127.0.0.1:${surroundings.upstreamPort}` };
  switch (name) {
    case 'bare': {
      const command = [...surroundings.prefix, process.execPath, join(benchFolder, 'targets/bare-bun.ts')];
      return asTarget(name, await startAnnouncingPort({ command, environment: { ...manyFetches, ...upstreamOrigin } }));
    }
    case 'node-http':
    case 'node-fetch': {
      const command = [...surroundings.prefix, 'node', join(benchFolder, 'targets/bare-node.mjs')];
      const environment = { ...upstreamOrigin, CLIENT: name === 'node-http' ? 'http' : 'fetch' };
      return asTarget(name, await startAnnouncingPort({ command, environment }));
    }
    case 'bare-pull':
    case 'bare-direct':
    case 'bare-generator': {
      const command = [...surroundings.prefix, process.execPath, join(benchFolder, 'targets/bare-stream-forms.ts')];
      const environment = { ...manyFetches, ...upstreamOrigin, FORM: name.slice('bare-'.length) };
      return asTarget(name, await startAnnouncingPort({ command, environment }));
    }
    case 'gateway':
      return asTarget(name, await startGatewayTarget('prepaid', surroundings));
    case 'gateway-unlimited':
      return asTarget(name, await startGatewayTarget('unlimited', surroundings));
    case 'gateway-sampled':
    case 'gateway-telemetry': {
      const environment = telemetryEnvironment(name, surroundings.upstreamPort);
      return asTarget(name, await startGatewayTarget('prepaid', surroundings, environment));
    }
    case 'gateway-unused-guards':
      return asTarget(
        name,
        await startGatewayTarget('prepaid', surroundings, {}, withUnusedGuards(surroundings.upstreamPort)),
      );
    case 'gateway-unused-search':
      return asTarget(name, await startGatewayTarget('prepaid', surroundings, {}, { search: { model: SEARCH_MODEL } }));
    case 'gateway-unused-traces': {
      const endpoint = `http://127.0.0.1:${surroundings.upstreamPort}/otlp/${name}/v1/traces`;
      const environment = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: 'always_off' };
      return asTarget(name, await startGatewayTarget('prepaid', surroundings, environment));
    }
    case 'gateway-before':
      if (surroundings.checkout === undefined) throw new Error('only with --check --against');
      return asTarget(name, await startGatewayTarget('prepaid', surroundings));
    case 'nginx':
      return startNginx(surroundings);
  }
}

function asTarget(name: TargetName, started: ChildProcess & { readonly port: number }): Target {
  return { name, port: started.port, process: started };
}

/** Returns the standard variables that send every twentieth trace, or all traces, metrics and logs, to the mock upstream. */
function telemetryEnvironment(name: 'gateway-sampled' | 'gateway-telemetry', port: number): Record<string, string> {
  const endpoint = `http://127.0.0.1:${port}/otlp/${name}`;
  return name === 'gateway-sampled'
    ? {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces`,
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.05',
      }
    : {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_TRACES_SAMPLER: 'always_on',
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
        OTEL_LOGS_EXPORTER: 'otlp',
      };
}

/** The search model of the built-in sandbox. */
const SEARCH_MODEL = 'sandbox-search';

/** Returns the accounts of the usual configuration and one whose requests have guards. */
function withUnusedGuards(upstreamPort: number): object {
  const { accounts } = gatewayConfig(upstreamPort, 'prepaid');
  const terms = [{ name: 'words', terms: ['bluebird', 'nightfall'], action: 'refuse' }];
  const guarded = { id: 'guarded', name: 'Guarded', role: 'VIP', billing: 'unlimited', guards: ['bench'] };
  return {
    guards: [{ id: 'bench', stages: ['input', 'output'], pii: [{ class: 'email' }, { class: 'card' }], terms }],
    accounts: [...accounts, guarded],
  };
}

type Billing = 'prepaid' | 'unlimited';

/** Returns the settings with which the launcher of a checkout starts its gateway. */
async function runtimeSettingsOf(checkout: string): Promise<Readonly<Record<string, string>>> {
  const limits: typeof import('../../src/main/process-limits.ts') = await import(
    join(checkout, 'src/main/process-limits.ts')
  );
  return limits.RUNTIME_SETTINGS;
}

/** Starts the gateway with an account of this billing mode; `sections` replace those of the usual configuration. */
export async function startGatewayTarget(
  billing: Billing,
  surroundings: TargetSurroundings,
  environment: Readonly<Record<string, string>> = {},
  sections: object = {},
): Promise<ChildProcess & { readonly port: number }> {
  const port = await freePort();
  const configFile = join(surroundings.folder, 'switchyard.yaml');
  const configuration = { ...gatewayConfig(surroundings.upstreamPort, billing), ...sections };
  writeFileSync(configFile, JSON.stringify(configuration, null, 2)); // JSON is YAML.
  const checkout = surroundings.checkout ?? join(benchFolder, '..');
  const child = await startLogging({
    command: [...surroundings.prefix, process.execPath, 'src/main/switchyard.ts', 'serve'],
    workingDirectory: checkout,
    environment: {
      ...(await runtimeSettingsOf(checkout)),
      PORT: String(port),
      HOST: '127.0.0.1',
      SWITCHYARD_DATA: join(surroundings.folder, 'data'),
      SWITCHYARD_CONFIG: configFile,
      ...environment,
    },
    logFile: join(surroundings.folder, 'gateway.log'),
    isReady: () => answersOk(`http://127.0.0.1:${port}/healthz`),
    patienceMs: 60_000, // A start can take long on a busy machine.
  });
  return Object.assign(child, { port });
}

export function gatewayConfig(upstreamPort: number, billing: Billing) {
  const pricing = { input_per_1m: '0.15', cached_input_per_1m: '0.075', output_per_1m: '0.60' };
  const gaps = [undefined, ...pacedGapsMs];
  const model = (id: string) => ({ id, category: 'chat', owned_by: 'bench', status: 'public', pricing });
  return {
    channels: [
      {
        id: 'bench-upstream',
        name: 'Benchmark upstream',
        provider: 'openai-compatible',
        base_url: `http://127.0.0.1:${upstreamPort}/v1`,
        api_key: 'upstream-key',
        models: {
          ...Object.fromEntries(gaps.map((gapMs) => [modelName('bench', gapMs), modelName('upstream', gapMs)])),
          [freeModelName]: modelName('upstream'),
        },
      },
    ],
    models: [...gaps.map((gapMs) => model(modelName('bench', gapMs))), { id: freeModelName, pricing: 'free' }],
    accounts: [
      {
        id: 'bench',
        name: 'Bench',
        role: 'VIP',
        billing,
        balance_usd: '1000000',
        requests_per_minute: 1_000_000, // The configuration's maximum: 16,000 a second, above one core's reach.
        keys: [{ id: 'bench', name: 'Bench', secret: clientKey }],
      },
    ],
  };
}

async function startNginx(surroundings: TargetSurroundings): Promise<Target> {
  if (Bun.which('nginx') === null) throw new Error('not installed');
  const port = await freePort();
  const { folder } = surroundings;
  chmodSync(folder, 0o755); // The worker may run as another user than the one who started it.
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const configFile = join(folder, 'nginx.conf');
  writeFileSync(configFile, nginxConfig(port, surroundings.upstreamPort, folder));
  const child = await startLogging({
    command: [...surroundings.prefix, 'nginx', '-p', folder, '-c', configFile, '-e', join(folder, 'error.log')],
    logFile: join(folder, 'output.log'),
    isReady: () => answersOk(`http://127.0.0.1:${port}/stats`),
    patienceMs: 5000,
  });
  return { name: 'nginx', port, process: child };
}

function nginxConfig(port: number, upstreamPort: number, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 15000; }
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  client_body_buffer_size 256k;
  upstream mock { server 127.0.0.1:${upstreamPort}; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    keepalive_requests 1000000000;
    location / {
      proxy_pass http://mock;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}

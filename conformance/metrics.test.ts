import { afterAll, beforeAll, expect, test } from 'bun:test';
import { METRICS } from '../src/transports/ops/catalogue/catalogue.ts';
import { metricsOf } from './shared/metrics.ts';
import type { Serving } from './shared/serving.ts';
import { until } from './shared/until.ts';
import { Workspace } from './shared/workspace.ts';

/* The metrics of a whole gateway, as operators read them. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACED = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
const KEY = 'sk-measured-0123456789abcdef';

/** The metrics of parts that this gateway does not have. */
const ABSENT = /^switchyard_(redis|mails|database_connections|uncovered_charges|export|cache_question)/;

let workspace: Workspace;
let gateway: Serving;

beforeAll(async () => {
  workspace = await Workspace.create();
  await workspace.write('switchyard.yaml', {
    sandbox: true,
    accounts: [
      {
        ...{ id: 'acme', billing: 'prepaid', balance_usd: '0.01', requests_per_minute: 4 },
        keys: [{ id: 'main', name: 'main', secret: KEY }],
      },
    ],
    telemetry: { account_metrics: true },
  });
  gateway = await workspace.serve({ env: { SWITCHYARD_CONFIG: workspace.path('switchyard.yaml') } });
}, 600_000);
afterAll(() => workspace?.remove(), 600_000);

const chat = (more: object = {}) =>
  gateway.chat(
    KEY,
    { model: 'sandbox-chat', messages: [{ role: 'user', content: 'hello' }], ...more },
    { headers: TRACED },
  );

async function sumOf(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const found = (await metricsOf(gateway)).filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}

test('every metric of the catalogue exists, and no other', async () => {
  const expected = Object.keys(METRICS).filter((name) => !ABSENT.test(name));
  let names: string[] = [];
  // A scrape leaves out what the database does not answer within a second.
  await until('no metric is missing', async () => {
    const text = await (await fetch(`${gateway.origin}/metrics`)).text();
    names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
    return expected.every((name) => names.includes(name));
  });
  const own = names.filter((name) => !/^(?:process|nodejs)_/.test(name) && !ABSENT.test(name));
  expect(own.toSorted()).toEqual(expected.toSorted());
  // Gauges with the suffix of counters, which promtool refuses.
  expect(names.filter((name) => /^nodejs_active_\w+_total$/.test(name))).toEqual([]);
});

test('a request is counted for its model, its account and OpenTelemetry', async () => {
  expect((await chat({ stream: true })).status).toBe(200);
  const genAi = {
    gen_ai_operation_name: 'chat',
    gen_ai_provider_name: 'sandbox',
    gen_ai_request_model: 'sandbox-chat',
  };
  await until('the request is counted', async () => (await sumOf('switchyard_requests_total')) > 0);
  expect(await sumOf('gen_ai_client_operation_duration_seconds_count', { ...genAi, error_type: '' })).toBe(1);
  expect(await sumOf('gen_ai_client_token_usage_count', { ...genAi, gen_ai_token_type: 'output' })).toBe(1);
  expect(await sumOf('gen_ai_server_time_to_first_token_seconds_count', genAi)).toBe(1);
  expect(await sumOf('switchyard_account_requests_total', { account: 'acme', outcome: 'answered' })).toBe(1);
  expect(await sumOf('switchyard_model_channels_usable', { model: 'sandbox-chat' })).toBe(1);
  expect(await sumOf('switchyard_queue_dropped_total')).toBe(0);
});

test('OpenMetrics has exemplars with the trace of a request, the text format has none', async () => {
  const read = async (accept: string) => (await fetch(`${gateway.origin}/metrics`, { headers: { accept } })).text();
  const openMetrics = await read('application/openmetrics-text; version=1.0.0');
  expect(openMetrics).toEndWith('# EOF\n');
  for (const name of ['switchyard_request_duration_seconds', 'gen_ai_server_request_duration_seconds']) {
    expect(openMetrics).toMatch(
      new RegExp(`^${name}_bucket\\{.*\\} \\d+ # \\{trace_id="${TRACE}"\\} [\\d.e-]+ [\\d.]+$`, 'm'),
    );
  }
  expect(await read('text/plain')).not.toContain(TRACE);
});

test('refusals are counted by what refused them', async () => {
  for (let sent = 0; sent < 4; sent++) await chat();
  await until('a refusal is counted', async () => (await sumOf('switchyard_rate_limit_refusals_total')) > 0);
  const limit = 'account_requests_per_minute';
  expect(await sumOf('switchyard_rate_limit_refusals_total', { limit })).toBe(
    await sumOf('switchyard_rate_limit_refusals_total'),
  );
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';
import { Collector } from './collector.ts';
import type { MetricPoint } from './otlp-json.ts';

/* Metrics that a gateway pushes, received by a collector of OpenTelemetry's own modules. */

setDefaultTimeout(120_000);

const KEY = 'sk-pushed-0123456789abcdef';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CANARY = 'canary of a prompt 83c1';

let collector: Collector;
let space: ProcessWorkspace;
let gateway: Serving;

beforeAll(async () => {
  collector = await Collector.start();
  space = await ProcessWorkspace.create();
  const file = await space.write('switchyard.yaml', {
    sandbox: true,
    accounts: [{ id: 'acme', keys: [{ id: 'main', name: 'main', secret: KEY }] }],
  });
  gateway = await space.serve({
    env: {
      SWITCHYARD_CONFIG: file,
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collector.url}/v1/metrics`,
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  });
});
afterAll(async () => {
  await space?.remove();
  await collector?.stop();
});

async function pointsOf(name: string): Promise<readonly MetricPoint[]> {
  return (await collector.points()).filter((point) => point.name === name);
}

test('the families of /metrics arrive under the names of OpenTelemetry, with exemplars and no content', async () => {
  const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  const messages = [{ role: 'user', content: CANARY }];
  expect((await gateway.chat(KEY, { model: 'sandbox-chat', messages }, { headers })).status).toBe(200);
  await until('the request was pushed', async () => (await pointsOf('gen_ai.client.operation.duration')).length > 0);
  const [duration] = await pointsOf('gen_ai.client.operation.duration');
  expect(duration).toMatchObject({
    ...{ unit: 's', value: 1 },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'sandbox',
      'gen_ai.request.model': 'sandbox-chat',
    },
    resource: { 'service.name': 'switchyard', 'deployment.environment.name': 'test' },
  });
  expect(duration?.resource['service.instance.id']).toMatch(/^[\da-f-]{36}$/);
  const requests = await pointsOf('switchyard.requests');
  expect(requests.at(-1)).toMatchObject({ value: 1, attributes: { model: 'sandbox-chat', status: '200' } });
  const text = await collector.text();
  expect(text).toContain(TRACE);
  expect(text).not.toContain(CANARY);
  expect(text).not.toContain(KEY);
});

test('a stop pushes once more', async () => {
  const before = (await pointsOf('switchyard.requests')).length;
  await gateway.stop();
  expect((await pointsOf('switchyard.requests')).length).toBeGreaterThan(before);
});

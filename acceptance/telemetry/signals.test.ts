import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { Bed, chatBody, SECRETS, untilReceived } from './bed.ts';
import type { LogLine } from './otlp-json.ts';

/* All signals of one gateway at one address. */

let bed: Bed;
beforeAll(async () => {
  const variables = { OTEL_LOGS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '1000', OTEL_BLRP_SCHEDULE_DELAY: '20' };
  bed = await Bed.start({ variables });
});
afterAll(() => bed?.remove());

test('the spans, metrics and log lines of a request arrive, and lead to each other', async () => {
  const answer = await bed.send('/v1/chat/completions', chatBody({ stream: true }), { 'x-request-id': 'order-9' });
  await answer.text();
  const id = answer.headers.get('x-request-id') ?? '';
  const [server] = await bed.traceOf(answer);
  await untilReceived(bed.collector, 'gen_ai.client.token.usage');
  const names = new Set((await bed.collector.points()).map(({ name }) => name));
  expect([...names]).toContain('gen_ai.client.operation.duration');
  let lines: readonly LogLine[] = [];
  const isAbout = (line: LogLine) => Object.values(line.attributes).includes(id);
  await until('a line about the request has arrived', async () => {
    lines = (await bed.collector.logLines()).filter(isAbout);
    return lines.length > 0;
  });
  expect(lines.map(({ traceId }) => traceId)).toContain(server?.traceId ?? '');
  const resources = [server?.resource, lines[0]?.resource, (await bed.collector.points())[0]?.resource];
  expect(new Set(resources.map((resource) => resource?.['service.instance.id'])).size).toBe(1);
});

test('nothing secret has been exported', async () => {
  const text = await bed.collector.text();
  expect(Object.entries(SECRETS).filter(([, secret]) => text.includes(secret))).toEqual([]);
});

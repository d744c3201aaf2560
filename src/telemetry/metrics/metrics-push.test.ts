import { expect, test } from 'bun:test';
import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';
import { MetricsPush } from './metrics-push.ts';
import { otelNamesOf } from './otel-names.ts';

const family = (name: string, type: 'counter' | 'gauge' = 'counter'): FamilySnapshot => ({
  ...{ name, help: 'Something.', type, isSummed: true },
  points: [{ labels: { model: 'm' }, value: 3 }],
});

/** A clock and timers that the test moves. */
function bench(send: (bytes: Uint8Array) => Promise<void>) {
  const waiting: { ms: number; wake: () => void }[] = [];
  const warnings: string[] = [];
  let nowMs = 0;
  const push = new MetricsPush({
    ...{ send, resource: { 'service.name': 'mine' }, scope: { name: 'switchyard', version: '1' } },
    ...{ intervalMs: 60_000, timeoutMs: 1_000 },
    read: async () => [family('switchyard_requests_total')],
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        waiting.push({ ms, wake: resolve });
        signal.addEventListener('abort', () => resolve());
      }),
    logger: { warn: (_fields, message) => void warnings.push(String(message)) },
  });
  const pass = async (ms: number) => {
    nowMs += ms;
    for (const one of waiting.splice(0)) if (one.ms <= ms) one.wake();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  return { push, pass, warnings };
}

test('metrics are pushed at the interval, and once more at the end', async () => {
  let sent = 0;
  const { push, pass } = bench(async () => void sent++);
  await pass(60_000);
  expect(sent).toBe(1);
  await push.close(1_000);
  expect(sent).toBe(2);
  expect(push.counts).toEqual({ exported: 2, failed: 0 });
});

test('a collector that is away costs one line a minute and no export after it', async () => {
  let isAway = true;
  const { push, pass, warnings } = bench(async () => {
    if (isAway) throw new Error('connect ECONNREFUSED');
  });
  await pass(60_000);
  await pass(30_000);
  expect(push.counts).toEqual({ exported: 0, failed: 1 });
  expect(warnings).toHaveLength(1);
  isAway = false;
  await push.close(1_000);
  expect(push.counts).toEqual({ exported: 1, failed: 1 });
});

test('a collector that never answers does not hold the stop', async () => {
  const { push, pass } = bench(() => new Promise(() => {}));
  const closing = push.close(500);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  await pass(500);
  await closing;
  expect(push.counts.exported).toBe(0);
});

test('names lead back to those of Prometheus', () => {
  const names = ['switchyard_requests_total', 'switchyard_charged_usd_total', 'process_cpu_seconds_total'];
  expect(names.map((name) => otelNamesOf(family(name)))).toEqual([
    { name: 'switchyard.requests', unit: '', attributes: {} },
    { name: 'switchyard.charged_usd', unit: '{USD}', attributes: {} },
    { name: 'process.cpu', unit: 's', attributes: {} },
  ]);
  expect(otelNamesOf(family('switchyard_disk_free_bytes', 'gauge'))).toMatchObject({
    ...{ name: 'switchyard.disk_free', unit: 'By' },
  });
  const conventional = { name: 'gen_ai.client.token.usage', unit: '{token}', attributes: {} };
  expect(otelNamesOf({ ...family('gen_ai_client_token_usage', 'gauge'), otel: conventional })).toBe(conventional);
});

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { METRICS } from '../../src/transports/ops/catalogue/catalogue.ts';
import { GatewayBed } from './gateway-bed.ts';
import { Traffic } from './traffic.ts';

/* The metrics themselves, judged by the program of Prometheus. */

setDefaultTimeout(300_000);

let bed: GatewayBed;

beforeAll(async () => {
  bed = await GatewayBed.start();
  await new Traffic(bed).send();
});
afterAll(() => bed?.stop());

test('promtool finds nothing to improve', async () => {
  const text = await (await fetch(`${bed.serving.origin}/metrics`)).text();
  const child = Bun.spawn(['promtool', 'check', 'metrics'], {
    stdin: new Blob([text]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ exitCode, output: stdout + stderr }).toEqual({ exitCode: 0, output: '' });
});

test('a gateway with PostgreSQL and Redis has the metrics of both', async () => {
  const text = await (await fetch(`${bed.serving.origin}/metrics`)).text();
  const names = Object.keys(METRICS).filter((name) => /^switchyard_(?:redis|database)_/.test(name));
  for (const name of names) expect(text).toMatch(new RegExp(`^${name}\\w*\\{.+\\} \\S+$`, 'm'));
});

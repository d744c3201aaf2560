import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { temporaryFolder } from '../../conformance/shared/workspace.ts';
import { ALERTS } from '../../tools/monitoring/alerts/index.ts';
import type { AlertCase } from './alert-case.ts';
import { CHANNEL_CASES } from './cases/channels.ts';
import { MONEY_CASES } from './cases/money.ts';
import { NODE_CASES } from './cases/nodes.ts';
import { REQUEST_CASES } from './cases/requests.ts';
import { STORE_CASES } from './cases/stores.ts';
import { TASK_CASES } from './cases/tasks.ts';
import { TELEMETRY_CASES } from './cases/telemetry.ts';
import { promtool, RULES, runCases } from './promtool.ts';

setDefaultTimeout(120_000);

const CASES: readonly AlertCase[] = [
  ...REQUEST_CASES,
  ...CHANNEL_CASES,
  ...MONEY_CASES,
  ...TASK_CASES,
  ...STORE_CASES,
  ...NODE_CASES,
  ...TELEMETRY_CASES,
];

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('promtool accepts the rules', async () => {
  const { exitCode, output } = await promtool('check', 'rules', RULES);
  expect([exitCode, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

test('every alert fires when it should, and is silent when it should be', async () => {
  const { exitCode, output } = await runCases(folder, CASES);
  expect(output).not.toContain('FAILED');
  expect(output).toContain('SUCCESS');
  expect(exitCode).toBe(0);
});

test('a wrong expectation is noticed', async () => {
  const [first] = CASES.filter(({ fires }) => fires.length > 0);
  const { exitCode, output } = await runCases(folder, [{ ...first!, fires: [] }]);
  expect(exitCode).toBe(1);
  expect(output).toContain(first!.alert);
});

describe.each(ALERTS)('$name', ({ name, summary, description }) => {
  const own = CASES.filter(({ alert }) => alert === name);

  test('has a case in which it fires, and one in which it is silent', () => {
    expect(own.filter(({ fires }) => fires.length > 0)).not.toBeEmpty();
    expect(own.filter(({ fires }) => fires.length === 0)).not.toBeEmpty();
  });

  test('names in its texts only labels that it has', () => {
    const labels = own.flatMap(({ fires }) => fires).map((fired) => Object.keys(fired));
    const named = [...`${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    for (const known of labels) expect(known).toEqual(expect.arrayContaining(named));
  });
});

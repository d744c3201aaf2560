import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { built } from '../../tools/monitoring/dashboards/dashboard.ts';
import { DASHBOARDS } from '../../tools/monitoring/dashboards/index.ts';
import { GatewayBed } from './gateway-bed.ts';
import { type EvaluatedRule, PrometheusServer, type Series } from './prometheus-server.ts';
import { TRACE_ID, Traffic } from './traffic.ts';

/* Every query of every dashboard, run by a real Prometheus that reads a gateway with traffic of all kinds. */

setDefaultTimeout(300_000);

/** A rate needs two values, and the second round makes the counters move that appeared with the first one. */
const ROUNDS = 3;

let bed: GatewayBed;
let prometheus: PrometheusServer;

beforeAll(async () => {
  bed = await GatewayBed.start();
  prometheus = await PrometheusServer.start(new URL(bed.serving.origin).host);
  await prometheus.nextScrape();
  const traffic = new Traffic(bed);
  for (let round = 0; round < ROUNDS; round++) {
    await traffic.send();
    await traffic.runTasks();
    await prometheus.nextScrape();
  }
  await bed.run('ledger', 'verify');
  await prometheus.untilKnown('switchyard_ledger_problems');
  await prometheus.nextScrape();
});
afterAll(async () => {
  await prometheus?.stop();
  await bed?.stop();
});

/** Fills in what Grafana replaces: intervals, and variables that match everything. */
function filledIn(expression: string): string {
  return expression.replaceAll('$__rate_interval', '5s').replace(/"\$\w+"/g, '".*"');
}

const hasNumber = ({ values }: Series) => values.some(([, value]) => Number.isFinite(Number(value)));

interface Target {
  readonly panel: string;
  readonly expr: string;
  readonly exemplar: boolean;
}

function targetsOf(source: (typeof DASHBOARDS)[number]): readonly Target[] {
  return (built(source).panels ?? []).flatMap((panel) => {
    const targets = 'targets' in panel ? (panel.targets ?? []) : [];
    return targets.map((target) => {
      const { expr, exemplar = false } = target as { expr?: string; exemplar?: boolean };
      return { panel: panel.title ?? '', expr: expr ?? '', exemplar };
    });
  });
}

describe.each(DASHBOARDS.map((source) => [source.title, source] as const))('%s', (_title, source) => {
  test.each(targetsOf(source).map((target) => [target.panel, target] as const))(
    '%s has data',
    async (_panel, { expr }) => {
      const series = await prometheus.overTime(filledIn(expr));
      expect(series.filter(hasNumber), expr).not.toBeEmpty();
    },
  );

  test('every variable has values', async () => {
    for (const { name, query } of built(source).templating.list ?? []) {
      if (typeof query !== 'object') continue;
      const [, metric = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(String(query.query)) ?? [];
      expect([name, await prometheus.valuesOf(label, filledIn(metric))]).not.toEqual([name, []]);
    }
  });

  test('every annotation can be evaluated', async () => {
    for (const { expr } of built(source).annotations.list ?? []) await prometheus.overTime(filledIn(expr ?? ''));
  });
});

describe('charts of durations', () => {
  const charts = DASHBOARDS.flatMap(targetsOf).filter(({ exemplar }) => exemplar);

  test.each(charts.map(({ panel, expr }) => [panel, expr] as const))('%s leads to traces', async (_panel, expr) => {
    const traces = (await prometheus.exemplars(filledIn(expr))).map((labels) => labels.trace_id);
    expect(traces).toContain(TRACE_ID);
  });
});

describe('the rules', () => {
  let rules: readonly EvaluatedRule[];
  beforeAll(async () => {
    rules = await prometheus.rules();
  });

  test('are evaluated without an error', () => {
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });

  test('notice the channel whose key is refused and the model that no channel serves', async () => {
    const noticed = rules.filter(({ state }) => state === 'pending' || state === 'firing').map(({ name }) => name);
    expect(noticed).toEqual(
      expect.arrayContaining(['SwitchyardChannelBlocked', 'SwitchyardNoChannelForModel', 'SwitchyardChargesHeld']),
    );
  });

  test('do not claim that the gateway is down or its books are wrong', () => {
    const noticed = rules.filter(({ state }) => state === 'pending' || state === 'firing').map(({ name }) => name);
    for (const name of [
      'SwitchyardNodeDown',
      'SwitchyardNoGateway',
      'SwitchyardDatabaseDown',
      'SwitchyardLedgerMismatch',
    ])
      expect(noticed).not.toContain(name);
  });
});

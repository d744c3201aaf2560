import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT, temporaryFolder } from '../../conformance/shared/workspace.ts';
import { DASHBOARDS } from '../../tools/monitoring/dashboards/index.ts';
import { DASHBOARD_JUDGE, KUBECONFORM, SCHEMAS } from '../shared/go-tools/tools.ts';
import versions from '../shared/go-tools/versions.json';
import { documentsOf, type Manifest, ofKind, only, rendered, run } from './chart.ts';

/* The alert rules and dashboards of the chart, which are too long for the goldens. */

const VALUES = {
  metrics: {
    enabled: true,
    token: { value: 'the-token-for-prometheus' },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' }, runbookUrl: 'https://wiki.example.com/ai' },
    dashboards: { enabled: true, annotations: { grafana_folder: 'AI' } },
  },
};

const fileOf = (...names: readonly string[]) => Bun.file(join(PROJECT, 'deploy', ...names)).text();

let folder = '';
let text = '';
let all: readonly Manifest[] = [];
beforeAll(async () => {
  folder = await temporaryFolder();
  text = await rendered(VALUES);
  all = documentsOf(text);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('there is a ConfigMap for each dashboard, which the sidecar of Grafana finds', async () => {
  const found = ofKind(all, 'ConfigMap').filter(({ metadata }) => metadata.name.includes('-dashboard-'));
  expect(found).toHaveLength(DASHBOARDS.length);
  for (const { name } of DASHBOARDS) {
    const { metadata, data } = only(found, 'ConfigMap', `-dashboard-${name}`);
    expect(metadata).toMatchObject({ labels: { grafana_dashboard: '1' }, annotations: { grafana_folder: 'AI' } });
    expect(data).toEqual({ [`switchyard-${name}.json`]: await fileOf('grafana', `${name}.json`) });
  }
});

test('the rules are those of deploy/prometheus, with links to the chosen place', async () => {
  const { metadata, spec } = only(all, 'PrometheusRule');
  expect(metadata).toMatchObject({ labels: { release: 'prometheus' } });
  const rules = (await fileOf('prometheus', 'rules.yaml')).replace(
    /https:\S+\/docs\/runbooks/g,
    'https://wiki.example.com/ai',
  );
  expect(spec).toEqual(parse(rules));
  expect(JSON.stringify(spec)).not.toContain('github.com');
});

test.each(versions.kubernetes)('Kubernetes %s accepts them', async (version) => {
  const { stdout, exitCode } = await run(
    [
      ...[KUBECONFORM, '-strict', '-output', 'json', '-kubernetes-version', version],
      ...['-schema-location', join(SCHEMAS, version, '{{ .ResourceKind }}{{ .KindSuffix }}.json')],
      ...['-schema-location', join(SCHEMAS, 'crds', '{{ .ResourceKind }}-{{ .Group }}-{{ .ResourceAPIVersion }}.json')],
    ],
    text,
  );
  expect((JSON.parse(stdout) as { resources?: unknown }).resources ?? []).toEqual([]);
  expect(exitCode).toBe(0);
});

test('Grafana’s library knows every member of the dashboards', async () => {
  const files = DASHBOARDS.map(({ name }) => join(PROJECT, 'deploy', 'grafana', `${name}.json`));
  expect(await run([DASHBOARD_JUDGE, ...files])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});

test.each([
  ['an option of a chart', 'displayMode', 'displayMod'],
  ['a member of a query', 'legendFormat', 'legendFormt'],
  ['a setting of a line', 'lineWidth', 'lineWith'],
])('Grafana’s library does not know %s that is misspelt', async (_, known, misspelt) => {
  const file = join(folder, `${misspelt}.json`);
  await Bun.write(file, (await fileOf('grafana', 'overview.json')).replaceAll(`"${known}"`, `"${misspelt}"`));
  const { exitCode, stdout } = await run([DASHBOARD_JUDGE, file]);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining(misspelt)]);
});

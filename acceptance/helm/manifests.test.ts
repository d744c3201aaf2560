import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { HELM, KUBECONFORM, SCHEMAS } from '../shared/go-tools/tools.ts';
import versions from '../shared/go-tools/versions.json';
import { CHART, documentsOf, KUBERNETES, rendered, run, SITUATIONS, VALUES } from './chart.ts';

/* The chart in every situation of `values`. `SWITCHYARD_UPDATE_GOLDENS=1 npm test -- acceptance/helm` rewrites the goldens. */

const GOLDENS = join(import.meta.dir, 'goldens');
const TIMEOUT_MS = 120_000;
const CRDS = join(SCHEMAS, 'crds', '{{ .ResourceKind }}-{{ .Group }}-{{ .ResourceAPIVersion }}.json');

for (const situation of SITUATIONS) {
  test(
    `${situation}: helm lint --strict has nothing to say`,
    async () => {
      const { exitCode, stdout } = await run([
        ...[HELM, 'lint', '--strict', CHART, ...KUBERNETES],
        ...['--values', join(VALUES, `${situation}.yaml`)],
      ]);
      expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
      expect(exitCode).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    `${situation}: the manifests are those of the golden`,
    async () => {
      const golden = join(GOLDENS, `${situation}.yaml`);
      const text = withoutVersion(await rendered(situation));
      if (process.env.SWITCHYARD_UPDATE_GOLDENS) await Bun.write(golden, text);
      expect(text).toBe(await Bun.file(golden).text());
    },
    TIMEOUT_MS,
  );
}

/** Replaces the version of the chart, so that a release changes no golden. */
function withoutVersion(text: string): string {
  return text
    .replaceAll(/(app\.kubernetes\.io\/version: ").*"/g, '$1VERSION"')
    .replaceAll(/(helm\.sh\/chart: switchyard-).*/g, '$1VERSION')
    .replaceAll(/(image: ghcr\.io\/switchyard\/switchyard:).*/g, '$1VERSION');
}

for (const version of versions.kubernetes) {
  test(
    `Kubernetes ${version} accepts every manifest`,
    async () => {
      const texts = await Promise.all(SITUATIONS.map((situation) => rendered(situation)));
      const { stdout, stderr, exitCode } = await run(
        [
          ...[KUBECONFORM, '-strict', '-output', 'json', '-summary', '-kubernetes-version', version],
          ...['-schema-location', join(SCHEMAS, version, '{{ .ResourceKind }}{{ .KindSuffix }}.json')],
          ...['-schema-location', CRDS],
        ],
        texts.join('\n---\n'),
      );
      const { resources, summary } = JSON.parse(stdout) as { resources: unknown; summary: unknown };
      expect(resources ?? []).toEqual([]);
      const valid = texts.flatMap(documentsOf).length;
      expect(summary).toEqual({ valid, invalid: 0, errors: 0, skipped: 0 });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    },
    TIMEOUT_MS,
  );
}

test('the schemas refuse a misspelt field of a custom resource', async () => {
  const text = (await rendered('everything')).replace('scrapeTimeout:', 'scrapeTimout:');
  const { stdout, exitCode } = await run(
    [...[KUBECONFORM, '-strict', '-ignore-missing-schemas'], ...['-schema-location', CRDS]],
    text,
  );
  expect(stdout).toContain('scrapeTimout');
  expect(exitCode).toBe(1);
});

import { beforeAll, describe, expect, test } from 'bun:test';
import { DEFAULT_SERVER } from '../../src/engine/settings/settings.ts';
import { parseConfiguration } from '../../src/main/configuration/load-configuration.ts';
import { providers } from '../../src/providers/index.ts';
import {
  at,
  containersOf,
  type Json,
  type Manifest,
  manifests,
  ofKind,
  only,
  podSpecOf,
  rendered,
  SITUATIONS,
  variablesOf,
} from './chart.ts';

/* Rules that hold in every situation of `values`. */

for (const situation of SITUATIONS) {
  describe(situation, () => {
    let all: readonly Manifest[] = [];
    beforeAll(async () => {
      all = await manifests(situation);
    });

    test('every Pod is confined, and has no token', () => {
      for (const manifest of all) {
        const spec = podSpecOf(manifest);
        if (spec === null) continue;
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const { securityContext } of containersOf(spec)) {
          expect(securityContext).toMatchObject({
            ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
            capabilities: { drop: ['ALL'] },
          });
        }
      }
    });

    test('every container has a memory limit and an image with a tag or digest', () => {
      const containers = all.flatMap((manifest) => containersOf(podSpecOf(manifest) ?? {}));
      expect(containers.length).toBeGreaterThan(0);
      for (const container of containers) {
        expect(at(container, 'resources', 'limits', 'memory')).toBeString();
        expect(container.image).toMatch(/^[^:@\s]+(:[\w.-]+|@sha256:[0-9a-f]{64})$/);
      }
    });

    test('no secret is outside of a Secret, and every secret file has a source', () => {
      const own = new Map(ofKind(all, 'Secret').map(({ metadata, data }) => [metadata.name, data as Json]));
      const secrets = [...own.values()].flatMap((data) => Object.values(data).map((value) => atob(String(value))));
      const rest = JSON.stringify(all.filter(({ kind }) => kind !== 'Secret'));
      for (const secret of secrets) expect(rest).not.toContain(secret);
      for (const manifest of [only(all, 'Deployment'), ...ofKind(all, 'Job')]) {
        const spec = podSpecOf(manifest) ?? {};
        const files = filesOf(spec);
        const variables = containersOf(spec).flatMap(({ env = [] }) =>
          env.filter(({ name }) => name.endsWith('_FILE')),
        );
        expect(variables.map(({ value }) => value).sort()).toEqual([...files.keys()].sort());
        for (const { secret, key } of files.values()) {
          const isOwn = own.has(secret);
          if (isOwn) expect(Object.keys(own.get(secret) ?? {})).toContain(key);
        }
      }
    });

    test('the gateway accepts its configuration', () => {
      const maps = ofKind(all, 'ConfigMap');
      const isMounted = 'SWITCHYARD_CONFIG' in variablesOf(all);
      expect(maps.length).toBe(isMounted ? 1 : 0);
      const environment = Object.fromEntries(
        Object.keys(variablesOf(all)).map((name) => [name.replace(/_FILE$/, ''), 'sk-a-value-of-a-secret-file']),
      );
      for (const { data } of maps) {
        const text = String(at(data, 'switchyard.yaml'));
        expect(parseConfiguration('switchyard.yaml', text, { environment, providers }).path).toBe('switchyard.yaml');
      }
    });

    test('a Pod is killed after the longest stop, and not before', () => {
      const server = serverSection(all);
      const { drainMs, shutdownGraceMs, shutdownWriteMs } = DEFAULT_SERVER;
      const ms = (name: string, normal: number) => Number(server[name] ?? normal);
      const longestMs =
        ms('drain_ms', drainMs) + ms('shutdown_grace_ms', shutdownGraceMs) + ms('shutdown_write_ms', shutdownWriteMs);
      const seconds = Number(podSpecOf(only(all, 'Deployment'))?.terminationGracePeriodSeconds);
      expect(seconds * 1000).toBeGreaterThanOrEqual(longestMs + 4_000);
      expect(seconds * 1000).toBeLessThanOrEqual(longestMs + 6_000);
    });

    test('selectors match the Pods they are for', () => {
      const deployment = only(all, 'Deployment');
      const labels = at(deployment, 'spec', 'template', 'metadata', 'labels') as Json;
      const name = deployment.metadata.name;
      expect(labels).toMatchObject(at(deployment, 'spec', 'selector', 'matchLabels') as Json);
      const service = ofKind(all, 'Service').find(({ metadata }) => metadata.name === name);
      expect(labels).toMatchObject(at(service, 'spec', 'selector') as Json);
      for (const budget of ofKind(all, 'PodDisruptionBudget')) {
        expect(labels).toMatchObject(at(budget, 'spec', 'selector', 'matchLabels') as Json);
      }
    });
  });
}

/** Returns the files of the volume `secrets` by their paths. */
function filesOf(spec: Json): ReadonlyMap<string, { readonly secret: string; readonly key: string }> {
  const volume = (spec.volumes as Json[]).find(({ name }) => name === 'secrets');
  const sources = (at(volume, 'projected', 'sources') ?? []) as Json[];
  return new Map(
    sources.map((source) => [
      `/run/secrets/switchyard/${at(source, 'secret', 'items', 0, 'path')}`,
      { secret: String(at(source, 'secret', 'name')), key: String(at(source, 'secret', 'items', 0, 'key')) },
    ]),
  );
}

function serverSection(all: readonly Manifest[]): Json {
  const [map] = ofKind(all, 'ConfigMap');
  const text = String(at(map, 'data', 'switchyard.yaml') ?? '{}');
  return (at(Bun.YAML.parse(text), 'server') ?? {}) as Json;
}

describe('upgrades', () => {
  test('with an external database a Job upgrades it first, and the Pods refuse to', async () => {
    const all = await manifests('cluster');
    const job = only(all, 'Job');
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    const [container] = containersOf(podSpecOf(job) ?? {});
    expect(container).toMatchObject({
      args: ['migrate'],
      image: containersOf(podSpecOf(only(all, 'Deployment')) ?? {})[0]?.image,
    });
    expect(variablesOf(all).DATABASE_UPGRADE).toBe('refuse');
  });

  test('the secrets of the Job exist before it runs', async () => {
    const all = await manifests('everything');
    const copy = only(all, 'Secret', '-migrate');
    expect(copy.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    expect(Number(copy.metadata.annotations?.['helm.sh/hook-weight'])).toBeLessThan(
      Number(only(all, 'Job').metadata.annotations?.['helm.sh/hook-weight']),
    );
    const used = [...filesOf(podSpecOf(only(all, 'Job')) ?? {}).values()].map(({ secret }) => secret);
    expect([...new Set(used)]).toEqual([copy.metadata.name]);
  });

  test('without the Job, and with other databases, the Pods upgrade the database', async () => {
    const withoutJob = {
      migrations: { job: { enabled: false } },
      database: { type: 'external', url: 'postgres://a:b@c/d' },
    };
    for (const values of [{ ...withoutJob, masterSecret: { generate: true } }, 'sqlite', 'bundled']) {
      const all = await manifests(values);
      expect(ofKind(all, 'Job')).toEqual([]);
      expect(variablesOf(all).DATABASE_UPGRADE).toBeUndefined();
    }
  });

  test('several Pods are replaced without a gap; the single Pod of an SQLite file ends first', async () => {
    expect(at(only(await manifests('cluster'), 'Deployment'), 'spec', 'strategy')).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    expect(at(only(await manifests('sqlite'), 'Deployment'), 'spec', 'strategy')).toEqual({ type: 'Recreate' });
  });

  test('a changed configuration or secret replaces the Pods', async () => {
    const checksums = async (values: object) => {
      const all = await manifests({ secrets: { A_KEY: { value: 'one' } }, config: { sandbox: true }, ...values });
      const { 'checksum/config': config, 'checksum/secret': secret } = at(
        only(all, 'Deployment'),
        ...['spec', 'template', 'metadata', 'annotations'],
      ) as Record<string, string>;
      return { config, secret };
    };
    const first = await checksums({});
    expect(await checksums({})).toEqual(first);
    const other = await checksums({ config: { sandbox: false } });
    expect(other).toEqual({ config: expect.not.stringMatching(`^${first.config}$`), secret: first.secret });
    expect((await checksums({ secrets: { A_KEY: { value: 'two' } } })).secret).not.toBe(first.secret);
  });
});

test('the values of docs/kubernetes.md render, and the gateway accepts their configuration', async () => {
  const page = await Bun.file(new URL('../../docs/kubernetes.md', import.meta.url)).text();
  const [, values = ''] = /```yaml\n(# values\.yaml\n.*?)```/s.exec(page) ?? [];
  const all = await manifests(Bun.YAML.parse(values) as object);
  const text = String(at(only(all, 'ConfigMap', 'switchyard'), 'data', 'switchyard.yaml'));
  const names = Object.keys(variablesOf(all)).map((name) => name.replace(/_FILE$/, ''));
  const environment = Object.fromEntries(names.map((name) => [name, 'a-value-of-a-secret-file']));
  expect(parseConfiguration('switchyard.yaml', text, { environment, providers }).path).toBe('switchyard.yaml');
  expect(ofKind(all, 'Secret')).toEqual([]);
});

test('generated secrets are random, and the same in all places of one rendering', async () => {
  const values = {
    database: { type: 'external', url: 'postgres://switchyard:password@db/switchyard' },
    masterSecret: { generate: true },
  };
  const secretsOf = async () => {
    const all = await manifests(values);
    return ofKind(all, 'Secret').map(({ data }) => atob(String(at(data, 'SWITCHYARD_SECRET'))));
  };
  const [own, copy] = await secretsOf();
  expect(own).toMatch(/^[A-Za-z0-9]{43}$/);
  expect(copy).toBe(String(own));
  expect(await secretsOf()).not.toContain(own);
});

test('the generated password of the bundled database is the one in its URL, and outlives the release', async () => {
  const all = await manifests({ database: { type: 'bundled' }, redis: { type: 'bundled' } });
  const secret = only(all, 'Secret');
  expect(secret.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  const values = Object.fromEntries(
    Object.entries(secret.data as Json).map(([key, value]) => [key, atob(String(value))]),
  );
  const { POSTGRES_PASSWORD: password, DATABASE_URL: url, REDIS_PASSWORD: redisPassword, REDIS_URL: redisUrl } = values;
  expect(url).toBe(`postgres://switchyard:${password}@gateway-switchyard-postgresql:5432/switchyard`);
  expect(redisUrl).toBe(`redis://:${redisPassword}@gateway-switchyard-redis:6379/0`);
});

test('the chart has the version of the program', async () => {
  const program = await Bun.file(new URL('../../package.json', import.meta.url)).json();
  const labels = only(await manifests('defaults'), 'Deployment').metadata as unknown as { labels: Json };
  expect(labels.labels['app.kubernetes.io/version']).toBe(program.version);
});

test('nothing but the values differs between two renderings', async () => {
  expect(await rendered('everything')).toBe(await rendered('everything'));
});

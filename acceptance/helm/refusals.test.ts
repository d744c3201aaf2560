import { expect, test } from 'bun:test';
import { template } from './chart.ts';

/* Values that Helm refuses, and what it says. */

const MASTER = { masterSecret: { generate: true } };
const EXTERNAL = { ...MASTER, database: { type: 'external', url: 'postgres://a:b@c/d' } };

/** Refused by values.schema.json, by the place that the message names. */
const WRONG: readonly (readonly [name: string, values: object, message: RegExp])[] = [
  ['an unknown value', { replicas: 3 }, /additional properties 'replicas' not allowed/i],
  [
    'an unknown value in a group',
    { image: { name: 'switchyard' } },
    /'?\/image'?.*additional properties 'name' not allowed/is,
  ],
  ['a number of Pods as text', { replicaCount: 'three' }, /'?\/replicaCount'?.*got string, want.*integer/is],
  [
    'an unknown type of database',
    { database: { type: 'mysql' } },
    /'?\/database\/type'?.*'sqlite', 'external', 'bundled'/is,
  ],
  ['a URL of another database', { database: { type: 'external', url: 'mysql://a' } }, /'?\/database\/url'?.*pattern/is],
  ['a short master secret', { masterSecret: { value: 'short' } }, /'?\/masterSecret\/value'?.*pattern/is],
  [
    'a secret without its place',
    { secrets: { A_KEY: { existingSecret: { name: 'a' } } } },
    /'?\/secrets\/A_KEY.*'key'/is,
  ],
  ['a secret with a wrong name', { secrets: { 'a-key': { value: 'a' } } }, /a-key/],
  ['a size without a unit', { persistence: { size: '20' } }, /'?\/persistence\/size'?.*pattern/is],
  [
    'a drain time as text',
    { config: { server: { drain_ms: '5s' } } },
    /'?\/config\/server\/drain_ms'?.*want integer/is,
  ],
  ['a budget that is no number', { podDisruptionBudget: { maxUnavailable: 'some' } }, /maxUnavailable'?.*pattern/is],
];

/** Refused by the templates, because values contradict each other. */
const CONTRADICTING: readonly (readonly [name: string, values: object, message: string])[] = [
  ['several Pods with SQLite', { replicaCount: 2 }, 'replicaCount must be 1 with database.type sqlite'],
  ['autoscaling with SQLite', { autoscaling: { enabled: true } }, 'autoscaling.enabled needs PostgreSQL'],
  ['PostgreSQL without a master secret', { ...EXTERNAL, masterSecret: {} }, 'masterSecret is missing'],
  [
    'an external database without its place',
    { ...MASTER, database: { type: 'external' } },
    'database.existingSecret.name or database.url',
  ],
  [
    'an external Redis without its place',
    { ...EXTERNAL, redis: { type: 'external' } },
    'redis.existingSecret.name or redis.url',
  ],
  [
    'metrics without a token',
    { metrics: { enabled: true } },
    'metrics.token.existingSecret.name, or metrics.token.value',
  ],
  [
    'a ServiceMonitor without metrics',
    { metrics: { serviceMonitor: { enabled: true } } },
    'serviceMonitor.enabled needs metrics.enabled',
  ],
  [
    'dashboards without metrics',
    { metrics: { dashboards: { enabled: true } } },
    'metrics.dashboards.enabled need metrics.enabled',
  ],
  ['two configurations', { config: { sandbox: true }, existingConfigMap: { name: 'a' } }, 'exclude each other'],
  [
    'fewer Pods at most than at least',
    { ...EXTERNAL, autoscaling: { enabled: true, minReplicas: 4, maxReplicas: 3 } },
    'autoscaling.maxReplicas must be at least',
  ],
  ['an Ingress without hosts', { ingress: { enabled: true } }, 'ingress.hosts'],
  ['a route without a Gateway', { httpRoute: { enabled: true } }, 'httpRoute.parentRefs'],
  [
    'a time to stop that is too short',
    { terminationGracePeriodSeconds: 30 },
    'terminationGracePeriodSeconds is 30, but a stop may take 40 s',
  ],
  [
    'a known secret at the wrong place',
    { secrets: { DATABASE_URL: { value: 'postgres://a' } } },
    'secrets.DATABASE_URL has a value of its own',
  ],
  [
    'a secret in the configuration',
    { config: { channels: [{ id: 'a', api_key: 'sk-plain' }] } },
    'config.channels[0].api_key would be readable in a ConfigMap',
  ],
];

for (const [name, values, message] of WRONG) {
  test(`${name} is refused by the schema`, async () => {
    const { exitCode, stderr } = await template(values);
    expect(stderr).toContain("values don't meet the specifications of the schema");
    expect(stderr).toMatch(message);
    expect(exitCode).not.toBe(0);
  });
}

for (const [name, values, message] of CONTRADICTING) {
  test(`${name} is refused, and the message says what to set`, async () => {
    const { exitCode, stderr, stdout } = await template(values);
    expect(stderr).toContain(message);
    expect({ exitCode: exitCode !== 0, stdout }).toEqual({ exitCode: true, stdout: '' });
  });
}

test('a value without its default is named, and a configuration with only comments is none', async () => {
  expect((await template({ database: null })).stderr).toContain("missing property 'database'");
  expect((await template({ config: null, secrets: null, commonLabels: null })).exitCode).toBe(0);
});

test('all contradictions are named at once', async () => {
  const { stderr } = await template({ replicaCount: 2, ingress: { enabled: true }, metrics: { enabled: true } });
  for (const part of ['replicaCount must be 1', 'ingress.hosts', 'metrics.token']) expect(stderr).toContain(part);
});

test('a refused secret is not in the message', async () => {
  const { stderr } = await template({ config: { channels: [{ id: 'a', api_key: 'sk-plain' }] } });
  expect(stderr).not.toContain('sk-plain');
});

import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { PROJECT } from '../shared/workspace.ts';

/* The files of deploy/ agree with each other and with the docs. acceptance/compose uses them. */

const read = (...names: readonly string[]) => readFileSync(path.join(PROJECT, ...names), 'utf8');
const composeText = read('deploy', 'compose.yaml');
const compose = parse(composeText, { merge: true });

test('Prometheus and Grafana get the generated rules and dashboards', () => {
  const sources = (service: string): readonly string[] => compose.services[service].volumes;
  expect(sources('prometheus')).toContain('./prometheus/rules.yaml:/etc/prometheus/rules.yaml:ro');
  expect(parse(read('deploy', 'compose', 'prometheus.yml')).rule_files).toEqual(['rules.yaml']);
  const { path: folder } = parse(read('deploy', 'compose', 'grafana', 'dashboards.yaml')).providers[0].options;
  expect(sources('grafana')).toContain(`./grafana:${folder}:ro`);
  const home: string = compose.services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
  expect(home).toBe(`${folder}/overview.json`);
  expect(existsSync(path.join(PROJECT, 'deploy', 'grafana', 'overview.json'))).toBe(true);
});

test('every service is confined, limited and checked', () => {
  for (const [name, service] of Object.entries<Record<string, unknown>>(compose.services)) {
    const { read_only, cap_drop, security_opt, healthcheck, deploy, restart } = service;
    expect({ name, read_only, cap_drop, security_opt, restart }).toEqual({
      ...{ name, read_only: true, cap_drop: ['ALL'], restart: 'unless-stopped' },
      security_opt: ['no-new-privileges:true'],
    });
    expect(healthcheck).toBeObject();
    expect(deploy).toMatchObject({ resources: { limits: { cpus: expect.any(String), memory: expect.any(String) } } });
  }
});

test('no variable holds a password, and every secret is a file that the script writes', () => {
  const script = read('deploy', 'compose', 'make-secrets.sh');
  for (const name of Object.keys(compose.secrets)) expect(script).toContain(`write ${name} `);
  for (const { environment = {} } of Object.values<{ environment?: Record<string, string> }>(compose.services)) {
    for (const [name, value] of Object.entries(environment)) {
      if (/PASSWORD|SECRET|TOKEN|URL/.test(name) && name !== 'PUBLIC_URL') expect(value).toStartWith('/run/secrets/');
    }
  }
});

test('.env.example lists the variables of the compose file with their defaults', () => {
  const example = Object.fromEntries(
    [...read('deploy', '.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const used = Object.fromEntries(
    [...composeText.matchAll(/\$\{(\w+):-([^}]*)\}/g)].map(([, name, value]) => [name, value]),
  );
  expect(example).toEqual(used);
});

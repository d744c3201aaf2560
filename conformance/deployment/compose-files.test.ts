import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { PROJECT } from '../shared/workspace.ts';

/* The files of deploy/ agree with each other and with the docs. acceptance/compose uses them. */

const read = (...names: readonly string[]) => readFileSync(path.join(PROJECT, ...names), 'utf8');
const composeText = read('deploy', 'compose.yaml');
const compose = parse(composeText, { merge: true });
const metricsPage = read('docs', 'metrics.md');

/** Returns the names in an expression that are metrics, without the suffixes of a histogram's series. */
function metricsIn(expression: string): readonly string[] {
  const names = expression.match(/\b(?:switchyard|process|nodejs)_\w+/g) ?? [];
  return names.map((name) => name.replace(/_bucket$/, ''));
}

const expressions: readonly string[] = JSON.parse(
  read('deploy', 'compose', 'grafana', 'switchyard.json'),
).panels.flatMap(({ targets = [] }: { targets?: readonly { readonly expr: string }[] }) =>
  targets.map(({ expr }) => expr),
);
const rules: readonly { readonly expr: string }[] = parse(read('deploy', 'compose', 'alerts.yml')).groups[0].rules;

test('the dashboard names metrics that the page of metrics lists', () => {
  const names = new Set(expressions.flatMap(metricsIn));
  expect(names.size).toBeGreaterThan(10);
  const unknown = [...names].filter((name) => name.startsWith('switchyard_') && !metricsPage.includes(`\`${name}\``));
  expect(unknown).toEqual([]);
});

test('the alerts are those that the page of metrics recommends, and one for nodes that are down', () => {
  const [, table = ''] = metricsPage.split('## Recommended alerts');
  const recommended = [...table.matchAll(/^\| `(.+?)` \|/gm)].map(([, expression = '']) => expression);
  expect(recommended.length).toBeGreaterThan(5);
  const own = rules.map(({ expr }) => expr.replaceAll('\n', ' ')).filter((expression) => !expression.startsWith('up{'));
  expect(own.toSorted()).toEqual(recommended.toSorted());
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

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { isObject } from '../../conformance/shared/json.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { TRAEFIK_REFERENCE } from '../shared/go-tools/tools.ts';

/* Traefik ignores nothing: it refuses a file with an unknown key. Its reference has every key, with made-up names in maps. */

type Json = Readonly<Record<string, unknown>>;

const EXAMPLES = { 'traefik.yaml': 'static', 'switchyard.yaml': 'dynamic' } as const;

async function read(file: string): Promise<Json> {
  return Bun.YAML.parse(await Bun.file(file).text()) as Json;
}

/** Returns the paths of the keys that the reference lacks. */
function unknownKeys(value: unknown, reference: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    const known = Array.isArray(reference) ? reference[0] : undefined;
    return value.flatMap((element, index) => unknownKeys(element, known, `${path}[${index}]`));
  }
  if (!isObject(value)) return [];
  if (!isObject(reference)) return Object.keys(value).length === 0 ? [] : [path];
  const names = namesIn(reference);
  return Object.entries(value).flatMap(([key, member]) => {
    const at = `${path}.${key}`;
    if (names !== null) return unknownKeys(member, names, at);
    return key in reference ? unknownKeys(member, reference[key], at) : [at];
  });
}

/** Returns the union of the values of a map whose keys are names (`Router0`, `Router1`); `null` for other maps. */
function namesIn(reference: Json): unknown {
  if (!Object.keys(reference).every((key) => /^[A-Za-z]+\d+$/.test(key))) return null;
  return Object.values(reference).reduce(merged);
}

function merged(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other)) return one ?? other;
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) result[key] = key in one ? merged(one[key], value) : value;
  return result;
}

for (const [file, part] of Object.entries(EXAMPLES)) {
  test(`Traefik knows every key of ${file}`, async () => {
    const reference = await read(join(TRAEFIK_REFERENCE, `${part}.yaml`));
    const value = await read(join(PROJECT, 'deploy', 'proxies', 'traefik', file));
    expect(unknownKeys(value, reference, '')).toEqual([]);
    expect(unknownKeys({ ...value, entryPoint: {} }, reference, '')).toEqual(['.entryPoint']);
  });
}

test('a misspelt key of a service is found', async () => {
  const reference = await read(join(TRAEFIK_REFERENCE, 'dynamic.yaml'));
  const value = { http: { services: { a: { loadBalancer: { serverTransport: 'b' } } } } };
  expect(unknownKeys(value, reference, '')).toEqual(['.http.services.a.loadBalancer.serverTransport']);
});

test('routers, services, middlewares and transports that are named exist', async () => {
  const { http } = (await read(join(PROJECT, 'deploy', 'proxies', 'traefik', 'switchyard.yaml'))) as {
    readonly http: Readonly<
      Record<'routers' | 'services' | 'middlewares' | 'serversTransports', Readonly<Record<string, Json>>>
    >;
  };
  for (const { service, middlewares } of Object.values(http.routers)) {
    expect(Object.keys(http.services)).toContain(String(service));
    for (const name of middlewares as string[]) expect(Object.keys(http.middlewares)).toContain(name);
  }
  for (const { loadBalancer } of Object.values(http.services)) {
    expect(Object.keys(http.serversTransports)).toContain(
      (loadBalancer as { serversTransport: string }).serversTransport,
    );
  }
});

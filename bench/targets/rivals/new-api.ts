import type { TargetSurroundings } from '../targets.ts';
import { channelTo, startKind } from './one-api.ts';
import { askManagement, askVersion, type Rival } from './rival.ts';

const root = { username: 'root', password: 'bench-password-1' };

/** Creates the first user, a channel and a key as its pages do; resolves to the key. */
async function setUp(origin: string, surroundings: TargetSurroundings): Promise<string> {
  await askManagement(`${origin}/api/setup`, {
    headers: {},
    // Self-use mode also accepts models without a price.
    body: { ...root, confirmPassword: root.password, SelfUseModeEnabled: true, DemoSiteEnabled: false },
  });
  const login = await askManagement(`${origin}/api/user/login`, { headers: {}, body: root });
  const { data: user } = (await login.json()) as { data: { id: number } }; // The shape that its own page reads.
  const cookie = login.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const headers = { Cookie: cookie.join('; '), 'New-Api-User': String(user.id) };
  await askManagement(`${origin}/api/channel/`, {
    headers,
    body: { mode: 'single', channel: channelTo(surroundings.upstreamPort) },
  });
  await askManagement(`${origin}/api/token/`, {
    headers,
    body: { name: 'bench', expired_time: -1, unlimited_quota: true, remain_quota: 0, group: 'default' },
  });
  const listed = await askManagement(`${origin}/api/token/?p=1&size=10`, { method: 'GET', headers });
  const { data } = (await listed.json()) as { data: { items: { id: number }[] } };
  const id = data.items[0]?.id;
  const shown = await askManagement(`${origin}/api/token/${id}/key`, { headers });
  return ((await shown.json()) as { data: { key: string } }).data.key;
}

/** The larger descendant of one-api, with SQLite. Written from its documentation, not yet run. */
export const newApi: Rival = {
  name: 'new-api',
  label: 'New API',
  command: 'new-api',
  variable: 'SWITCHYARD_RIVAL_NEW_API',
  switchedOn:
    'key check, quota of user and key (in memory, in SQLite every 5 s), a usage line per request in SQLite, access log; off: metrics',
  version: (executable) => askVersion([executable, '--version']),
  start: (executable, surroundings) =>
    startKind(executable, surroundings, {
      name: 'new-api',
      environment: {
        SESSION_SECRET: 'secret-of-the-benchmark',
        GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
        CRITICAL_RATE_LIMIT_ENABLE: 'false',
      },
      setUp: (origin) => setUp(origin, surroundings),
    }),
};

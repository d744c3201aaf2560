import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TargetSurroundings } from '../targets.ts';
import { askManagement, askVersion, type Rival, startServer, upstreamKey } from './rival.ts';

const managementToken = '0123456789abcdef0123456789abcdef'; // It requires exactly 32 characters.
const clientToken = 'bench'.padEnd(48, '0'); // Clients prepend `sk-`; its column holds 48 characters.

/** Returns the fields of a channel that one-api and new-api share. The model has a price, so that requests are charged. */
export function channelTo(upstreamPort: number) {
  return {
    name: 'bench',
    type: 1, // OpenAI.
    key: upstreamKey,
    base_url: `http://127.0.0.1:${upstreamPort}`,
    models: 'gpt-4o-mini',
    group: 'default',
  };
}

/** Off by default, but recommended by its documentation for more than a handful of requests a second. */
const cacheAndBatch = { MEMORY_CACHE_ENABLED: 'true', BATCH_UPDATE_ENABLED: 'true' };
/** The time until its channel cache contains the new one, with `SYNC_FREQUENCY` at a second. */
const SETTLED_AFTER_MS = 3_000;

interface Kind {
  readonly name: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Creates a channel over the management API of this origin; resolves to the client key, without `sk-`. */
  readonly setUp: (origin: string) => Promise<string>;
}

/** Starts one-api, or its descendant, with SQLite. */
export async function startKind(
  executable: string,
  surroundings: TargetSurroundings,
  { name, environment, setUp }: Kind,
) {
  const logs = join(surroundings.folder, 'logs');
  mkdirSync(logs, { recursive: true });
  const started = await startServer(surroundings, (port) => ({
    command: [executable, '--port', String(port), '--log-dir', logs],
    environment: {
      ...cacheAndBatch,
      GIN_MODE: 'release',
      SQLITE_PATH: join(surroundings.folder, `${name}.db`),
      SYNC_FREQUENCY: '1',
      ...environment,
    },
    readyPath: '/api/status',
  }));
  try {
    const key = await setUp(`http://127.0.0.1:${started.port}`);
    await Bun.sleep(SETTLED_AFTER_MS);
    const headers = { Authorization: `Bearer sk-${key}` };
    return { ...started, requestForm: { path: '/v1/chat/completions', headers, model: 'gpt-4o-mini' } };
  } catch (error) {
    await started.process.stop();
    throw error;
  }
}

/** One binary in Go with SQLite; its channels are created over its management API. Written from its documentation, not yet run. */
export const oneApi: Rival = {
  name: 'one-api',
  label: 'One API',
  command: 'one-api',
  variable: 'SWITCHYARD_RIVAL_ONE_API',
  switchedOn:
    'key check, quota of user and key (in memory, in SQLite every 5 s), a usage line per request in SQLite, access log; off: metrics',
  version: (executable) => askVersion([executable, '--version']),
  start: (executable, surroundings) =>
    startKind(executable, surroundings, {
      name: 'one-api',
      environment: {
        INITIAL_ROOT_TOKEN: clientToken,
        INITIAL_ROOT_ACCESS_TOKEN: managementToken,
        GLOBAL_API_RATE_LIMIT: '100000000',
      },
      setUp: async (origin) => {
        const headers = { Authorization: managementToken };
        await askManagement(`${origin}/api/channel/`, { headers, body: channelTo(surroundings.upstreamPort) });
        return clientToken;
      },
    }),
};

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { askManagement, askVersion, type Rival, startServer, upstreamKey } from './rival.ts';

const managementToken = '0123456789abcdef0123456789abcdef'; // It wants exactly 32 characters.
const clientToken = 'bench'.padEnd(48, '0'); // Clients put `sk-` in front of it; its column holds 48 characters.

/** The fields of a channel that one-api and new-api share. A model with a price of its own, so that it is charged for. */
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

/** Off by default, and what its documents advise for more than a handful of requests a second. */
export const cacheAndBatch = { MEMORY_CACHE_ENABLED: 'true', BATCH_UPDATE_ENABLED: 'true' };

/** One binary in Go with SQLite; its channels are made over its management API. Written from its documents, not yet run. */
export const oneApi: Rival = {
  name: 'one-api',
  label: 'One API',
  command: 'one-api',
  variable: 'SWITCHYARD_RIVAL_ONE_API',
  switchedOn:
    'key check, quota of user and key (in memory, in SQLite every 5 s), a line of usage for each request in SQLite, access log; off: metrics',
  version: (executable) => askVersion([executable, '--version']),
  async start(executable, surroundings) {
    const logs = join(surroundings.folder, 'logs');
    mkdirSync(logs, { recursive: true });
    const started = await startServer(surroundings, (port) => ({
      command: [executable, '--port', String(port), '--log-dir', logs],
      environment: {
        ...cacheAndBatch,
        GIN_MODE: 'release',
        SQLITE_PATH: join(surroundings.folder, 'one-api.db'),
        INITIAL_ROOT_TOKEN: clientToken,
        INITIAL_ROOT_ACCESS_TOKEN: managementToken,
        GLOBAL_API_RATE_LIMIT: '100000000',
        SYNC_FREQUENCY: '1', // After so many seconds its cache of channels knows the one below.
      },
      readyPath: '/api/status',
    }));
    try {
      await askManagement(`http://127.0.0.1:${started.port}/api/channel/`, {
        headers: { Authorization: managementToken },
        body: channelTo(surroundings.upstreamPort),
      });
      await Bun.sleep(3000);
    } catch (error) {
      await started.process.stop();
      throw error;
    }
    const headers = { Authorization: `Bearer sk-${clientToken}` };
    return { ...started, requestForm: { path: '/v1/chat/completions', headers, model: 'gpt-4o-mini' } };
  },
};

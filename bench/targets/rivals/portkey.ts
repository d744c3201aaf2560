import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageVersion, type Rival, startServer, upstreamKey } from './rival.ts';

/**
 * Portkey's open gateway on Node. It is stateless: clients send the provider's key and address in headers, and its own keys, logs and
 * budgets belong to the hosted service. Its console, a page in the same process, is disabled.
 */
export const portkey: Rival = {
  name: 'portkey',
  label: 'Portkey',
  command: undefined, // Its package installs itself as `gateway`.
  variable: 'SWITCHYARD_RIVAL_PORTKEY',
  switchedOn:
    "nothing: it forwards the client's key, and has no key check, spend log, request log or metrics of its own",
  async version(executable) {
    return packageVersion(join(dirname(realpathSync(executable)), '../package.json'));
  },
  async start(executable, surroundings) {
    const started = await startServer(surroundings, (port) => ({
      command: [executable, `--port=${port}`, '--headless'],
      environment: { NODE_ENV: 'production' },
      readyPath: '/',
    }));
    const headers = {
      Authorization: `Bearer ${upstreamKey}`,
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${surroundings.upstreamPort}/v1`,
    };
    return { ...started, requestForm: { path: '/v1/chat/completions', headers, model: 'bench-model' } };
  },
};

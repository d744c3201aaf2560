import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askVersion, type Rival, startServer, upstreamKey } from './rival.ts';

const virtualKey = 'sk-bf-bench-0000000000000000000000000000000001';

/** Maxim's gateway in Go, with its two SQLite databases. Written from its documentation, not yet run. */
export const bifrost: Rival = {
  name: 'bifrost',
  label: 'Bifrost',
  command: 'bifrost-http', // The launcher `bifrost` of npm downloads this one.
  variable: 'SWITCHYARD_RIVAL_BIFROST',
  switchedOn:
    'check of virtual keys, usage and cost per request in a SQLite log (written in the background), metrics; off: texts in the log',
  version: (executable) => askVersion([executable, '-version']),
  async start(executable, surroundings) {
    const { folder, upstreamPort } = surroundings;
    const database = (name: string) => ({ enabled: true, type: 'sqlite', config: { path: join(folder, name) } });
    const price = { provider: 'openai', mode: 'chat', input_cost_per_token: 0.15e-6, output_cost_per_token: 0.6e-6 };
    writeFileSync(join(folder, 'prices.json'), JSON.stringify({ 'gpt-4o-mini': price }));
    const config = {
      client: { enable_logging: true, disable_content_logging: true, enforce_auth_on_inference: true },
      config_store: database('config.db'),
      logs_store: database('logs.db'),
      framework: { pricing: { pricing_url: `file://${join(folder, 'prices.json')}` } },
      providers: {
        openai: {
          keys: [{ id: 'bench', name: 'bench', value: upstreamKey, models: ['*'], weight: 1 }],
          network_config: { base_url: `http://127.0.0.1:${upstreamPort}`, allow_private_network: true },
        },
      },
      governance: {
        virtual_keys: [
          {
            id: 'bench',
            name: 'bench',
            value: virtualKey,
            is_active: true,
            provider_configs: [{ provider: 'openai', allowed_models: ['*'], key_ids: ['*'], weight: 1 }],
          },
        ],
      },
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config, null, 2));
    const started = await startServer(surroundings, (port) => ({
      command: [executable, '-app-dir', folder, '-host', '127.0.0.1', '-port', String(port), '-log-level', 'error'],
      readyPath: '/health',
    }));
    const headers = { 'x-bf-vk': virtualKey };
    return { ...started, requestForm: { path: '/v1/chat/completions', headers, model: 'openai/gpt-4o-mini' } };
  },
};

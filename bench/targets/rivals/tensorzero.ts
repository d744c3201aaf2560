import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askVersion, type Rival, startServer } from './rival.ts';

/**
 * TensorZero's gateway in Rust. Its keys are in PostgreSQL and its log in ClickHouse or PostgreSQL: without either it checks no keys and
 * stores nothing. Written from its documentation, not yet run.
 */
export const tensorZero: Rival = {
  name: 'tensorzero',
  label: 'TensorZero',
  command: undefined, // Its binary is called `gateway`.
  variable: 'SWITCHYARD_RIVAL_TENSORZERO',
  switchedOn: 'metrics; off: key check (needs PostgreSQL), inference log (needs ClickHouse or PostgreSQL)',
  version: (executable) => askVersion([executable, '--version']),
  async start(executable, surroundings) {
    const configFile = join(surroundings.folder, 'tensorzero.toml');
    const started = await startServer(surroundings, (port) => {
      writeFileSync(configFile, configuration(port, surroundings.upstreamPort));
      return { command: [executable, '--config-file', configFile], readyPath: '/health' };
    });
    const path = '/openai/v1/chat/completions';
    return { ...started, requestForm: { path, headers: {}, model: 'tensorzero::model_name::bench' } };
  },
};

function configuration(port: number, upstreamPort: number): string {
  return `
[gateway]
bind_address = "127.0.0.1:${port}"
observability.enabled = false

[models.bench]
routing = ["mock"]

[models.bench.providers.mock]
type = "openai"
api_base = "http://127.0.0.1:${upstreamPort}/v1"
model_name = "upstream-model"
api_key_location = "none"
`;
}

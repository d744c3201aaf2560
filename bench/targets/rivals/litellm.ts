import { realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { askVersion, type Rival, rivalKey, startServer, upstreamKey } from './rival.ts';

/**
 * BerriAI's proxy in Python, with one worker, as its page on production advises for one core. It stores keys and spend only in PostgreSQL,
 * behind a query engine that has to be downloaded: without them it checks the master key and computes the cost of a request, but does not
 * store it.
 */
export const litellm: Rival = {
  name: 'litellm',
  label: 'LiteLLM',
  command: 'litellm',
  variable: 'SWITCHYARD_RIVAL_LITELLM',
  switchedOn:
    'check of one key, cost per request (not stored); off: keys, spend log and budgets in PostgreSQL, request log, metrics',
  version(executable) {
    // Its own `--version` starts the whole program; the interpreter that it was installed for knows the version at once.
    const python = join(dirname(realpathSync(executable)), 'python');
    return askVersion([python, '-c', "import importlib.metadata as m; print(m.version('litellm'))"]);
  },
  async start(executable, surroundings) {
    const config = {
      model_list: [
        {
          model_name: 'bench-model',
          litellm_params: {
            model: 'openai/upstream-model',
            api_base: `http://127.0.0.1:${surroundings.upstreamPort}/v1`,
            api_key: upstreamKey,
            input_cost_per_token: 0.15e-6,
            output_cost_per_token: 0.6e-6,
          },
        },
      ],
      litellm_settings: { request_timeout: 600, set_verbose: false, json_logs: true },
      general_settings: { master_key: rivalKey },
    };
    const configFile = join(surroundings.folder, 'config.yaml');
    writeFileSync(configFile, JSON.stringify(config, null, 2)); // JSON is YAML.
    const started = await startServer(surroundings, (port) => ({
      command: [
        executable,
        '--config',
        configFile,
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--num_workers',
        '1',
      ],
      environment: {
        LITELLM_MODE: 'PRODUCTION',
        LITELLM_LOG: 'ERROR',
        LITELLM_LOCAL_MODEL_COST_MAP: 'True', // Otherwise it fetches its price list from the internet first.
      },
      readyPath: '/health/liveliness',
    }));
    const headers = { Authorization: `Bearer ${rivalKey}` };
    return { ...started, requestForm: { path: '/v1/chat/completions', headers, model: 'bench-model' } };
  },
};

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { clientKey } from '../../conformance/first-light/upstream.ts';
import { asArray, asObject } from '../../conformance/shared/json.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* A container on a channel that accounts share belongs to the account that created it: conformance/governed.test.ts. */

let answers = 0;
const upstream = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => {
    const number = ++answers;
    const call = { type: 'code_interpreter_call', container_id: `cntr_${number}`, status: 'completed', code: '1' };
    return Response.json({
      ...{ id: `resp_${number}`, object: 'response', created_at: 1, status: 'completed', model: 'gpt-5.1' },
      output: [{ id: `ci_${number}`, ...call }],
      usage: { input_tokens: 100, output_tokens: 50, total_tokens: 150 },
    });
  },
});
let space: ProcessWorkspace;
let serving: ServingProcess;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [
      {
        ...{ id: 'shared', provider: 'openai', api_key: 'key', formats: ['openai-responses'] },
        ...{ models: { interpreter: 'gpt-5.1' }, base_url: `http://127.0.0.1:${upstream.port}/v1` },
      },
    ],
    accounts: ['one', 'two'].map((id) => ({
      ...{ id, role: 'VIP', billing: 'unlimited' },
      keys: [{ id, name: id, secret: clientKey(id) }],
    })),
  });
  env = { SWITCHYARD_CONFIG };
  serving = await space.serve({ env });
});

afterAll(async () => {
  await space?.remove();
  await upstream.stop(true);
});

async function ask(account: string, members: object = {}) {
  const response = await fetch(`${serving.baseUrl}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${clientKey(account)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'interpreter', input: 'Hello', max_output_tokens: 100, ...members }),
  });
  return { status: response.status, body: asObject(await response.json()) };
}

test('the owner of a container survives a kill of the gateway', async () => {
  const { body } = await ask('one');
  const [call] = asArray(body.output).map(asObject);
  const named = { tools: [{ type: 'code_interpreter', container: call?.container_id }] };
  process.kill(-serving.pid, 'SIGKILL');
  await serving.exited;
  serving = await space.serve({ env });
  expect((await ask('one', named)).status).toBe(200);
  expect((await ask('two', named)).status).toBe(404);
});

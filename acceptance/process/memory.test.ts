import { afterAll, beforeAll, expect, test } from 'bun:test';
import { accountWith, channelTo, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { until } from '../../conformance/shared/until.ts';
import { memoryOf } from '../shared/process-files.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

const MEMORY_MIB = 512;
const PROMPTS = 80;
const PROMPT = JSON.stringify({
  model: 'm',
  messages: [{ role: 'user', content: 'lorem ipsum dolor '.repeat(277_778) }],
});

let space: ProcessWorkspace;
let upstream: ReturnType<typeof startSlowUpstream>;
let gateway: ServingProcess;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  upstream = startSlowUpstream();
  const accounts = ['acme', 'beta'].map((id) => accountWith(id, [keyNamed(id)], { billing: 'unlimited' }));
  const config = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['m'] })],
    accounts,
  });
  gateway = await space.serve({ env: { SWITCHYARD_CONFIG: config, SWITCHYARD_MEMORY: `${MEMORY_MIB}MiB` } });
});

afterAll(async () => {
  upstream.stop();
  await space.remove();
});

test('80 concurrent prompts of 5 MB fit into a 512 MiB gateway, and excess ones are told to retry', async () => {
  expect(gateway.stdout).toContain(`Memory: ${MEMORY_MIB} MiB available; request bodies may use 102 MiB`);
  let refused = 0;
  const send = async (account: string) => {
    const response = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${clientKey(account)}`, 'content-type': 'application/json' },
      body: PROMPT,
    });
    if (response.status === 429) refused += 1;
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
  };
  const answers = Array.from({ length: PROMPTS }, (_, index) => send(index % 2 === 0 ? 'acme' : 'beta'));
  await until('every prompt has reached the upstream or is refused', () => upstream.held() + refused === PROMPTS);
  expect(upstream.held()).toBeGreaterThanOrEqual(2);
  upstream.release();
  for (const { status, retryAfter, body } of await Promise.all(answers)) {
    if (status === 200) continue;
    expect({ status, retryAfter, body }).toMatchObject({
      status: 429,
      retryAfter: '1',
      body: { error: { code: 'rate_limit_exceeded', retry_after: 1 } },
    });
  }
  expect(memoryOf(gateway.pid).most).toBeLessThan(MEMORY_MIB * 1024 ** 2);
  expect(await send('acme')).toMatchObject({ status: 200 });
}, 600_000);

/** Holds every request until it is released, without keeping the bodies. */
function startSlowUpstream() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      // The gateway probes which server this is.
      if (request.method !== 'POST') return new Response(null, { status: 404 });
      for await (const _piece of request.body ?? []);
      held += 1;
      await released;
      const message = { role: 'assistant', content: 'Done.' };
      const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ id: 'x', object: 'chat.completion', created: 1, model: 'm', choices, usage });
    },
  });
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  return { baseUrl, held: () => held, release, stop: () => void server.stop(true) };
}

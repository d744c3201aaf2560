import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatAnswer, type FakeUpstream, refusal, startUpstream } from '../../conformance/first-light/upstream.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { examplesOf } from '../guides/examples.ts';
import { Bed, chatBody, MANAGEMENT_TOKEN } from './bed.ts';

/* The commands of docs/slow-request.md, one after the other in one shell, about a request that a channel has failed first. */

const PAGE = 'slow-request';
const EXAMPLES = examplesOf(PAGE, readFileSync(join(PROJECT, 'docs', `${PAGE}.md`), 'utf8'));
const CLIENT_ID = 'order-4711';
const MARK = '--- next example ---';

let bed: Bed;
let failing: FakeUpstream;
let outputs: readonly string[];

beforeAll(async () => {
  failing = startUpstream(() => refusal(503, 'overloaded'));
  const first = { id: 'first', provider: 'openai-compatible', base_url: failing.baseUrl, api_key: 'k', priority: -1 };
  bed = await Bed.start({
    channels: [{ ...first, models: ['gpt-demo'] }],
    models: [{ id: 'gpt-demo', category: 'chat', pricing: { input_per_1m: '1', output_per_1m: '2' } }],
    mainModels: { 'gpt-demo': 'gpt-demo' },
    answer: (request) => {
      const answer = chatAnswer(request);
      answer.headers.set('x-request-id', 'upstream-4711');
      return answer;
    },
  });
  const answer = await bed.send('/v1/chat/completions', chatBody({ model: 'gpt-demo', stream: true }), {
    'x-request-id': CLIENT_ID,
  });
  expect(answer.status).toBe(200);
  await answer.text();
  await bed.untilLogged(answer);
  const script = EXAMPLES.map(({ code }) => `${code}\necho '${MARK}'`).join('\n');
  const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', script], {
    cwd: bed.space.folder,
    env: { PATH: process.env.PATH ?? '', SWITCHYARD_URL: bed.serving.origin, SWITCHYARD_TOKEN: MANAGEMENT_TOKEN },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  outputs = output.split(`${MARK}\n`);
});
afterAll(async () => {
  await bed?.remove();
  await failing?.stop();
});

for (const [place, { line, expected }] of EXAMPLES.entries()) {
  test(`${PAGE}.md:${line} prints what it says`, () => {
    for (const text of expected) expect(outputs[place]).toContain(text);
  });
}

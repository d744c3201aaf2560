import { afterAll, beforeAll, expect, test } from 'bun:test';
import { channelTo, chunk, type FakeUpstream, startUpstream } from '../../conformance/first-light/upstream.ts';
import { until } from '../../conformance/shared/until.ts';
import { DashboardScene, ok, type Person, type Window } from './scene.ts';

/* Captured requests and streams are shown as conversations, in the client's format. */

const ACCOUNT = 'acme';
const MODEL = 'house-chat';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ASKED = 'What is <b>this</b>?';
const REASONING = 'A pixel, I think.';
const ANSWER = 'It is a pixel.';

let upstream: FakeUpstream;
let scene: DashboardScene;
let owner: Person;
let window: Window;
let key: string;

beforeAll(async () => {
  upstream = startUpstream(({ model }) => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'measure', arguments: '{"size"' } };
    const events = [
      chunk(model, { role: 'assistant', reasoning_content: REASONING }),
      chunk(model, { content: ANSWER.slice(0, 5) }),
      chunk(model, { content: ANSWER.slice(5) }),
      chunk(model, { tool_calls: [call] }),
      chunk(model, { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
      chunk(model, {}, 'tool_calls'),
      'data: [DONE]\n\n',
    ];
    return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
  });
  scene = await DashboardScene.open({
    configuration: {
      channels: [channelTo(upstream, { models: { [MODEL]: MODEL } })],
      models: [{ id: MODEL, pricing: { input_per_1m: '1', output_per_1m: '2' } }],
    },
  });
  const operator = await scene.operator();
  ({ owner, key } = await scene.ownerWithKey(operator, ACCOUNT));
  ok(await operator.script.ask(0, `PATCH /accounts/${ACCOUNT}`, { capture: 'full' }));
  window = await scene.window(owner, { path: `/app/a/${ACCOUNT}/requests` });
});
afterAll(async () => {
  await scene?.close();
  await upstream?.stop();
});

/** Sends a request, and resolves to its id when its details can be read. */
async function send(path: string, body: object): Promise<string> {
  const answer = await fetch(scene.origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.text();
  const id = answer.headers.get('x-request-id') ?? '';
  const isLogged = async () => (await owner.script.ask(0, `GET /requests/${id}?account_id=${ACCOUNT}`)).status === 200;
  await until('the request is in the log', isLogged);
  return id;
}

const tool = { name: 'measure', parameters: { type: 'object' } };

const REQUESTS: Readonly<Record<string, readonly [path: string, body: object]>> = {
  'openai-chat': [
    '/v1/chat/completions',
    {
      ...{ model: MODEL, stream: true, tools: [{ type: 'function', function: tool }] },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
            { type: 'text', text: ASKED },
          ],
        },
      ],
    },
  ],
  responses: [
    '/v1/responses',
    {
      ...{ model: MODEL, stream: true, store: false, tools: [{ type: 'function', ...tool }] },
      reasoning: { effort: 'low', summary: 'auto' },
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` },
            { type: 'input_text', text: ASKED },
          ],
        },
      ],
    },
  ],
  messages: [
    '/v1/messages',
    {
      ...{
        model: MODEL,
        stream: true,
        max_tokens: 2_000,
        tools: [{ name: 'measure', input_schema: { type: 'object' } }],
      },
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
            { type: 'text', text: ASKED },
          ],
        },
      ],
    },
  ],
  gemini: [
    `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    {
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }, { text: ASKED }] }],
      tools: [{ functionDeclarations: [tool] }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    },
  ],
};

test.each(Object.keys(REQUESTS))('a stream of %s is shown as a conversation, and as it was sent', async (format) => {
  const [path = '', body = {}] = REQUESTS[format] ?? [];
  const id = await send(path, body);
  await window.anew(`/app/a/${ACCOUNT}/requests?id=${id}`);
  const { page } = window;
  const sheet = page.getByRole('dialog', { name: 'Request' });
  await sheet.getByRole('button', { name: 'Show prompt & response' }).click();
  const conversation = sheet.getByRole('tabpanel');
  await conversation.getByText(ASKED, { exact: true }).waitFor();
  await conversation.getByText('User', { exact: true }).waitFor();
  await conversation.getByText(ANSWER, { exact: true }).waitFor();
  await conversation.getByText('Tool call').locator('visible=true').first().waitFor();
  await conversation.getByText('measure', { exact: true }).locator('visible=true').first().waitFor();
  await conversation.getByText('"size": 1').waitFor();
  await conversation.getByRole('button', { name: 'Reasoning' }).click();
  await conversation.getByText(REASONING, { exact: true }).waitFor();
  const picture = conversation.getByRole('img', { name: 'Image (image/png)' });
  expect(await picture.getAttribute('src')).toBe(`data:image/png;base64,${PIXEL}`);
  // All formats are shown with the same elements. This one has all of them, also the list of what was lost in translation.
  if (format === 'gemini') await window.expectSound();
  expect(window.problems).toEqual([]);

  await sheet.getByRole('tab', { name: 'Raw' }).click();
  await sheet.getByText('data: {').first().waitFor();
});

test('a picture elsewhere is named and not loaded', async () => {
  const url = 'https://tracker.invalid/pixel.png';
  const content = [
    { type: 'image_url', image_url: { url } },
    { type: 'text', text: `<img src="${url}">` },
  ];
  const id = await send('/v1/chat/completions', { model: MODEL, messages: [{ role: 'user', content }] });
  const { page } = window;
  await page.setViewportSize({ width: 360, height: 900 });
  await window.anew(`/app/a/${ACCOUNT}/requests?id=${id}`);
  const sheet = page.getByRole('dialog', { name: 'Request' });
  await sheet.getByRole('button', { name: 'Show prompt & response' }).click();
  await sheet.getByText(`Image, not shown: ${url}`).waitFor();
  await sheet.getByText(`<img src="${url}">`, { exact: true }).waitFor();
  expect(await sheet.getByRole('img').count()).toBe(0);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  await window.expectSound();
});

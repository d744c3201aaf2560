import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  channelTo,
  chunk,
  type FakeUpstream,
  type ReceivedRequest,
  startUpstream,
} from '../../conformance/first-light/upstream.ts';
import { asObject } from '../../conformance/shared/json.ts';
import { pngOf } from '../../conformance/shared/png.ts';
import { until } from '../../conformance/shared/until.ts';
import { wave } from '../../conformance/transcripts/bed.ts';
import { DashboardScene, ok, type Person, type Window } from './scene.ts';

/* The playground: what a person sends, and what the server then has recorded. */

/** Model output that a page must not run, load or follow. */
const EVIL = [
  '<img src="https://evil.example.com/x.png" onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  '[press](javascript:document.title="owned") ![seen](https://evil.example.com/pixel.png)',
  '<iframe src="https://evil.example.com"></iframe>',
  '**bold** `code` [web](https://example.com/page)',
  '```html\n<b onclick="document.title=1">x</b>\n```',
].join('\n\n');

/** A model id with characters that must be escaped in a URL. */
const ODD = 'house/odd?a=1#b%41:chat';

let scene: DashboardScene;
let upstream: FakeUpstream;
let operator: Person;
let window: Window;
/** The number of requests to the slow model that were aborted by the gateway. */
let ended = 0;

function answer({ model, signal }: ReceivedRequest): Response {
  if (model === 'busy-chat')
    return Response.json({ error: { message: 'Too many.' } }, { status: 429, headers: { 'retry-after': '60' } });
  if (model === 'slow-chat') signal.addEventListener('abort', () => ended++);
  const body = new ReadableStream<string>({
    async start(controller) {
      controller.enqueue(chunk(model, { content: model === 'evil-chat' ? EVIL : 'It begins. ' }));
      if (model === 'slow-chat') return;
      controller.enqueue(chunk(model, {}, 'stop'));
      controller.enqueue('data: [DONE]\n\n');
      controller.close();
    },
  });
  return new Response(body.pipeThrough(new TextEncoderStream()), { headers: { 'content-type': 'text/event-stream' } });
}

beforeAll(async () => {
  upstream = startUpstream(answer);
  const names = ['evil-chat', 'slow-chat', 'busy-chat', ODD];
  const free = { input_per_1m: '0', output_per_1m: '0' };
  scene = await DashboardScene.open({
    configuration: {
      sandbox: true,
      tasks: { poll_interval_ms: 50 },
      channels: [channelTo(upstream, { models: Object.fromEntries(names.map((name) => [name, name])) })],
      models: names.map((id) => ({ id, pricing: free })),
    },
  });
  operator = await scene.operator();
  window = await scene.window(operator);
});

afterAll(async () => {
  await scene?.close();
  await upstream?.stop();
});

/** Opens the operator's playground without a conversation. */
async function playground(search = '') {
  await window.anew(`/app/a/default/playground${search}`);
  return { window, page: window.page };
}

async function say(page: Page, prompt: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(prompt);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

type Logged = Readonly<Record<string, unknown>>;

/** Waits until the latest logged requests of the account satisfy `isMeant`. Resolves to them, newest first. */
async function logged(count: number, isMeant: (requests: readonly Logged[]) => boolean): Promise<readonly Logged[]> {
  let requests: readonly Logged[] = [];
  await until('the requests are in the log', async () => {
    const { json } = ok(await operator.script.ask(0, `GET /requests?account_id=default&limit=${count}`));
    requests = (json.data as object[]).map((one) => asObject(one));
    return requests.length === count && isMeant(requests);
  });
  return requests;
}

/** Waits for requests to these models in any order. */
function loggedOf(models: readonly string[]): Promise<readonly Logged[]> {
  const sorted = (names: readonly unknown[]) => names.map(String).sort().join();
  return logged(models.length, (requests) => sorted(requests.map(({ model }) => model)) === sorted(models));
}

test('a conversation streams, is logged under the playground key, survives a reload, and can be reset', async () => {
  const { window, page } = await playground('?model=sandbox-reasoning');
  await say(page, 'Hello there.');
  const article = page.getByRole('article', { name: 'Response from sandbox-reasoning' });
  await article.getByText('You said: "Hello there."').waitFor();
  await article.getByRole('button', { name: 'Reasoning' }).click();
  await article.getByText('Synthetic reasoning').waitFor();
  await article.getByText('$0.00').waitFor();
  const [request] = await loggedOf(['sandbox-reasoning']);
  expect(request).toMatchObject({ key: 'playground', model: 'sandbox-reasoning', stream: true, status: 200 });
  expect(await article.getByRole('link', { name: 'Details' }).getAttribute('href')).toBe(
    `/app/a/default/requests?id=${request?.id}`,
  );
  await window.expectSound();

  await say(page, 'And again.');
  await page.getByText('You said: "And again."').waitFor();
  await page.reload();
  await page.getByText('You said: "Hello there."').waitFor();
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await page.getByText('Start a conversation').waitFor();
  await page.reload();
  await page.getByText('Start a conversation').waitFor();
  expect(window.problems).toEqual([]);
});

test('a tool is called and the model continues with the typed result, in each of the four formats', async () => {
  for (const format of ['openai-chat', 'responses', 'messages', 'gemini']) {
    const { window, page } = await playground(`?model=sandbox-reasoning&format=${format}`);
    await page.getByRole('button', { name: 'Tools' }).click();
    await page.getByRole('button', { name: 'Use an example' }).first().click();
    await page.getByLabel('Reasoning effort').click();
    await page.getByRole('option', { name: 'Low' }).click();
    await say(page, 'get_weather({"city": "Paris"})');
    await page.getByText('{ "city": "Paris" }', { exact: true }).waitFor();
    await page.getByLabel('Result of get_weather').fill('21 degrees and sunny');
    await page.getByRole('button', { name: 'Send results' }).click();
    const last = page.getByRole('article').last();
    await last.getByText(/21 degrees and sunny/).waitFor();
    await last.getByText('Details').waitFor();
    expect({ format, problems: window.problems }).toEqual({ format, problems: [] });
  }
  await logged(8, (requests) => new Set(requests.map(({ format }) => format)).size === 4);
});

test('two models answer the same prompt side by side', async () => {
  const { window, page } = await playground('?model=sandbox-chat');
  await page.getByRole('switch', { name: 'Compare two models' }).click();
  await page.getByRole('combobox', { name: 'Model 2' }).fill('sandbox-rea');
  await page.getByRole('option', { name: 'sandbox-reasoning' }).click();
  await page.waitForURL(/model2=sandbox-reasoning/);
  await say(page, 'Which is better?');
  for (const [side, model] of [
    ['Model 1', 'sandbox-chat'],
    ['Model 2', 'sandbox-reasoning'],
  ] as const) {
    const article = page.getByRole('region', { name: side }).getByRole('article', { name: `Response from ${model}` });
    await article.getByText(/You said/).waitFor();
    await article.getByText('$0.00').waitFor();
  }
  await loggedOf(['sandbox-chat', 'sandbox-reasoning']);
  await window.expectSound();
});

test('a model id with URL characters works in the format that has it in the path, and in the copied code', async () => {
  const { window, page } = await playground(`?format=gemini&model=${encodeURIComponent(ODD)}`);
  await say(page, 'Who are you?');
  await page
    .getByRole('article', { name: `Response from ${ODD}` })
    .getByText('It begins.')
    .waitFor();
  const [request] = await loggedOf([ODD]);
  expect(request).toMatchObject({ model: ODD, format: 'gemini', status: 200 });
  expect(window.problems).toEqual([]);
});

test('model output is never run, loaded or followed', async () => {
  const { window, page } = await playground('?model=evil-chat');
  page.on('dialog', () => window.problems.push('a dialog'));
  await say(page, 'Be evil.');
  const article = page.getByRole('article');
  await article.getByText('Details').waitFor();
  expect(await article.locator('strong').allTextContents()).toEqual(['bold']);
  expect(await article.locator('script, iframe, img, object, embed, style, [onerror], [onclick]').count()).toBe(0);
  const shown = await article.getByRole('link').all();
  const links = await Promise.all(shown.map(async (link) => (await link.getAttribute('href')) ?? ''));
  expect(links.filter((href) => !/^(?:https:|\/app\/)/.test(href))).toEqual([]);
  expect(await page.title()).toBe('Playground · Switchyard');
  await window.expectSound();
});

test('stopping aborts the upstream request and keeps the text received so far', async () => {
  const { window, page } = await playground('?model=slow-chat');
  const before = ended;
  await say(page, 'Take your time.');
  await page.getByText('It begins.').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped').waitFor();
  await page.getByText('It begins.').waitFor();
  await until('the upstream request has ended', () => ended === before + 1);
  expect(window.problems).toEqual([]);
});

async function tab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
}

async function run(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('link', { name: 'Details' }).first().waitFor();
}

test('images, speech, transcripts, vectors, rankings and moderations are made and shown', async () => {
  const { window, page } = await playground();
  await tab(page, 'Images');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Required', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('a red fox');
  await run(page);
  const picture = page.getByRole('img', { name: 'a red fox' });
  await until('the image is shown', () => picture.evaluate((image: any) => image.naturalWidth > 0));
  await window.expectSound();

  await tab(page, 'Speech');
  await page.getByRole('textbox', { name: 'Text' }).fill('Hello there, my friend.');
  await run(page);
  const sound = page.locator('audio');
  await until('the sound can be played', () => sound.evaluate((audio: any) => audio.duration > 0.5));

  await tab(page, 'Transcription');
  const file = { name: 'talk.wav', mimeType: 'audio/wav', buffer: Buffer.from(wave(3)) };
  await page.getByLabel('Audio file').setInputFiles(file);
  await run(page);
  await page.getByText('This is a synthetic transcript.').waitFor();

  await tab(page, 'Embeddings');
  await page.getByRole('textbox', { name: 'Text' }).fill('a red fox\na red fox\nmoney');
  await run(page);
  const row = page.getByRole('row', { name: /1\. a red fox/ });
  expect(await row.getByRole('cell').allTextContents()).toEqual(['1.000', '1.000', '0.000']);

  await tab(page, 'Rerank');
  await page.getByRole('textbox', { name: 'Query' }).fill('a fox');
  await page.getByRole('textbox', { name: 'Documents' }).fill('the dog\nthe fox');
  await run(page);
  await page.getByRole('listitem').filter({ hasText: 'the fox' }).first().waitFor();

  await tab(page, 'Moderation');
  await page.getByRole('textbox', { name: 'Text' }).fill('nice');
  await run(page);
  await page.getByText('Not flagged').waitFor();
  await window.expectSound();
  await logged(6, (requests) => new Set(requests.map(({ model }) => model)).size === 6);
});

test('a video and a 3D model are made by tasks, followed, and shown', async () => {
  const { window, page } = await playground('?tab=video');
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('a fox in the snow');
  await run(page);
  const video = page.locator('video');
  await until('the video can be played', () => video.evaluate((one: any) => one.readyState > 0));

  await tab(page, '3D');
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('a cube');
  await run(page);
  await page.locator('canvas[tabindex="0"]').or(page.getByText('This model can’t be previewed.')).waitFor();
  const tasks = ok(await operator.script.ask(0, 'GET /tasks?account_id=default')).json.data as object[];
  expect(tasks.map((task) => asObject(task).status)).toEqual(['completed', 'completed']);
  expect(window.problems).toEqual([]);
});

test('another key can be chosen, and a revoked playground key is replaced on request', async () => {
  const made = ok(
    await operator.script.ask(0, 'POST /keys?account_id=default', { id: 'narrow', models: ['sandbox-chat'] }),
  );
  expect(made.json.id).toBe('narrow');
  ok(await operator.script.ask(0, 'POST /playground-key?account_id=default'));
  ok(await operator.script.ask(0, 'DELETE /keys/playground?account_id=default'));
  const { window, page } = await playground('?model=sandbox-chat');
  await page.getByRole('button', { name: 'Create a new playground key' }).click();
  await say(page, 'With the new one.');
  await page.getByRole('link', { name: 'Details' }).waitFor();
  await page.getByRole('combobox', { name: 'Key' }).click();
  await page.getByRole('option', { name: 'narrow' }).click();
  await page.waitForURL(/key=narrow/);
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await say(page, 'With my own.');
  await page.getByRole('link', { name: 'Details' }).waitFor();
  await logged(2, (requests) => requests.map(({ key }) => key).join() === 'narrow,playground-2');
  expect(window.problems).toEqual([]);
});

test('a viewer is told why the playground is not available', async () => {
  const viewer = await scene.member(operator, 'readers', 'viewer');
  const { page } = await scene.window(viewer, { path: '/app/a/readers/playground' });
  await page.getByText('Viewers can’t send requests.').waitFor();
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
});

test('an image is edited where its mask is transparent, and a generated song can be played', async () => {
  const { window, page } = await playground('?tab=images&operation=images.edits');
  const file = (name: string) => ({
    ...{ name, mimeType: 'image/png', buffer: pngOf({ width: 64, height: 64, alpha: true }) },
  });
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('a red hat');
  await page.locator('input[type=file]').first().setInputFiles(file('picture.png'));
  await page.locator('input[type=file]').nth(1).setInputFiles(file('mask.png'));
  await run(page);
  const picture = page.getByRole('img', { name: 'a red hat' });
  await until('the image is shown', () => picture.evaluate((image: any) => image.naturalWidth > 0));

  expect(window.problems).toEqual([]);

  await playground('?tab=music&model=sandbox-music');
  await page.getByRole('textbox', { name: /^Prompt/ }).fill('a slow waltz');
  await run(page);
  const song = page.locator('audio').first();
  await until('the song can be played', () => song.evaluate((audio: any) => audio.duration > 0.5));
  expect(window.problems).toEqual([]);
});

test('a refusal is shown in the gateway’s words, with a countdown to the next attempt', async () => {
  // The last test: the window keeps this clock.
  await window.page.clock.install();
  const { page } = await playground('?model=busy-chat');
  await say(page, 'Now.');
  const alert = page.getByRole('alert');
  await alert.getByText(/req_/).waitFor();
  await alert.getByRole('button', { name: /Try again in \d+ s/ }).waitFor();
  await page.clock.fastForward(60_000);
  await alert.getByRole('button', { name: 'Try again', exact: true }).waitFor();
});

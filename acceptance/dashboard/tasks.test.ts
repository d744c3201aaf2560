import { afterAll, beforeAll, expect, test } from 'bun:test';
import { until } from '../../conformance/shared/until.ts';
import { PersonalWindows } from './personal-windows.ts';
import { DashboardScene, ok, type Person } from './scene.ts';

/* Tasks and batches as their account follows them, and as operators manage them; and guards, which share the gateway. */

let scene: DashboardScene;
let operator: Person;
let owner: Person;
let key: string;

beforeAll(async () => {
  scene = await DashboardScene.open({ configuration: { sandbox: true } });
  operator = await scene.operator();
  ({ owner, key } = await scene.ownerWithKey(operator, 'studio'));
});
afterAll(async () => scene?.close());

async function make(path: string, body: object): Promise<string> {
  const answer = await fetch(`${scene.serving.baseUrl}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'a quiet harbour', ...body }),
  });
  const { id } = (await answer.json()) as { id: string };
  return id;
}

const windows = new PersonalWindows();
const show = (person: Person, path: string, width?: number) => windows.show(scene, person, path, width);

const told = async (id: string) => (await owner.script.ask(0, `GET /tasks/${id}`)).json;

test('a video, a song and a 3D model can be played or viewed as soon as they are finished', async () => {
  const window = await show(owner, '/app/a/studio/tasks');
  await window.settled();
  const video = await make('videos/generations', { model: 'sandbox-video', provider_options: { delay_ms: 2_000 } });
  const song = await make('music/generations', { model: 'sandbox-music', provider_options: { delay_ms: 0 } });
  const model = await make('3d/generations', { model: 'sandbox-3d', provider_options: { delay_ms: 0 } });
  const failed = await make('videos/generations', {
    model: 'sandbox-video',
    provider_options: { delay_ms: 1, outcome: 'failed' },
  });
  const { page } = window;
  await window.go(`/app/a/studio/tasks?id=${video}`);
  const sheet = page.getByRole('dialog', { name: 'Task' });
  await sheet.locator('video').waitFor();
  await until('the video can be played', () =>
    page.evaluate<boolean>("document.querySelector('[role=dialog] video').readyState > 0"),
  );
  expect((await told(video)).status).toBe('completed');
  const download = await sheet.getByRole('link', { name: /Download/ }).getAttribute('href');
  expect((await fetch(download ?? '')).headers.get('content-type')).toBe('video/mp4');
  await window.expectSound();

  for (const [id, selector] of [
    [song, 'audio'],
    [model, 'canvas'],
  ] as const) {
    await until('the task is completed', async () => (await told(id)).status === 'completed');
    await window.go(`/app/a/studio/tasks?id=${id}`);
    await sheet.locator(selector).first().waitFor();
  }
  await until('the other task has failed', async () => (await told(failed)).status === 'failed');
  await window.fresh(`/app/a/studio/tasks?id=${failed}`);
  await sheet.getByRole('heading', { name: 'Timeline' }).waitFor();
  await sheet.getByText(String((await told(failed)).error)).waitFor();
  await page.keyboard.press('Escape');
  const rows = page.getByRole('table', { name: 'Tasks' }).getByRole('button');
  await until('all four tasks are listed', async () => (await rows.count()) === 4);
  await page.getByRole('radio', { name: '3D model' }).click();
  await page.waitForURL('**/tasks?kind=3d');
  await until('only the 3D task is listed', async () => (await rows.count()) === 1);
  await page.getByRole('cell', { name: 'reader' }).waitFor();
  await window.expectSound();

  await page.getByRole('radio', { name: 'All', exact: true }).last().click();
  await page.getByRole('radio', { name: 'Gallery' }).click();
  await page.waitForURL('**/tasks?view=gallery');
  const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
  await until('the three results are shown', async () => (await results.count()) === 3);
  expect([await results.locator('video').count(), await results.locator('audio').count()]).toEqual([1, 1]);
  await window.expectSound();
  await results
    .filter({ has: page.locator('audio') })
    .getByRole('button')
    .click();
  await sheet.locator('audio').waitFor();
});

test('owners see the prompt of a task if it was captured, operators on request, and others not at all', async () => {
  const delay = { model: 'sandbox-video', provider_options: { delay_ms: 0 } };
  const before = await make('videos/generations', delay);
  ok(await operator.script.ask(0, 'PATCH /accounts/studio', { capture: 'full' }));
  const id = await make('videos/generations', { ...delay, prompt: `a lighthouse ${'in the fog '.repeat(100)}` });
  ok(await operator.script.ask(0, 'PATCH /accounts/studio', { capture: 'none' }));
  const window = await show(owner, `/app/a/studio/tasks?id=${id}`);
  await window.page.getByText(/^a lighthouse in the fog .*Open the request for the whole prompt\.$/).waitFor();
  await window.expectSound();
  await window.go(`/app/a/studio/tasks?id=${before}`);
  await window.page.getByText(/^Not kept: prompt logging was off/).waitFor();

  const root = await show(operator, `/app/a/studio/tasks?id=${id}`);
  await root.page.getByText('Opening it is recorded in the audit log.').waitFor();
  expect(await root.page.getByText(/a lighthouse/).count()).toBe(0);
  await root.page.getByRole('button', { name: 'Show prompt' }).click();
  await root.page.getByText(/a lighthouse in the fog/).waitFor();
  const audit = ok(await operator.script.ask(0, 'GET /audit?action=capture.read')).json;
  expect(audit.data).toMatchObject([{ account: 'studio' }]);

  const member = await scene.member(operator, 'studio', 'member');
  const other = await scene.window(member, { path: `/app/a/studio/tasks?id=${id}` });
  await other.page.getByText('Only account owners can see prompts.').waitFor();
  expect(await other.page.getByText(/a lighthouse/).count()).toBe(0);
});

test('an operator ends a task that the provider lost, and its account sees why', async () => {
  const lost = await make('videos/generations', { model: 'sandbox-video', provider_options: { outcome: 'never' } });
  await until('the task is submitted', async () => (await told(lost)).stage === 'submitted');
  const window = await show(operator, `/app/operator/tasks?state=open&id=${lost}`, 360);
  const { page } = window;
  await page.getByText('For admins').waitFor();
  await page.getByRole('button', { name: 'Refresh status' }).click();
  await page.getByText('Refreshing…').waitFor();
  await page.getByRole('button', { name: 'Mark as failed' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByLabel('Reason').fill('The provider has lost it.');
  await window.expectSound();
  await question.getByRole('button', { name: 'Mark as failed' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await told(lost)).toMatchObject({ status: 'failed', error: 'The provider has lost it.' });

  const own = await scene.window(owner, { path: `/app/a/studio/tasks?id=${lost}`, locale: 'zh-CN' });
  await own.page.getByText('The provider has lost it.').waitFor();
  expect(await own.page.getByText('管理员信息').count()).toBe(0);
  await own.expectSound();
});

async function makeBatch(lines: readonly string[]): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new File([lines.join('\n')], 'requests.jsonl'));
  const uploaded = await fetch(`${scene.serving.baseUrl}/files`, { method: 'POST', headers, body: form });
  const { id: input_file_id } = (await uploaded.json()) as { id: string };
  const made = await fetch(`${scene.serving.baseUrl}/batches`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h' }),
  });
  return ((await made.json()) as { id: string }).id;
}

const lineOf = (custom_id: string, model: string) =>
  JSON.stringify({
    ...{ custom_id, method: 'POST', url: '/v1/chat/completions' },
    body: { model, messages: [{ role: 'user', content: 'Hello!' }] },
  });

test('a batch shows its lines, its requests and its files, and why an input was refused', async () => {
  const empty = await show(owner, '/app/a/studio/batches');
  await empty.page.getByText('No batches yet').waitFor();
  await empty.page.getByText('purpose=batch').waitFor();
  const id = await makeBatch([lineOf('a', 'sandbox-chat'), lineOf('b', 'none-such')]);
  const refused = await makeBatch(['no JSON']);
  const stageOf = async (one: string) => ok(await owner.script.ask(0, `GET /batches/${one}`)).json.stage;
  await until('the batch is completed', async () => (await stageOf(id)) === 'completed');
  await until('the input is refused', async () => (await stageOf(refused)) === 'failed');

  await empty.fresh(`/app/a/studio/batches?id=${id}`);
  const sheet = empty.page.getByRole('dialog', { name: 'Batch' });
  const facts = sheet.locator('dl').first();
  await facts.getByText('Succeeded').waitFor();
  expect(await facts.locator('dd').allTextContents()).toEqual(['2', '1', '1']);
  await empty.expectSound();
  const output = await sheet.getByRole('link', { name: 'Download results' }).getAttribute('href');
  const read = await empty.page.evaluate<string>(`fetch(${JSON.stringify(output)}).then((answer) => answer.text())`);
  expect(JSON.parse(read)).toMatchObject({ custom_id: 'a', response: { status_code: 200 } });
  await sheet.getByRole('link', { name: 'View requests' }).click();
  await empty.page.waitForURL(`**/requests?batch=${id}`);
  await empty.page.getByText('sandbox-chat').first().waitFor();

  await empty.fresh(`/app/a/studio/batches?tab=files&purpose=batch`);
  await empty.page.getByText('requests.jsonl').first().click();
  await empty.page.getByRole('button', { name: 'Delete file' }).click();
  await empty.page.getByRole('alertdialog').getByRole('button', { name: 'Delete file' }).click();
  await empty.page.getByText('File deleted').first().waitFor();
  const files = ok(await owner.script.ask(0, 'GET /files?purpose=batch')).json.data as readonly unknown[];
  expect(files.length).toBe(1);

  const root = await show(operator, `/app/operator/batches?id=${refused}`, 360);
  await root.page.getByText('The input file was rejected').waitFor();
  await root.page.getByText('invalid_json_line').waitFor();
  await root.page.getByText('studio').first().waitFor();
  await root.expectSound();
});

test('an operator creates, tries and deletes a guard, and the form names a wrong pattern', async () => {
  const window = await show(operator, '/app/operator/guards');
  const { page } = window;
  await page.getByRole('button', { name: 'Create guard' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create guard' });
  await dialog.getByLabel('ID', { exact: false }).first().fill('privacy');
  await dialog.getByRole('combobox', { name: 'Email addresses' }).click();
  await page.getByRole('option', { name: 'Mask' }).click();
  await dialog.getByRole('button', { name: 'Add pattern' }).click();
  await dialog.getByLabel('Rule name').fill('ticket');
  await dialog.getByRole('textbox', { name: /^Pattern/ }).fill('(?=a)');
  await dialog.getByRole('button', { name: 'Create guard' }).click();
  await until('the pattern is refused', async () =>
    page.evaluate<boolean>(
      `document.querySelector('[name="patterns.0.pattern"]').getAttribute('aria-invalid') === 'true'`,
    ),
  );
  await window.expectSound();
  await dialog.getByRole('textbox', { name: /^Pattern/ }).fill('TCK-\\d{6}');
  await dialog.getByRole('button', { name: 'Create guard' }).click();
  await page.getByText('“privacy” created').first().waitFor();

  await page.getByRole('button', { name: 'privacy' }).first().click();
  const sheet = page.getByRole('dialog', { name: 'privacy' });
  await sheet.getByRole('textbox', { name: 'Text' }).fill('Ask ada@example.com');
  await sheet.getByRole('button', { name: 'Try' }).click();
  await sheet.getByText('Ask [EMAIL_1]').waitFor();
  await window.expectSound();
  await ok(await operator.script.ask(0, 'PATCH /accounts/studio', { guards: ['privacy'] }));
  await sheet.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Delete' }).click();
  await question.getByText(/still named by the account "studio"/).waitFor();
  await ok(await operator.script.ask(0, 'PATCH /accounts/studio', { guards: [] }));
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No guards yet').waitFor();
});

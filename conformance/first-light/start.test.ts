import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import OpenAI from 'openai';
import { chatBody, verdict } from '../shared/answer.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';
import { ANSWER_TEXT, accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

/** Sends the printed curl request, with changes to its body. */
async function sendCurlLine(serving: Serving, change: object = {}): Promise<Response> {
  const printed = / curl (\S+) -H 'Authorization: (Bearer \S+)' -H 'Content-Type: application\/json' -d '(.*)'$/;
  const [, url = '', authorization = '', data = ''] = printed.exec(serving.curlLine) ?? [];
  const body = { ...asObject(parseJson(data.replaceAll("'\\''", "'"))), ...change };
  const headers = { authorization, 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Expects one line of text without a stack trace. */
function expectOneLine(stderr: string): void {
  expect(stderr).toMatch(/^switchyard: [^\n]+\n$/);
}

describe('the first start, in an empty folder', () => {
  let space: Workspace;
  let serving: Serving;
  let key: string;

  const start = (env: Record<string, string> = {}) => space.serve({ env });

  beforeAll(async () => {
    space = await Workspace.create();
    serving = await start();
    key = serving.firstKey ?? '';
  });

  afterAll(() => space.remove());

  test('prints a key once, with a curl command', () => {
    expect(key).toMatch(/^sk-[0-9A-Za-z]{32,}$/);
    expect(serving.stdout.split('\n').filter((line) => line.trim() === key)).toHaveLength(1);
    expect(serving.curlLine).toContain(`Bearer ${key}`);
    expect(serving.channels).toBe('local, sandbox');
    expect(serving.stdout).not.toContain('"level"');
    expect(serving.stderr).toBe('');
  });

  test('prints a curl command that works: a labelled synthetic response with usage', async () => {
    const response = await sendCurlLine(serving);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const answer = asObject(await response.json());
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'sandbox-chat' });
    expect(JSON.stringify(answer.choices)).toContain('synthetic');
    const { prompt_tokens, completion_tokens, total_tokens } = asObject(answer.usage);
    expect(Number(prompt_tokens)).toBeGreaterThan(0);
    expect(Number(completion_tokens)).toBeGreaterThan(10);
    expect(total_tokens).toBe(Number(prompt_tokens) + Number(completion_tokens));
    expect(answer._routing).toMatchObject({ channel: { id: 'sandbox', provider: 'sandbox' }, retryCount: 0 });
  });

  test('prints a curl command that also works with `"stream": true`', async () => {
    const text = await (await sendCurlLine(serving, { stream: true })).text();
    expect(text).toMatch(/^data: \{/);
    expect(text).toMatch(/\ndata: \[DONE\]\n\n$/);
    const deltas = [...text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(([, json]) => parseJson(json ?? ''));
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.join('')).toContain('synthetic');
  });

  test('works with the openai SDK and that key', async () => {
    const client = new OpenAI({ baseURL: serving.baseUrl, apiKey: key, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hello!' }];
    const whole = await client.chat.completions.create({ model: 'sandbox-chat', messages });
    expect(whole.choices[0]?.message.content).toContain('synthetic');
    const stream = await client.chat.completions.create({
      model: 'sandbox-chat',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: unknown = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect({ text, usage }).toEqual({ text: whole.choices[0]?.message.content ?? '', usage: whole.usage });
  });

  test('makes the master secret and the database readable for their owner only', async () => {
    expect(((await stat(space.path('data', 'master-secret'))).mode & 0o777).toString(8)).toBe('600');
    expect(((await stat(space.database)).mode & 0o777).toString(8)).toBe('600');
  });

  test('leaves no key in the data folder', async () => {
    expect(await space.dataFilesWith(key)).toEqual([]);
    // The search itself can find a text.
    expect(await space.dataFilesWith('sandbox-chat')).not.toEqual([]);
  });

  test('a second start prints no key, and the first key still works', async () => {
    const keys = async () => (await space.run(['keys', 'list'])).stdout.split('\n').map((line) => line.split(/\s+/, 4));
    const keysBefore = await keys();
    await serving.stop();
    serving = await start();
    expect(serving.stdout).not.toContain('sk-');
    expect(serving.stdout).not.toContain('curl');
    expect((await serving.chat(key, chatBody('sandbox-chat'))).status).toBe(200);
    expect(await keys()).toEqual(keysBefore);
  });

  test('a provider key in the environment adds a channel and removes the sandbox; without it the sandbox returns', async () => {
    await serving.stop();
    const providerKey = 'sk-provider-key-that-must-stay-secret';
    serving = await start({ OPENAI_API_KEY: providerKey });
    expect(serving.channels).toBe('local, openai');
    expect(verdict(await serving.chat(key, chatBody('sandbox-chat')))).toBe(
      '404 invalid_request_error model_not_found',
    );
    expect(await space.dataFilesWith(providerKey)).toEqual([]);
    expect(serving.stdout + serving.stderr).not.toContain(providerKey);
    await serving.stop();
    expect(await space.dataFilesWith(providerKey)).toEqual([]);
    serving = await start();
    expect(serving.channels).toBe('local, sandbox');
    expect((await serving.chat(key, chatBody('sandbox-chat'))).status).toBe(200);
  });

  test('a local Ollama is detected and answers', async () => {
    const ollama = startUpstream(undefined, ['llama3.2:3b', 'qwen3:8b']);
    try {
      await serving.stop();
      serving = await start({ OLLAMA_HOST: ollama.host });
      expect(serving.channels).toBe('local, ollama');
      const answer = await serving.chat(key, chatBody('llama3.2:3b'));
      expect(answer.text).toContain(ANSWER_TEXT);
      expect(answer.json._routing).toMatchObject({ channel: { id: 'ollama', provider: 'ollama' } });
      expect(ollama.requests.map(({ model }) => model)).toEqual(['llama3.2:3b']);
    } finally {
      await ollama.stop();
    }
  });
});

describe('a configuration file', () => {
  let space: Workspace;
  const upstream = startUpstream();

  beforeAll(async () => {
    space = await Workspace.create();
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop();
  });

  const configuration = {
    channels: [channelTo(upstream, { api_key: 'the-secret-of-the-upstream', models: { alpha: 'real-alpha' } })],
    accounts: [accountWith('acme', [keyNamed('main')])],
  };

  test('is applied at the start: its channels and keys, no printed key, no sandbox', async () => {
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configuration);
    const serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
    expect([serving.channels, serving.firstKey]).toEqual(['main', null]);
    const answer = await serving.chat(clientKey('main'), chatBody('alpha'));
    expect(answer.json.model).toBe('alpha');
    const [received] = upstream.requests;
    expect([received?.model, received?.headers.get('authorization')]).toEqual([
      'real-alpha',
      'Bearer the-secret-of-the-upstream',
    ]);
    expect(await space.dataFilesWith('the-secret-of-the-upstream')).toEqual([]);
    expect(await space.dataFilesWith(clientKey('main'))).toEqual([]);
    await serving.stop();
  });

  test('without keys gets one printed, with a curl command for a model that this key can use', async () => {
    const SWITCHYARD_CONFIG = await space.write('keyless.yaml', {
      channels: [
        channelTo(upstream, { id: 'own', owner: 'acme', models: ['vault'] }),
        channelTo(upstream, { models: ['concealed', 'vectors', "anybody's"] }),
      ],
      models: [
        { id: 'concealed', status: 'hidden' },
        { id: 'vectors', category: 'embedding' },
      ],
      accounts: [accountWith('acme', [])],
    });
    const serving = await space.serve({ env: { SWITCHYARD_CONFIG, SWITCHYARD_DATA: space.path('keyless') } });
    const answer = await (await sendCurlLine(serving)).json();
    expect(answer).toMatchObject({ model: "anybody's", object: 'chat.completion' });
    await serving.stop();
  });

  test('with upstream keys needs the same master secret at the next start, as one line says', async () => {
    const { exitCode, stdout, stderr } = await space.run(['serve', '--port', '0'], {
      env: { SWITCHYARD_SECRET: 'another-secret-than-before' },
    });
    expect([exitCode, stdout]).toEqual([1, '']);
    expectOneLine(stderr);
    expect(stderr).toMatch(/master secret|SWITCHYARD_SECRET/);
  });

  test('with mistakes stops the start, and each is named by file, line and field', async () => {
    const file = await space.write(
      'wrong.yaml',
      [
        'channels:',
        '  - id: one',
        '    provider: opnai',
        '    models: [a]',
        'server:',
        '  max_body_bytes: lots',
        '',
      ].join('\n'),
    );
    const { exitCode, stdout, stderr } = await space.run(['serve', '--port', '0'], {
      env: { SWITCHYARD_CONFIG: file },
    });
    expect([exitCode, stdout]).toEqual([1, '']);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(`${file}:`, '').split(' ')[0]).sort()).toEqual(['3:', '6:']);
    expect(stderr).toContain('channels[0].provider');
    expect(stderr).toContain('server.max_body_bytes');
  });

  test('that does not exist stops the start with one line', async () => {
    const { exitCode, stderr } = await space.run(['serve', '--config', space.path('nothing.yaml'), '--port', '0']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^[^\n]*nothing\.yaml[^\n]+\n$/);
  });
});

describe('the reason for a failed start is one line', () => {
  let space: Workspace;

  beforeAll(async () => {
    space = await Workspace.create();
  });

  afterAll(() => space.remove());

  test('a broken database', async () => {
    await space.write('broken/switchyard.sqlite', 'This is no database. '.repeat(500));
    const { exitCode, stdout, stderr } = await space.run(['serve', '--port', '0', '--data', space.path('broken')]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expectOneLine(stderr);
    expect(stderr).toContain(space.path('broken', 'switchyard.sqlite'));
  });

  test('a database that breaks while the gateway runs ends the process with one line', async () => {
    const breaking = space.path(`breaking-${crypto.randomUUID()}`);
    const serving = await space.serve({ env: { SWITCHYARD_DATA: breaking } });
    const chats = async () => (await serving.chat(serving.firstKey ?? '', chatBody('sandbox-chat'))).status;
    // A key is looked up at its first use and stays in memory.
    expect(await chats()).toBe(200);
    for (const file of ['switchyard.sqlite', 'switchyard.sqlite-wal']) {
      await writeFile(path.join(breaking, file), 'Not what was here. '.repeat(5_000), { flag: 'r+' }).catch(() => {});
    }
    expect(await chats()).toBe(200);
    expect(await serving.exited).toBe(1);
    expectOneLine(serving.stderr);
    expect(serving.stderr).toContain('damaged');
  });

  test('an invalid data folder', async () => {
    const file = await space.write('file', 'no folder');
    const { exitCode, stdout, stderr } = await space.run(['serve', '--port', '0', '--data', file]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expectOneLine(stderr);
    expect(stderr).toContain('SWITCHYARD_DATA');
  });
});

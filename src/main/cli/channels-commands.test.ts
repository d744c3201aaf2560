import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import type { HealthRow } from '../../engine/ports/health-store.ts';
import type { Store } from '../../engine/ports/store.ts';
import { providers } from '../../providers/index.ts';
import { CommandFixture } from './testing/command-fixture.ts';

/** The sandbox counts tokens with a real tokenizer, which takes seconds to load on a busy machine. */
const TOKENIZER_LOAD_MS = 30_000;
const ENVIRONMENT = { SWITCHYARD_SECRET: 'a secret for tests alone' };

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  fixture.providers = providers;
});

afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.run(['channels', ...args], ENVIRONMENT);

const apply = async (text: string) => {
  const path = fixture.path('switchyard.yaml');
  await writeFile(path, text);
  const { exitCode, stderr } = await fixture.run(['apply', path], ENVIRONMENT);
  if (exitCode !== 0) throw new Error(stderr);
};

const inStore = async (use: (store: Store) => Promise<unknown>) => {
  const store = await fixture.openStore(ENVIRONMENT.SWITCHYARD_SECRET);
  await use(store).finally(() => store.close());
};

/** Stores health rows as a running gateway does. */
const learned = (...rows: (Partial<HealthRow> & Pick<HealthRow, 'channelId' | 'upstreamModel'>)[]) =>
  inStore(({ health }) => {
    const zero = { state: 'closed', availableAtMs: null, openings: 0, requests: 0, failures: 0 } as const;
    const none = { lastFailure: null, lastFailureAtMs: null, firstByteMs: null, updatedAtMs: fixture.clock.nowMs() };
    return health.write(rows.map((row) => ({ ...zero, ...none, ...row })));
  });

const block = (reason: string) =>
  inStore(({ directory }) =>
    directory.write('all', (writer) => {
      for (const channel of writer.read().channels) {
        writer.putChannel({ ...channel, block: { atMs: fixture.clock.nowMs(), reason } });
      }
    }),
  );

const TWO_CHANNELS = `
channels:
  - {id: main, provider: openai, api_key: sk-hidden, models: {fast: gpt-4o-mini, smart: gpt-5}, weight: 3}
  - {id: spare, provider: ollama, priority: 1, models: [fast], owner: acme}
accounts: [{id: acme}]
`;

const cells = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

describe('list', () => {
  test('shows a row for each channel', async () => {
    await apply(TWO_CHANNELS);
    const nowMs = fixture.clock.nowMs();
    await learned({
      channelId: 'main',
      upstreamModel: 'gpt-5',
      state: 'open',
      availableAtMs: nowMs + 12_000,
      requests: 20,
      failures: 5,
      lastFailure: 'http_503',
      lastFailureAtMs: nowMs - 200_000,
      firstByteMs: 412.4,
    });
    const { stdout } = await run('list');
    const [headings, ...rows] = cells(stdout);
    expect(headings?.slice(6)).toEqual(['STATE', 'REQUESTS', 'FAILURES', 'FIRST BYTE', 'LAST FAILURE']);
    const figures = ['resting 12 s (1 of 2 models)', '20', '5', '412 ms', 'http_503 3 min ago'];
    expect(rows).toEqual([
      ['main', 'openai', '2', '0', '3', '-', ...figures],
      ['spare', 'ollama', '1', '1', '1', 'acme', 'ready', '0', '0', '-', '-'],
    ]);
    expect(cells((await run('list', 'main')).stdout).slice(1)).toEqual([
      ['fast', 'gpt-4o-mini', 'ready', '0', '0', '-', '-'],
      ['smart', 'gpt-5', 'resting 12 s', '20', '5', '412 ms', 'http_503 3 min ago'],
    ]);
    fixture.clock.advance(12_000);
    expect((await run('list', 'main')).stdout).toContain(' probing ');
  });

  test('as JSON has the models, but never the key', async () => {
    await apply(TWO_CHANNELS);
    await block('The provider refused the key.');
    const { stdout } = await run('list', '--json');
    expect(stdout).not.toContain('sk-hidden');
    expect(JSON.parse(stdout)).toMatchObject([
      {
        id: 'main',
        state: 'blocked',
        block: { at: '2023-11-14T22:13:20Z', reason: 'The provider refused the key.' },
        models: [
          { id: 'fast', upstream_model: 'gpt-4o-mini', requests: 0, updated_at: null },
          { id: 'smart', upstream_model: 'gpt-5' },
        ],
      },
      { id: 'spare', owner: 'acme' },
    ]);
  });

  test('explains how to create a channel if there is none', async () => {
    expect((await run('list')).stdout).toMatch(/^No channels yet\. Add them with a configuration file/);
  });
});

describe('disable, enable and reset', () => {
  test('report what they did, and when there was nothing to do', async () => {
    await apply(TWO_CHANNELS);
    expect((await run('disable', 'main')).stdout).toBe(
      'disabled main: a running gateway sends it no more requests; those in flight may finish\n' +
        'no other channel in use serves fast, smart\n',
    );
    expect(await run('disable', 'main')).toEqual({
      exitCode: 0,
      stdout: 'main is already disabled; nothing changed\n',
      stderr: '',
    });
    expect((await run('reset', 'main')).stdout).toBe(
      'reset main: a running gateway clears its failures\n' +
        'it is still disabled; enable it with "switchyard channels enable main"\n',
    );
    await block('The provider refused the key.');
    expect((await run('enable', 'main')).stdout).toBe(
      'enabled main: a running gateway uses it at once\n' +
        'it was blocked: The provider refused the key; check it with "switchyard channels test main"\n',
    );
    expect((await run('enable', 'main')).stdout).toBe(
      'main is already enabled; nothing changed ("switchyard channels reset main" clears its failures)\n',
    );
  });

  test('outlast the next start with the same file', async () => {
    await apply(TWO_CHANNELS);
    await run('disable', 'main');
    await apply(TWO_CHANNELS.replace('weight: 3', 'weight: 4'));
    expect((await run('list')).stdout).toContain('disabled');
  });

  test.each(['list', 'test', 'disable', 'enable', 'reset'])(
    '%s of an unknown channel suggests the nearest',
    async (verb) => {
      await apply(TWO_CHANNELS);
      expect(await run(verb, 'mian')).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'switchyard: channel: there is no channel "mian" (did you mean "main"?)\n',
      });
    },
  );
});

describe('test', () => {
  interface Seen {
    readonly path: string;
    readonly authorization: string | null;
    readonly body: Record<string, unknown>;
  }

  /** Tests a chat channel at a server with these answers; resolves to the command's output and the requests that the server received. */
  const against = async (
    answer: (path: string) => Response,
    args: readonly string[] = [],
    channel = 'formats: [openai-chat]',
    provider = 'openai',
  ) => {
    const seen: Seen[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const { pathname: path } = new URL(request.url);
        const body = (await request.json()) as Record<string, unknown>;
        seen.push({ path, authorization: request.headers.get('authorization'), body });
        return answer(path);
      },
    });
    try {
      await apply(`channels:
  - {id: up, provider: ${provider}, api_key: sk-hidden-key, base_url: "${server.url.origin}/v1", models: {m: up-m}, ${channel}}`);
      const result = await run('test', 'up', ...args);
      return { ...result, seen, facts: factsIn(result.stdout), origin: server.url.origin };
    } finally {
      await server.stop(true);
    }
  };

  const factsIn = (stdout: string) =>
    Object.fromEntries(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => [line.slice(0, 12).trim(), line.slice(12)]),
    );

  const COMPLETION = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'up-m',
    choices: [{ index: 0, message: { role: 'assistant', content: 'OK' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14 },
  };
  const events = (...chunks: unknown[]) =>
    new Response(
      chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join(''),
      {
        headers: { 'content-type': 'text/event-stream' },
      },
    );
  const chunk = (delta: unknown, finish: string | null = null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'up-m',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

  test('sends a small real request and shows the response', async () => {
    const { exitCode, facts, seen, origin } = await against(() =>
      Response.json(COMPLETION, { headers: { 'x-request-id': 'req_up' } }),
    );
    expect(facts).toEqual({
      channel: 'up (enabled)',
      model: 'm (upstream: up-m)',
      format: 'openai-chat',
      address: `${origin}/v1/chat/completions`,
      result: 'ok: HTTP 200 in 0 ms',
      answer: 'OK (stop)',
      usage: '12 tokens in, 2 out',
      'request id': 'req_up',
    });
    expect(exitCode).toBe(0);
    expect(seen).toMatchObject([{ authorization: 'Bearer sk-hidden-key', body: { model: 'up-m' } }]);
    expect(seen[0]?.body.stream).not.toBe(true);
  });

  test('reads a stream and reports its start', async () => {
    const { exitCode, facts, seen } = await against(
      () =>
        events(
          chunk({ role: 'assistant', content: '' }),
          chunk({ content: 'O' }),
          chunk({ content: 'K' }, 'stop'),
          '[DONE]',
        ),
      ['--stream'],
    );
    expect([exitCode, facts.answer, facts['first byte'], facts.usage]).toEqual([
      0,
      'OK (stop)',
      '0 ms',
      'not reported',
    ]);
    expect(seen[0]?.body.stream).toBe(true);
  });

  test('accepts a whole response for a stream', async () => {
    const { exitCode, facts } = await against(() => Response.json(COMPLETION), ['--stream']);
    expect([exitCode, facts.answer]).toEqual([0, 'OK (stop)']);
  });

  test('reports that a model only reasoned', async () => {
    const message = { role: 'assistant', content: '', reasoning_content: 'They want OK' };
    const choices = [{ index: 0, message, finish_reason: 'length' }];
    const { exitCode, facts } = await against(() => Response.json({ ...COMPLETION, choices }));
    expect([exitCode, facts.answer]).toEqual([0, 'no text, only reasoning (length)']);
  });

  test('names refused credentials, without repeating them', async () => {
    const error = { message: 'Incorrect API key provided: sk-hidden-key.', code: 'invalid_api_key' };
    const { exitCode, stdout, facts } = await against(() => Response.json({ error }, { status: 401 }));
    expect(exitCode).toBe(1);
    expect(facts.result).toBe('failed: upstream_auth (HTTP 401) after 0 ms');
    expect(facts.message).toStartWith("The provider refused the channel's credentials (HTTP 401): Incorrect API key");
    expect(facts['what to do']).toStartWith('correct the credentials (api_key)');
    expect(stdout).not.toContain('sk-hidden-key');
  });

  test.each([
    ['a body that is not a completion', () => new Response('<html>hello</html>'), [], 'garbage'],
    ['a stream that ends early', () => events(chunk({ content: 'O' })), ['--stream'], 'truncated_stream'],
    ['an empty stream', () => events(), ['--stream'], 'empty_stream'],
    ['an error in a stream', () => events({ error: { message: 'overloaded' } }), ['--stream'], 'error_in_200'],
    ['a failing server', () => new Response('', { status: 503 }), [], 'http_503'],
  ] as const)('fails at %s', async (_what, answer, args, kind) => {
    const { exitCode, facts } = await against(answer, args);
    expect(exitCode).toBe(1);
    expect(facts.result).toStartWith(`failed: ${kind} (HTTP `);
    expect(facts['what to do']).toBeString();
  });

  test('falls back to the format that a stand-in for the provider supports', async () => {
    const { exitCode, facts, seen, origin } = await against(
      (path) => (path.endsWith('/responses') ? new Response('', { status: 404 }) : Response.json(COMPLETION)),
      [],
      'formats: [openai-responses, openai-chat]',
    );
    expect(exitCode).toBe(0);
    expect(facts['tried first']).toBe(`openai-responses at ${origin}/v1/responses: http_404`);
    expect([facts.format, facts.answer]).toEqual(['openai-chat', 'OK (stop)']);
    expect(seen.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/chat/completions']);
  });

  const TEXT = { ...COMPLETION, object: 'text_completion', choices: [{ index: 0, text: 'OK', finish_reason: 'stop' }] };

  test.each([
    ['openai-completions', ['openai-completions'], ['/v1/completions'], TEXT],
    // A channel with both formats is tested as a chat channel.
    ['openai-chat', ['openai-completions', 'openai-chat'], ['/v1/chat/completions'], COMPLETION],
  ] as const)(
    'sends a text prompt if the channel supports nothing else: %s',
    async (format, formats, paths, answer) => {
      const { exitCode, facts, seen } = await against(
        () => Response.json(answer),
        [],
        `formats: [${formats.join(', ')}]`,
        'vllm',
      );
      expect([exitCode, facts.format, facts.answer]).toEqual([0, format, 'OK (stop)']);
      expect(seen.map(({ path }) => path)).toEqual([...paths]);
    },
  );

  test('prints JSON', async () => {
    const { stdout } = await against(() => Response.json(COMPLETION), ['--json', '--model', 'm']);
    expect(JSON.parse(stdout)).toMatchObject({
      channel: 'up',
      ok: true,
      upstream_model: 'up-m',
      tries: [{ status: 200, error: null, answer: { text: 'OK', usage: { prompt_tokens: 12, completion_tokens: 2 } } }],
    });
    const failed = await against(() => new Response('', { status: 500 }), ['--json']);
    expect(failed.exitCode).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      ok: false,
      tries: [{ error: { kind: 'http_500' }, answer: null }],
    });
  });

  test('gives up after --timeout', async () => {
    const silent = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
    const { exitCode, facts } = await against(silent, ['--timeout', '0.2']);
    expect(exitCode).toBe(1);
    expect(facts.result).toStartWith('failed: total_timeout');
    expect(facts['what to do']).toContain('--timeout');
  });

  test('reports that nothing listens there', async () => {
    await apply('channels: [{id: up, provider: ollama, base_url: "http://127.0.0.1:9/v1", models: [m]}]');
    const { exitCode, stdout } = await run('test', 'up');
    expect(exitCode).toBe(1);
    expect(factsIn(stdout)).toMatchObject({
      result: 'failed: connect_refused after 0 ms',
      'what to do': 'nothing is listening at http://127.0.0.1:9: start it, or correct base_url',
    });
  });

  test(
    'works inside the process, and for a disabled channel',
    async () => {
      await apply('sandbox: true');
      await run('disable', 'sandbox');
      for (const args of [[], ['--stream']]) {
        const { exitCode, stdout } = await run('test', 'sandbox', ...args);
        expect(exitCode).toBe(0);
        expect(factsIn(stdout)).toMatchObject({
          channel: 'sandbox (disabled)',
          next: 'enable it with "switchyard channels enable sandbox"',
        });
      }
    },
    TOKENIZER_LOAD_MS,
  );

  test.each([
    [['--model', 'nope'], 1, 'switchyard: The channel "up" does not serve "nope".\n'],
    [
      ['--model', 'gpt-4o-min'],
      1,
      'switchyard: The channel "up" does not serve "gpt-4o-min". Did you mean "gpt-4o-mini"?\n',
    ],
    [
      ['--model', 'embed'],
      1,
      'switchyard: "embed" is a model for embedding; only models for chat and search can be tested.\n',
    ],
    [
      ['--timeout', '0'],
      2,
      "switchyard: option '--timeout <seconds>' argument '0' is invalid. It must be a number of seconds, more than 0 and " +
        'at most 86400.\n',
    ],
  ])('refuses %p before anything is sent', async (args, exitCode, stderr) => {
    await apply(`channels: [{id: up, provider: openai, api_key: k, models: [embed, gpt-4o-mini]}]
models: [{id: embed, category: embedding}]`);
    expect(await run('test', 'up', ...args)).toEqual({ exitCode, stdout: '', stderr });
  });

  test('refuses a channel without a chat model', async () => {
    await apply(`channels: [{id: up, provider: openai, api_key: k, models: [embed]}]
models: [{id: embed, category: embedding}]`);
    expect((await run('test', 'up')).stderr).toBe(
      'switchyard: The channel "up" serves no chat model and no search model; only models for chat and search can be tested.\n',
    );
  });
});

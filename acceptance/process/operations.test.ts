import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type Answering,
  accountWith,
  channelTo,
  chatAnswer,
  clientKey,
  type FakeUpstream,
  keyNamed,
  refusal,
  startUpstream,
  streamedAnswer,
  USAGE,
  wholeAnswer,
} from '../../conformance/first-light/upstream.ts';
import { answerOf, chatBody } from '../../conformance/shared/answer.ts';
import { asObject, parseJson } from '../../conformance/shared/json.ts';
import { until } from '../../conformance/shared/until.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

const KEY = clientKey('main');
const UPSTREAM_KEY = 'upstream-key-MARK-IN-UPSTREAM-KEY';
const MARKS = { prompt: 'MARK-IN-PROMPT', answer: 'MARK-IN-ANSWER', model: 'MARK-IN-MODEL', user: 'MARK-IN-USER' };

const MODELS = ['quick', 'paced', 'failing', 'refusing', 'silent'];

const answering: Answering = async (request) => {
  if (request.model === 'paced') return streamedAnswer(request, { pieces: 80, gapMs: 30 });
  if (request.model === 'failing') return refusal(500, 'The provider is having a bad day.');
  if (request.model === 'refusing') return refusal(400, `This prompt is not allowed: ${MARKS.prompt}`);
  if (request.model === 'silent') await new Promise((gone) => request.signal.addEventListener('abort', gone));
  return request.text.includes(MARKS.prompt) && !request.stream
    ? wholeAnswer(request, MARKS.answer)
    : chatAnswer(request);
};

const configuration = (upstream: FakeUpstream, server: object = {}) => ({
  channels: [channelTo(upstream, { api_key: UPSTREAM_KEY, models: MODELS })],
  accounts: [accountWith('acme', [keyNamed('main')])],
  server,
});

const promptBody = (model: string, extra: object = {}) =>
  chatBody(model, { messages: [{ role: 'user', content: `Tell me of ${MARKS.prompt}.` }], user: MARKS.user, ...extra });

/** Begins a stream, and leaves in its middle. */
async function abandon(serving: ServingProcess, model: string, stream: boolean, afterMs: number): Promise<string> {
  const client = new AbortController();
  const opened = serving.openChat(KEY, promptBody(model, { stream }), { signal: client.signal });
  if (!stream) {
    await Bun.sleep(afterMs);
    client.abort();
    await opened.catch(() => {});
    return '';
  }
  const response = await opened;
  await response.body?.getReader().read();
  await Bun.sleep(afterMs);
  client.abort();
  return response.headers.get('x-request-id') ?? '';
}

describe('while it runs', () => {
  const upstream = startUpstream(answering);
  let space: ProcessWorkspace;
  let serving: ServingProcess;

  beforeAll(async () => {
    space = await ProcessWorkspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', configuration(upstream));
    serving = await space.serve({ env: { SWITCHYARD_CONFIG, LOG_LEVEL: 'debug' } });
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop();
  });

  const get = async (path: string) => answerOf(await fetch(`${serving.origin}${path}`));

  test('/healthz and /readyz say so', async () => {
    expect(await get('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(await get('/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } });
  });

  test('every answer has a request id of its own', async () => {
    const answers = await Promise.all([
      serving.chat(KEY, chatBody('quick')),
      serving.chat(KEY, chatBody('quick', { stream: true })),
      serving.chat(KEY, chatBody('quick', { n: 0 })),
      serving.chat('sk-nobody-has-this-key', chatBody('quick')),
      serving.chat(KEY, chatBody('failing')),
      serving.chat(KEY, chatBody('unknown')),
      serving.chat(KEY, '{', { headers: { 'x-request-id': 'chosen-by-the-client' } }),
      get('/v1/chat/completions'),
      get('/nothing'),
      get('/healthz'),
      get('/readyz'),
      get('/metrics'),
    ]);
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '');
    for (const id of ids) expect(id).toMatch(/^[\w-]{8,64}$/);
    expect(new Set(ids).size).toBe(ids.length);
  });

  describe('/metrics', () => {
    interface Sample {
      readonly name: string;
      readonly labels: string;
      readonly value: number;
    }

    async function samples(): Promise<Sample[]> {
      const { status, text, headers } = await get('/metrics');
      expect(status).toBe(200);
      expect(headers.get('content-type')).toContain('text/plain');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .flatMap((line) => {
          expect(line).toMatch(
            /^(# (HELP|TYPE) [a-zA-Z_:][\w:]* .*|[a-zA-Z_:][\w:]*(\{(\w+="(\\.|[^"\\])*",?)*\})? (-?[\d.e+-]+|[Nn]a[Nn]|[+-]Inf))$/,
          );
          const [, name = '', labels = '', value = ''] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
          return line.startsWith('#') ? [] : [{ name, labels, value: Number(value) }];
        });
    }

    const sum = (list: readonly Sample[], name: string, ...labels: string[]) =>
      list
        .filter((sample) => sample.name === name && labels.every((label) => sample.labels.includes(label)))
        .reduce((total, { value }) => total + value, 0);

    test('is Prometheus’ text, and its counters rise with what happens', async () => {
      const before = await samples();
      await serving.chat(KEY, chatBody('quick'));
      await serving.chat(KEY, chatBody('quick', { stream: true }));
      await serving.chat(KEY, chatBody('failing'));
      await serving.chat(KEY, chatBody('quick', { n: 0 }));
      const after = await samples();
      const rise = (name: string, ...labels: string[]) => sum(after, name, ...labels) - sum(before, name, ...labels);
      const requests = 'switchyard_requests_total';
      expect(rise(requests)).toBe(4);
      expect(rise(requests, 'model="quick"', 'channel="main"', 'status="200"')).toBe(2);
      expect(rise(requests, 'model="failing"', 'status="502"', 'code="upstream_error"')).toBe(1);
      expect(rise(requests, 'model=""', 'status="400"')).toBe(1);
      // The only channel is asked again, twice.
      expect(rise('switchyard_attempt_failures_total', 'channel="main"')).toBe(3);
      expect(rise('switchyard_tokens_total', 'kind="input"')).toBe(2 * USAGE.prompt_tokens);
      expect(rise('switchyard_tokens_total', 'kind="output"')).toBe(2 * USAGE.completion_tokens);
      expect(rise('switchyard_request_duration_seconds_count')).toBe(4);
      expect(sum(after, 'switchyard_requests_in_flight')).toBe(0);
    });

    test('has no label from a client', async () => {
      await serving.chat(KEY, promptBody(MARKS.model));
      await serving.chat(KEY, promptBody('quick'));
      await serving.chat(`sk-${MARKS.user}`, promptBody('quick'));
      await get(`/${MARKS.model}`);
      const { text } = await get('/metrics');
      for (const mark of [...Object.values(MARKS), KEY, UPSTREAM_KEY]) expect(text).not.toContain(mark);
    });
  });

  describe('the log', () => {
    const lines = () => serving.stdout.split('\n').filter((line) => line.startsWith('{'));

    test('has a JSON line with the request id for each request', async () => {
      const answers = [
        await serving.chat(KEY, promptBody('quick')),
        await serving.chat(KEY, promptBody('quick', { stream: true })),
        await serving.chat(KEY, promptBody('failing')),
        await serving.chat(KEY, promptBody('quick', { n: 0 })),
        await serving.chat('sk-nobody-has-this-key', promptBody('quick')),
      ];
      for (const { headers } of answers) {
        const id = headers.get('x-request-id') ?? '-';
        await until(`a line with ${id}`, () => lines().some((line) => line.includes(id)), 3_000);
      }
      for (const line of lines()) expect(asObject(parseJson(line))).toMatchObject({ level: expect.any(String) });
    });

    test('holds no prompt, no answer and no key, whatever goes wrong', async () => {
      await serving.chat(KEY, promptBody('quick'));
      await serving.chat(KEY, promptBody('quick', { stream: true }));
      await serving.chat(KEY, promptBody('failing'));
      await serving.chat(KEY, promptBody('refusing'));
      await serving.chat(KEY, promptBody(MARKS.model));
      await serving.chat(KEY, promptBody('quick', { temperature: MARKS.prompt }));
      await serving.chat(KEY, `{"model": ${MARKS.prompt}`);
      await serving.chat(`${KEY}-${MARKS.user}`, promptBody('quick'));
      await get(`/${MARKS.prompt}?key=${KEY}`);
      const last = await serving.chat(KEY, promptBody('quick'));
      expect(last.text).toContain(MARKS.answer);
      const id = last.headers.get('x-request-id') ?? '-';
      await until('the last line', () => lines().some((line) => line.includes(id)), 3_000);
      const printed = serving.stdout + serving.stderr;
      const found = [...Object.values(MARKS), KEY, UPSTREAM_KEY].flatMap((mark) =>
        printed.split('\n').filter((line) => line.includes(mark)),
      );
      expect(found).toEqual([]);
    });
  });

  test('the data folder holds neither prompts nor answers nor keys', async () => {
    for (const mark of [MARKS.prompt, MARKS.answer, MARKS.user, KEY, UPSTREAM_KEY]) {
      expect(await space.dataFilesWith(mark)).toEqual([]);
    }
  });

  describe('the request log in the store', () => {
    type Row = Readonly<Record<string, string | number | null>>;

    function rowOf(where: string, value: string): Row | null {
      const database = new Database(space.database, { readonly: true });
      try {
        return database.query<Row, [string]>(`SELECT * FROM request_log WHERE ${where} ORDER BY id DESC`).get(value);
      } finally {
        database.close();
      }
    }

    async function rowFor(requestId: string): Promise<Row> {
      let row: Row | null = null;
      const written = () => {
        row = rowOf('request_id = ?', requestId);
        return row !== null;
      };
      await until(`a row of ${requestId}`, written, 3_000);
      return row ?? {};
    }

    const idOf = async (answer: Promise<{ headers: Headers }>) => (await answer).headers.get('x-request-id') ?? '-';
    const WHO = { account_id: 'acme', key_id: 'main' };
    const WHERE = { channel_id: 'main', provider: 'openai-compatible', format: 'openai-chat' };
    const TOKENS = { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens };

    function expectTimes(row: Row): void {
      expect(Number(row.latency_ms)).toBeGreaterThan(0);
      expect(Number(row.first_byte_ms)).toBeGreaterThan(0);
      expect(Number(row.first_byte_ms)).toBeLessThanOrEqual(Number(row.latency_ms));
      expect(Math.abs(Date.now() - Number(row.at_ms))).toBeLessThan(60_000);
    }

    test('a row of an answer', async () => {
      const row = await rowFor(await idOf(serving.chat(KEY, chatBody('quick'))));
      expect(row).toMatchObject({ ...WHO, ...WHERE, ...TOKENS, model_id: 'quick', status: 200, stream: 0 });
      expect(row).toMatchObject({ error_code: null, client_gone: 0 });
      expectTimes(row);
    });

    test('a row of a stream', async () => {
      const row = await rowFor(await idOf(serving.chat(KEY, chatBody('quick', { stream: true }))));
      expect(row).toMatchObject({ ...WHO, ...WHERE, ...TOKENS, model_id: 'quick', status: 200, stream: 1 });
      expect(row).toMatchObject({ error_code: null, client_gone: 0 });
      expectTimes(row);
    });

    test('a row of a failure of the upstream', async () => {
      const row = await rowFor(await idOf(serving.chat(KEY, chatBody('failing'))));
      expect(row).toMatchObject({ ...WHO, ...WHERE, model_id: 'failing', status: 502, error_code: 'upstream_error' });
      expect(row).toMatchObject({ input_tokens: null, output_tokens: null, client_gone: 0 });
      expect(Number(row.latency_ms)).toBeGreaterThan(0);
    });

    test('a row of a wrong request, and none of an unknown key', async () => {
      const wrong = await rowFor(await idOf(serving.chat(KEY, chatBody('quick', { n: 0 }))));
      expect(wrong).toMatchObject({ ...WHO, status: 400, error_code: 'invalid_value', channel_id: null });
      const unknown = await idOf(serving.chat('sk-nobody-has-this-key', chatBody('quick')));
      await rowFor(await idOf(serving.chat(KEY, chatBody('quick'))));
      expect(rowOf('request_id = ?', unknown)).toBeNull();
    });

    test('a row of a stream that its client has left', async () => {
      const row = await rowFor(await abandon(serving, 'paced', true, 100));
      expect(row).toMatchObject({ ...WHO, ...WHERE, model_id: 'paced', status: 200, stream: 1, client_gone: 1 });
      expect(row.error_code).toBe('client_closed_request');
      expectTimes(row);
      expect(Number(row.latency_ms)).toBeLessThan(15_000);
    });

    test('a row of an answer for which the client has not waited', async () => {
      await abandon(serving, 'silent', false, 100);
      await until('a row', () => rowOf('model_id = ?', 'silent') !== null, 3_000);
      expect(rowOf('model_id = ?', 'silent')).toMatchObject({
        ...WHO,
        ...WHERE,
        status: 499,
        client_gone: 1,
        error_code: 'client_closed_request',
        first_byte_ms: null,
      });
    });
  });
});

describe('when it is told to stop', () => {
  const upstream = startUpstream(answering);
  const spaces: ProcessWorkspace[] = [];

  afterAll(async () => {
    await Promise.all(spaces.map((space) => space.remove()));
    await upstream.stop();
  });

  async function start(graceMs: number, program?: readonly string[]) {
    const space = await ProcessWorkspace.create();
    spaces.push(space);
    const file = await space.write('switchyard.yaml', configuration(upstream, { shutdown_grace_ms: graceMs }));
    const options = { env: { SWITCHYARD_CONFIG: file }, ...(program ? { program, args: [], cwd: PROJECT } : {}) };
    return { space, serving: await space.serve(options) };
  }

  /** A stream of about 2.4 s whose first piece has arrived, and its text once it has ended, or was cut. */
  async function openStream(serving: ServingProcess) {
    const response = await serving.openChat(KEY, chatBody('paced', { stream: true }));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    const readOn = async () => {
      for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read())
        text += piece.value;
    };
    const rest = readOn().then(
      () => text,
      () => text,
    );
    return { id: response.headers.get('x-request-id') ?? '-', rest };
  }

  const timed = async (serving: ServingProcess) => {
    const startedMs = performance.now();
    const exitCode = await serving.exited;
    return { exitCode, tookMs: performance.now() - startedMs };
  };

  const logged = (space: ProcessWorkspace, id: string) => {
    const database = new Database(space.database, { readonly: true });
    const row = database.query<{ status: number; error_code: string | null }, [string]>(
      'SELECT status, error_code FROM request_log WHERE request_id = ?',
    );
    const found = row.get(id);
    database.close();
    return found;
  };

  test('with nothing to wait for it is gone at once', async () => {
    const { serving } = await start(30_000);
    await serving.chat(KEY, chatBody('quick'));
    serving.signal('SIGTERM');
    const { exitCode, tookMs } = await timed(serving);
    expect(exitCode).toBe(0);
    expect(tookMs).toBeLessThan(15_000);
  });

  test('a stream that runs comes to its end; new requests go elsewhere; nothing of the log is lost', async () => {
    const { space, serving } = await start(30_000);
    const { id, rest } = await openStream(serving);
    serving.signal('SIGTERM');
    // The same request to stop, on another way: npm passes on what the terminal has sent already.
    await Bun.sleep(100);
    serving.signal('SIGTERM');
    const ready = await fetch(`${serving.origin}/readyz`, { headers: { connection: 'close' } }).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      () => 'refused',
    );
    expect([503, 'refused']).toContain(ready);
    expect(await rest).toContain('data: [DONE]');
    const { exitCode, tookMs } = await timed(serving);
    expect(exitCode).toBe(0);
    expect(tookMs).toBeLessThan(15_000);
    expect(serving.stdout).toContain('1 running request');
    expect(logged(space, id)).toEqual({ status: 200, error_code: null });
  }, 60_000);

  test('a stream that takes longer than the grace ends with an error frame', async () => {
    const { space, serving } = await start(500);
    const { id, rest } = await openStream(serving);
    serving.signal('SIGTERM');
    const stopping = timed(serving);
    const last = (await rest).trimEnd().split('\n\n').at(-1) ?? '';
    const error = asObject(asObject(parseJson(last.replace('data: ', ''))).error);
    expect(error).toMatchObject({ code: 'shutting_down', message: expect.stringContaining('shutting down') });
    const { exitCode, tookMs } = await stopping;
    expect(exitCode).toBe(0);
    expect(tookMs).toBeGreaterThan(450);
    expect(tookMs).toBeLessThan(15_000);
    expect(logged(space, id)).toEqual({ status: 200, error_code: 'shutting_down' });
  });

  test('an answer that takes longer than the grace becomes an error in the envelope', async () => {
    const { space, serving } = await start(500);
    const asked = serving.chat(KEY, chatBody('silent'));
    await until('the upstream has it', () => upstream.requests.at(-1)?.model === 'silent');
    serving.signal('SIGTERM');
    const stopping = timed(serving);
    const { status, error, headers } = await asked;
    expect([status, error.code]).toEqual([503, 'shutting_down']);
    const { exitCode, tookMs } = await stopping;
    expect(exitCode).toBe(0);
    expect(tookMs).toBeLessThan(15_000);
    expect(logged(space, headers.get('x-request-id') ?? '-')).toEqual({ status: 503, error_code: 'shutting_down' });
  });

  test('a second signal, when the person has waited, ends it at once', async () => {
    const { serving } = await start(30_000);
    const { rest } = await openStream(serving);
    serving.signal('SIGTERM');
    await Bun.sleep(1_200);
    expect(serving.exitCode).toBeNull();
    serving.signal('SIGTERM');
    const { exitCode, tookMs } = await timed(serving);
    expect(exitCode).toBeGreaterThan(0);
    expect(tookMs).toBeLessThan(15_000);
    expect(await rest).not.toContain('[DONE]');
  });

  test('one Ctrl-C in the terminal of `npm start`, which reaches all its processes, lets a stream finish', async () => {
    const { serving } = await start(30_000, ['npm', 'start']);
    const { rest } = await openStream(serving);
    serving.signalGroup('SIGINT');
    expect(await rest).toContain('data: [DONE]');
    await serving.exited;
    expect(serving.stdout).toContain('1 running request');
  }, 60_000);
});

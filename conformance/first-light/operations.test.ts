import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { answerOf, chatBody } from '../shared/answer.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
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
} from './upstream.ts';

const KEY = clientKey('main');
const UPSTREAM_KEY = 'upstream-key-MARK-IN-UPSTREAM-KEY';
const MARKS = { prompt: 'MARK-IN-PROMPT', answer: 'MARK-IN-ANSWER', model: 'MARK-IN-MODEL', user: 'MARK-IN-USER' };

const MODELS = ['quick', 'paced', 'failing', 'refusing', 'silent'];

const gone = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

const answering: Answering = async (request) => {
  // Continues only when its client has disconnected.
  if (request.model === 'paced') return streamedAnswer(request, { rest: gone(request.signal) });
  if (request.model === 'failing') return refusal(500, 'The provider is having a bad day.');
  if (request.model === 'refusing') return refusal(400, `This prompt is not allowed: ${MARKS.prompt}`);
  if (request.model === 'silent') await gone(request.signal);
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

describe('while the gateway runs', () => {
  const upstream = startUpstream(answering);
  let space: Workspace;
  let serving: Serving;

  beforeAll(async () => {
    space = await Workspace.create();
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
    // A gateway is not ready while its disk is slow.
    await until('the gateway is ready', async () => (await get('/readyz')).status === 200);
  });

  test('every response has a unique request id', async () => {
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

    test('has the Prometheus text format, and its counters follow the requests', async () => {
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
      // The only channel is retried twice.
      expect(rise('switchyard_attempt_failures_total', 'channel="main"')).toBe(3);
      expect(rise('switchyard_tokens_total', 'kind="input"')).toBe(2 * USAGE.prompt_tokens);
      expect(rise('switchyard_tokens_total', 'kind="output"')).toBe(2 * USAGE.completion_tokens);
      expect(rise('switchyard_request_duration_seconds_count')).toBe(4);
      expect(sum(after, 'switchyard_requests_in_flight')).toBe(0);
    });

    test("has no label with a client's value", async () => {
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
        await until(`the log has a line with ${id}`, () => lines().some((line) => line.includes(id)));
      }
      for (const line of lines()) expect(asObject(parseJson(line))).toMatchObject({ level: expect.any(String) });
    });

    test('has no prompt, response or key, whatever fails', async () => {
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
      await until('the log has the last line', () => lines().some((line) => line.includes(id)));
      const printed = serving.stdout + serving.stderr;
      const found = [...Object.values(MARKS), KEY, UPSTREAM_KEY].flatMap((mark) =>
        printed.split('\n').filter((line) => line.includes(mark)),
      );
      expect(found).toEqual([]);
    });
  });

  test('the data folder has no prompts, responses or keys', async () => {
    // The end user is there, as a tag by which usage is summed.
    for (const mark of [MARKS.prompt, MARKS.answer, KEY, UPSTREAM_KEY]) {
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
      await until(`the log has a row of ${requestId}`, written);
      return row ?? {};
    }

    const idOf = async (answer: Promise<{ headers: Headers }>) => (await answer).headers.get('x-request-id') ?? '-';
    const WHO = { account_id: 'acme', key_id: 'main' };
    const WHERE = { channel_id: 'main', provider: 'openai-compatible', format: 'openai-chat' };
    const TOKENS = { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens };

    function expectTimes(row: Row): void {
      expect([typeof row.latency_ms, typeof row.first_byte_ms]).toEqual(['number', 'number']);
      expect(Number(row.first_byte_ms)).toBeLessThanOrEqual(Number(row.latency_ms));
      expect(Math.abs(Date.now() - Number(row.at_ms))).toBeLessThan(60_000);
    }

    test('has a row for a response', async () => {
      const row = await rowFor(await idOf(serving.chat(KEY, chatBody('quick'))));
      expect(row).toMatchObject({ ...WHO, ...WHERE, ...TOKENS, model_id: 'quick', status: 200, stream: 0 });
      expect(row).toMatchObject({ error_code: null, client_gone: 0 });
      expectTimes(row);
    });

    test('has a row for a stream', async () => {
      const row = await rowFor(await idOf(serving.chat(KEY, chatBody('quick', { stream: true }))));
      expect(row).toMatchObject({ ...WHO, ...WHERE, ...TOKENS, model_id: 'quick', status: 200, stream: 1 });
      expect(row).toMatchObject({ error_code: null, client_gone: 0 });
      expectTimes(row);
    });

    test('has a row for an upstream failure', async () => {
      const row = await rowFor(await idOf(serving.chat(KEY, chatBody('failing'))));
      expect(row).toMatchObject({ ...WHO, ...WHERE, model_id: 'failing', status: 502, error_code: 'upstream_error' });
      expect(row).toMatchObject({ input_tokens: null, output_tokens: null, client_gone: 0 });
      expect(typeof row.latency_ms).toBe('number');
    });

    test('has a row for an invalid request, and none for an unknown key', async () => {
      const wrong = await rowFor(await idOf(serving.chat(KEY, chatBody('quick', { n: 0 }))));
      expect(wrong).toMatchObject({ ...WHO, status: 400, error_code: 'invalid_value', channel_id: null });
      const unknown = await idOf(serving.chat('sk-nobody-has-this-key', chatBody('quick')));
      await rowFor(await idOf(serving.chat(KEY, chatBody('quick'))));
      expect(rowOf('request_id = ?', unknown)).toBeNull();
    });

    test('has a row for a stream whose client disconnected', async () => {
      const client = new AbortController();
      const response = await serving.openChat(KEY, promptBody('paced', { stream: true }), { signal: client.signal });
      await response.body?.getReader().read();
      client.abort();
      const row = await rowFor(response.headers.get('x-request-id') ?? '');
      expect(row).toMatchObject({ ...WHO, ...WHERE, model_id: 'paced', status: 200, stream: 1, client_gone: 1 });
      expect(row.error_code).toBe('client_closed_request');
      expectTimes(row);
    });

    test('has a row for a response whose client did not wait', async () => {
      const client = new AbortController();
      const asked = serving.openChat(KEY, promptBody('silent'), { signal: client.signal });
      await until('the upstream request arrives', () => upstream.requests.at(-1)?.model === 'silent');
      client.abort();
      await asked.catch(() => {});
      await until('a row', () => rowOf('model_id = ?', 'silent') !== null);
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

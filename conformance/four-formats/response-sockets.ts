import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import { judgeAs, judgeResponsesStream, judgeStreamEvent } from '../judges/index.ts';
import { formatOfPath, WIRES, WORD } from '../money/wire-answers.ts';
import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* Responses over WebSocket: OpenAI's SDK and plain WebSockets, with a gateway in front of each format. */

/** `againstDocuments`: whether responses are also checked against the published documents, which must be present. */
export function describeResponseSockets({ againstDocuments }: { readonly againstDocuments: boolean }): void {
  type Json = Readonly<Record<string, unknown>>;

  interface Received {
    readonly path: string;
    readonly text: string;
    readonly signal: AbortSignal;
  }

  const ANSWER = { words: 3, usage: { input: 20, output: 3 } };
  let received: Received[] = [];
  /** The number of bytes that the flood has been asked for. */
  let flooded = 0;
  let ids = 0;
  /** Releases the request that `held` holds. */
  let release = () => {};

  async function* frames(path: string, text: string, signal: AbortSignal): AsyncGenerator<string> {
    const wire = WIRES[formatOfPath(path)];
    const id = `resp_up${++ids}`;
    const own = (frame: string) => frame.replaceAll('"resp_1"', `"${id}"`);
    const { head, word, tail } = wire.stream(ANSWER);
    for (const frame of head) yield own(frame);
    yield word;
    if (text.includes('cut-here')) return;
    if (text.includes('hang-here')) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    if (text.includes('hold-here')) {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    if (text.includes('flood-here')) {
      const large = word.replace(WORD, 'x'.repeat(64 * 1024));
      for (let sent = 0; sent < 4_000 && !signal.aborted; sent++) {
        flooded += large.length;
        yield large;
      }
    }
    yield word;
    yield word;
    for (const frame of tail) yield own(frame);
  }

  const upstream = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const text = await request.text();
      const { signal } = request;
      received.push({ path: pathname, text, signal });
      if (text.includes('too-many')) {
        return Response.json({ error: { message: 'Slow down.', type: 'rate_limit_error' } }, { status: 429 });
      }
      const events = frames(pathname, text, signal);
      const body = new ReadableStream<string>({
        async pull(controller) {
          const { done, value } = await events.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      });
      const headers = { 'content-type': 'text/event-stream' };
      return new Response(body.pipeThrough(new TextEncoderStream()), { headers });
    },
  });

  let space: Workspace;
  let serving: Serving;
  let SWITCHYARD_CONFIG: string;
  const MODELS = ['openai', 'anthropic', 'google', 'chat'];

  beforeAll(async () => {
    space = await Workspace.create();
    // A refused or cut request puts the channel in cooldown.
    const channel = (of: string, provider: string, upstreamModel: string) =>
      [of, `${of}-busy`, `${of}-cut`].map((id) => ({
        ...{ id, provider, base_url: `http://127.0.0.1:${upstream.port}/v1`, api_key: 'upstream-key' },
        models: { [id]: upstreamModel },
      }));
    SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      // Longer than a test takes.
      server: { max_sockets_per_account: 5, max_body_bytes: 65_536, drain_ms: 300_000 },
      channels: [
        ...channel('openai', 'openai', 'gpt-5.1'),
        ...channel('anthropic', 'anthropic', 'claude-sonnet-4-6'),
        ...channel('google', 'google', 'gemini-2.5-flash'),
        ...channel('chat', 'openai-compatible', 'other'),
      ],
      models: MODELS.map((id) => ({ id, pricing: { input_per_1m: '1', output_per_1m: '10' } })),
      accounts: [
        accountWith('acme', [keyNamed('main'), keyNamed('brief')]),
        accountWith('globex', [keyNamed('globex')]),
        accountWith('many', [keyNamed('many')]),
        accountWith('payer', [keyNamed('payer')], { billing: 'prepaid', balance_usd: '5' }),
        accountWith('slow', [keyNamed('slow')], { requests_per_minute: 2 }),
      ],
    });
    serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop(true);
  });

  /** A plain WebSocket client. */
  class Client {
    readonly events: Json[] = [];
    closed: { readonly code: number; readonly reason: string } | null = null;
    private constructor(private readonly socket: WebSocket) {
      socket.onmessage = ({ data }) => void this.events.push(asObject(parseJson(String(data))));
      socket.onclose = ({ code, reason }) => {
        this.closed = { code, reason };
      };
    }

    static async open(key = 'main'): Promise<Client> {
      const url = `${serving.baseUrl.replace('http', 'ws')}/responses`;
      // Bun's own WebSocket takes headers.
      const options = { headers: { authorization: `Bearer ${clientKey(key)}` } } as unknown as string;
      const socket = new WebSocket(url, options);
      const client = new Client(socket);
      await new Promise<void>((resolve, reject) => {
        socket.onopen = () => resolve();
        socket.onerror = () => reject(new Error('no WebSocket'));
      });
      return client;
    }

    send(message: object | string): void {
      this.socket.send(typeof message === 'string' ? message : JSON.stringify({ type: 'response.create', ...message }));
    }

    /** Resolves to the events of the next response, up to its last one. */
    async answer(message: object | string): Promise<readonly Json[]> {
      const from = this.events.length;
      this.send(message);
      await until('an answer', () => this.events.slice(from).some(isLast));
      return this.events.slice(from);
    }

    close(): void {
      this.socket.close();
    }
  }

  const LAST = ['response.completed', 'response.incomplete', 'response.failed', 'error'];
  const isLast = ({ type }: Json) => LAST.includes(String(type));
  const responseOf = (events: readonly Json[]) => asObject(events.at(-1)?.response);
  const errorOf = (events: readonly Json[]) => asObject(events.find(({ type }) => type === 'error')?.error);
  const textOf = (response: Json) =>
    asArray(response.output)
      .flatMap((item) => asArray(asObject(item).content))
      .map((part) => asObject(part).text)
      .join('');

  async function withClient(use: (client: Client) => Promise<void>, key = 'main'): Promise<void> {
    const client = await Client.open(key);
    try {
      await use(client);
    } finally {
      client.close();
    }
  }

  function rows(account: string) {
    const database = new Database(space.database, { readonly: true });
    try {
      return database
        .query(
          'SELECT status, input_tokens, output_tokens, cost_nano, stream FROM request_log WHERE account_id = ? ORDER BY id',
        )
        .all(account) as Json[];
    } finally {
      database.close();
    }
  }

  describe.each(MODELS)('over a channel of the format of %s', (model) => {
    test('the official SDK reads each event', async () => {
      const sdk = new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('main') });
      const socket = new ResponsesWS(sdk);
      socket.send({ type: 'response.create', model, input: 'Hello', store: false });
      const events: OpenAI.Responses.ResponsesServerEvent[] = [];
      for await (const event of socket.stream()) {
        if (event.type === 'error') throw event.error;
        if (event.type !== 'message') continue;
        events.push(event.message);
        if (event.message.type === 'response.completed') break;
      }
      socket.close();
      const last = events.at(-1);
      if (last?.type !== 'response.completed') throw new Error('the answer has no end');
      expect(last.response).toMatchObject({
        model,
        status: 'completed',
        usage: { input_tokens: 20, output_tokens: 3 },
        _routing: { channel: { id: model } },
      });
      expect(last.response).toHaveProperty('_routing.cost');
      expect(textOf(last.response as unknown as Json)).toBe(WORD.repeat(3));
      const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []));
      expect(deltas.join('')).toBe(WORD.repeat(3));
      if (model === 'openai' || !againstDocuments) return;
      expect(events.flatMap((event) => judgeStreamEvent('openai-responses', event, 'translated'))).toEqual([]);
      const stream = events.map((data) => ({ event: data.type, data: JSON.stringify(data) }));
      expect(judgeResponsesStream(stream as never)).toEqual([]);
    });

    test('a response that is not stored can be continued on its own connection only', async () => {
      await withClient(async (client) => {
        const first = responseOf(await client.answer({ model, input: 'My name is Ada.', store: false }));
        received = [];
        const follow = { model, store: false, previous_response_id: first.id, input: 'Who am I?' };
        const second = responseOf(await client.answer(follow));
        const sent = received.at(-1)?.text ?? '';
        for (const text of ['My name is Ada.', WORD.repeat(3), 'Who am I?']) expect(sent).toContain(text);
        expect(sent).not.toContain('"type":"response.create"');
        await client.answer({ ...follow, previous_response_id: second.id, input: 'And now?' });
        for (const text of ['My name is Ada.', 'Who am I?', 'And now?']) expect(received.at(-1)?.text).toContain(text);
        const elsewhere = { ...follow, previous_response_id: second.id };
        for (const key of ['main', 'globex']) {
          await withClient(async (other) => {
            expect(await other.answer(elsewhere)).toMatchObject([
              {
                type: 'error',
                status: 400,
                error: { code: 'previous_response_not_found', param: 'previous_response_id' },
              },
            ]);
          }, key);
        }
        // If stored, it can be read and continued by the whole account, with all earlier turns.
        const stored = responseOf(await client.answer({ ...follow, previous_response_id: second.id, store: true }));
        const sdk = new OpenAI({ baseURL: serving.baseUrl, apiKey: clientKey('main'), maxRetries: 0 });
        expect((await sdk.responses.retrieve(String(stored.id))).id).toBe(String(stored.id));
        await withClient(async (other) => {
          await other.answer({ model: 'chat', previous_response_id: stored.id, input: 'Still?' });
          expect(received.at(-1)?.text).toContain('My name is Ada.');
        });
      });
    });

    test('upstream failures are messages, and the next request is answered', async () => {
      await withClient(async (client) => {
        const refused = await client.answer({ model: `${model}-busy`, input: 'too-many' });
        if (againstDocuments) {
          expect(judgeAs('openresponses', 'WebSocketErrorEvent', refused[0])).toEqual([]);
        }
        expect(refused).toMatchObject([{ type: 'error', status: 429, error: { code: 'rate_limit_exceeded' } }]);
        const cut = await client.answer({ model: `${model}-cut`, input: 'cut-here' });
        const error = cut.find(({ type }) => type === 'error');
        expect(error).toMatchObject({ status: 502, error: { code: expect.any(String) } });
        expect(responseOf(await client.answer({ model, input: 'Hello' })).status).toBe('completed');
      });
    });

    test('a client disconnect cancels its request', async () => {
      received = [];
      const client = await Client.open();
      client.send({ model, input: 'hang-here' });
      await until('the request', () => received.length === 1 && client.events.length > 0);
      client.close();
      await until('the upstream request has ended', () => received[0]?.signal.aborted === true);
    });
  });

  describe('a request on a WebSocket', () => {
    test('can prepare the next one without generating', async () => {
      await withClient(async (client) => {
        received = [];
        const prepared = await client.answer({
          ...{ model: 'chat', generate: false, store: false, instructions: 'Be kind.' },
          input: 'My name is Ada.',
        });
        expect(prepared.map(({ type }) => type)).toEqual(['response.created', 'response.completed']);
        const response = responseOf(prepared);
        expect(response).toMatchObject({ status: 'completed', output: [], usage: { total_tokens: 0 } });
        if (againstDocuments) {
          expect(prepared.flatMap((event) => judgeStreamEvent('openai-responses', event, 'translated'))).toEqual([]);
        }
        expect(received).toEqual([]);
        await client.answer({ model: 'chat', previous_response_id: response.id, input: 'Who am I?' });
        expect(received[0]?.text).toContain('My name is Ada.');
      });
    });

    test.each([
      ['{', 'invalid_json', null],
      ['[]', 'invalid_json', null],
      ['{"type":"session.update"}', 'invalid_value', 'type'],
      ['{"type":"response.create"}', 'missing_required_parameter', 'model'],
      ['{"type":"response.create","model":"chat"}', 'missing_required_parameter', 'input'],
      ['{"type":"response.create","model":"chat","input":"Hi","stream":false}', 'invalid_value', 'stream'],
      ['{"type":"response.create","model":"chat","input":"Hi","background":true}', 'invalid_value', 'background'],
      ['{"type":"response.create","model":"chat","input":"Hi","generate":1}', 'invalid_value', 'generate'],
      ['{"type":"response.create","model":"chat","input":"Hi","stream_id":"a b"}', 'invalid_value', 'stream_id'],
      [
        '{"type":"response.create","model":"chat","input":"Hi","generate":false,"temperature":9}',
        'invalid_value',
        'temperature',
      ],
      ['{"type":"response.create","model":"nobody","input":"Hi"}', 'model_not_found', 'model'],
      ['{"type":"response.create","model":"chat","input":"Hi",}', 'invalid_json', null],
    ])('that is invalid is refused by name without closing the connection: %s', async (sent, code, param) => {
      await withClient(async (client) => {
        const [error, ...more] = await client.answer(sent);
        expect(more).toEqual([]);
        expect(error).toMatchObject({ type: 'error', error: { code, param } });
        expect(error?.status).toBe(code === 'model_not_found' ? 404 : 400);
        const fine = { model: 'chat', input: 'Hello', stream: true, background: false, generate: null };
        expect(responseOf(await client.answer(fine)).status).toBe('completed');
      });
    });

    test('keeps its other bytes on the way to OpenAI', async () => {
      await withClient(async (client) => {
        received = [];
        await client.answer(
          '{ "stream":true, "type" : "response.create", "big": 12345678901234567890, "input":"Hi", "generate" : true ,"model":"openai", "stream_id":"a", "x" : 1.50 }',
        );
        expect(received[0]?.text).toBe(
          '{ "stream":true, "big": 12345678901234567890, "input":"Hi" ,"model":"gpt-5.1", "x" : 1.50 }',
        );
      });
    });

    test('waits for the previous one in its lane only', async () => {
      await withClient(async (client) => {
        received = [];
        client.send({ model: 'chat', input: 'hold-here', store: false });
        client.send({ model: 'chat', input: 'Second.', store: false });
        await until('the first', () => received.length === 1);
        const lane = await new Promise<readonly Json[]>((resolve) => {
          client.send({ model: 'chat', input: 'Third.', stream_id: 'lane.1', store: false });
          void until('the lane', () =>
            client.events.some((event) => event.stream_id === 'lane.1' && isLast(event)),
          ).then(() => resolve(client.events.filter((event) => event.stream_id === 'lane.1')));
        });
        expect(lane.at(-1)?.type).toBe('response.completed');
        expect(received).toHaveLength(2);
        release();
        await until('all', () => client.events.filter(isLast).length === 3);
        const others = client.events.filter((event) => event.stream_id === undefined);
        const ends = others.flatMap((event, index) => (isLast(event) ? [index] : []));
        expect(others[0]?.type).toBe('response.created');
        expect(others[(ends[0] ?? 0) + 1]?.type).toBe('response.created');
        expect(received.map(({ text }) => /hold-here|Second|Third/.exec(text)?.[0])).toEqual([
          'hold-here',
          'Third',
          'Second',
        ]);
      });
    });

    test('that exceeds the queue limit is refused', async () => {
      await withClient(async (client) => {
        client.send({ model: 'chat', input: 'hold-here', store: false });
        for (let more = 0; more < 40; more++) client.send({ model: 'chat', input: 'Hi', generate: false });
        await until('the refusals', () => client.events.filter(({ type }) => type === 'error').length === 9);
        expect(errorOf(client.events)).toMatchObject({ code: 'rate_limit_exceeded' });
        release();
        await until('the answers', () => client.events.filter(isLast).length === 41);
      });
      await withClient(async (client) => {
        for (let lane = 0; lane < 17; lane++) client.send({ model: 'chat', input: 'hang-here', stream_id: `l${lane}` });
        await until('the refusal', () => client.events.some(({ type }) => type === 'error'));
        expect(errorOf(client.events).code).toBe('websocket_stream_limit_reached');
      });
    });

    test('is limited, charged and recorded as over HTTP', async () => {
      await withClient(async (client) => {
        for (const expected of ['response.completed', 'response.completed', 'error']) {
          expect((await client.answer({ model: 'chat', input: 'Hi' })).at(-1)?.type).toBe(expected);
        }
        expect(errorOf(client.events).code).toBe('rate_limit_exceeded');
      }, 'slow');
      await withClient(async (client) => {
        await client.answer({ model: 'chat', input: 'Hi' });
        await client.answer({ model: 'chat', input: 'Hi', generate: false });
      }, 'payer');
      await until('the records', () => rows('payer').length === 2);
      expect(rows('payer')).toMatchObject([
        { status: 200, input_tokens: 20, output_tokens: 3, cost_nano: 50_000, stream: 1 },
        { status: 200, input_tokens: null, cost_nano: 0 },
      ]);
    });

    test('is refused after its key was revoked, and the connection is closed', async () => {
      const client = await Client.open('brief');
      await client.answer({ model: 'chat', input: 'Hi' });
      const revoked = await space.run(['keys', 'revoke', 'brief'], { env: { SWITCHYARD_CONFIG } });
      expect(revoked.stderr).toBe('');
      await until('the change', async () => {
        const last = (await client.answer({ model: 'chat', input: 'Hi', generate: false })).at(-1);
        return last?.type === 'error';
      });
      expect(client.events.at(-1)).toMatchObject({ status: 401, error: { code: 'expired_api_key' } });
      await until('the end', () => client.closed !== null);
      expect(client.closed?.code).toBe(1008);
    });
  });

  describe('the handshake', () => {
    const get = (headers: Record<string, string>) => fetch(`${serving.baseUrl}/responses`, { headers });
    const handshake = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };

    test('is refused without a key', async () => {
      for (const headers of [{}, { authorization: 'Bearer sk-nobody-at-all' }, { authorization: 'Bearer mt-x' }]) {
        const answer = await get({ ...handshake, ...headers });
        expect(answer.status).toBe(401);
        expect(await answer.json()).toMatchObject({ error: { code: 'invalid_api_key' } });
      }
    });

    test('is a 405 without an upgrade, and a 400 with half of one', async () => {
      const authorization = `Bearer ${clientKey('main')}`;
      expect((await get({ authorization })).status).toBe(405);
      expect((await get({ authorization, connection: 'Upgrade', upgrade: 'websocket' })).status).toBe(400);
    });

    test('is limited per account', async () => {
      const clients = await Promise.all(Array.from({ length: 5 }, () => Client.open('many')));
      const refused = await get({ ...handshake, authorization: `Bearer ${clientKey('many')}` });
      expect(refused.status).toBe(429);
      await withClient(async (other) => {
        expect(responseOf(await other.answer({ model: 'chat', input: 'Hi' })).status).toBe('completed');
      }, 'globex');
      clients[0]?.close();
      await until('room', async () => {
        try {
          clients.push(await Client.open('many'));
          return true;
        } catch {
          return false;
        }
      });
      for (const client of clients) client.close();
    });

    test('limits messages to the size of a body', async () => {
      await withClient(async (client) => {
        const large = await client.answer({ model: 'chat', input: 'x'.repeat(70_000) });
        expect(large).toMatchObject([{ type: 'error', status: 413, error: { code: 'payload_too_large' } }]);
        client.send({ model: 'chat', input: 'x'.repeat(200_000) });
        await until('the end', () => client.closed !== null);
        expect(client.closed?.code).toBe(1009);
      });
    });

    test('works at every path variant that clients build', async () => {
      const url = `${serving.origin.replace('http', 'ws')}/openai/v1/responses/`;
      const options = { headers: { authorization: `Bearer ${clientKey('main')}` } } as unknown as string;
      const socket = new WebSocket(url, options);
      await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = reject;
      });
      socket.close();
    });
  });

  /** Connects a client that reads nothing after the handshake. */
  async function deafClient(): Promise<Socket> {
    const socket = connect(serving.port, '127.0.0.1');
    const lines = [
      'GET /v1/responses HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: Bearer ${clientKey('main')}`,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    return socket;
  }

  /** Returns a masked text frame whose mask is zero (RFC 6455, 5.2). */
  function frameOf(text: string): Buffer {
    const bytes = Buffer.from(text);
    const { length } = bytes;
    const head = length < 126 ? [0x81, 0x80 | length] : [0x81, 0xfe, length >> 8, length & 255];
    return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), bytes]);
  }

  test('a client that does not read exerts backpressure on its upstream only', async () => {
    flooded = 0;
    const socket = await deafClient();
    socket.write(
      frameOf(JSON.stringify({ type: 'response.create', model: 'chat', input: 'flood-here', store: false })),
    );
    await until('the flood has started', () => flooded > 0);
    await withClient(async (other) => {
      await until('the flood stops while another client is answered', async () => {
        const before = flooded;
        expect(responseOf(await other.answer({ model: 'chat', input: 'Hi' })).status).toBe('completed');
        return flooded === before;
      });
    });
    expect(flooded).toBeLessThan(64 * 1024 * 1024);
    socket.destroy();
    await until('the upstream request has ended', () =>
      received.some(({ text, signal }) => text.includes('flood-here') && signal.aborted),
    );
  });

  test('a client that sends invalid messages and reads no response is disconnected', async () => {
    const socket = await deafClient();
    let isCut = false;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      isCut = true;
    });
    const many = Buffer.concat(Array.from({ length: 5_000 }, () => frameOf('x')));
    await until('the cut', () => {
      if (!isCut) socket.write(many);
      return isCut;
    });
  });

  test('a gateway that drains answers on all connections, then finishes responses, and closes with a reason', async () => {
    const idle = await Client.open();
    serving.drain();
    await until('the gateway is not ready', async () => (await fetch(`${serving.origin}/readyz`)).status === 503);
    const busy = await Client.open();
    for (const client of [idle, busy]) {
      expect(responseOf(await client.answer({ model: 'chat', input: 'Hi' })).status).toBe('completed');
    }
    const before = busy.events.length;
    busy.send({ model: 'chat', input: 'hold-here', store: false });
    await until('an event', () => busy.events.length > before);
    expect(idle.closed).toBeNull();
    const exitCode = serving.stop();
    await until('the idle connection is closed', () => idle.closed !== null);
    expect(idle.closed).toEqual({ code: 1001, reason: expect.stringContaining('shutting down') });
    expect(await busy.answer({ model: 'chat', input: 'More.' })).toMatchObject([
      { status: 503, error: { code: 'shutting_down' } },
    ]);
    release();
    await until('the end', () => busy.closed !== null);
    expect(busy.events.at(-1)?.type).toBe('response.completed');
    expect(busy.closed?.code).toBe(1001);
    expect(await exitCode).toBe(0);
    expect(isObject(busy.events[0])).toBe(true);
  });
}

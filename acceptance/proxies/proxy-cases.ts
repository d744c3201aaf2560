import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chatBody } from '../../conformance/shared/answer.ts';
import { asArray, asObject, parseJson } from '../../conformance/shared/json.ts';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';
import { KEY, PREFIX, ProxyBed, type StartProxy, TOKEN } from './bed.ts';

const TIMEOUT_MS = 300_000;
const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
const MIB = 1024 * 1024;

/** Declares the tests that every proxy has to pass. */
export function describeProxy(name: string, startProxy: StartProxy): void {
  describe(name, () => {
    let bed: ProxyBed;
    beforeAll(async () => {
      bed = await ProxyBed.start(startProxy);
    }, TIMEOUT_MS);
    afterAll(() => bed?.stop(), TIMEOUT_MS);

    const openStream = (base: string, signal?: AbortSignal) =>
      bed.fetch(`${base}/v1/chat/completions`, {
        ...{ method: 'POST', headers: HEADERS, body: JSON.stringify(chatBody('paced', { stream: true })) },
        ...(signal && { signal }),
      });

    for (const place of ['at its own address', 'below a path'] as const) {
      const base = () => (place === 'below a path' ? bed.prefixed : bed.origin);

      test(
        `${place}: the first chunk of a stream arrives while the rest is held`,
        async () => {
          const response = await openStream(base());
          const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
          let text = '';
          while (!text.includes('chat.completion.chunk')) text += (await reader?.read())?.value ?? '';
          expect(text).not.toContain('[DONE]');
          bed.release();
          for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read())
            text += piece.value;
          expect(text).toContain('data: [DONE]');
        },
        TIMEOUT_MS,
      );

      test(
        `${place}: a turn over a WebSocket`,
        async () => {
          const socket = await bed.openSocket(base());
          const types: string[] = [];
          socket.onmessage = ({ data }) => types.push(String(asObject(parseJson(String(data))).type));
          socket.send(JSON.stringify({ type: 'response.create', model: 'whole', input: 'Hello!', store: false }));
          await until('the response is complete', () => types.includes('response.completed'));
          expect(types).toContain('response.output_text.delta');
          socket.close();
        },
        TIMEOUT_MS,
      );

      test(
        `${place}: doctor finds no problem`,
        async () => {
          const space = await ProcessWorkspace.create();
          const env = {
            SWITCHYARD_DATA: bed.space.data,
            SWITCHYARD_CONFIG: bed.space.path('switchyard.yaml'),
            NODE_EXTRA_CA_CERTS: bed.site.certificate,
          };
          const { stdout } = await space.run(['doctor', '--port', '0', '--url', base()], { env });
          await space.remove();
          const found = stdout.split('\n').flatMap((line) => {
            const [, level, subject] = /^(\S+) +(public \w+|proxy \w+|client \w+|links) /.exec(line) ?? [];
            return level === undefined ? [] : [`${subject}: ${level}`];
          });
          expect([found, stdout]).toEqual([
            [
              'public address: ok',
              'proxy path: ok',
              'proxy headers: ok',
              'client address: ok',
              'links: ok',
              'proxy streams: ok',
              'proxy sockets: ok',
              'proxy bodies: ok',
            ],
            stdout,
          ]);
        },
        TIMEOUT_MS,
      );

      test(`${place}: the gateway knows its address`, async () => {
        const home = await (await bed.fetch(`${base()}/`, { headers: { accept: 'application/json' } })).text();
        expect(home).toContain(`"${base()}/v1"`);
        expect(home).not.toContain('http://');
      });
    }

    test(
      'over HTTP/2, the first chunk arrives while the rest is held',
      async () => {
        const child = curl(
          '--http2',
          '--write-out',
          'HTTP %{http_version}',
          ...bodyOf(chatBody('paced', { stream: true })),
        );
        const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        while (!text.includes('chat.completion.chunk')) text += (await reader.read()).value ?? '';
        expect(text).not.toContain('[DONE]');
        bed.release();
        for (let piece = await reader.read(); piece.value !== undefined; piece = await reader.read())
          text += piece.value;
        expect(text).toContain('data: [DONE]');
        expect(text).toEndWith('HTTP 2');
        expect(await child.exited).toBe(0);
      },
      TIMEOUT_MS,
    );

    test(
      'a client that leaves ends the request at the provider',
      async () => {
        const leave = new AbortController();
        const response = await openStream(bed.origin, leave.signal);
        await response.body?.getReader().read();
        const request = bed.upstream.requests.at(-1);
        expect(request?.signal.aborted).toBe(false);
        leave.abort();
        await until('the provider sees that the client has left', () => request?.signal.aborted === true);
      },
      TIMEOUT_MS,
    );

    test(
      'a body of 30 MiB arrives whole',
      async () => {
        // One image may have 20 MB.
        const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(15 * MIB)}` } };
        const messages = [{ role: 'user', content: [image, image] }];
        const response = await bed.fetch('/v1/chat/completions', {
          ...{ method: 'POST', headers: HEADERS, body: JSON.stringify({ model: 'whole', messages }) },
        });
        expect([response.status, (await response.text()).slice(0, 200)]).toEqual([200, expect.any(String)]);
        expect(bed.upstream.requests.at(-1)?.bytes.byteLength).toBeGreaterThan(30 * MIB);
      },
      TIMEOUT_MS,
    );

    test(
      'the gateway and the log of the proxy have the address of the client, and not one that it claims',
      async () => {
        const key = JSON.stringify({ name: 'Through the proxy' });
        const created = curl(
          ...[
            '--interface',
            '127.0.0.2',
            '--header',
            'X-Forwarded-For: 203.0.113.9',
            '--header',
            `Authorization: Bearer ${TOKEN}`,
          ],
          ...['--json', key, `${bed.origin}/v1/management/keys`],
        );
        const answer = asObject(parseJson(await created.stdout.text()));
        expect(answer).toMatchObject({ name: 'Through the proxy' });
        const audit = await bed.fetch('/v1/management/audit', { headers: { authorization: `Bearer ${TOKEN}` } });
        const entries = asArray(asObject(await audit.json()).data).map(asObject);
        const entry = entries.find(({ action }) => String(action).startsWith('key.'));
        expect(entry?.address).toBe('127.0.0.2');
        await until('the request is in the log', async () => (await bed.logged()).includes('127.0.0.2'));
        expect(await bed.logged()).not.toContain(TOKEN);
      },
      TIMEOUT_MS,
    );

    test('a prefix that a client claims is ignored', async () => {
      const headers = { accept: 'application/json', 'x-forwarded-prefix': '/other' };
      expect(await (await bed.fetch('/', { headers })).text()).not.toContain('/other');
      expect(await (await bed.fetch(`${bed.prefixed}/`, { headers })).text()).toContain(`${PREFIX}/v1`);
    });

    test('the query of a link to a file is not in the log', async () => {
      await bed.fetch('/media/a-file-of-nobody?expires=1&signature=a-signature');
      await until('the request is in the log', async () => (await bed.logged()).includes('/media/a-file-of-nobody'));
      expect(await bed.logged()).not.toContain('a-signature');
    });

    test('the metrics cannot be read through the proxy', async () => {
      expect((await bed.fetch('/metrics')).status).toBe(404);
      expect((await bed.fetch(`${bed.prefixed}/metrics`)).status).toBe(404);
    });

    /** Starts curl, which unlike `fetch` speaks HTTP/2 and can send from another address. */
    function curl(...args: readonly string[]) {
      return Bun.spawn(['curl', '--silent', '--no-buffer', '--insecure', ...args], {
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'ignore',
      });
    }

    const bodyOf = (body: object) => [
      ...['--header', `Authorization: Bearer ${KEY}`, '--json', JSON.stringify(body)],
      `${bed.origin}/v1/chat/completions`,
    ];
  });
}

import { afterAll, afterEach, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { HttpUpstream } from '../../src/upstream/http-upstream.ts';
import { serveRaw } from '../../src/upstream/testing/raw-server.ts';
import { CERTIFICATE } from '../../src/upstream/testing/self-signed-certificate.ts';

/* The parts of upstream connections that depend on a process: its environment, and a host that has stopped. */

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const folder = await mkdtemp(path.join(tmpdir(), 'switchyard-upstream-'));
afterAll(() => rm(folder, { recursive: true }));

/** Runs the script in its own process, and resolves to its output. */
async function printed(script: string, env: Record<string, string | undefined>): Promise<string> {
  const child = Bun.spawn([process.execPath, '-e', script], { env, stdout: 'pipe', stderr: 'ignore' });
  return (await child.stdout.text()).trim();
}

const moduleOf = (name: string) => JSON.stringify(path.join(PROJECT, 'src', 'upstream', name));

test('a host that drops packets causes a connect time-out', async () => {
  // A stopped process with a full backlog: the kernel drops further connection attempts, as a dead host would. Node, because Bun
  // ignores the backlog.
  const listen = 'require("net").createServer().listen({port: 0, host: "127.0.0.1", backlog: 1}, ready)';
  const child = Bun.spawn(['node', '-e', `${listen}; function ready() { console.log(this.address().port) }`], {
    stdout: 'pipe',
  });
  closers.push(() => child.kill('SIGKILL'));
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  child.kill('SIGSTOP');
  // The backlog accepts the first few; the others stay pending, in whatever order they begin.
  const fill = Array.from({ length: 8 }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
  closers.push(() => {
    for (const socket of fill) socket.destroy();
  });
  await new Promise<void>((connected) => fill[0]?.once('connect', connected));
  const request = { url: `http://127.0.0.1:${port}/`, method: 'POST' as const, headers: {}, body: Buffer.from('{}') };
  const timeouts = { connectMs: 500, firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 };
  const kindOf = async () => {
    const answer = await new HttpUpstream({ proxies: null }).send({ ...request, timeouts });
    return answer instanceof Failure ? answer.kind : 'answered';
  };
  expect(await kindOf()).toBe('connect_timeout');
}, 600_000);

test("Bun's own idle limit, 5 minutes by default, does not cut what the channel allows", async () => {
  // Uses a limit of one second, and a silence longer than Bun takes to notice it.
  const server = await serveRaw((socket) => {
    setTimeout(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate'), 9_000);
  });
  closers.push(server.close);
  const script = `
    import { HttpUpstream } from ${moduleOf('http-upstream.ts')};
    const timeouts = { connectMs: 60000, firstByteMs: 60000, idleMs: 60000, totalMs: 60000 };
    const request = { url: 'http://127.0.0.1:${server.port}/', method: 'POST', headers: {}, body: new TextEncoder().encode('{}'), timeouts };
    const answer = await new HttpUpstream({ proxies: null }).send(request);
    const bytes = await answer.body?.readAll({ limitBytes: 100 });
    console.log(bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : JSON.stringify(answer.kind ?? bytes.kind));
    process.exit(0);
  `;
  expect(await printed(script, { ...process.env, BUN_CONFIG_HTTP_IDLE_TIMEOUT: '1' })).toBe('late');
}, 600_000);

test('environment variables can add an authority for media, but not set a proxy or disable the check', async () => {
  const secure = await serveRaw('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 5\r\n\r\nhello', true);
  closers.push(secure.close);
  const authority = path.join(folder, 'authority.pem');
  await Bun.write(authority, CERTIFICATE);
  const script = `
    import { createMediaFetcher } from ${moduleOf('media-fetcher.ts')};
    const allowedRanges = [{ base: { version: 4, value: 0x7f000001n }, prefixLength: 32 }];
    const settings = { allowHttp: false, allowedRanges, deniedRanges: [], maxBytes: 9, maxHeldBytes: 999, maxConcurrent: 1, connectMs: 60000, totalMs: 60000 };
    const media = createMediaFetcher({ settings, resolve: async () => ['127.0.0.1'] });
    const result = await media.open('acme').fetch('https://media.example:${secure.port}/');
    console.log(result.kind ?? result.mediaType);
    process.exit(0);`;
  const proxy = 'http://127.0.0.1:1';
  const proxies = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy };
  const results = await Promise.all([
    printed(script, { ...proxies, NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
    printed(script, { ...proxies, NODE_EXTRA_CA_CERTS: authority }),
  ]);
  expect(results).toEqual(['media_tls', 'image/png']);
}, 600_000);

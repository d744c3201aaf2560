import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../src/domain/failure/failure.ts';
import { encodeForm } from '../src/formats/shared/request/form-body.ts';
import { BodyBudget, BodyLease } from '../src/transports/inference/body-budget.ts';
import { UploadFolder } from '../src/transports/inference/form/upload-folder.ts';
import type { Connections } from '../src/transports/inference/route.ts';
import { Uploads } from '../src/transports/inference/uploads.ts';
import { formBody } from '../src/transports/inference/whole-body.ts';
import { HttpUpstream } from '../src/upstream/http-upstream.ts';
import { startAnnouncingPort } from './child-process.ts';

/*
 * The memory growth of a process that receives files in forms and sends them on: one of 24.9 MB, and many at once. `bun bench/uploads.ts
 * [--uploads 200] [--bytes 24900000] [--json]`; it takes about half a minute. Linux only.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    uploads: { type: 'string', default: '200' },
    bytes: { type: 'string', default: '24900000' },
    json: { type: 'boolean', default: false },
  },
});
const UPLOADS = Number(values.uploads);
const BYTES = Number(values.bytes);
const RULES = { files: { file: { maxBytes: 25_000_000, maxCount: 1 } }, lists: [], texts: [] };
const TIMEOUTS = { connectMs: 10_000, firstByteMs: 120_000, idleMs: 120_000, totalMs: 600_000 };
const PIECE = crypto.getRandomValues(new Uint8Array(64 * 1024));

/** Runs the measured process: the gateway's handling of a form, without accounts and models. */
async function serveUploads(upstreamUrl: string): Promise<void> {
  const path = await mkdtemp(join(tmpdir(), 'bench-uploads-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  const logger = {
    ...{ debug() {}, info() {}, warn() {} },
    error: (told: object, message: string) => console.error(message, told),
  };
  const uploadFolder = new UploadFolder({ path, totalBytes: 2 ** 34, logger });
  const budget = new BodyBudget(2560 * 1024 * 1024, 50 * 1024 * 1024);
  const uploads = new Uploads();
  const upstream = new HttpUpstream({ proxies: null });
  const server = Bun.serve({
    port: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request, bun) {
      if (request.method === 'GET') return new Response(String(await filesIn(path)));
      const lease = new BodyLease(budget);
      const connections: Connections = {
        timeout: (_, seconds) => bun.timeout(request, seconds),
        requestIP: () => null,
        upgrade: () => false,
      };
      const read = formBody({ request, connections, lease, uploads, uploadFolder });
      const form = await read(request.headers.get('x-account') ?? '', RULES);
      if (form instanceof Failure) {
        lease.end();
        return new Response(form.message, { status: form.status });
      }
      try {
        const [file] = form.files.get('file') ?? [];
        if (file === undefined) return new Response('no file', { status: 400 });
        const { body, headers } = encodeForm([{ name: 'file', file, mediaType: 'audio/wav' }]);
        const answer = await upstream.send({ url: upstreamUrl, method: 'POST', headers, body, timeouts: TIMEOUTS });
        if (answer instanceof Failure) return new Response(answer.message, { status: answer.status });
        const told = await answer.body.readAll({ limitBytes: 1_000 });
        return told instanceof Failure
          ? new Response(told.message, { status: told.status })
          : new Response(told.slice());
      } finally {
        form.remove();
        lease.end();
      }
    },
  });
  console.log(server.port);
}

async function filesIn(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** Resolves to the number of files left on disk; they are removed after the answers. */
async function leftAt(url: string): Promise<number> {
  let left = 0;
  for (let turn = 0; turn < 100; turn++) {
    left = Number(await (await fetch(url)).text());
    if (left === 0) break;
    await Bun.sleep(50);
  }
  return left;
}

function bodyOf(bytes: number): { readonly stream: ReadableStream<Uint8Array>; readonly length: number } {
  const head = Buffer.from('--B\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n');
  const tail = Buffer.from('\r\n--B--\r\n');
  let left = bytes;
  let begun = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (!begun) controller.enqueue(head);
        else if (left > 0) controller.enqueue(PIECE.slice(0, left));
        if (begun) left -= PIECE.length;
        begun = true;
        if (left > 0) return;
        controller.enqueue(tail);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, length: head.length + bytes + tail.length };
}

async function upload(url: string, bytes: number, account: string): Promise<boolean> {
  const { stream, length } = bodyOf(bytes);
  const headers = {
    ...{ 'content-type': 'multipart/form-data; boundary=B', 'content-length': String(length), 'x-account': account },
  };
  const answer = await fetch(url, { method: 'POST', body: stream, headers, keepalive: false });
  return answer.status === 200 && Number(await answer.text()) > bytes;
}

/** Returns the peak memory of a process since the last `forget`, in bytes. */
function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

async function forget(pid: number): Promise<void> {
  await Bun.write(`/proc/${pid}/clear_refs`, '5');
}

async function measure(): Promise<void> {
  const sink = Bun.serve({
    port: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      let bytes = 0;
      for await (const piece of request.body ?? []) bytes += piece.length;
      return new Response(String(bytes));
    },
  });
  const command = [process.execPath, import.meta.path, 'serve', String(sink.url)];
  const child = await startAnnouncingPort({ command });
  const url = `http://127.0.0.1:${child.port}/`;
  // All code is loaded by then.
  for (let time = 0; time < 20; time++) await upload(url, 100_000, 'warm');
  await forget(child.pid);
  const before = peakOf(child.pid);
  const one = await upload(url, BYTES, 'one');
  const grownByOne = peakOf(child.pid) - before;
  const startedMs = performance.now();
  const all = await Promise.all(Array.from({ length: UPLOADS }, (_, index) => upload(url, BYTES, `a${index}`)));
  const seconds = (performance.now() - startedMs) / 1_000;
  const grownByAll = peakOf(child.pid) - before;
  const left = await leftAt(url);
  const told = {
    left,
    passed: all.filter(Boolean).length + Number(one),
    of: UPLOADS + 1,
    before,
    grownByOne,
    grownByAll,
    seconds,
  };
  await child.stop();
  await sink.stop(true);
  if (values.json) console.log(JSON.stringify(told));
  else {
    const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    console.log(`${told.passed} of ${told.of} uploads of ${mb(BYTES)} succeeded; ${left} files are left`);
    console.log(
      `memory before: ${mb(before)}; one upload: + ${mb(grownByOne)}; ${UPLOADS} at once: + ${mb(grownByAll)}, ${seconds.toFixed(1)} s`,
    );
  }
}

const [role, upstreamUrl = ''] = positionals;
if (role === 'serve') await serveUploads(upstreamUrl);
else await measure();

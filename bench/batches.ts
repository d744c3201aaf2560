import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startGateway } from './gateway-process.ts';
import { readFamilyUsage, watchPeakRss } from './process-statistics.ts';

/*
 * A batch of many lines through a gateway on SQLite: the growth of its memory, the time and the CPU of each phase, and the bytes on disk.
 * `bun bench/batches.ts [--lines 100000] [--answered all|none] [--api openai|anthropic|none] [--flags --smol]`; it takes some minutes. `none` sends
 * the same requests without a batch. Linux only.
 */

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '100000' },
    answered: { type: 'string', default: 'all' },
    api: { type: 'string', default: 'openai' },
    flags: { type: 'string', default: '' },
  },
});
const LINES = Number(values.lines);
const IS_OPENAI = values.api === 'openai';
const MIB = 1024 * 1024;
const SECRET = `sk-${'b'.repeat(48)}`;
const TEXT = 'A line of a batch, with a prompt that has about the length of a short question to a model. '.repeat(8);
const LOOK_MS = 500;
/** The gateway serves these before it is measured, so that the growth is that of the batch. */
const WARM_REQUESTS = 5_000;

const ANSWER = JSON.stringify({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'up' },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: TEXT } }],
  usage: { prompt_tokens: 160, completion_tokens: 160, total_tokens: 320 },
});
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 404 });
    await request.arrayBuffer();
    return new Response(ANSWER, { headers: { 'content-type': 'application/json' } });
  },
});

const folder = mkdtempSync(join(tmpdir(), 'bench-batches-'));
const SWITCHYARD_CONFIG = join(folder, 'switchyard.json');
writeFileSync(
  SWITCHYARD_CONFIG,
  JSON.stringify({
    channels: [
      {
        ...{ id: 'up', name: 'Up', provider: 'openai-compatible', api_key: 'key' },
        ...{ base_url: `http://127.0.0.1:${upstream.port}/v1`, models: { m: 'up' } },
      },
    ],
    models: [{ id: 'm', pricing: { input_per_1m: '1', output_per_1m: '1' } }],
    accounts: [
      {
        ...{ id: 'buyer', role: 'VIP', requests_per_minute: 1_000_000_000, balance_usd: '1000' },
        keys: [{ id: 'k', name: 'k', secret: SECRET }],
      },
    ],
    batches: { lines_at_once: values.answered === 'all' ? 32 : 1 },
  }),
);
const environment = { SWITCHYARD_CONFIG, SWITCHYARD_WORKERS: '1', SWITCHYARD_SECRET: 'bench-0123456789abcdef' };
const { child, origin } = await startGateway({ folder, environment, bunFlags: values.flags });

const headers = { authorization: `Bearer ${SECRET}` };
const json = { ...headers, 'content-type': 'application/json' };

async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, { headers, ...init });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Runs a phase, and prints how far the memory was beyond that at the start, how long it took and how much CPU. */
async function measured<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const watch = watchPeakRss(child.pid);
  const [began, before] = [performance.now(), readFamilyUsage(child.pid)];
  const result = await work();
  const [peak, after] = [watch.stop(), readFamilyUsage(child.pid)];
  const growth = Math.round((peak - IDLE_BYTES) / MIB);
  const seconds = (performance.now() - began) / 1_000;
  const cpu = (after.cpuMs - before.cpuMs) / 1_000;
  console.log(`${name.padEnd(12)} peak +${growth} MiB, ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU`);
  return result;
}

function bytesOnDisk(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

interface Shown {
  readonly id: string;
  readonly status?: string;
  readonly processing_status?: string;
  readonly output_file_id?: string;
}

const body = (index: number) => ({
  model: 'm',
  max_tokens: 200,
  messages: [{ role: 'user', content: `${index} ${TEXT}` }],
});

async function created(): Promise<Shown> {
  if (!IS_OPENAI) {
    const requests = Array.from({ length: LINES }, (_, index) => ({ custom_id: `l-${index}`, params: body(index) }));
    const content = JSON.stringify({ requests });
    return measured('create', () => ask('/v1/messages/batches', { method: 'POST', headers: json, body: content }));
  }
  const url = '/v1/chat/completions';
  const lines = Array.from({ length: LINES }, (_, index) =>
    JSON.stringify({ custom_id: `l-${index}`, method: 'POST', url, body: body(index) }),
  );
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([`${lines.join('\n')}\n`]), 'lines.jsonl');
  const file = await measured('upload', () => ask<Shown>('/v1/files', { method: 'POST', body: form }));
  const wanted = JSON.stringify({ input_file_id: file.id, endpoint: url, completion_window: '24h' });
  return measured('create', () => ask('/v1/batches', { method: 'POST', headers: json, body: wanted }));
}

async function until(id: string, statuses: readonly string[]): Promise<Shown> {
  for (;;) {
    const batch = await ask<Shown>(IS_OPENAI ? `/v1/batches/${id}` : `/v1/messages/batches/${id}`);
    if (statuses.includes(batch.status ?? batch.processing_status ?? '')) return batch;
    await Bun.sleep(LOOK_MS);
  }
}

/** Sends the same requests without a batch, for the comparison. */
async function sendPlain(requests: number): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < requests) {
      const init = { method: 'POST', headers: json, body: JSON.stringify(body(next++)) };
      await ask('/v1/chat/completions', init);
    }
  };
  await Promise.all(Array.from({ length: 32 }, client));
}

async function runBatch(): Promise<void> {
  const { id } = await created();
  if (IS_OPENAI) await measured('check', () => until(id, ['in_progress', 'finalizing', ...ENDED]));
  if (values.answered !== 'all') {
    await ask(IS_OPENAI ? `/v1/batches/${id}/cancel` : `/v1/messages/batches/${id}/cancel`, { method: 'POST' });
  } else if (IS_OPENAI) await measured('run', () => until(id, ['finalizing', ...ENDED]));
  const ended = await measured('end', () => until(id, ENDED));
  const results = IS_OPENAI ? `/v1/files/${ended.output_file_id}/content` : `/v1/messages/batches/${id}/results`;
  await measured('download', async () => {
    let bytes = 0;
    const response = await fetch(`${origin}${results}`, { headers });
    for await (const piece of response.body ?? []) bytes += piece.length;
    console.log(`  ${Math.round(bytes / MIB)} MiB of results (${response.status})`);
  });
  console.log(`${Math.round(bytesOnDisk(join(folder, 'data')) / MIB)} MiB on disk`);
}

const ENDED = ['completed', 'failed', 'cancelled', 'expired', 'ended'];
// Starts the threads of the gateway, and fills its pools.
await sendPlain(WARM_REQUESTS);
const IDLE_BYTES = readFamilyUsage(child.pid).rssBytes;
console.log(`${LINES} lines, ${values.api}; ${Math.round(IDLE_BYTES / MIB)} MiB before`);
try {
  if (values.api === 'none') await measured('requests', () => sendPlain(LINES));
  else await runBatch();
} finally {
  await child.stop();
  await upstream.stop(true);
  rmSync(folder, { recursive: true, force: true });
}

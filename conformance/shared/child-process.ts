import { createServer } from 'node:net';

export interface Child {
  /** Returns the output of both streams so far, for a failure's report. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

export interface ChildCommand {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Polled until it resolves to true. */
  readonly ready: () => Promise<boolean>;
  readonly startTimeoutMs?: number;
}

const OUTPUT_LIMIT_CHARS = 20_000;
const STOP_TIMEOUT_MS = 3_000;
const living = new Set<Bun.Subprocess>();

// A failed test, an exception or Ctrl-C must not leave servers behind.
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

/** Resolves to a port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** Resolves to whether the URL answers 200. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

export async function startChild(options: ChildCommand): Promise<Child> {
  const child = Bun.spawn([...options.command], {
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  living.add(child);
  let output = '';
  const keep = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream)
      output = (output + decoder.decode(bytes, { stream: true })).slice(-OUTPUT_LIMIT_CHARS);
  };
  void keep(child.stdout);
  void keep(child.stderr);

  const stop = async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await child.exited;
    clearTimeout(timer);
    living.delete(child);
  };

  const deadline = Date.now() + (options.startTimeoutMs ?? 20_000);
  while (!(await options.ready())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      const how = child.exitCode === null ? 'did not become ready' : `ended with exit code ${child.exitCode}`;
      await stop();
      throw new Error(`${options.name} ${how}:\n${output}`);
    }
    await Bun.sleep(25);
  }
  return { output: () => output, stop };
}

import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

export interface ChildProcess {
  readonly pid: number;
  /** Stops it and waits until it has ended. */
  stop(): Promise<void>;
  /** Undefined while it runs, then how it ended: an exit code or a signal. */
  readonly ending: string | undefined;
  /** Returns the end of its output, if that went to a file. */
  lastOutput(): string;
}

/** The running child processes, so that an interrupted benchmark can stop them. */
const running = new Set<Bun.Subprocess>();
// Not SIGKILL, since nginx's master must be able to stop its workers, and not SIGTERM, at which a gateway serves on for a while.
process.on('exit', () => {
  for (const child of running) child.kill('SIGINT');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    void Promise.all([...running].map(stopChild)).then(() => process.exit(130));
  });
}

function track<Child extends Bun.Subprocess>(child: Child): Child {
  running.add(child);
  void child.exited.then(() => running.delete(child));
  return child;
}

async function stopChild(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGINT');
  const gone = await Promise.race([child.exited.then(() => true), Bun.sleep(3000).then(() => false)]);
  if (!gone) child.kill('SIGKILL');
  await child.exited;
}

function asChildProcess(child: Bun.Subprocess, lastOutput: () => string): ChildProcess {
  return {
    pid: child.pid,
    get ending() {
      if (child.signalCode !== null) return `signal ${child.signalCode}`;
      return child.exitCode === null ? undefined : `exit code ${child.exitCode}`;
    },
    stop: () => stopChild(child),
    lastOutput,
  };
}

export interface StartOptions {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
}

/** Starts a process that prints its port as its first line. */
export async function startAnnouncingPort(options: StartOptions): Promise<ChildProcess & { readonly port: number }> {
  const child = track(
    Bun.spawn([...options.command], {
      env: { ...process.env, ...options.environment },
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  );
  const reader = child.stdout.getReader();
  let text = '';
  while (!text.includes('\n')) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`${options.command.join(' ')} exited before it printed its port`);
    text += Buffer.from(value).toString();
  }
  reader.releaseLock();
  return Object.assign(
    asChildProcess(child, () => ''),
    { port: Number.parseInt(text, 10) },
  );
}

/** Starts a process whose output goes to a file, as in production, and waits until `isReady`. */
export async function startLogging(
  options: StartOptions & {
    readonly logFile: string;
    readonly isReady: () => Promise<boolean>;
    readonly patienceMs: number;
  },
): Promise<ChildProcess> {
  const log = openSync(options.logFile, 'a');
  const child = track(
    Bun.spawn([...options.command], {
      env: { ...process.env, ...options.environment },
      ...(options.workingDirectory === undefined ? {} : { cwd: options.workingDirectory }),
      stdout: log,
      stderr: log,
    }),
  );
  closeSync(log);
  const lastOutput = () => readFileSync(options.logFile, 'utf8').slice(-1500);
  const deadline = Date.now() + options.patienceMs;
  while (!(await options.isReady())) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || Date.now() > deadline) {
      await stopChild(child);
      throw new Error(`${ended ? 'exited at once' : 'was not ready in time'}; its last output:\n${lastOutput()}`);
    }
    await Bun.sleep(50);
  }
  return asChildProcess(child, lastOutput);
}

/** A process that answers every line written to it with one line. */
export class LineProcess {
  private readonly child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
  private readonly lines: AsyncIterator<string>;

  constructor(command: readonly string[]) {
    this.child = track(Bun.spawn([...command], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' }));
    this.lines = readLines(this.child.stdout);
  }

  async ask(line: string): Promise<string> {
    this.child.stdin.write(`${line}\n`);
    await this.child.stdin.flush();
    const next = await this.lines.next();
    if (next.done === true) throw new Error('the load generator exited');
    return next.value;
  }

  stop(): Promise<void> {
    return stopChild(this.child);
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  for await (const bytes of stream) {
    const lines = (rest + Buffer.from(bytes).toString()).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Resolves to a port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address !== null && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(1000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

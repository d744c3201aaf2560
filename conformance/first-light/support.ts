import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { GATEWAY_PROGRAM } from '../shared/entry.ts';
import { asObject, parseJson } from '../shared/json.ts';

/* The product as its user has it: a process, its exit code, what it prints, its data folder, and HTTP. */

export const PROJECT = path.join(import.meta.dir, '..', '..');
/** What `npm start` runs. */
export const LAUNCHER: readonly string[] = ['node', path.join(PROJECT, 'bin', 'switchyard.mjs')];

const START_TIMEOUT_MS = 60_000;
const COMMAND_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

/** Process groups that a failed test, an exception or Ctrl-C must not leave behind. */
const groups = new Set<number>();
process.on('exit', () => {
  for (const group of groups) killGroup(group);
});

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** The environment of a machine that knows nothing of providers: no keys, no Ollama, no settings of ours. */
export function bareEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const foreign = /_API_KEY$|_TOKEN$|^(SWITCHYARD_|BUN_CONFIG_|npm_|PORT$|HOST$|DATABASE_URL$|REDIS_URL$|LOG_LEVEL$)/;
  const kept = Object.entries(process.env).filter(([name, value]) => value !== undefined && !foreign.test(name));
  // Nothing listens on port 1.
  return { ...(Object.fromEntries(kept) as Record<string, string>), OLLAMA_HOST: '127.0.0.1:1', ...extra };
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The command in front of the arguments: `GATEWAY_PROGRAM`, `LAUNCHER`, or an executable. */
  readonly program?: readonly string[];
  readonly cwd?: string;
}

/** A folder with a data folder in it, and the commands that work on that. */
export class Workspace {
  private readonly running = new Set<Serving>();

  private constructor(readonly folder: string) {}

  static async create(): Promise<Workspace> {
    return new Workspace(await mkdtemp(path.join(tmpdir(), 'switchyard-first-light-')));
  }

  path(...names: string[]): string {
    return path.join(this.folder, ...names);
  }

  get data(): string {
    return this.path('data');
  }

  get database(): string {
    return this.path('data', 'switchyard.sqlite');
  }

  /** Writes a file, and the folders above it. */
  async write(name: string, content: string | object): Promise<string> {
    const file = this.path(name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : stringify(content));
    return file;
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const child = this.spawn(args, options);
    const timer = setTimeout(() => killGroup(child.pid), COMMAND_TIMEOUT_MS);
    try {
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { exitCode: await child.exited, stdout, stderr };
    } finally {
      clearTimeout(timer);
      groups.delete(child.pid);
    }
  }

  /** Starts `serve` on a free port, and waits for the line that says where it listens. */
  async serve(options: RunOptions & { readonly args?: readonly string[] } = {}): Promise<Serving> {
    const env = { PORT: '0', ...options.env };
    const serving = new Serving(this.spawn(options.args ?? ['serve'], { ...options, env }));
    this.running.add(serving);
    await serving.ready();
    return serving;
  }

  private spawn(args: readonly string[], { env = {}, program = GATEWAY_PROGRAM, cwd = this.folder }: RunOptions) {
    const limit: Record<string, string> = program === GATEWAY_PROGRAM ? { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' } : {};
    const child = Bun.spawn([...program, ...args], {
      cwd,
      env: bareEnvironment({ SWITCHYARD_DATA: this.data, ...limit, ...env }),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      // A group of its own, so that a whole family of processes can be signalled, and ended.
      detached: true,
    });
    groups.add(child.pid);
    return child;
  }

  /** The files of the data folder that hold the text, plain. */
  async dataFilesWith(text: string): Promise<string[]> {
    const entries = await readdir(this.data, { recursive: true, withFileTypes: true });
    const names = entries.flatMap((entry) =>
      entry.isDirectory() ? [] : [path.relative(this.data, path.join(entry.parentPath, entry.name))],
    );
    const hits = await Promise.all(
      names.map(async (name) => (await readFile(path.join(this.data, name))).includes(text)),
    );
    return names.filter((_name, index) => hits[index]);
  }

  async remove(): Promise<void> {
    await Promise.all([...this.running].map((serving) => serving.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

type Piped = Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR2';

/** A running gateway. */
export class Serving {
  stdout = '';
  stderr = '';
  /** `null` while it runs. */
  exitCode: number | null = null;
  readonly exited: Promise<number>;

  constructor(private readonly child: Piped) {
    const outputs = Promise.all([
      collect(child.stdout, (text) => {
        this.stdout += text;
      }),
      collect(child.stderr, (text) => {
        this.stderr += text;
      }),
    ]);
    this.exited = child.exited.then(async (code) => {
      await outputs;
      this.exitCode = code;
      return code;
    });
  }

  get pid(): number {
    return this.child.pid;
  }

  get origin(): string {
    return /^Switchyard listens on (http:\S+)$/m.exec(this.stdout)?.[1] ?? '';
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  /** The channels that the start named. */
  get channels(): string {
    return /^Channels: (.*)$/m.exec(this.stdout)?.[1] ?? '';
  }

  /** The key that was printed as the first one, or `null`. */
  get firstKey(): string | null {
    return /^ {2}(sk-\S+)$/m.exec(this.stdout)?.[1] ?? null;
  }

  get curlLine(): string {
    return /^ *curl .*$/m.exec(this.stdout)?.[0] ?? '';
  }

  async ready(): Promise<void> {
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (this.channels === '') {
      if (this.exitCode !== null || performance.now() > deadline) {
        await this.stop();
        throw new Error(`the gateway did not start:\n${this.stdout}${this.stderr}`);
      }
      await Bun.sleep(10);
    }
    // What else there is to print (a key, a curl line) is already on its way.
    await Bun.sleep(30);
  }

  /** To the process that was started, as `kill` does. */
  signal(name: StopSignal): void {
    this.child.kill(name);
  }

  /** To it and all its children, as a terminal's Ctrl-C does. */
  signalGroup(name: StopSignal): void {
    process.kill(-this.child.pid, name);
  }

  async stop(): Promise<number> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => killGroup(this.child.pid), STOP_TIMEOUT_MS);
    const code = await this.exited;
    clearTimeout(timer);
    killGroup(this.child.pid);
    groups.delete(this.child.pid);
    return code;
  }

  /** A chat request as plain HTTP. */
  async chat(key: string, body: object | string, init: ChatInit = {}): Promise<Answer> {
    return answerOf(await this.openChat(key, body, init));
  }

  openChat(key: string, body: object | string, { signal, headers = {} }: ChatInit = {}): Promise<Response> {
    return fetch(`${this.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

interface ChatInit {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) add(decoder.decode(bytes, { stream: true }));
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** The envelope's `error`, or an empty object. */
  readonly error: Readonly<Record<string, unknown>>;
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const json = asObject(parseJson(text));
  return { status: response.status, headers: response.headers, text, json, error: asObject(json.error) };
}

/** What a client goes by: the status, and the two words of the envelope. */
export function verdict({ status, error }: Answer): string {
  return `${status} ${error.type} ${error.code}`;
}

export function chatBody(model: string, extra: object = {}): Readonly<Record<string, unknown>> {
  return { model, messages: [{ role: 'user', content: 'Hello!' }], ...extra };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/**
 * Sends the text over a connection of its own and reads until the server closes or the answer is complete; for requests
 * that `fetch` would not send, and for more of them at a time than it opens.
 */
export function rawRequest(port: number, text: string, { endAfterSend = false } = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const pieces: Buffer[] = [];
    const finish = () => {
      socket.destroy();
      const [head = '', ...rest] = Buffer.concat(pieces).toString().split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1] ?? 0), headers: head.toLowerCase(), body: rest.join('\r\n\r\n') });
    };
    socket.setTimeout(30_000, () => socket.destroy(new Error('no answer within 30 s')));
    socket.once('error', reject);
    socket.once('close', finish);
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      if (isComplete(Buffer.concat(pieces).toString())) finish();
    });
    socket.write(text, () => {
      if (endAfterSend) socket.end();
    });
  });
}

function isComplete(text: string): boolean {
  const split = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text.slice(0, Math.max(0, split)))?.[1];
  return split > 0 && length !== undefined && Buffer.byteLength(text.slice(split + 4)) >= Number(length);
}

/** Asks until it says yes; the time that took. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<number> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(10);
  }
  return performance.now() - startedMs;
}

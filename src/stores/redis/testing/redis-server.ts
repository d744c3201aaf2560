import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';

const START_TIMEOUT_MS = 120_000;

/** A Redis server without persistence, on its own port. */
export class RedisServer {
  #child: Bun.Subprocess | null = null;
  #client: Redis | null = null;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly args: readonly string[],
  ) {}

  /** @param options further command-line options, such as `--cluster-enabled yes` */
  static async start(...options: readonly string[]): Promise<RedisServer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'switchyard-redis-'));
    const port = await freePort();
    const inMemory = ['--save', '', '--appendonly', 'no', '--dir', folder];
    const server = new RedisServer(port, folder, [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      ...inMemory,
      ...options,
    ]);
    await server.restart();
    return server;
  }

  /** Starts a sentinel that watches the server under the name `main`. */
  static async startSentinel(watched: RedisServer): Promise<RedisServer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'switchyard-sentinel-'));
    const port = await freePort();
    const file = path.join(folder, 'sentinel.conf');
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor main 127.0.0.1 ${watched.port} 1`,
      'sentinel down-after-milliseconds main 1000',
      'sentinel failover-timeout main 2000',
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const sentinel = new RedisServer(port, folder, [file, '--sentinel']);
    await sentinel.restart();
    return sentinel;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `redis://${this.host}`;
  }

  /** Runs one command on a separate client. Resolves to the response as text, one line per element of a list. */
  async run(command: string, ...values: readonly (string | Buffer)[]): Promise<string> {
    return textOf(await this.client().call(command, ...values));
  }

  /** Returns a client for commands with other responses; it is closed with the server. */
  client(): Redis {
    this.#client ??= newClient(this.port);
    return this.#client;
  }

  async restart(): Promise<void> {
    this.#child = Bun.spawn(['redis-server', ...this.args], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    const deadline = performance.now() + START_TIMEOUT_MS;
    while (!(await answers(this.port))) {
      if (performance.now() > deadline) throw new Error('redis-server did not start');
      await Bun.sleep(10);
    }
  }

  async kill(): Promise<void> {
    this.#client?.disconnect();
    this.#client = null;
    this.#child?.kill('SIGKILL');
    await this.#child?.exited;
    this.#child = null;
  }

  /** Stops responding until `resume`, but keeps its connections. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    this.resume();
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function newClient(port: number): Redis {
  const client = new Redis({ host: '127.0.0.1', port });
  // A killed server is not an error by itself; commands report what is wrong.
  client.on('error', () => {});
  return client;
}

function textOf(answer: unknown): string {
  if (answer === null || answer === undefined) return '';
  if (Array.isArray(answer)) return answer.map(textOf).join('\n');
  // The client returns a hash as an object.
  return typeof answer === 'object' ? textOf(Object.entries(answer).flat()) : String(answer);
}

async function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => void socket.write('PING\r\n'));
  socket.once('data', () => resolve(true));
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  const answered = await promise;
  socket.destroy();
  return answered;
}

export async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer();
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

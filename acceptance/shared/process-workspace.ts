import path from 'node:path';
import { Serving } from '../../conformance/shared/serving.ts';
import {
  bareEnvironment,
  type CommandResult,
  PROJECT,
  type RunOptions,
  temporaryFolder,
  Workspace,
} from '../../conformance/shared/workspace.ts';

/* The product as its user has it: a process, its exit code, what it prints, its data folder, and HTTP. */

/** Runs the gateway and its commands, in front of their arguments. */
export const GATEWAY_PROGRAM: readonly string[] = [
  process.execPath,
  path.join(PROJECT, 'src', 'main', 'switchyard.ts'),
];
/** What `npm start` runs. */
export const LAUNCHER: readonly string[] = ['node', path.join(PROJECT, 'bin', 'switchyard.mjs')];

const COMMAND_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 45_000;

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

export interface ProcessOptions extends RunOptions {
  /** The command in front of the arguments: `GATEWAY_PROGRAM`, `LAUNCHER`, or an executable. */
  readonly program?: readonly string[];
  readonly cwd?: string;
}

/** A `Workspace` in which every gateway and command is a process. */
export class ProcessWorkspace extends Workspace {
  static override async create(): Promise<ProcessWorkspace> {
    return new ProcessWorkspace(await temporaryFolder());
  }

  override async run(args: readonly string[], options: ProcessOptions = {}): Promise<CommandResult> {
    const child = this.#spawn(args, options);
    const timer = setTimeout(() => killGroup(child.pid), COMMAND_TIMEOUT_MS);
    try {
      const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      return { exitCode: await child.exited, stdout, stderr };
    } finally {
      clearTimeout(timer);
      groups.delete(child.pid);
    }
  }

  /** Runs a command in the test's own process, in a tenth of the time. */
  runHere(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return super.run(args, options);
  }

  override async serve(options: ProcessOptions & { readonly args?: readonly string[] } = {}): Promise<ServingProcess> {
    const env = { PORT: '0', ...options.env };
    return this.started(new ServingProcess(this.#spawn(options.args ?? ['serve'], { ...options, env })));
  }

  #spawn(args: readonly string[], { env = {}, program = GATEWAY_PROGRAM, cwd = this.folder }: ProcessOptions) {
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
}

type Piped = Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR2';

/** A gateway in a process of its own. */
export class ServingProcess extends Serving {
  readonly exited: Promise<number>;

  constructor(private readonly child: Piped) {
    super();
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

  /** To the process that was started, as `kill` does. */
  signal(name: StopSignal): void {
    this.child.kill(name);
  }

  /** To it and all its children, as a terminal's Ctrl-C does. */
  signalGroup(name: StopSignal): void {
    process.kill(-this.child.pid, name);
  }

  override reloadConfiguration(): void {
    this.signal('SIGHUP');
  }

  override async stop(): Promise<number> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => killGroup(this.child.pid), STOP_TIMEOUT_MS);
    const code = await this.exited;
    clearTimeout(timer);
    killGroup(this.child.pid);
    groups.delete(this.child.pid);
    return code;
  }
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) add(decoder.decode(bytes, { stream: true }));
}

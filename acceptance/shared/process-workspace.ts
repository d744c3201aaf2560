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
import { builtExecutable, isPartOfRun } from './builds.ts';

/* The product from its user's point of view: a process, its exit code, its output, its data folder, and HTTP. */

/** The sources on Bun. */
const SOURCES: readonly string[] = [process.execPath, path.join(PROJECT, 'src', 'main', 'switchyard.ts')];
/**
 * The command that runs the gateway and its commands: in a run of tests the single executable, which is ready with half of the sources'
 * CPU, and which a run builds once.
 */
export const GATEWAY_PROGRAM: readonly string[] = isPartOfRun() ? [await builtExecutable()] : SOURCES;
/** The command of `npm start`, which runs the sources. */
export const LAUNCHER: readonly string[] = ['node', path.join(PROJECT, 'bin', 'switchyard.mjs')];

const COMMAND_TIMEOUT_MS = 600_000;
const STOP_TIMEOUT_MS = 300_000;

/** Process groups that a failed test, an exception or Ctrl-C must not leave behind. */
const groups = new Set<number>();
process.on('exit', () => {
  for (const group of groups) killGroup(group);
});

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}

export interface ProcessOptions extends RunOptions {
  /** The program before the arguments: `GATEWAY_PROGRAM`, `LAUNCHER`, or an executable. */
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

  /** Runs a shell script whose arguments are the program, so that `"$@" backup -` is a command of it. */
  shell(script: string, { env = {} }: Pick<ProcessOptions, 'env'> = {}): Promise<CommandResult> {
    return this.run([], { env, program: ['bash', '-c', script, 'bash', ...GATEWAY_PROGRAM] });
  }

  /** Starts a command, for a test that kills it. */
  start(args: readonly string[], options: ProcessOptions = {}): Piped {
    return this.#spawn(args, options);
  }

  /** Runs a command in the test's own process, in a tenth of the time. */
  runHere(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    return super.run(args, options);
  }

  /** Starts a command without waiting for anything. */
  begin(args: readonly string[], options: ProcessOptions = {}): ServingProcess {
    return new ServingProcess(this.#spawn(args, options));
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
      // A separate process group, so that all its processes can be signalled and ended together.
      detached: true,
    });
    groups.add(child.pid);
    return child;
  }
}

type Piped = Bun.Subprocess<'ignore', 'pipe', 'pipe'>;

export type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR2';

/** A gateway in a separate process. */
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

  /** Signals the process that was started, as `kill` does. */
  signal(name: StopSignal): void {
    this.child.kill(name);
  }

  /** Signals the process and all its children, as Ctrl-C on a terminal does. */
  signalGroup(name: StopSignal): void {
    process.kill(-this.child.pid, name);
  }

  override reloadConfiguration(): void {
    this.signal('SIGHUP');
  }

  override drain(): void {
    this.signal('SIGTERM');
  }

  override async stop(): Promise<number> {
    this.signal('SIGINT');
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

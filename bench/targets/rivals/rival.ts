import { readFileSync } from 'node:fs';
import { answersOk, type ChildProcess, freePort, startLogging } from '../../child-process.ts';
import type { RequestForm } from '../request-form.ts';
import type { TargetSurroundings } from '../targets.ts';

/** A rival that runs, and how it wants to be asked. */
export interface StartedRival {
  readonly port: number;
  readonly process: ChildProcess;
  readonly requestForm: RequestForm;
}

/** Another gateway that can be measured beside this one, if it is installed. */
export interface Rival {
  /** As `--rivals` names it. */
  readonly name: string;
  /** As its makers write it. */
  readonly label: string;
  /** Looked for on the PATH; undefined where its command has too common a name to be known by it. */
  readonly command: string | undefined;
  /** The environment variable that holds the path of its executable, before the PATH is asked. */
  readonly variable: string;
  /** What works for a request in the configuration below, and what of that list does not: one line for the report. */
  readonly switchedOn: string;
  /** The version of what is installed; never throws. */
  version(executable: string): Promise<string>;
  /** Starts it in front of the mock upstream; throws an Error that says why if it cannot. */
  start(executable: string, surroundings: TargetSurroundings): Promise<StartedRival>;
}

export type Detection = { readonly executable: string } | { readonly missing: string };

/** Where a rival is, or why it is taken to be absent. `which` resolves commands and paths of executables alike. */
export function findRival(
  rival: Pick<Rival, 'command' | 'variable'>,
  environment: Readonly<Record<string, string | undefined>>,
  which: (command: string) => string | null = Bun.which,
): Detection {
  const { command, variable } = rival;
  const path = environment[variable];
  if (path !== undefined && path !== '') {
    const executable = which(path);
    return executable === null ? { missing: `${variable} names ${path}, which cannot be run` } : { executable };
  }
  const executable = command === undefined ? null : which(command);
  if (executable !== null) return { executable };
  const onPath = command === undefined ? '' : `no ${command} on the PATH, and `;
  return { missing: `not installed: ${onPath}${variable} is not set` };
}

/** The keys of the benchmark: what clients of a rival show, and what the upstream is shown, which looks at none. */
export const rivalKey = 'sk-bench-rival-0000000000000000000000000000000001';
export const upstreamKey = 'upstream-key';

/** A rival has to compile its configuration, migrate its database and import itself on a core that others use, too. */
const patienceMs = 240_000;

export interface RivalServer {
  /** What follows the pinning; the port is the one that `startServer` found. */
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A path that answers 200 as soon as requests can be sent. */
  readonly readyPath: string;
}

/** Starts a rival's server on a free port and waits until it is ready; its output goes to a file, as in production. */
export async function startServer(
  surroundings: TargetSurroundings,
  describe: (port: number) => RivalServer,
): Promise<{ readonly port: number; readonly process: ChildProcess }> {
  const port = await freePort();
  const { command, environment = {}, readyPath } = describe(port);
  const process = await startLogging({
    command: [...surroundings.prefix, ...command],
    environment,
    workingDirectory: surroundings.folder,
    logFile: `${surroundings.folder}/output.log`,
    isReady: () => answersOk(`http://127.0.0.1:${port}${readyPath}`),
    patienceMs,
  });
  return { port, process };
}

/** The first thing in what a command prints that looks like a version, or like `pattern`. */
export async function askVersion(command: readonly string[], pattern = /\d+\.\d+[\w.+-]*/): Promise<string> {
  try {
    const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: 60_000 });
    const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return pattern.exec(out)?.[0] ?? pattern.exec(error)?.[0] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** The version that a package of npm writes down beside itself. */
export function packageVersion(packageFile: string): string {
  try {
    const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version?: string }; // npm's own format.
    return version ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Asks a rival's management API; throws with its answer where that is not a success. Rivals answer 200 to failures, too. */
export async function askManagement(
  url: string,
  init: { readonly method?: string; readonly headers: Readonly<Record<string, string>>; readonly body?: object },
): Promise<Response> {
  const { method = 'POST', headers, body } = init;
  const response = await fetch(url, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.clone().text();
  if (!response.ok || /"success":\s*false/.test(answer)) {
    throw new Error(`${method} ${new URL(url).pathname} answered ${response.status}: ${answer.slice(0, 300)}`);
  }
  return response;
}

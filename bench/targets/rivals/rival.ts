import { readFileSync } from 'node:fs';
import { answersOk, type ChildProcess, freePort, startLogging } from '../../child-process.ts';
import type { RequestForm } from '../request-form.ts';
import type { TargetSurroundings } from '../targets.ts';

/** A running rival, and the form of its requests. */
export interface StartedRival {
  readonly port: number;
  readonly process: ChildProcess;
  readonly requestForm: RequestForm;
}

/** Another gateway that can be measured beside this one, if it is installed. */
export interface Rival {
  /** Its name for `--rivals`. */
  readonly name: string;
  /** Its name as its makers write it. */
  readonly label: string;
  /** The command to look for on the PATH; undefined if its name is too common to be reliable. */
  readonly command: string | undefined;
  /** The environment variable with the path of its executable, which takes precedence over the PATH. */
  readonly variable: string;
  /** One line for the report: which features the configuration below enables, and which it does not. */
  readonly switchedOn: string;
  /** Resolves to the installed version; never rejects. */
  version(executable: string): Promise<string>;
  /** Starts it in front of the mock upstream; rejects with an Error with the reason if it cannot. */
  start(executable: string, surroundings: TargetSurroundings): Promise<StartedRival>;
}

export type Detection = { readonly executable: string } | { readonly missing: string };

/** Returns the rival's executable, or why it is considered absent. `which` resolves commands and paths of executables alike. */
export function findRival(
  rival: Pick<Rival, 'command' | 'variable'>,
  environment: Readonly<Record<string, string | undefined>>,
  which: (command: string) => string | null = Bun.which,
): Detection {
  const { command, variable } = rival;
  const path = environment[variable];
  if (path !== undefined && path !== '') {
    const executable = which(path);
    return executable === null ? { missing: `${variable} names ${path}, which is not executable` } : { executable };
  }
  const executable = command === undefined ? null : which(command);
  if (executable !== null) return { executable };
  const onPath = command === undefined ? '' : `${command} is not on the PATH, and `;
  return { missing: `not installed: ${onPath}${variable} is not set` };
}

/** The benchmark's keys: the one that clients of a rival send, and the one that the upstream receives and ignores. */
export const rivalKey = 'sk-bench-rival-0000000000000000000000000000000001';
export const upstreamKey = 'upstream-key';

/** A rival has to compile its configuration, migrate its database and import itself on a shared core. */
const patienceMs = 240_000;

export interface RivalServer {
  /** The command after the pinning prefix; the port is the one that `startServer` found. */
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

/** Resolves to the first text in a command's output that looks like a version, or matches `pattern`. */
export async function askVersion(command: readonly string[], pattern = /\d+\.\d+[\w.+-]*/): Promise<string> {
  try {
    const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', timeout: 60_000 });
    const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return pattern.exec(out)?.[0] ?? pattern.exec(error)?.[0] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Returns the version in an npm package's package.json. */
export function packageVersion(packageFile: string): string {
  try {
    const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version?: string }; // npm's own format.
    return version ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

/** Calls a rival's management API; throws with its answer unless it succeeds. Rivals answer 200 to failures, too. */
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

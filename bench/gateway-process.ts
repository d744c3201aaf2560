import { join } from 'node:path';
import { RUNTIME_SETTINGS } from '../src/main/process-limits.ts';
import { answersOk, type ChildProcess, freePort, startLogging } from './child-process.ts';
import { planCores, readFamilyUsage } from './process-statistics.ts';

const ROOT = join(import.meta.dir, '..');
const PATIENCE_MS = 60_000;

export interface Gateway {
  readonly child: ChildProcess;
  readonly origin: string;
}

export interface GatewayOptions {
  /** The folder of its log, and of its data unless the environment says otherwise. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Flags for its Bun, separated by spaces, such as `--cpu-prof --cpu-prof-dir=/tmp/profile`. */
  readonly bunFlags: string;
}

/** Starts a gateway in its own process, on its own core if possible. */
export async function startGateway({ folder, environment, bunFlags }: GatewayOptions): Promise<Gateway> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const flags = bunFlags.split(' ').filter(Boolean);
  const child = await startLogging({
    command: [...planCores().serverPrefix, process.execPath, ...flags, 'src/main/switchyard.ts', 'serve'],
    workingDirectory: ROOT,
    environment: {
      ...{ PORT: String(port), HOST: '127.0.0.1', SWITCHYARD_DATA: join(folder, 'data') },
      // Otherwise the gateway would restart itself with these, and Bun's flags would apply only to the first process.
      ...RUNTIME_SETTINGS,
      ...environment,
    },
    logFile: join(folder, 'gateway.log'),
    isReady: () => answersOk(`${origin}/healthz`),
    patienceMs: PATIENCE_MS,
  });
  return { child, origin };
}

/** Resolves to the gateway's CPU usage over `seconds`, in percent of a core. */
export async function coreShare({ child }: Gateway, seconds: number): Promise<number> {
  const [startedMs, beforeMs] = [performance.now(), readFamilyUsage(child.pid).cpuMs];
  await Bun.sleep(seconds * 1_000);
  return ((readFamilyUsage(child.pid).cpuMs - beforeMs) * 100) / (performance.now() - startedMs);
}

/** Prints one line of results. */
export function report(name: string, text: string): void {
  console.log(`  ${name.padEnd(58)} ${text}`);
}

const silent = () => {};

/** The ports for opening a store beside a gateway. */
export const STORE_PORTS = {
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
};

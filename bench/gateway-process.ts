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
  /** Where its log goes, and its data, if the environment does not say otherwise. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Flags for its Bun, apart by blanks, such as `--cpu-prof --cpu-prof-dir=/tmp/profile`. */
  readonly bunFlags: string;
}

/** A gateway in a process of its own, on a core of its own where that can be had. */
export async function startGateway({ folder, environment, bunFlags }: GatewayOptions): Promise<Gateway> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const flags = bunFlags.split(' ').filter(Boolean);
  const child = await startLogging({
    command: [...planCores().serverPrefix, process.execPath, ...flags, 'src/main/switchyard.ts', 'serve'],
    workingDirectory: ROOT,
    environment: {
      ...{ PORT: String(port), HOST: '127.0.0.1', SWITCHYARD_DATA: join(folder, 'data') },
      // Without them the gateway starts itself again with them, and flags for Bun would be the first process's alone.
      ...RUNTIME_SETTINGS,
      ...environment,
    },
    logFile: join(folder, 'gateway.log'),
    isReady: () => answersOk(`${origin}/healthz`),
    patienceMs: PATIENCE_MS,
  });
  return { child, origin };
}

/** Which part of a core the gateway takes over so many seconds, in percent. */
export async function coreShare({ child }: Gateway, seconds: number): Promise<number> {
  const [startedMs, beforeMs] = [performance.now(), readFamilyUsage(child.pid).cpuMs];
  await Bun.sleep(seconds * 1_000);
  return ((readFamilyUsage(child.pid).cpuMs - beforeMs) * 100) / (performance.now() - startedMs);
}

/** One line of what was measured. */
export function report(name: string, text: string): void {
  console.log(`  ${name.padEnd(58)} ${text}`);
}

const silent = () => {};

/** What a store is opened with beside a gateway. */
export const STORE_PORTS = {
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
};

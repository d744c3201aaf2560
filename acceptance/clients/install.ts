import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Client } from './client.ts';

/** Outside of the repository, so that the packages are kept between clones. */
const FOLDER = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'switchyard-ci/clients');
/** Stops an installation if the registry does not respond. */
const LIMIT_MS = 300_000;
const installed = new Map<string, Promise<string>>();

/** Resolves to the folder with the client's packages, and installs them if no earlier run has. */
export function packagesOf(client: Pick<Client, 'source' | 'packages'>): Promise<string> {
  const key = JSON.stringify([client.source, client.packages]);
  const folder = join(FOLDER, createHash('sha256').update(key).digest('hex').slice(0, 16));
  const known = installed.get(folder) ?? install(client, folder);
  installed.set(folder, known);
  return known;
}

async function install({ source, packages }: Pick<Client, 'source' | 'packages'>, folder: string): Promise<string> {
  const mark = join(folder, 'installed');
  if (existsSync(mark)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (source === 'npm') {
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    await run(['npm', 'install', '--no-audit', '--no-fund', '--no-save', ...packages], folder);
  } else {
    await run(['python3', '-m', 'venv', folder], folder);
    await run([join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', ...packages], folder);
  }
  await writeFile(mark, packages.join('\n'));
  return folder;
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, {
    cwd,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const [output, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  if (exitCode !== 0)
    throw new Error(`${command.join(' ')} ended with ${exitCode}:\n${(output + error).slice(-2_000)}`);
}

#!/usr/bin/env node
// Starts Switchyard on the pinned Bun that npm installed with it. This file is all that Node runs, so it stays free of
// packages and of syntax newer than Node 18.
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** In the published package; a clone has only the sources. */
const BUILT = join(root, 'server', 'switchyard.js');
/** Keeps Bun from running what a bunfig.toml in the working folder preloads: the folder may be that of another project. */
const OWN_CONFIGURATION = process.platform === 'win32' ? [] : ['--config=/dev/null'];
/** Smaller than any Bun and larger than the placeholder that the package ships until its install script has run. */
const SMALLEST_BINARY_BYTES = 1_000_000;
/** The same signal within this time arrived by two paths (the terminal's process group, and npm). */
const DOUBLE_DELIVERY_MS = 1_000;
const FROM_KEYS = ['SIGINT', 'SIGQUIT'];
const SIGNALS = [...FROM_KEYS, 'SIGTERM', 'SIGHUP', 'SIGUSR2'];

const bun = findBun();
if (bun === undefined) {
  fail(
    existsSync(BUILT)
      ? 'the Bun runtime for this platform is missing: install switchyard again, without "--omit=optional" or "--no-optional"'
      : `the pinned Bun is missing: run "npm ci" in ${root} (and "npm rebuild bun" if install scripts are disabled)`,
  );
} else {
  const script = existsSync(BUILT) ? BUILT : join(root, 'src', 'main', 'switchyard.ts');
  run(bun, [...OWN_CONFIGURATION, script, ...process.argv.slice(2)]);
}

function findBun() {
  const require = createRequire(import.meta.url);
  const folderOf = (name) => {
    try {
      return dirname(require.resolve(`${name}/package.json`));
    } catch {
      return undefined;
    }
  };
  const inPackage = binaryAt(folderOf('bun'), 'bun.exe');
  if (inPackage !== undefined) return inPackage;
  // The binary's location if npm did not run the install script that links it into the package above.
  return binaryAt(folderOf(`@oven/${platformPackage()}`), process.platform === 'win32' ? 'bun.exe' : 'bun');
}

function binaryAt(folder, name) {
  if (folder === undefined) return undefined;
  const path = join(folder, 'bin', name);
  return existsSync(path) && statSync(path).size > SMALLEST_BINARY_BYTES ? path : undefined;
}

function platformPackage() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `bun-${platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;
  if (platform !== 'linux') return name;
  // Without this, the report resolves host names, which can take seconds.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? name : `${name}-musl`;
}

function run(executable, args) {
  // Same as `RUNTIME_SETTINGS` in src/main/process-limits.ts, which explains them.
  const settings = {
    BUN_CONFIG_MAX_HTTP_REQUESTS: '65535',
    MIMALLOC_PURGE_DELAY: '1000',
    BUN_JSC_heapGrowthMaxIncrease: '1',
  };
  const env = { ...settings, ...process.env };
  replaceProcess(executable, args, env);
  const lastMs = new Map();
  const forward = (signal) => {
    // The terminal sends Ctrl-C and Ctrl-\ to the whole foreground group, so the child has received it.
    if (FROM_KEYS.includes(signal) && process.stdin.isTTY) return;
    const nowMs = Date.now();
    if (nowMs - (lastMs.get(signal) ?? -Infinity) < DOUBLE_DELIVERY_MS) return;
    lastMs.set(signal, nowMs);
    child.kill(signal);
  };
  // Before the child starts: a signal in between would end this process and leave the child running.
  for (const signal of SIGNALS) process.on(signal, forward);
  const child = spawn(executable, args, { stdio: 'inherit', env });
  child.on('error', (error) => fail(`${executable} failed to start: ${error.message}`));
  child.on('exit', (code, signal) => {
    for (const name of SIGNALS) process.removeListener(name, forward);
    if (signal === null) process.exit(code ?? 1);
    // Exits by the same signal, so that a shell or supervisor sees the cause.
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(1), 1_000);
  });
}

/** Lets Bun replace this process, which would only wait and take 20 MB. Returns only if Node cannot (before 22.15, and on Windows). */
function replaceProcess(executable, args, env) {
  if (process.execve === undefined || process.platform === 'win32') return;
  try {
    // Node aborts if the executable cannot be run, whereas `spawn` says why.
    accessSync(executable, constants.X_OK);
    process.execve(executable, [executable, ...args], env);
  } catch {
    // A second process is started instead.
  }
}

function fail(message) {
  process.stderr.write(`switchyard: ${message}\n`);
  process.exit(1);
}

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { RUNTIME_SETTINGS } from '../../src/main/process-limits.ts';

/** A checkout whose `switchyard.ts` prints its inputs, records signals, and obeys its first argument. */
const PROBE = `
const [what = '', ...rest] = process.argv.slice(2);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) {
  process.on(signal, () => {
    console.log(signal);
    if (what === 'wait' && signal === rest[0]) process.exit(7);
  });
}
const settings = Object.fromEntries(${JSON.stringify(Object.keys(RUNTIME_SETTINGS))}.map((name) => [name, process.env[name]]));
console.log(JSON.stringify({ rest, bun: Bun.version, settings }));
if (what === 'exit') process.exit(Number(rest[0]));
if (what === 'die') process.kill(process.pid, 'SIGKILL');
setTimeout(() => process.exit(9), 600_000);
`;

let checkout: string;

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'switchyard-launcher-'));
  await mkdir(join(checkout, 'src/main'), { recursive: true });
  await cp(join(PROJECT, 'bin'), join(checkout, 'bin'), { recursive: true });
  await writeFile(join(checkout, 'package.json'), '{"type":"module"}');
  await writeFile(join(checkout, 'src/main/switchyard.ts'), PROBE);
  // The launcher waits for Bun only where Node cannot replace itself.
  await writeFile(join(checkout, 'older-node.cjs'), 'process.execve = undefined;');
  // Two signals within a second count as one; with this clock the second never ends.
  await writeFile(join(checkout, 'no-time-passes.cjs'), 'require("./older-node.cjs"); Date.now = () => 1;');
  await symlink(join(PROJECT, 'node_modules'), join(checkout, 'node_modules'));
});

afterAll(() => rm(checkout, { recursive: true, force: true }));

const launch = (args: readonly string[], environment: Record<string, string> = {}, root = checkout, cwd = tmpdir()) => {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in RUNTIME_SETTINGS)));
  return Bun.spawn(['node', join(root, 'bin/switchyard.mjs'), ...args], {
    cwd,
    env: { ...inherited, NODE_OPTIONS: `--require=${join(checkout, 'older-node.cjs')}`, ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
};

test('runs the pinned Bun with the arguments, the runtime settings, and the exit code', async () => {
  const child = launch(['exit', '3', '--a b']);
  const pinned = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')).dependencies.bun;
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual({
    rest: ['3', '--a b'],
    bun: pinned,
    settings: RUNTIME_SETTINGS,
  });
  expect(await child.exited).toBe(3);
});

test('ignores the configuration of Bun in the working folder', async () => {
  const project = join(checkout, 'another-project');
  await mkdir(project);
  await writeFile(join(project, 'bunfig.toml'), 'preload = ["./missing.ts"]');
  const child = launch(['exit', '4'], {}, checkout, project);
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([4, '']);
});

test('keeps a request limit that is already set', async () => {
  const child = launch(['exit', '0'], { BUN_CONFIG_MAX_HTTP_REQUESTS: '12' });
  expect(JSON.parse(await new Response(child.stdout).text()).settings).toEqual({
    ...RUNTIME_SETTINGS,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '12',
  });
});

test('dies of the same signal as its child', async () => {
  const child = launch(['die']);
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const)(
  'forwards %s once, even when it arrives twice',
  async (signal) => {
    const last = signal === 'SIGTERM' ? 'SIGHUP' : 'SIGTERM';
    const child = launch(['wait', last], { NODE_OPTIONS: `--require=${join(checkout, 'no-time-passes.cjs')}` });
    let output = '';
    const pieces = child.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    await pieces.next();
    child.kill(signal);
    output += (await pieces.next()).value;
    child.kill(signal);
    child.kill(last);
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) output += piece.value;
    expect([output, await child.exited]).toEqual([`${signal}\n${last}\n`, 7]);
  },
);

test('lets Bun replace it where Node can', async () => {
  const replacing = join(checkout, 'replacing.cjs');
  await writeFile(
    replacing,
    `process.execve = (file, args, env) => {
      console.log(JSON.stringify({ isFile: file === args[0], args: args.slice(-3), limit: env.BUN_CONFIG_MAX_HTTP_REQUESTS }));
      process.exit(5);
    };`,
  );
  const child = launch(['exit', '--a b'], { NODE_OPTIONS: `--require=${replacing}` });
  const { BUN_CONFIG_MAX_HTTP_REQUESTS: limit } = RUNTIME_SETTINGS;
  const args = [join(checkout, 'src/main/switchyard.ts'), 'exit', '--a b'];
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual({ isFile: true, args, limit });
  expect(await child.exited).toBe(5);
});

test('waits for Bun if Node refuses to replace itself', async () => {
  const refusing = join(checkout, 'refusing.cjs');
  await writeFile(refusing, 'process.execve = () => { throw new Error("ERR_ACCESS_DENIED"); };');
  const child = launch(['exit', '6'], { NODE_OPTIONS: `--require=${refusing}` });
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([6, '']);
});

test('says in one line why Bun cannot be run, also if a failed replacement would abort Node', async () => {
  const broken = join(checkout, 'broken');
  await mkdir(join(broken, 'node_modules/bun/bin'), { recursive: true });
  await cp(join(PROJECT, 'bin'), join(broken, 'bin'), { recursive: true });
  await writeFile(join(broken, 'node_modules/bun/package.json'), '{}');
  await writeFile(join(broken, 'node_modules/bun/bin/bun.exe'), Buffer.alloc(2_000_000), { mode: 0o644 });
  await writeFile(join(checkout, 'aborting.cjs'), 'process.execve = () => process.abort();');
  for (const version of ['older-node', 'aborting']) {
    const child = launch([], { NODE_OPTIONS: `--require=${join(checkout, `${version}.cjs`)}` }, broken);
    const [stderr, exitCode] = [await new Response(child.stderr).text(), await child.exited];
    expect(stderr).toMatch(/^switchyard: .*bun\.exe failed to start: .*EACCES\n$/);
    expect(exitCode).toBe(1);
  }
});

test('says in one line what to do when Bun is not installed', async () => {
  const bare = join(checkout, 'bare');
  await mkdir(bare);
  await cp(join(PROJECT, 'bin'), join(bare, 'bin'), { recursive: true });
  await mkdir(join(bare, 'node_modules/bun/bin'), { recursive: true });
  await writeFile(join(bare, 'node_modules/bun/package.json'), '{}');
  await writeFile(join(bare, 'node_modules/bun/bin/bun.exe'), 'a placeholder');
  await mkdir(join(bare, 'node_modules/@oven'), { recursive: true });
  for (const name of ['bun-linux-x64', 'bun-linux-aarch64', 'bun-darwin-aarch64', 'bun-darwin-x64']) {
    await mkdir(join(bare, 'node_modules/@oven', name), { recursive: true });
    await writeFile(join(bare, 'node_modules/@oven', name, 'package.json'), '{}');
  }
  const child = launch([], {}, bare);
  expect(await new Response(child.stderr).text()).toMatch(
    /^switchyard: the pinned Bun is missing: run "npm ci" in .*\n$/,
  );
  expect(await child.exited).toBe(1);
});

import { Database } from 'bun:sqlite';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIGURATION, type Known, type KnownAnswer, readerOf } from '../../conformance/releases/known.ts';
import { startProvider } from '../../conformance/releases/provider.ts';
import { FILES, folderOf, type StoreKind } from '../../conformance/releases/release.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { startTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { checkOut } from '../shared/checkout.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';
import { type Story, tellStory } from './story.ts';

/* Makes the data of a released version (conformance/releases/README.md). */

const SECRET = 'the master secret of the fixtures';
const PG_DUMP = '/usr/lib/postgresql/15/bin/pg_dump';
const MOST_BYTES = 300 * 1024;

interface Place {
  readonly program: readonly string[];
  readonly space: ProcessWorkspace;
  /** Where the data is. */
  readonly env: Readonly<Record<string, string>>;
}

async function main([commit, version]: readonly string[]): Promise<void> {
  if (commit === undefined || version === undefined) throw new Error('Name a commit or tag, and its version.');
  const folder = folderOf(version);
  await mkdir(folder, { recursive: true });
  const { program, remove } = await checkOut(commit);
  try {
    await makeSqlite(program, folder);
    await makePostgres(program, folder);
  } finally {
    await remove();
  }
  const { stdout } = Bun.spawnSync(['git', 'rev-parse', `${commit}^{commit}`], { cwd: PROJECT });
  await writeFile(join(folder, 'commit'), stdout);
}

async function makeSqlite(program: Place['program'], folder: string): Promise<void> {
  const space = await ProcessWorkspace.create();
  try {
    const known = await recorded({ program, space, env: {} });
    const database = new Database(space.database);
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
    database.run('VACUUM');
    database.run('PRAGMA journal_mode = DELETE');
    database.close();
    await save(folder, 'sqlite', known, await Bun.file(space.database).bytes());
  } finally {
    await space.remove();
  }
}

async function makePostgres(program: Place['program'], folder: string): Promise<void> {
  const server = await startTestPostgres('oldest');
  const space = await ProcessWorkspace.create();
  try {
    const url = await server.createDatabase();
    const known = await recorded({ program, space, env: { DATABASE_URL: url } });
    await save(folder, 'postgres', known, await dumpOf(url));
  } finally {
    await space.remove();
    await server.stop();
  }
}

/** Resolves to the SQL of the database, without the comments and psql's own commands. */
async function dumpOf(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const options = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100'];
  const dump = Bun.spawn([PG_DUMP, ...options, url], { stdout: 'pipe', stderr: 'inherit' });
  const text = await dump.stdout.text();
  if ((await dump.exited) !== 0) throw new Error('pg_dump has failed');
  // Later statements have to find the tables, although the dump empties the search path.
  const lines = text.split('\n').filter((line) => !/^(--|\\|SELECT pg_catalog\.set_config\('search_path')/.test(line));
  return new TextEncoder().encode(lines.join('\n').replaceAll(/\n{2,}/g, '\n'));
}

async function save(folder: string, kind: StoreKind, known: Known, data: Uint8Array<ArrayBuffer>): Promise<void> {
  const packed = Bun.gzipSync(data, { level: 9 });
  if (packed.length > MOST_BYTES) throw new Error(`the data of ${kind} has ${packed.length} bytes`);
  await writeFile(join(folder, FILES[kind].data), packed);
  const told = Bun.gzipSync(new TextEncoder().encode(JSON.stringify(known, null, 1)), { level: 9 });
  await writeFile(join(folder, FILES[kind].known), told);
}

/** Fills a database through the API of that version, and records what it tells about it before and after a restart. */
async function recorded({ program, space, env: where }: Place): Promise<Known> {
  const { provider, env: proxied } = startProvider();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', CONFIGURATION);
  const options = { program, env: { ...proxied, ...where, SWITCHYARD_SECRET: SECRET, SWITCHYARD_CONFIG } };
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await space.run(args, options);
    if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  try {
    let gateway = await space.serve(options);
    const made = await run('keys', 'create', '--account', 'default', '--management', '--name', 'fixture');
    const story = await tellStory(gateway, /\bmt-\w+/.exec(made)?.[0] ?? '');
    const first = await answersTo(story, gateway.origin);
    await gateway.stop();
    gateway = await space.serve(options);
    const second = await answersTo(story, gateway.origin);
    await gateway.stop();
    const ledger = JSON.parse(await run('ledger', 'verify', '--json'));
    const { paths: _paths, ...told } = story;
    const answers = first.map((one, index) => ({ ...one, answer: common(one.answer, second[index]?.answer) }));
    return { secret: SECRET, ...told, stoppedAt: new Date().toISOString(), ledger, answers };
  } finally {
    await provider.stop();
  }
}

async function answersTo(story: Story, origin: string): Promise<readonly KnownAnswer[]> {
  const read = readerOf({ origin }, story);
  const answers: KnownAnswer[] = [];
  for (const { as, path, only = [] } of story.paths)
    answers.push({ as, path, answer: onlyAt(only, await read(as, path)) });
  return answers;
}

/** Returns the answer with only the member at the end of the names. */
function onlyAt([name, ...rest]: readonly string[], answer: unknown): unknown {
  if (name === undefined) return answer;
  return isComposite(answer) ? { [name]: onlyAt(rest, Reflect.get(answer, name)) } : {};
}

const NOTHING = Symbol('differs');
/** Describes the channel that answered; the name of a built-in channel may change. */
const ROUTING = '_routing';

/** Returns the members that are equal in both answers: those that depend on neither time nor process. */
function common(one: unknown, other: unknown): unknown {
  const found = commonIn(one, other);
  return found === NOTHING ? {} : found;
}

function commonIn(one: unknown, other: unknown): unknown {
  if (!isComposite(one) || !isComposite(other)) return Object.is(one, other) ? one : NOTHING;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return NOTHING;
    const items = one.map((item, index) => commonIn(item, other[index]));
    return items.includes(NOTHING) ? NOTHING : items;
  }
  const entries = Object.entries(one)
    .filter(([name]) => name !== ROUTING)
    .map(([name, value]) => [name, commonIn(value, Reflect.get(other, name))] as const)
    .filter(([, value]) => value !== NOTHING);
  return Object.fromEntries(entries);
}

function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

await main(process.argv.slice(2));

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { utimes, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { CatalogModel } from '../../domain/catalog/catalog-model.ts';
import type { SyncedModel } from '../../domain/catalog/synced-model.ts';
import { testProviders } from '../../engine/admin/testing/test-providers.ts';
import { catalogModel } from '../../engine/price-lists/testing/catalog-model.ts';
import { providers as shippedProviders } from '../../providers/index.ts';
import type { ProviderManifest } from '../../providers/manifest.ts';
import { NoMediaStore } from '../../stores/media/no-media-store.ts';
import { HttpUpstream } from '../../upstream/http-upstream.ts';
import { addCatalogCommands } from './catalog-commands.ts';
import { settingsFrom } from './settings.ts';
import { CommandFixture } from './testing/command-fixture.ts';

const ENVIRONMENT = { SWITCHYARD_SECRET: 'a secret for tests alone' };
/** The fixture's clock starts on 2023-11-14. */
const priceSource = { url: 'https://prices.example', date: '2023-11-01' };

const withModels = (name: string, models: readonly CatalogModel[]): [string, ProviderManifest] => {
  const manifest = testProviders.get(name);
  if (manifest === undefined) throw new Error(`no ${name}`);
  return [name, { ...manifest, models: () => models }];
};

const PROVIDERS = new Map([
  ...testProviders,
  withModels('openai', [
    catalogModel({ priceSource }),
    catalogModel({ id: 'gpt-4o', tags: ['vision'], pricing: null, priceSource: null }),
    catalogModel({ id: 'draw', name: 'Draw', category: 'image', pricing: { per_image: '0.04' }, priceSource }),
  ]),
  withModels('azure', [catalogModel({ provider: 'azure', pricing: 'free', priceSource })]),
]);

/** Returns an entry in LiteLLM's form: the catalog's facts, and these. */
const listed = (facts: Record<string, unknown> = {}) => ({ litellm_provider: 'openai', mode: 'chat', ...facts });
const REPRICED = { 'gpt-4o-mini': listed({ input_cost_per_token: 1.2e-7 }) };

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  fixture.providers = PROVIDERS;
});

afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.run(['catalog', ...args], ENVIRONMENT);

const listFile = async (list: unknown) => {
  const path = fixture.path('list.json');
  await writeFile(path, typeof list === 'string' ? list : JSON.stringify(list));
  return path;
};

const sync = async (list: unknown, ...options: string[]) => run('sync', '--from', await listFile(list), ...options);

const syncedModels = async (): Promise<readonly SyncedModel[]> => {
  const store = await fixture.openStore(ENVIRONMENT.SWITCHYARD_SECRET);
  return store.directory
    .read('all')
    .then((rows) => rows.syncedModels)
    .finally(() => store.close());
};

const apply = async (text: string) => {
  const path = fixture.path('switchyard.yaml');
  await writeFile(path, text);
  const { exitCode, stderr } = await fixture.run(['apply', path], ENVIRONMENT);
  if (exitCode !== 0) throw new Error(stderr);
};

const DECLARED = `
channels: [{id: main, provider: openai, api_key: sk-hidden, models: {gpt-4o-mini: gpt-4o-mini, quick: gpt-4o}}]
models:
  - {id: gpt-4o-mini, pricing: {input_per_1m: 0.2}}
  - {id: quick, capabilities: {context: 64000}, cache: {strategy: exact, ttl_seconds: 60, semantic: {certainty: 0.9}}}
`;

describe('sync', () => {
  test('without --yes and without a terminal shows the changes and how to apply them', async () => {
    expect(await sync(REPRICED)).toEqual({
      exitCode: 0,
      stdout:
        'openai gpt-4o-mini  input_per_1m 0.15 → 0.12\n' +
        "LiteLLM's list of 2023-11-14: 1 changed, 0 new, 0 unchanged, 0 unknown, 0 skipped\n" +
        'nothing changed; add --yes to apply this change\n',
      stderr: '',
    });
    expect(await syncedModels()).toEqual([]);
  });

  test('with --yes applies them, with the URL and the date of the list', async () => {
    const { stdout } = await sync(REPRICED, '--yes');
    expect(stdout).toEndWith('applied 1 change; a running gateway uses them at once\n');
    const source = { url: 'https://github.com/BerriAI/litellm', date: '2023-11-14' };
    const pricing = { input_per_1m: '0.12', cached_input_per_1m: '0.075', output_per_1m: '0.60' };
    expect(await syncedModels()).toEqual([{ provider: 'openai', id: 'gpt-4o-mini', facts: { pricing }, source }]);
  });

  test('a second time has nothing to apply', async () => {
    await sync(REPRICED, '--yes');
    const { stdout } = await sync(REPRICED, '--yes');
    expect(stdout).toContain('0 changed, 0 new, 1 unchanged');
    expect(stdout).toEndWith('nothing to change\n');
  });

  test('with --check changes nothing, even with --yes', async () => {
    expect((await sync(REPRICED, '--check', '--yes')).stdout).toEndWith('nothing changed (--check)\n');
    expect(await syncedModels()).toEqual([]);
  });

  test('reports where a configuration stays in force, also under another public id', async () => {
    await apply(DECLARED);
    const list = { ...REPRICED, 'gpt-4o': listed({ max_input_tokens: 200_000, max_output_tokens: 9 }) };
    expect((await sync(list)).stdout.split('\n').slice(0, 3)).toEqual([
      'openai gpt-4o  context 128000 → 200000 (yours, 64000 for quick, stays in effect)',
      'openai gpt-4o  max_output 16384 → 9',
      'openai gpt-4o-mini  input_per_1m 0.15 → 0.12 (yours, 0.2, stays in effect)',
    ]);
  });

  test('adds models with --add, and otherwise counts them', async () => {
    const list = { new: listed({ input_cost_per_token: 1e-6 }), obscure: listed({ mode: 'moderation' }) };
    const without = await sync(list, '--yes');
    expect(without.stdout).toContain('2 unknown');
    expect(without.stdout).toContain('--add adds those with a category');
    const { stdout } = await sync(list, '--yes', '--add');
    expect(stdout).toContain('openai new  new: chat, input_per_1m 1\n');
    expect(stdout).toContain('1 new, 0 unchanged, 1 unknown');
    expect((await syncedModels()).map(({ id }) => id)).toEqual(['new']);
  });

  test('names what is malformed', async () => {
    const { stdout } = await sync({ ...REPRICED, bad: listed({ max_input_tokens: 'many' }) });
    expect(stdout).toContain('malformed: "bad": max_input_tokens is not a positive whole number\n');
  });

  test('shows at most --lines lines of changes', async () => {
    const list = { 'gpt-4o-mini': listed({ input_cost_per_token: 1e-6, max_output_tokens: 1 }) };
    expect((await sync(list, '--lines', '1')).stdout).toStartWith('… and 2 more\n');
    expect(await sync(list, '--lines', '0')).toMatchObject({
      exitCode: 2,
      stderr: 'switchyard: --lines: must be 1 or more\n',
    });
  });

  test('keeps catalog prices with a later date', async () => {
    const later = { ...priceSource, date: '2023-11-15' };
    fixture.providers = new Map([...PROVIDERS, withModels('openai', [catalogModel({ priceSource: later })])]);
    const { stdout } = await sync(REPRICED);
    expect(stdout).toContain("1 price kept: the catalog's are newer than the list; --as-of sets another");
    expect(stdout).toEndWith('nothing to change\n');
  });

  test('has the modification date of the file', async () => {
    const path = await listFile(REPRICED);
    await utimes(path, new Date('2023-10-30T12:00:00Z'), new Date('2023-10-30T12:00:00Z'));
    const { stdout } = await run('sync', '--from', path, '--yes');
    expect(stdout).toContain("LiteLLM's list of 2023-10-30: 0 changed");
    expect(stdout).toContain('1 price kept');
  });

  test('has the date of --as-of', async () => {
    await sync(REPRICED, '--as-of', '2023-11-02', '--yes');
    expect((await syncedModels()).map(({ source }) => source.date)).toEqual(['2023-11-02']);
    const other = { 'gpt-4o-mini': listed({ input_cost_per_token: 1e-7 }) };
    expect((await sync(other, '--as-of', '2023-10-31')).stdout).toContain('1 price kept');
  });

  test.each(['2023-02-31', '2023-11-15', 'yesterday', '2023-11-01T00:00:00Z'])('refuses --as-of %s', async (day) => {
    const { exitCode, stderr } = await sync(REPRICED, '--as-of', day);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--as-of')]);
  });

  test('with --prices-only applies nothing else', async () => {
    const list = { 'gpt-4o-mini': listed({ input_cost_per_token: 1.2e-7, max_output_tokens: 9 }) };
    expect((await sync(list, '--prices-only', '--yes')).stdout).not.toContain('max_output');
    expect((await syncedModels()).map(({ facts }) => Object.keys(facts))).toEqual([['pricing']]);
    expect(await sync(list, '--prices-only', '--add')).toMatchObject({
      exitCode: 2,
      stderr: 'switchyard: --add and --prices-only cannot be combined\n',
    });
  });

  test('names the first implausible prices, and counts them', async () => {
    const wrong = listed({ input_cost_per_token: 1e-10 });
    const list = { ...REPRICED, ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((at) => [`wrong-${at}`, wrong])) };
    const { stdout } = await sync(list, '--add');
    expect(stdout).toContain(
      'refused: implausible prices of 6 models\n' + 'refused: openai wrong-1: input_per_1m 0.0001 is below 0.001\n',
    );
    expect(stdout).toContain('refused: openai wrong-5: input_per_1m 0.0001 is below 0.001\nrefused: and 1 more\n');
    const { refused } = JSON.parse((await sync(list, '--add', '--json')).stdout);
    expect(refused).toHaveLength(6);
    expect(refused[0]).toEqual({ provider: 'openai', id: 'wrong-1', problem: 'input_per_1m 0.0001 is below 0.001' });
  });

  test('as JSON has every change, and whether it was applied', async () => {
    await apply(DECLARED);
    const change = { field: 'input_per_1m', from: '0.15', to: '0.12', yours: '0.2' };
    const expected = {
      list: 'litellm',
      changed: [{ provider: 'openai', id: 'gpt-4o-mini', fields: [change] }],
      skipped: 0,
    };
    expect(JSON.parse((await sync(REPRICED, '--json')).stdout)).toMatchObject({ ...expected, applied: false });
    expect(await syncedModels()).toEqual([]);
    expect(JSON.parse((await sync(REPRICED, '--json', '--yes')).stdout)).toMatchObject({ ...expected, applied: true });
    expect(await syncedModels()).toHaveLength(1);
  });

  test('applies both public lists to the shipped catalog', async () => {
    fixture.providers = shippedProviders;
    fixture.clock.advance(Date.parse('2027-01-01') - fixture.clock.nowMs());
    for (const name of ['litellm', 'models-dev']) {
      const path = new URL(`../../engine/price-lists/testing/${name}-sample.json`, import.meta.url).pathname;
      const first = await run('sync', '--from', path, '--add', '--yes');
      expect(first.stdout).toMatch(/applied \d+ changes;/);
      expect((await run('sync', '--from', path, '--add', '--yes')).stdout).toEndWith('nothing to change\n');
    }
  });

  test.each([
    ['a missing file', 'nowhere.json', 1, 'cannot be read: no such file'],
    ['a folder', '.', 1, 'cannot be read: it is a directory'],
    ['another scheme', 'ftp://example.test/list', 2, 'must be a file, or a URL starting with https:// or http://'],
    ['a URL with a password', 'https://me:secret@example.test/', 2, 'must not contain a user name or password'],
  ])('of %s reports the problem in one line', async (_, from, exitCode, problem) => {
    const result = await run('sync', '--from', from);
    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(result.stderr).toEndWith(`${problem}\n`);
  });

  test.each([
    ['invalid JSON', '{"a":', 'is not JSON'],
    ['a web page', '<!doctype html>', 'is not JSON: it is a web page; use the URL of the raw file'],
    ['not a known list', '{}', "expected LiteLLM's model_prices_and_context_window.json or models.dev's api.json."],
  ])('of a file that is %s reports it', async (_, text, problem) => {
    const result = await sync(text);
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toEndWith(`${problem}\n`);
  });
});

describe('sync over HTTP', () => {
  let server: ReturnType<typeof Bun.serve>;

  beforeEach(() => {
    server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const { pathname, search } = new URL(request.url);
        if (pathname === '/secret') {
          return search === '?token=hidden' ? Response.json(REPRICED) : new Response('no', { status: 403 });
        }
        if (pathname === '/dated') {
          const headers = { 'last-modified': decodeURIComponent(search.slice(1)) };
          return Response.json(REPRICED, { headers });
        }
        const left = Number(/^\/hops\/(\d+)$/.exec(pathname)?.[1] ?? Number.NaN);
        if (left > 0) return new Response('moved', { status: 302, headers: { location: `/hops/${left - 1}` } });
        if (left === 0) return Response.json(REPRICED);
        if (pathname === '/away')
          return new Response(null, { status: 301, headers: { location: 'file:///etc/passwd' } });
        if (pathname === '/bare') return new Response(null, { status: 302 });
        if (pathname === '/page') return new Response('<html>', { headers: { 'content-type': 'text/html' } });
        if (pathname === '/large')
          return new Response(Bun.gzipSync(new Uint8Array(65 * 1024 * 1024)), {
            headers: { 'content-encoding': 'gzip' },
          });
        return new Response('no', { status: 404 });
      },
    });
  });

  afterEach(() => server.stop(true));

  const at = (path: string) => `${server.url.origin}${path}`;

  test('follows five redirects, and records the original URL as the source', async () => {
    const { stdout } = await run('sync', '--from', at('/hops/5#here'), '--yes');
    expect(stdout).toContain('applied 1 change');
    expect((await syncedModels()).map(({ source }) => source.url)).toEqual([at('/hops/5')]);
  });

  test.each([
    ['/hops/6', 'redirects more than 5 times'],
    ['/away', 'redirects to something other than a plain https or http URL'],
    ['/bare', ': (HTTP 302)'],
    ['/gone', ': there is nothing at this URL (HTTP 404)'],
    ['/page', 'is not JSON: it is a web page; use the URL of the raw file'],
    ['/large', 'is larger than 64 MiB, the limit for a price list'],
  ])('of %s reports the problem in one line', async (path, problem) => {
    const result = await run('sync', '--from', at(path));
    expect(result).toMatchObject({ exitCode: 1, stdout: '' });
    expect(result.stderr).toStartWith(`switchyard: ${at('/')}`);
    expect(result.stderr).toEndWith(`${problem}\n`);
  });

  test('sends the whole URL, and hides what may be a secret in it', async () => {
    const { exitCode } = await run('sync', '--from', at('/secret?token=hidden#part'), '--yes');
    expect(exitCode).toBe(0);
    expect((await syncedModels()).map(({ source }) => source.url)).toEqual([at('/secret')]);
    expect((await run('sync', '--from', at('/secret?token=wrong'))).stderr).toBe(
      `switchyard: ${at('/secret')}: (HTTP 403)\n`,
    );
  });

  test.each([
    ['Thu, 02 Nov 2023 08:00:00 GMT', '2023-11-02'],
    ['Thu, 02 Nov 2034 08:00:00 GMT', '2023-11-14'],
    ['some day', '2023-11-14'],
  ])('has the date that the server sends (%s): %s', async (lastModified, day) => {
    await run('sync', '--from', at(`/dated?${encodeURIComponent(lastModified)}`), '--yes');
    expect((await syncedModels()).map(({ source }) => source.date)).toEqual([day]);
  });

  test('of an unreachable server reports the reason', async () => {
    await server.stop(true);
    expect((await run('sync', '--from', at('/'))).stderr).toEndWith('refused the connection (connect_refused)\n');
  });
});

describe('on a terminal', () => {
  /** Resolves to the questions and the output. */
  const answering = async (answer: string, ...args: string[]) => {
    const questions: string[] = [];
    let stdout = '';
    const write = (text: string) => {
      stdout += text;
    };
    const program = new Command().exitOverride();
    const refuse = () => Promise.reject(new Error('no command of the catalog upgrades the database'));
    const dependencies = {
      serve: async () => 0,
      serveGroup: async () => 0,
      openStore: () => fixture.openStore(ENVIRONMENT.SWITCHYARD_SECRET),
      openMedia: () => new NoMediaStore(),
      openCache: fixture.openCache.bind(fixture),
      changeSecret: { rotate: async () => null, forget: async () => null },
      upgrade: { plan: refuse, run: refuse },
      moveStore: async () => ({ problems: [], result: null }),
      upstream: () => new HttpUpstream({ proxies: null }),
      providers: async () => fixture.providers,
      environment: { ...ENVIRONMENT, SWITCHYARD_DATA: fixture.path('data') },
      clock: fixture.clock,
      ending: () => ({ signal: new AbortController().signal, exitCode: 0 }),
      isTerminal: false,
      stdout: { write },
      stderr: { write },
    };
    const ask = async (question: string) => {
      questions.push(question);
      return answer;
    };
    const settings = settingsFrom({}, dependencies.environment);
    addCatalogCommands({ program, dependencies, settings, setExitCode: () => {} }, { ask });
    await program.parseAsync(['catalog', ...args], { from: 'user' });
    return { questions, stdout };
  };

  test.each([
    ['y', 1],
    [' YES ', 1],
    ['', 0],
    ['n', 0],
    ['yesterday', 0],
  ])('the answer %j to a sync is interpreted', async (answer, taken) => {
    const { questions } = await answering(answer, 'sync', '--from', await listFile(REPRICED));
    expect(questions).toEqual(['Apply this change? [y/N] ']);
    expect(await syncedModels()).toHaveLength(taken);
  });

  test.each(['--yes', '--check', '--json'])('a sync with %s does not ask', async (option) => {
    const { questions } = await answering('y', 'sync', '--from', await listFile(REPRICED), option);
    expect(questions).toEqual([]);
  });

  test('a sync without changes does not ask', async () => {
    const { questions } = await answering('y', 'sync', '--from', await listFile({ 'gpt-4o': listed() }));
    expect(questions).toEqual([]);
  });

  test('a reset asks too', async () => {
    await sync(REPRICED, '--yes');
    const declined = await answering('n', 'reset');
    expect(declined.questions).toEqual(['Discard synced prices and facts of this model? [y/N] ']);
    expect(declined.stdout).toEndWith('nothing changed\n');
    await answering('y', 'reset');
    expect(await syncedModels()).toEqual([]);
  });
});

const cells = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

describe('list', () => {
  test('has a row per model, with its price and source', async () => {
    const audio = listed({ mode: 'audio_speech', input_cost_per_character: 1.5e-5 });
    await sync({ ...REPRICED, 'new-tts': audio }, '--add', '--yes');
    const [headings, ...rows] = cells((await run('list')).stdout);
    expect(headings).toEqual(['PROVIDER', 'ID', 'CATEGORY', 'OWNED BY', 'CONTEXT', 'PRICE', 'FROM']);
    expect(rows.filter(([provider]) => provider !== 'sandbox')).toEqual([
      ['azure', 'gpt-4o-mini', 'chat', 'openai', '128000', 'free', 'shipped'],
      ['openai', 'draw', 'image', 'openai', '128000', '0.04 per image', 'shipped'],
      ['openai', 'gpt-4o', 'chat', 'openai', '128000', '?', 'shipped'],
      ['openai', 'gpt-4o-mini', 'chat', 'openai', '128000', '0.12 / 0.60 per 1M', 'shipped, synced'],
      ['openai', 'new-tts', 'tts', 'openai', '-', '0.000015 per character', 'synced'],
    ]);
  });

  test.each([
    [['--category', 'image'], ['draw']],
    [['--provider', 'azure'], ['gpt-4o-mini']],
    [['--tag', 'vision'], ['gpt-4o']],
    [['--tag', 'image'], ['draw']],
    [['--search', 'DRAW'], ['draw']],
    [['--search', 'quick  small vision', '--provider', 'openai'], ['gpt-4o']],
    [['--search', 'draw', '--category', 'chat'], []],
  ])('with %p has only matching models', async (options, ids) => {
    const found: { id: string }[] = JSON.parse((await run('list', '--json', ...options)).stdout);
    expect(found.map(({ id }) => id)).toEqual(ids);
  });

  test('as JSON has the fields for programs', async () => {
    const [model] = JSON.parse((await run('list', '--json', '--category', 'image')).stdout);
    expect(model).toMatchObject({
      provider: 'openai',
      id: 'draw',
      tags: ['image', 'fast'],
      released: '2024-07-18',
      pricing: { per_image: '0.04' },
      price_source: priceSource,
      from: ['shipped'],
    });
  });

  test('reports that nothing matches', async () => {
    expect((await run('list', '--search', 'nothing-like-it')).stdout).toMatch(/^No models found/);
  });

  test.each([
    ['--provider', 'opnai', 'unknown provider "opnai" (did you mean "openai"?)'],
    ['--category', 'pictures', 'Allowed choices are chat, image'],
  ])('refuses an invalid %s', async (option, value, problem) => {
    const { exitCode, stderr } = await run('list', option, value);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });
});

describe('show', () => {
  const lines = async (...args: string[]) =>
    new Map(cells((await run('show', ...args)).stdout).map(([a, ...b]) => [a, b.join('  ')]));

  test('has the price with its source and date, and the other providers', async () => {
    const shown = await lines('gpt-4o-mini');
    expect(shown.get('price')).toBe('0.15 / 0.60 per 1M');
    expect(shown.get('price from')).toBe('https://prices.example, 2023-11-01');
    expect(shown.get('also known for')).toBe('azure: free');
    expect(shown.get('channels')).toBe('none');
  });

  test('names the facts that a list changed', async () => {
    await sync({ 'gpt-4o-mini': listed({ input_cost_per_token: 1e-6, max_output_tokens: 9 }) }, '--yes');
    const from = 'price, max_output from https://github.com/BerriAI/litellm, 2023-11-14';
    expect((await lines('gpt-4o-mini')).get('catalog')).toBe(`openai gpt-4o-mini (shipped, synced; ${from})`);
  });

  test('marks configured values, and names the channels', async () => {
    await apply(DECLARED);
    const shown = await lines('gpt-4o-mini');
    expect(shown.get('price')).toBe('0.2 per 1M (yours, from the configuration; the catalog: 0.15 / 0.60 per 1M)');
    expect(shown.get('context')).toBe('128000');
    expect(shown.get('price from')).toBeUndefined();
    expect(shown.get('channels')).toBe('main (openai)');
  });

  test('finds a public id by the channel that serves it', async () => {
    await apply(DECLARED);
    const shown = await lines('quick');
    expect(shown.get('catalog')).toBe('openai gpt-4o (shipped)');
    expect(shown.get('context')).toBe('64000 (yours, from the configuration; the catalog: 128000)');
    expect(shown.get('cache')).toBe(
      'strategy exact, ttl_seconds 60, semantic certainty 0.9 (yours, from the configuration)',
    );
    expect((await lines('gpt-4o')).get('channels')).toBe('main (openai, as quick)');
  });

  test('with --provider has the entry of that provider', async () => {
    expect((await lines('gpt-4o-mini', '--provider', 'azure')).get('price')).toBe('free');
    expect((await run('show', 'gpt-4o', '--provider', 'azure')).stderr).toBe(
      'switchyard: the catalog has no "gpt-4o" for azure: it is known for openai\n',
    );
  });

  test('as JSON has the effective model, the catalog entry and the configured values', async () => {
    await apply(DECLARED);
    expect(JSON.parse((await run('show', 'gpt-4o-mini', '--json')).stdout)).toMatchObject({
      id: 'gpt-4o-mini',
      pricing: { input_per_1m: '0.2' },
      yours: { origin: 'config', fields: ['pricing'] },
      catalog: { provider: 'openai', pricing: { input_per_1m: '0.15' }, from: ['shipped'], synced: null },
      also_known_of: [{ provider: 'azure', pricing: 'free' }],
      channels: [{ id: 'main', model: 'gpt-4o-mini', upstream_model: 'gpt-4o-mini', enabled: true }],
    });
  });

  test('of an unknown id suggests the nearest', async () => {
    const { exitCode, stderr } = await run('show', 'gpt-4o-mni');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('(did you mean "gpt-4o-mini"')]);
  });
});

describe('reset', () => {
  beforeEach(async () => {
    await sync({ ...REPRICED, new: listed({ input_cost_per_token: 1e-6 }) }, '--add', '--yes');
  });

  test('without --yes and without a terminal announces what it would do, and does nothing', async () => {
    const from = 'from https://github.com/BerriAI/litellm, 2023-11-14';
    expect((await run('reset')).stdout).toBe(
      `openai gpt-4o-mini  back to shipped values: price (${from})\n` +
        `openai new  removed: known only from a list (${from})\n` +
        'nothing changed; add --yes to reset these 2 models\n',
    );
    expect(await syncedModels()).toHaveLength(2);
  });

  test('of one model keeps the others', async () => {
    expect((await run('reset', 'new', '--yes')).stdout).toEndWith(
      'reset 1 model; a running gateway uses this at once\n',
    );
    expect((await syncedModels()).map(({ id }) => id)).toEqual(['gpt-4o-mini']);
  });

  test('of an unchanged model does nothing, and reports it', async () => {
    const nothing = {
      exitCode: 0,
      stdout: 'nothing was synced from a list; nothing changed\n',
      stderr: '',
    };
    expect(await run('reset', 'gpt-4o', '--yes')).toEqual(nothing);
    expect(await run('reset', '--provider', 'azure', '--yes')).toEqual(nothing);
  });

  test('of an unknown id suggests the nearest', async () => {
    expect(await run('reset', 'gpt-4o-mni')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('did you mean'),
    });
  });
});

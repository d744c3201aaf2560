import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { MODEL_CATEGORIES } from '../domain/catalog/category.ts';
import { providers } from './index.ts';

const folders = readdirSync(import.meta.dir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'shared')
  .map((entry) => entry.name);

test('exactly the folders are registered, by name', () => {
  expect([...providers.keys()].toSorted()).toEqual(folders.toSorted());
});

test('no two providers claim the same key variable', () => {
  const variables = [...providers.values()].flatMap((manifest) => manifest.keyVariables);
  expect(variables).toEqual([...new Set(variables)]);
});

describe.each([...providers])('%s', (name, manifest) => {
  test('is in the folder of its name', async () => {
    const module = await import(join(import.meta.dir, name, 'manifest.ts'));
    expect(Object.values(module)).toEqual([manifest]);
    expect(manifest.name).toBe(name);
    expect(manifest.label).not.toBe('');
  });

  test('has a valid base URL without a trailing slash, or none', () => {
    if (manifest.baseUrl === null) return;
    expect(URL.canParse(manifest.baseUrl)).toBe(true);
    expect(manifest.baseUrl).not.toEndWith('/');
  });

  test('sends its key only over TLS', () => {
    if (manifest.keyRequired && manifest.baseUrl !== null) expect(manifest.baseUrl).toStartWith('https://');
  });

  test('has a key variable exactly if it requires a key', () => {
    expect(manifest.keyVariables.length > 0).toBe(manifest.keyRequired);
    for (const variable of manifest.keyVariables) expect(variable).toMatch(/^[A-Z][A-Z0-9_]*$/);
  });

  test('speaks at least one format or wire, without repetitions', () => {
    const formats = manifest.formats.map(({ format }) => format);
    const wires = (manifest.wires ?? []).map(({ wire, models }) => `${wire} ${models?.source ?? ''}`);
    expect(formats.length + wires.length).toBeGreaterThan(0);
    expect(formats).toEqual([...new Set(formats)]);
    expect(wires).toEqual([...new Set(wires)]);
  });

  test('has at least one format by default', () => {
    if (manifest.formats.length === 0) return;
    expect(manifest.formats.some(({ optIn }) => optIn !== true)).toBe(true);
  });

  test('accepts empty settings and refuses unknown ones', () => {
    if (manifest.settings === undefined) return;
    expect(manifest.settings.safeParse({}).success).toBe(true);
    expect(manifest.settings.safeParse({ no_such_setting: 1 }).success).toBe(false);
  });

  test('authorizes with the key, and sends none without one', () => {
    if (manifest.authorize === undefined) return;
    for (const { format } of manifest.formats) {
      expect(JSON.stringify(manifest.authorize({ apiKey: 'secret-1', settings: {} }, format))).toContain('secret-1');
      expect(manifest.authorize({ apiKey: null, settings: {} }, format)).toEqual({});
    }
  });

  test('lists each model once, chat models first', () => {
    const models = manifest.models?.() ?? [];
    const ids = models.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    if (models.length > 0 && manifest.formats.length > 0) expect(models[0]?.category).toBe('chat');
    for (const { category } of models) expect(MODEL_CATEGORIES).toContain(category);
    if (manifest.keyRequired) expect(models.length).toBeGreaterThan(0);
  });
});

describe('settings become headers', () => {
  test('for openai: organization and project', () => {
    const openai = providers.get('openai')!;
    const settings = openai.settings!.parse({ organization: 'org-1', project: 'proj_1' });
    expect(openai.authorize!({ apiKey: 'k', settings }, 'openai-chat')).toEqual({
      authorization: 'Bearer k',
      'openai-organization': 'org-1',
      'openai-project': 'proj_1',
    });
  });

  test('for openrouter: the name and URL of the app', () => {
    const openrouter = providers.get('openrouter')!;
    const settings = openrouter.settings!.parse({ app_name: 'My app', app_url: 'https://example.com/' });
    expect(openrouter.authorize!({ apiKey: 'k', settings }, 'openai-chat')).toEqual({
      authorization: 'Bearer k',
      'x-title': 'My app',
      'http-referer': 'https://example.com/',
    });
  });

  test.each(['a\r\nx-evil: 1', ' a', 'a ', '', 'ü'])('but cannot break out of them: %j', (organization) => {
    expect(providers.get('openai')!.settings!.safeParse({ organization }).success).toBe(false);
  });
});

describe('a pasted key', () => {
  const made = (prefix: string, length = 40) => prefix + '0123456789abcdef'.repeat(6).slice(0, length);
  const AWS = `AKIA${'ABCDEFGHIJKLMNOP'}:${made('')}`;

  test.each([
    ['openai', made('sk-proj-', 90)],
    ['openai', `${made('sk-', 20)}T3BlbkFJ${made('', 20)}`],
    ['anthropic', made('sk-ant-api03-', 90)],
    ['openrouter', made('sk-or-v1-', 64)],
    ['google', made('AIza', 35)],
    ['groq', made('gsk_', 52)],
    ['xai', made('xai-', 80)],
    ['cerebras', made('csk-', 48)],
    ['huggingface', made('hf_', 34)],
    ['github-models', made('github_pat_', 60)],
    ['replicate', made('r8_', 37)],
    ['elevenlabs', made('sk_', 48)],
    ['bedrock', AWS],
    ['vertex', '{"type": "service_account", "project_id": "p"}'],
    // The keys of DeepSeek, Moonshot and Alibaba have the same form.
    [null, made('sk-', 32)],
    [null, made('', 32)],
  ])('of %s is distinguished from all others', (name, key) => {
    const found = [...providers.values()].filter(({ keyPattern }) => keyPattern?.test(key)).map((one) => one.name);
    expect(found).toEqual(name === null ? [] : [name]);
  });

  test('has a pattern that a web page can use unchanged', () => {
    for (const { keyPattern } of providers.values()) expect(keyPattern?.flags ?? '').toBe('');
  });
});

test('the settings of every provider can be drawn as a form', () => {
  for (const { name, settings } of providers.values()) {
    if (settings === undefined) continue;
    const { properties = {} } = z.toJSONSchema(settings, { io: 'input' });
    for (const [field, schema] of Object.entries(properties)) {
      expect([name, field, schema]).toEqual([
        name,
        field,
        expect.objectContaining({ title: expect.any(String), description: expect.any(String) }),
      ]);
    }
  }
});

describe('discovery', () => {
  test('probes only Ollama at every start', () => {
    const atStart = [...providers.values()].filter(({ discovery }) => discovery?.atStart).map(({ name }) => name);
    expect(atStart).toEqual(['ollama']);
  });

  test.each(['ollama', 'lmstudio', 'llamacpp', 'vllm'])('of %s lists each model once', (name) => {
    const { modelList } = providers.get(name)!;
    const data = [{ id: 'llama3.2:latest', object: 'model' }, { id: 'qwen3:8b' }, { id: 'qwen3:8b' }];
    expect(modelList!.modelsIn({ object: 'list', data })).toEqual(['llama3.2:latest', 'qwen3:8b']);
    for (const other of [null, 'hello', [], {}, { data: 3 }, { data: [{ name: 'x' }] }]) {
      expect(modelList!.modelsIn(other)).toEqual([]);
    }
  });
});

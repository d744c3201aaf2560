import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { localOrigin } from '../../../src/engine/admin/audit/audit-trail.ts';
import { fileSchema, settingsFrom, withSettings } from '../../../src/engine/admin/schema/configuration-file.ts';
import { defaultSections } from '../../../src/engine/admin/settings/default-settings.ts';
import { SECTIONS } from '../../../src/engine/admin/settings/sections.ts';
import { changeSettings, type SettingsInForce, settingsView } from '../../../src/engine/admin/settings/settings.ts';
import { failureOf } from '../../../src/engine/admin/testing/failure-of.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { sampleConfiguration } from '../../../src/engine/admin/testing/sample-configuration.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import { DEFAULT_SERVER, LARGEST_MEMORY_BOUNDS } from '../../../src/engine/settings/settings.ts';
import { closeTestStores, openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';
import { pngOf } from '../../shared/png.ts';

const ORIGIN = localOrigin({ kind: 'command_line', name: 'root' });
const DEFAULTS = defaultSections(LARGEST_MEMORY_BOUNDS);
const clock = new FakeClock();
const FILE = { cache: { ttl_seconds: 60 }, server: { metrics_token: 'a-secret-of-this-test' } };

afterEach(closeTestStores);

describe('settings', () => {
  let store: Store;
  const inForce: SettingsInForce = {
    path: 'switchyard.yaml',
    written: FILE,
    variables: { 'server.metrics_token': ['METRICS_TOKEN'] },
    defaults: DEFAULTS,
    stored: {},
    environment: {},
  };
  beforeEach(async () => {
    store = await openTestStore();
  });
  const change = (input: unknown) =>
    changeSettings({ store: store.settings, inForce, clock }, { origin: ORIGIN, requester: null }, input);

  test('documented defaults equal the values of an empty file', () => {
    const { server, ...said } = settingsFrom(fileSchema.parse(DEFAULTS));
    const { server: _none, ...unsaid } = settingsFrom(fileSchema.parse({}));
    const { maxHeldMediaBytes: maxHeldBytes } = LARGEST_MEMORY_BOUNDS;
    expect(said).toEqual({ ...unsaid, media: { ...unsaid.media, maxHeldBytes } });
    expect(server).toMatchObject(DEFAULT_SERVER);
    expect(Object.keys(DEFAULTS).sort()).toEqual(Object.keys(SECTIONS).sort());
  });

  test('each shows its source, and no secret', async () => {
    const { sections, restart_needed } = await settingsView(store.settings, inForce);
    expect(sections.cache?.ttl_seconds).toEqual({ value: 60, source: 'file', changeable: false });
    expect(sections.cache?.['semantic.embeddings']).toEqual({ value: 'local', source: 'default', changeable: true });
    expect(sections.server?.metrics_token).toEqual({
      ...{ value: '(set)', source: 'file', changeable: false },
      variables: ['METRICS_TOKEN'],
    });
    expect(restart_needed).toEqual([]);
    expect(sections.server?.public_url).toEqual({
      ...{ value: null, source: 'default', changeable: true },
      needs_second_factor: true,
    });
    expect(sections.sign_in?.oidc).toEqual({ value: null, source: 'default', changeable: false });
  });

  test('a changed setting applies from the next start until it is reset', async () => {
    await change({ cache: { semantic: { certainty: 0.9 } }, routing: { max_attempts: 3 } });
    const view = await settingsView(store.settings, inForce);
    expect(view.restart_needed).toEqual(['routing.max_attempts', 'cache.semantic.certainty']);
    expect(view.sections.routing?.max_attempts).toEqual({
      value: 5,
      source: 'default',
      changeable: true,
      after_restart: 3,
    });
    const started = withSettings(sampleConfiguration(FILE), await store.settings.read());
    expect(started.routing.maxAttempts).toBe(3);
    expect(started.cache.policy).toMatchObject({ certainty: 0.9, ttlMs: 60_000 });
    await change({ routing: { max_attempts: null } });
    expect((await store.settings.read()).routing).toEqual({});
    const told = await store.audit.page({ order: 'oldest', after: null, limit: 10 });
    expect(told.map(({ action, objectId }) => [action, objectId])).toEqual([
      ['settings.change', 'cache'],
      ['settings.change', 'routing'],
      ['settings.change', 'routing'],
    ]);
  });

  test('branding applies at once; its logo is shown and audited by its facts', async () => {
    const logo = `data:image/png;base64,${pngOf({ width: 24, height: 8 }).toString('base64')}`;
    const branding = { name: 'Acme AI', logo, accent_color: '#C2335F', support_address: 'help@acme.example' };
    await change({ branding });
    const { sections, restart_needed } = await settingsView(store.settings, inForce);
    expect(restart_needed).toEqual([]);
    expect(sections.branding).toEqual({
      name: { value: 'Acme AI', source: 'api', changeable: true, applies_at_once: true },
      logo: {
        value: expect.stringMatching(/^image\/png, 24 × 8, 0\.\d KB, [0-9a-f]{8}$/),
        ...{ source: 'api', changeable: true, applies_at_once: true },
      },
      accent_color: { value: '#C2335F', source: 'api', changeable: true, applies_at_once: true },
      support_address: {
        ...{ value: 'help@acme.example', source: 'api', changeable: true },
        ...{ needs_second_factor: true, applies_at_once: true },
      },
    });
    const [entry] = await store.audit.page({ order: 'newest', after: null, limit: 1 });
    expect(entry?.after).toMatchObject({ name: 'Acme AI', logo: expect.stringContaining('image/png, 24 × 8') });
    expect(JSON.stringify(entry)).not.toContain('base64');
  });

  test.each([
    [{ branding: { name: '<b>' } }, 'invalid_value', 'branding.name'],
    [{ branding: { name: 'x'.repeat(41) } }, 'invalid_value', 'branding.name'],
    [{ branding: { name: 'a\r\nBcc: b' } }, 'invalid_value', 'branding.name'],
    [{ branding: { logo: 'data:image/svg+xml;base64,PHN2Zy8+' } }, 'invalid_value', 'branding.logo'],
    [{ branding: { accent_color: 'red' } }, 'invalid_value', 'branding.accent_color'],
    [{ branding: { support_address: 'javascript:alert(1)' } }, 'invalid_value', 'branding.support_address'],
    [{ branding: { support_address: 'http://acme.example' } }, 'invalid_value', 'branding.support_address'],
    [{ branding: { support_address: 'mailto:a@b.example?bcc=c' } }, 'invalid_value', 'branding.support_address'],
    [{ branding: { support_address: 'https://u:p@acme.example' } }, 'invalid_value', 'branding.support_address'],
    [{ cache: { ttl_seconds: 5 } }, 'conflict', 'cache.ttl_seconds'],
    [{ server: { metrics_token: 'x'.repeat(20) } }, 'conflict', 'server.metrics_token'],
    [{ sign_in: { oidc: [] } }, 'conflict', 'sign_in.oidc'],
    [{ routing: { max_attempts: 'many' } }, 'invalid_value', 'routing.max_attempts'],
    [{ cache: { memory_mb: 1, max_entry_kb: 5_000 } }, 'invalid_value', 'cache.max_entry_kb'],
    [{ routing: { max_attempts: 3 }, cache: { memory_mb: 'much' } }, 'invalid_value', 'cache.memory_mb'],
    [{ cashe: {} }, 'invalid_value', 'cashe'],
    [{ routing: 5 }, 'invalid_value', 'routing'],
    [[], 'invalid_value', 'settings'],
  ])('%p is refused', async (input, code, field) => {
    expect(await failureOf(change(input))).toMatchObject({ code, field });
    expect(Object.values(await store.settings.read()).every((words) => Object.keys(words).length === 0)).toBe(true);
  });
});

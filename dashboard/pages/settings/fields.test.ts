import { expect, test } from 'bun:test';
import type { Settings } from '../../api/schema.ts';
import { changeOf, sectionsOf, sentValue, storedValue } from './fields.ts';

const SETTINGS = {
  object: 'settings',
  file: null,
  environment: {},
  restart_needed: [],
  sections: {
    cache: {
      'semantic.certainty': { value: 0.9, source: 'api', changeable: true, after_restart: null },
      strategy: { value: 'exact', source: 'default', changeable: true },
    },
    mail: { from: { value: 'a@example.com', source: 'file', changeable: false } },
    server: {
      cors_origins: { value: '*', source: 'default', changeable: true },
      max_body_bytes: { value: 1_024, source: 'default', changeable: true },
    },
    seller: { name: { value: null, source: 'default', changeable: true } },
    branding: {
      logo: { value: null, source: 'default', changeable: true, applies_at_once: true },
      accent_color: { value: null, source: 'default', changeable: true, applies_at_once: true },
    },
  },
  branding: { name: 'Switchyard', logo_url: null, style_url: null, support_url: null },
  mail: null,
  forms: {
    cache: {
      properties: {
        semantic: { properties: { certainty: { type: 'number', nullable: true } } },
        strategy: { type: 'string', enum: ['off', 'exact'] },
      },
    },
    server: {
      properties: {
        cors_origins: { anyOf: [{ type: 'string', enum: ['*'] }, { type: 'array' }] },
        max_body_bytes: { type: 'integer' },
      },
    },
  },
} as const satisfies Settings;

const LABELS = {
  sections: { cache: 'Cache' },
  sectionHelp: { cache: 'What is reused.' },
  fields: { 'cache.strategy': 'What is answered' },
  help: { 'cache.strategy': 'Which requests may be repeated.' },
};
const sectionNamed = (name: string) => sectionsOf(SETTINGS, LABELS, '').find((section) => section.name === name);

test('controls are defined by the forms, labels by the texts, and all of these are searched', () => {
  const [cache, mail, server, branding] = ['cache', 'mail', 'server', 'branding'].map(sectionNamed);
  expect(cache?.fields.map(({ label, help, control }) => [label, help, control.kind])).toEqual([
    ['What is answered', 'Which requests may be repeated.', 'choice'],
    ['semantic.certainty', '', 'number'],
  ]);
  expect([mail?.label, mail?.fields[0]?.control.kind]).toEqual(['mail', 'text']);
  expect(server?.fields.map(({ control }) => control)).toEqual([
    { kind: 'texts' },
    { kind: 'number', measure: { stored: 'bytes', units: ['bytes', 'kb', 'mb', 'gb'] } },
  ]);
  expect(branding?.fields.map(({ control }) => control.kind)).toEqual(['logo', 'color']);
  const found = (query: string) =>
    sectionsOf(SETTINGS, LABELS, query).flatMap(({ fields }) => fields.map(({ name }) => name));
  expect([found('ANSWERED cache'), found('repeated'), found('certainty'), found('nothing')]).toEqual([
    ['cache.strategy'],
    ['cache.strategy'],
    ['cache.semantic.certainty'],
    [],
  ]);
});

test('groups are in reading order, unknown ones in the middle, and say whether they need a restart', () => {
  expect(sectionsOf(SETTINGS, LABELS, '').map(({ name, appliesAtOnce }) => [name, appliesAtOnce])).toEqual([
    ['branding', true],
    ['mail', null],
    ['server', false],
    ['seller', false],
    ['cache', false],
  ]);
});

test('a change is sent under its API name and with its type', () => {
  expect(changeOf({ section: 'cache', path: 'semantic.certainty' }, 0.5)).toEqual({
    cache: { semantic: { certainty: 0.5 } },
  });
  const typed = (text: string) => sentValue({ kind: 'number', measure: null }, text);
  expect([typed('0'), typed(' 12.5 '), typed('many'), typed('')]).toEqual([0, 12.5, 'many', null]);
  const usd = { kind: 'number', measure: null, prefix: '$' } as const;
  expect([sentValue(usd, '0.000000001'), sentValue(usd, '')]).toEqual(['0.000000001', null]);
  expect([sentValue({ kind: 'texts' }, ['*']), sentValue({ kind: 'texts' }, ['a', '*'])]).toEqual(['*', ['a', '*']]);
  expect([sentValue({ kind: 'flag' }, false), sentValue({ kind: 'text' }, '')]).toEqual([false, null]);
});

test('the stored value is the pending one, or the one in effect', () => {
  const { cache, server } = SETTINGS.sections;
  expect(storedValue(cache['semantic.certainty'])).toBeUndefined();
  expect(storedValue(server.cors_origins)).toBeUndefined();
  expect(storedValue({ ...server.cors_origins, after_restart: ['https://a.example'] })).toEqual(['https://a.example']);
  expect(storedValue({ value: 5, source: 'api', changeable: true })).toBe(5);
});

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
    server: { cors_origins: { value: '*', source: 'default', changeable: true } },
  },
  forms: {
    cache: {
      properties: {
        semantic: { properties: { certainty: { type: 'number', nullable: true } } },
        strategy: { type: 'string', enum: ['off', 'exact'] },
      },
    },
    server: { properties: { cors_origins: { anyOf: [{ type: 'string', enum: ['*'] }, { type: 'array' }] } } },
  },
} as const satisfies Settings;

const LABELS = { sections: { cache: 'Cache' }, fields: { 'cache.strategy': 'What is answered' } };

test('controls are defined by the forms, labels by the texts, and both are searched', () => {
  const [cache, mail, server] = sectionsOf(SETTINGS, LABELS, '');
  expect(cache?.fields.map(({ label, control }) => [label, control.kind])).toEqual([
    ['semantic.certainty', 'number'],
    ['What is answered', 'choice'],
  ]);
  expect([mail?.label, mail?.fields[0]?.control.kind, server?.fields[0]?.control.kind]).toEqual([
    'mail',
    'text',
    'texts',
  ]);
  const found = (query: string) =>
    sectionsOf(SETTINGS, LABELS, query).flatMap(({ fields }) => fields.map(({ name }) => name));
  expect([found('ANSWERED cache'), found('certainty'), found('nothing')]).toEqual([
    ['cache.strategy'],
    ['cache.semantic.certainty'],
    [],
  ]);
});

test('a change is sent under its API name and with its type', () => {
  expect(changeOf({ section: 'cache', path: 'semantic.certainty' }, 0.5)).toEqual({
    cache: { semantic: { certainty: 0.5 } },
  });
  const typed = (text: string) => sentValue({ kind: 'number' }, text);
  expect([typed('0'), typed(' 12.5 '), typed('many'), typed('')]).toEqual([0, 12.5, 'many', null]);
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

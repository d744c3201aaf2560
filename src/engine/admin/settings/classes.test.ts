import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import type { Requester } from '../../../domain/access/actor.ts';
import { SEALED_SETTINGS } from '../../ports/settings-store.ts';
import { RECENT_SECOND_FACTOR_MS, refuseAnchor } from '../require-second-factor.ts';
import { fileSchema } from '../schema/configuration-file.ts';
import { failureOf } from '../testing/failure-of.ts';
import { classOf, SETTING_CLASSES } from './classes.ts';
import { pathsOf, SECRET_FIELDS, SECTIONS } from './sections.ts';

/** Objects that have an API of their own, and a switch that is not a section. */
const NO_SETTINGS = ['channels', 'models', 'accounts', 'guards', 'sandbox'];
const NOW = 1_790_000_000_000;

const isSealed = (field: string) => {
  const [section = '', path = ''] = field.split('.');
  return SEALED_SETTINGS[section]?.includes(path) === true;
};

const fieldsOfFile = Object.entries(fileSchema.shape)
  .filter(([name]) => !NO_SETTINGS.includes(name))
  .map(([name, schema]): [string, readonly string[]] => [
    name,
    pathsOf(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' })),
  ]);

describe('the class of a setting', () => {
  test.each(fieldsOfFile)('every field of %s has one, and nothing else does', (name, fields) => {
    expect(fields.length).toBeGreaterThan(0);
    expect(Object.keys(SETTING_CLASSES[name] ?? {}).toSorted()).toEqual([...fields].toSorted());
  });

  test('no section is listed that the file does not have', () => {
    expect(Object.keys(SETTING_CLASSES).toSorted()).toEqual(fieldsOfFile.map(([name]) => name).toSorted());
  });

  test('a secret that can be set over the API is encrypted by the store', () => {
    expect([...SECRET_FIELDS].filter(isSealed)).toEqual(['mail.smtp_url']);
    expect(classOf('mail', 'smtp_url')).toBe('anchor');
  });

  test('other secrets, and sections that the API does not know, can only be set in the file', () => {
    for (const field of SECRET_FIELDS) {
      if (isSealed(field)) continue;
      const at = field.indexOf('.');
      expect([field, classOf(field.slice(0, at), field.slice(at + 1))]).toEqual([field, 'file']);
    }
    for (const [name, fields] of fieldsOfFile) {
      if (Object.hasOwn(SECTIONS, name)) continue;
      for (const field of fields) expect([name, field, classOf(name, field)]).toEqual([name, field, 'file']);
    }
  });

  test('an unknown setting belongs to the file, and a nested value has the class of its field', () => {
    expect([classOf('server', 'new_one'), classOf('new_one', 'x'), classOf('server', 'toString')]).toEqual([
      'file',
      'file',
      'file',
    ]);
    expect(classOf('sign_in', 'oidc.issuer')).toBe('file');
    expect(classOf('media', 'allowed_ranges.x')).toBe('anchor');
  });
});

describe('a trust anchor', () => {
  const person = { kind: 'person', userId: 'u', email: 'a@b.example', name: 'A', sessionId: 's' } as const;
  const operator = (secondFactorAtMs: number | null): Requester => ({
    ...{ ...person, isOperator: true, memberships: [] },
    secondFactorAtMs,
  });
  const token: Requester = {
    ...{ kind: 'token', accountId: 'house', tokenId: 't', name: 'T', scopes: ['*'], expiresAtMs: null },
    isOperator: true,
  };
  const refusal = async (by: Requester | null) =>
    await failureOf((async () => refuseAnchor(by, NOW, 'server.public_url'))());

  test('can be changed within ten minutes of a second factor', () => {
    expect(() => refuseAnchor(operator(NOW), NOW, 'server.public_url')).not.toThrow();
    expect(() => refuseAnchor(operator(NOW - RECENT_SECOND_FACTOR_MS), NOW, 'server.public_url')).not.toThrow();
    expect(() => refuseAnchor(null, NOW, 'server.public_url')).not.toThrow();
  });

  test.each<[string, Requester, string]>([
    ['an older second factor', operator(NOW - RECENT_SECOND_FACTOR_MS - 1), 'recent_second_factor_required'],
    ['no second factor', operator(null), 'recent_second_factor_required'],
    ['a management token', token, 'trust_anchor'],
  ])('cannot be changed with %s', async (_what, by, kind) => {
    expect(await refusal(by)).toMatchObject({ code: 'forbidden', field: 'server.public_url', kind } as object);
  });
});

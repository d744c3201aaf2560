import { expect, test } from 'bun:test';
import type { Carries } from '../../../domain/exchange/loss.ts';
import { FEATURES, Losses } from '../../../domain/exchange/loss.ts';
import type { Quirk, QuirkRule } from '../quirk.ts';
import { applyQuirks } from './apply-quirks.ts';

const carries = Object.fromEntries(FEATURES.map((feature) => [feature, 'exact'])) as Carries;

function applied(body: Record<string, unknown>, ...rules: readonly QuirkRule[]) {
  const names = { seed: 'config.seed' };
  const losses = new Losses(carries, names);
  const quirks = rules.map((rule): Quirk => ({ ...rule, why: 'because' }));
  const fields = { seed: 'seed', model: 'exact' } as const;
  applyQuirks(body, quirks, { names, losses, fields, added: new Set(['stream']) });
  return { body, losses: losses.all.map(({ field, verdict }) => `${field} ${verdict}`) };
}

test('a member is renamed', () => {
  const rename = { kind: 'rename', from: 'a', to: 'b' } as const;
  expect(applied({ a: 1, c: 2 }, rename)).toEqual({ body: { b: 1, c: 2 }, losses: [] });
  expect(applied({ c: 2 }, rename)).toEqual({ body: { c: 2 }, losses: [] });
  expect(applied({ a: 1, b: 1 }, rename)).toEqual({ body: { b: 1 }, losses: [] });
});

test('an existing value under the new name stays, and the other is reported', () => {
  const { body, losses } = applied({ seed: 1, random_seed: 2 }, { kind: 'rename', from: 'seed', to: 'random_seed' });
  expect(body).toEqual({ random_seed: 2 });
  expect(losses).toEqual(['config.seed dropped']);
});

test('an omitted member is reported under the client’s name, unless the gateway added it', () => {
  const omit = (field: string) => ({ kind: 'omit', field }) as const;
  const body = { seed: 1, stream: true, own: 2, model: 'm', constructor: 3 };
  const { body: left, losses } = applied(body, ...Object.keys(body).map(omit), omit('absent'));
  expect(left).toEqual({});
  expect(losses).toEqual(['config.seed dropped', 'own dropped', 'model dropped', 'constructor dropped']);
});

test('an omitted member that takes effect anyway is no loss', () => {
  const served = { kind: 'omit', field: 'seed', isServed: true } as const;
  expect(applied({ seed: 1, model: 'm' }, served)).toEqual({ body: { model: 'm' }, losses: [] });
});

test('a member is set unless the request has it', () => {
  const set = { kind: 'set', field: 'safe', value: true } as const;
  expect(applied({}, set).body).toEqual({ safe: true });
  expect(applied({ safe: false }, set).body).toEqual({ safe: false });
});

test("a number outside the provider's range becomes the nearest limit, and is reported", () => {
  const bounds = { kind: 'bounds', field: 'seed', least: 0, most: 1.5 } as const;
  expect(applied({ seed: 1.8 }, bounds)).toEqual({ body: { seed: 1.5 }, losses: ['config.seed approximated'] });
  expect(applied({ seed: -1 }, bounds)).toEqual({ body: { seed: 0 }, losses: ['config.seed approximated'] });
  expect(applied({ seed: 1.5, top: 9 }, bounds)).toEqual({ body: { seed: 1.5, top: 9 }, losses: [] });
  expect(applied({ seed: '2' }, bounds)).toEqual({ body: { seed: '2' }, losses: [] });
});

import { expect, test } from 'bun:test';
import type { CatalogChanges } from './catalog-changes.ts';
import { describeChanges } from './describe-changes.ts';
import { catalogModel } from './testing/catalog-model.ts';

const nothing: CatalogChanges = {
  changed: [],
  added: [],
  unchanged: 0,
  unknownCount: 0,
  measuredOtherwise: [],
  refused: [],
};

function repriced(provider: string, id: string) {
  const before = catalogModel({ provider, id });
  return { model: before, before, fields: [{ field: 'input_per_1m', from: '0.15', to: '0.12' }] };
}

test('a line names provider, model, field and both values', () => {
  const lines = describeChanges({ ...nothing, changed: [repriced('openai', 'gpt-4o-mini')] }, { maximumLines: 10 });
  expect(lines).toEqual(['openai gpt-4o-mini  input_per_1m 0.15 → 0.12']);
});

test('a missing value is shown as none', () => {
  const fields = [
    { field: 'context', from: null, to: '128000' },
    { field: 'input_per_1m above 200000', from: '3', to: null },
  ];
  const lines = describeChanges(
    { ...nothing, changed: [{ ...repriced('openai', 'a'), fields }] },
    { maximumLines: 10 },
  );
  expect(lines).toEqual(['openai a  context none → 128000', 'openai a  input_per_1m above 200000 3 → none']);
});

test('a field declared by the operator is marked as staying in force', () => {
  const lines = describeChanges(
    { ...nothing, changed: [repriced('openai', 'gpt-4o'), repriced('openai', 'gpt-4o-mini')] },
    {
      maximumLines: 10,
      ownStatement: ({ id }, field) => (id === 'gpt-4o-mini' && field === 'input_per_1m' ? '0.20' : null),
    },
  );
  expect(lines).toEqual([
    'openai gpt-4o  input_per_1m 0.15 → 0.12',
    'openai gpt-4o-mini  input_per_1m 0.15 → 0.12 (yours, 0.20, stays in effect)',
  ]);
});

test('lines are sorted by provider and id, including new models', () => {
  const changes = {
    ...nothing,
    changed: [repriced('openai', 'b'), repriced('groq', 'z')],
    added: [catalogModel({ id: 'a' }), catalogModel({ provider: 'groq', id: 'y', pricing: null })],
  };
  expect(describeChanges(changes, { maximumLines: 10 })).toEqual([
    'groq y  new: chat, no price',
    'groq z  input_per_1m 0.15 → 0.12',
    'openai a  new: chat, input_per_1m 0.15, cached_input_per_1m 0.075, output_per_1m 0.60',
    'openai b  input_per_1m 0.15 → 0.12',
  ]);
});

test('skipped prices in other units are reported', () => {
  const changes = { ...nothing, measuredOtherwise: [catalogModel({ id: 'gpt-image-1' })] };
  expect(describeChanges(changes, { maximumLines: 10 })).toEqual([
    'openai gpt-image-1  the list has prices in other units than the catalog: those are omitted',
  ]);
});

test.each([
  [5, 5, null],
  [4, 4, '… and 2 more'],
  [1, 1, '… and 5 more'],
])('of five lines at most %p are shown, and the last one counts the rest', (maximumLines, length, last) => {
  const changed = ['a', 'b', 'c', 'd', 'e'].map((id) => repriced('openai', id));
  const lines = describeChanges({ ...nothing, changed }, { maximumLines });
  expect(lines.length).toBe(length);
  if (last !== null) expect(lines.at(-1)).toBe(last);
});

import { expect, test } from 'bun:test';
import { describeValues } from './helm-values.ts';

const SCHEMA = {
  properties: {
    image: { description: 'The image.', properties: { tag: { description: `Its tag${', or another'.repeat(12)}.` } } },
    resources: { description: 'Requests and limits.' },
  },
};

test('every value gets its description, wrapped, and earlier comments are replaced', () => {
  const described = describeValues('# by hand\nimage:\n  tag: ""\n\nresources:\n  limits: {memory: 1Gi}\n', SCHEMA);
  expect(described).toContain('\n# The image.\nimage:\n  # Its tag, or another');
  expect(described).toContain('\n# Requests and limits.\nresources:\n  limits: {memory: 1Gi}\n');
  expect(described).not.toContain('by hand');
  expect(Math.max(...described.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120);
  expect(describeValues(described, SCHEMA)).toBe(described);
});

test('a value that the schema does not describe is refused by its path', () => {
  expect(() => describeValues('image:\n  digest: ""\n', SCHEMA)).toThrow('does not describe image.digest');
});

import { expect, test } from 'bun:test';
import { reproducible } from './sbom.ts';

const DATE = '2026-11-29T18:00:00Z';
const made = (serialNumber: string, timestamp: string, name = 'a') =>
  reproducible({ serialNumber, metadata: { timestamp, tools: [] }, components: [{ name }] }, DATE);

test('a bill of materials depends on its content and its date only', () => {
  const document = JSON.parse(made('urn:uuid:1', '2026-01-01'));
  expect(document.metadata).toEqual({ timestamp: DATE, tools: [] });
  expect(document.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  expect(made('urn:uuid:2', '2026-02-02')).toBe(made('urn:uuid:1', '2026-01-01'));
  expect(JSON.parse(made('', '', 'b')).serialNumber).not.toBe(document.serialNumber);
});

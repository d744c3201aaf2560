import { describe, expect, test } from 'bun:test';
import { FEATURES } from '../../domain/exchange/loss.ts';
import { clientFormats } from '../index.ts';

/* acceptance/recordings/formats checks that every field of a published document has a class. */

describe('a class of fields', () => {
  for (const { name, fields } of clientFormats.values()) {
    test(`of ${name} is a known feature, or a verdict with its reason`, () => {
      for (const [field, one] of Object.entries(fields)) {
        if (typeof one !== 'string') expect(`${field}: ${one.why}`).toMatch(/: .{10}/);
        else if (one !== 'exact') expect(FEATURES).toContain(one);
      }
    });
  }
});

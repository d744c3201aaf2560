import { expect, test } from 'bun:test';
import { type Campaign, KINDS, type Kind } from './campaign.ts';

const FIRST_SEED = 1_000_000;

/** Tests that randomly changed exchanges, the same in every run, are answered or refused by name. */
export function testChangedExchanges(campaign: Campaign, cases: Readonly<Record<Kind, number>>): void {
  test.each(KINDS)('changed %s are answered, or refused by name', (kind) => {
    const findings = Array.from({ length: cases[kind] }, (_, index) => campaign.run(kind, FIRST_SEED + index));
    expect(findings.filter((finding) => finding !== null)).toEqual([]);
  });
}

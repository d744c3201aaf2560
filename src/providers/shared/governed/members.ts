import type { GovernedEffect, GovernedMember } from '../governed-member.ts';

/** Members of one effect for one reason; each is a path, or a path and the values that count. */
export function governs(
  effect: GovernedEffect,
  why: string,
  ...members: readonly (string | readonly [member: string, values: RegExp])[]
): GovernedMember[] {
  return members.map((one) =>
    typeof one === 'string' ? { member: one, effect, why } : { member: one[0], values: one[1], effect, why },
  );
}

/** The same members, for the upstream models that match alone. */
export function forModels(models: RegExp, members: readonly GovernedMember[]): GovernedMember[] {
  return members.map((one) => ({ ...one, models }));
}

/** The same members under both spellings that the JSON mapping of protocol buffers takes. */
export function inBothSpellings(members: readonly GovernedMember[]): GovernedMember[] {
  return members.flatMap((one) => {
    const snake = one.member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return snake === one.member ? [one] : [one, { ...one, member: snake }];
  });
}

/** Tiers that cost the usual price, by their names; all other tiers have no known price. */
export const USUAL_TIERS: Readonly<Record<string, string>> = { auto: '1', default: '1', standard: '1' };

/** A provider with tiers whose prices are not known here. */
export function tiersWithoutPrice(why: string, usual: Readonly<Record<string, string>> = USUAL_TIERS) {
  return governs({ kind: 'token-price', factors: usual, isTier: true }, why, 'service_tier');
}

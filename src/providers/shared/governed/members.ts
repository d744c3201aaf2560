import type { GovernedEffect, GovernedMember } from '../governed-member.ts';

/** Returns members with the same effect for the same reason; each is a path, or a path with the values that count. */
export function governs(
  effect: GovernedEffect,
  why: string,
  ...members: readonly (string | readonly [member: string, values: RegExp])[]
): GovernedMember[] {
  return members.map((one) =>
    typeof one === 'string' ? { member: one, effect, why } : { member: one[0], values: one[1], effect, why },
  );
}

/** Returns the members, restricted to matching upstream models. */
export function forModels(models: RegExp, members: readonly GovernedMember[]): GovernedMember[] {
  return members.map((one) => ({ ...one, models }));
}

/** Returns the members under both spellings that protocol buffers' JSON mapping accepts. */
export function inBothSpellings(members: readonly GovernedMember[]): GovernedMember[] {
  return members.flatMap((one) => {
    const snake = one.member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return snake === one.member ? [one] : [one, { ...one, member: snake }];
  });
}

/** Tiers at the normal price; the price of any other tier is unknown. */
export const USUAL_TIERS: Readonly<Record<string, string>> = { auto: '1', default: '1', standard: '1' };

/** Returns the members of a provider whose tiers have unknown prices. */
export function tiersWithoutPrice(why: string, usual: Readonly<Record<string, string>> = USUAL_TIERS) {
  return governs({ kind: 'token-price', factors: usual, isTier: true }, why, 'service_tier');
}

import type { Quirk, QuirkRule } from '../../formats/text/quirk.ts';

/**
 * Models that differ from their provider's others in the same way. A pattern matches a generation and later ones, so that a
 * successor has the rules of its predecessor until it is known to differ. A test requires that each text model in the provider's
 * catalog belongs to exactly one family.
 */
export interface ModelFamily {
  readonly name: string;
  /** Matches upstream ids. */
  readonly models: RegExp;
  /** The quirks by format; empty if the family follows the provider's norm. */
  readonly quirks: Readonly<Partial<Record<FamilyFormat, readonly FamilyQuirk[]>>>;
}

export type FamilyFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'cohere-chat';

export type FamilyQuirk = QuirkRule & { readonly why: string };

/** Returns the quirks that the families have in one format. */
export function quirksOfFamilies(families: readonly ModelFamily[], format: FamilyFormat): readonly Quirk[] {
  return families.flatMap(({ models, quirks }) => (quirks[format] ?? []).map((quirk) => ({ ...quirk, models })));
}

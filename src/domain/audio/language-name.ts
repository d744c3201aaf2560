/** A primary subtag, with what may follow it (RFC 5646). */
const CODE = /^([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*$/i;

const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/**
 * The English name of a language in lower case, as OpenAI writes it (`english` for `en`, `eng` and `en-US`). What is no known
 * code stays as it is, in lower case.
 */
export function languageName(said: string): string {
  const [, primary] = CODE.exec(said) ?? [];
  const name = primary === undefined ? undefined : NAMES.of(primary.toLowerCase());
  return (name ?? said).toLowerCase();
}

/** Mandarin has a code of its own, which lists of languages use in place of `zh`. */
const MANDARIN = 'cmn';

/**
 * Returns the ISO 639-1 code of a language in lower case (`pt` for `pt-BR`, `de` for `deu`), or its code of three letters where it has
 * none of two. What is no code stays as it is, in lower case.
 */
export function primaryLanguage(code: string): string {
  const primary = (CODE.exec(code)?.[1] ?? code).toLowerCase();
  if (primary.length !== 3) return primary;
  const [canonical = primary] = Intl.getCanonicalLocales(primary);
  return primary === MANDARIN ? 'zh' : canonical.length === 2 ? canonical : primary;
}

/**
 * Returns the one of a provider's `offered` codes that names a language: the same code in any spelling, else the first with the same
 * primary language, else `null`.
 */
export function closestLanguage(code: string, offered: readonly string[]): string | null {
  const wanted = comparable(code);
  const primary = primaryLanguage(code);
  return (
    offered.find((one) => comparable(one) === wanted) ?? offered.find((one) => primaryLanguage(one) === primary) ?? null
  );
}

/** Whether a code says more than the language: a region or a script. */
export function hasSubtag(code: string): boolean {
  return /[-_]/.test(code);
}

function comparable(code: string): string {
  return code.toLowerCase().replaceAll('_', '-');
}

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

/** The first subtag of a code in lower case: `pt` of `pt-BR`. */
export function primaryLanguage(code: string): string {
  return (CODE.exec(code)?.[1] ?? code).toLowerCase();
}

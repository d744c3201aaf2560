import { entryOf } from '../../formats/shared/json/record.ts';
export interface Interpolated {
  readonly value: string;
  /** Whether the value contains a reference to the environment. */
  readonly usesEnvironment: boolean;
  /** The value for display: references by name, without their defaults. */
  readonly shown: string;
  readonly problems: readonly string[];
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` (used if the variable is unset or empty) with the environment's values, and `$${` with a plain
 * `${`. The values of variables are not interpolated again.
 */
export function interpolate(text: string, environment: Readonly<Record<string, string | undefined>>): Interpolated {
  const problems: string[] = [];
  let usesEnvironment = false;
  const value = text.replace(REFERENCE, (match: string, name: string | undefined, fallback: string | undefined) => {
    if (match === '$${') return '${';
    if (name === undefined) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the file that is meant.
      problems.push('has a "${" that does not begin ${NAME} or ${NAME:-default}; write "$${" for a literal "${"');
      return '';
    }
    usesEnvironment = true;
    const found = entryOf(environment, name);
    if (fallback !== undefined) return found === undefined || found === '' ? fallback : found;
    if (found === undefined) problems.push(`the environment variable ${name} is not set`);
    return found ?? '';
  });
  const shown = text.replace(REFERENCE, (match: string, name: string | undefined) => {
    return name === undefined ? match : `\${${name}}`;
  });
  return { value, usesEnvironment, shown, problems };
}

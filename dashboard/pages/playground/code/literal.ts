import { isObject } from '../../shared/json.ts';

/** A piece of code among the values. */
export class Raw {
  constructor(readonly code: string) {}
}

type Language = 'python' | 'typescript';

const WORDS: Readonly<Record<Language, readonly [string, string, string]>> = {
  python: ['None', 'True', 'False'],
  typescript: ['null', 'true', 'false'],
};

const WIDTH = 100;

/** Formats a value as code, on one line if it is short. */
export function literal(value: unknown, language: Language, indent = ''): string {
  if (value instanceof Raw) return value.code;
  const [none, yes, no] = WORDS[language];
  if (value === null || value === undefined) return none;
  if (typeof value === 'boolean') return value ? yes : no;
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => literal(item, language, `${indent}  `));
    return wrapped('[', items, ']', indent);
  }
  if (isObject(value)) {
    const items = Object.entries(value).map(
      ([name, member]) => `${nameOf(name, language)}: ${literal(member, language, `${indent}  `)}`,
    );
    return wrapped('{', items, '}', indent);
  }
  return String(value);
}

/** Quotes a text: JSON strings are valid in Python and TypeScript, except for two line separators. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u2028\u2029\u007f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function nameOf(name: string, language: Language): string {
  return language === 'typescript' && /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : quoted(name);
}

export function wrapped(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return open + close;
  const line = `${open}${items.join(', ')}${close}`;
  if (line.length + indent.length <= WIDTH && !line.includes('\n')) return line;
  return `${open}\n${items.map((item) => `${indent}  ${item},\n`).join('')}${indent}${close}`;
}

/** Longer texts count as files. */
const LONGEST_TEXT = 4_000;

/** Truncates the bytes of files, which nobody reads or copies. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    const isFile = value.length > LONGEST_TEXT && /^[\w+/=:;,.-]+$/.test(value.slice(0, 1_000));
    return isFile ? `${value.slice(0, 48)}…` : value;
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

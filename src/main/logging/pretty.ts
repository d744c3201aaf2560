const WIDEST_COMPONENT = 13;
/** The escape sequences of terminals for colours. */
const COLOURS: Readonly<Record<string, string>> = {
  debug: '\u001b[90m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};
const DIM = '\u001b[90m';
const PLAIN = '\u001b[0m';

/** The members that come first, and are shown without their names. */
const LEADING: ReadonlySet<string> = new Set(['time', 'level', 'component', 'event', 'msg', 'stack']);

export type LineStyle = 'plain' | 'coloured';

/**
 * Returns a line of JSON as people read it: time of day in UTC, level, component, message, fields. A stack trace follows on lines of its own.
 */
export function prettyLine(json: string, style: LineStyle): string {
  const line: Readonly<Record<string, unknown>> = JSON.parse(json);
  const coloured = (colour: string, text: string) => (style === 'plain' ? text : `${colour}${text}${PLAIN}`);
  const level = String(line.level);
  const fields = Object.entries(line).filter(([name]) => !LEADING.has(name));
  const parts = [
    coloured(DIM, String(line.time).slice(11, 23)),
    coloured(COLOURS[level] ?? '', level.toUpperCase().padEnd(5)),
    String(line.component).padEnd(WIDEST_COMPONENT),
    String(line.msg),
    ...fields.map(([name, value]) => `${coloured(DIM, `${name}=`)}${valueText(value)}`),
  ];
  const stack = typeof line.stack === 'string' ? line.stack.split('\n').map((place) => `\n    ${place}`) : [];
  return `${parts.join(' ')}${stack.join('')}\n`;
}

/** Quotes texts that would otherwise be read as several, and what could control a terminal. */
function valueText(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=\p{C}]+$/u.test(value)) return value;
  return JSON.stringify(value).replace(/\p{C}/gu, (character) => character.replace(/[\s\S]/g, escapedUnit));
}

/** Escapes a UTF-16 code unit; characters beyond U+FFFF have two. */
function escapedUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

import { printable } from '../table.ts';
import type { ShownConfiguration, ShownSetting } from './shown-configuration.ts';

interface Line {
  readonly text: string;
  readonly source: string;
}

/** A longer value is followed by its source without alignment. */
const WIDEST_ALIGNED = 60;
/** Texts that YAML reads as text without quotes. Times, numbers and words such as `no` are quoted. */
const PLAIN = /^[A-Za-z_./][\w./:@%+-]*$/;
const WORDS = /^(true|false|null|yes|no|on|off|~)$/i;

/** Returns the settings like a configuration file, with the source of each in a comment. */
export function formatConfiguration({ file, process, settings }: ShownConfiguration): string {
  const ofProcess = Object.entries(process).map(([name, { value, source }]): Line => line('', name, value, source));
  const blocks = Object.entries(settings).map(([section, fields]) => {
    const indent = section === '' ? '' : '  ';
    const lines = Object.entries(fields).map(([field, setting]) =>
      line(indent, field, setting.value, sourceOf(setting, file)),
    );
    return `${section === '' ? '' : `${section}:\n`}${formatLines(lines)}`;
  });
  return [`# Environment and options\n${formatLines(ofProcess)}`, `# Settings\n${blocks.join('')}`].join('\n');
}

function line(indent: string, name: string, value: unknown, source: string): Line {
  return { text: printable(`${indent}${name}: ${scalar(value)}`), source: printable(source) };
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return typeof value === 'string' && PLAIN.test(value) && !WORDS.test(value) ? value : JSON.stringify(value);
}

function sourceOf({ source, line: number, variables = [] }: ShownSetting, file: string | null): string {
  if (source === 'default') return 'default';
  if (source === 'api') return 'dashboard or API';
  const from = variables.length === 0 ? '' : `, from ${variables.join(', ')}`;
  return `${file}${number === undefined ? '' : `:${number}`}${from}`;
}

function formatLines(lines: readonly Line[]): string {
  const widths = lines.map(({ text }) => Bun.stringWidth(text)).filter((width) => width <= WIDEST_ALIGNED);
  const width = Math.max(0, ...widths);
  return lines
    .map(({ text, source }) => `${text}${' '.repeat(Math.max(0, width - Bun.stringWidth(text)))}  # ${source}\n`)
    .join('');
}

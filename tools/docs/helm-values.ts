import path from 'node:path';

/* The chart's values.yaml has the values, and values.schema.json describes them. Comments and the table are generated from both. */

const CHART = path.join(import.meta.dir, '..', '..', 'deploy', 'helm', 'switchyard');
const DOCS = path.join(import.meta.dir, '..', '..', 'docs');

const BEGIN = '<!-- values -->';
const END = '<!-- end of values -->';

/** The part of a JSON schema that the chart uses. */
export interface ValueSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

async function readSchema(): Promise<ValueSchema> {
  return (await Bun.file(path.join(CHART, 'values.schema.json')).json()) as ValueSchema;
}

/** Returns values.yaml with each value's description above it. Comments that were written by hand are removed. */
export async function helmValues(): Promise<string> {
  return describeValues(await Bun.file(path.join(CHART, 'values.yaml')).text(), await readSchema());
}

const HEADER = [
  '# The values of the chart. Comments are written by `npm run generate` from the descriptions in values.schema.json.',
];
const LINE_WIDTH = 120;

/** Returns the text with a comment above every key that the schema describes. Throws if the schema lacks a key. */
export function describeValues(text: string, schema: ValueSchema): string {
  const lines = [...HEADER];
  const path: string[] = [];
  for (const line of text.split('\n')) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const [, indent = '', key] = /^( *)([A-Za-z]\w*):/.exec(line) ?? [];
    if (key !== undefined) {
      path.length = indent.length / 2;
      path.push(key);
      if (indent === '') lines.push('');
      lines.push(...wrapped(descriptionOf(schema, path), `${indent}# `));
    }
    lines.push(line);
  }
  return `${lines.join('\n')}\n`;
}

/** Returns `''` for a key within a value whose keys are not the chart's own. */
function descriptionOf(schema: ValueSchema, path: readonly string[]): string {
  let described = schema;
  for (const [depth, key] of path.entries()) {
    if (described.properties === undefined) return '';
    const next = described.properties[key];
    if (next === undefined)
      throw new Error(`values.schema.json does not describe ${path.slice(0, depth + 1).join('.')}`);
    described = next;
  }
  return described.description ?? '';
}

function wrapped(text: string, prefix: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const last = lines.at(-1);
    if (last === undefined || `${last} ${word}`.length > LINE_WIDTH) lines.push(prefix + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Returns docs/kubernetes.md with its table of values regenerated. */
export async function kubernetesPage(): Promise<string> {
  const page = await Bun.file(path.join(DOCS, 'kubernetes.md')).text();
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`docs/kubernetes.md lacks the markers of its values: ${BEGIN} … ${END}`);
  const defaults = Bun.YAML.parse(await Bun.file(path.join(CHART, 'values.yaml')).text());
  const rows = valueRows(await readSchema(), defaults, []).map((row) => `| ${row.join(' | ')} |`);
  const table = ['', '', '| value | default | meaning |', '|---|---|---|', ...rows, '', ''].join('\n');
  return page.slice(0, begin + BEGIN.length) + table + page.slice(end);
}

/** Returns one row per value, those with own keys after their parent. */
function valueRows(schema: ValueSchema, value: unknown, path: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const [key, described] of Object.entries(schema.properties ?? {})) {
    const keys = (value ?? {}) as Readonly<Record<string, unknown>>;
    if (!(key in keys)) continue;
    const at = [...path, key];
    const isGroup = described.properties !== undefined && key !== 'config';
    const shown = isGroup ? '' : `\`${shortText(keys[key])}\``;
    rows.push([`\`${at.join('.')}\``, shown, (described.description ?? '').replaceAll('|', '\\|')]);
    if (isGroup) rows.push(...valueRows(described, keys[key], at));
  }
  return rows;
}

const LONGEST_DEFAULT = 60;

/** Returns a default value as it may stand in a table; long ones are in values.yaml only. */
function shortText(value: unknown): string {
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > LONGEST_DEFAULT ? 'see values.yaml' : text;
}

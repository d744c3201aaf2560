import { z } from 'zod';
import { GRANTED_SCOPES } from '../../src/domain/access/scopes.ts';
import type { FieldPath } from '../../src/engine/admin/admin-error.ts';
import { fileSchema, isDecimal } from '../../src/engine/admin/schema/configuration-file.ts';
import { SETTING_CLASSES } from '../../src/engine/admin/settings/classes.ts';
import { defaultSections } from '../../src/engine/admin/settings/default-settings.ts';
import { LARGEST_MEMORY_BOUNDS } from '../../src/engine/settings/settings.ts';
import { providers } from '../../src/providers/index.ts';
import { isSchema, type JsonSchema } from '../../src/transports/shared/openapi/json-schema.ts';

/* The reference of the configuration file and its JSON Schema, both from the schema that checks the file. */

const INTRODUCTION = `# Configuration reference

Generated from the schema that checks the configuration file by \`npm run generate\`; a test fails while this page differs from it. Each section
names the page that explains its keys; how the file is read is in [configuration.md](configuration.md).

[configuration.schema.json](configuration.schema.json) is the same as JSON Schema. An editor with the YAML language server completes and checks a
file that begins with

\`\`\`yaml
# yaml-language-server: $schema=docs/configuration.schema.json
\`\`\`

\`switchyard apply --check FILE\` also checks what a schema cannot say, such as whether a channel that a model names exists. Every key may be left out
unless it is marked *required*; \`null\` stands for the default. Text may refer to the environment as \`\${NAME}\` or \`\${NAME:-default}\`; the
gateway's own environment variables are in [configuration.md](configuration.md#environment).

\`[]\` after a key means each element of a list, \`<name>\` a key that you choose. *Changed by* says where a setting can be changed: in the *file* only, or
also by *admins* in the dashboard and the management API (*admins, 2nd factor*: in a session with a recent second factor). Channels, models, accounts, keys,
tokens and rules of alerts can also be created there; those of the file are changed in the file. Where no default is shown, there is none, or it follows from
other keys. All keys exist since version 0.1.0.
`;

/** The page, with its heading if it has others, that explains the keys of each section. */
export const EXPLAINED_IN: Readonly<Record<string, string>> = {
  channels: 'channels.md',
  models: 'models.md#declaring-a-model',
  accounts: 'accounts.md',
  routing: 'routing.md#settings',
  billing: 'billing.md#settings',
  discovery: 'models.md#declaring-a-model',
  sandbox: 'server.md',
  server: 'server.md',
  media: 'fetched-media.md',
  media_store: 'media-store.md#settings',
  tasks: 'tasks.md#settings',
  batches: 'batches.md#batches',
  search: 'web-search.md#search-for-models-that-have-none',
  cache: 'cache.md#settings',
  retention: 'retention.md',
  quotas: 'accounts.md#quotas',
  usage: 'usage-sums.md#end-users',
  seller: 'billing.md#statements-and-exports',
  sign_in: 'people.md#settings',
  mail: 'people.md#mail',
  alerts: 'alerts.md#settings-of-operators',
  branding: 'dashboard.md#branding',
  exports: 'analytics.md#settings',
  telemetry: 'tracing.md#settings',
  logs: 'logs.md#settings',
  guards: 'guards.md#settings',
};

const CHANGED_BY = { usual: 'admins', anchor: 'admins, 2nd factor', file: 'file' } as const;

const SCOPE_NAMES: ReadonlySet<string> = new Set(GRANTED_SCOPES);

/** The memory bounds, whose defaults are smaller on a machine with little memory. */
const BY_MEMORY = new Set([
  ...['server.max_body_bytes', 'server.body_memory_bytes', 'server.max_held_answer_bytes', 'media.max_held_bytes'],
]);

/** Returns the JSON Schema of the configuration file. Rules that Zod cannot express in JSON Schema are left out. */
function schemaOfFile(): JsonSchema {
  const schema: unknown = z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' });
  if (!isSchema(schema)) throw new Error('the schema of the file is not an object');
  acceptWritten(schema, []);
  const channel = propertyOf(itemsOf(propertyOf(schema, 'channels')), 'provider');
  channel.enum = [...providers.keys()].toSorted();
  return { ...schema, title: 'Configuration of Switchyard' };
}

/**
 * Lets every text be a reference to the environment, and every amount a number: the schema of the file sees them later, as text.
 *
 * @param place where in a file the values of this schema are, with 0 for each index and `*` for each name of a map
 */
function acceptWritten(schema: JsonSchema, place: FieldPath): void {
  const { pattern, type, items, additionalProperties, anyOf } = schema;
  if (typeof pattern === 'string') schema.pattern = `\\$\\{|${pattern}`;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes('string') && isDecimal(place)) schema.type = [...types, 'number'];
  for (const [name, one] of Object.entries(propertiesOf(schema))) acceptWritten(one, [...place, name]);
  if (isSchema(items)) acceptWritten(items, [...place, 0]);
  if (isSchema(additionalProperties)) acceptWritten(additionalProperties, [...place, '*']);
  if (Array.isArray(anyOf)) for (const one of anyOf.filter(isSchema)) acceptWritten(one, place);
}

/** Returns docs/configuration.schema.json. */
export function configurationSchema(): string {
  return `${JSON.stringify(schemaOfFile(), null, 1)}\n`;
}

/** Returns docs/configuration-reference.md. */
export function configurationReference(): string {
  const sections = Object.entries(propertiesOf(schemaOfFile())).map(([name, schema]) => {
    const place = EXPLAINED_IN[name];
    if (place === undefined) throw new Error(`no page explains the section ${name}`);
    const rows = rowsOf(name, schema).map((row) => `| ${row.join(' | ')} |`);
    const meaning = `Explained in [${place.split('#')[0]}](${place}).`;
    const table = ['| key | value | default | changed by |', '|---|---|---|---|', ...rows];
    return [`## ${name}`, '', meaning, '', ...table, ''].join('\n');
  });
  return [INTRODUCTION, ...sections].join('\n');
}

type Row = readonly [key: string, value: string, byDefault: string, changedBy: string];

/** Returns the rows of a section: one for each value that is no map of further keys. */
function rowsOf(section: string, schema: JsonSchema): readonly Row[] {
  const rows: Row[] = [];
  const visit = (path: string, node: JsonSchema, isRequired: boolean) => {
    const inner = withoutNull(node);
    const [only] = inner.length === 1 ? inner : [];
    if (only !== undefined && visitInner(path, only)) return;
    const value = inner.map((one) => describe(one)).join(', or ');
    rows.push([`\`${path}\``, isRequired ? `${value}; *required*` : value, defaultOf(path), changedBy(path)]);
  };
  const visitInner = (path: string, node: JsonSchema): boolean => {
    const properties = propertiesOf(node);
    if (Object.keys(properties).length > 0) {
      const required = Array.isArray(node.required) ? node.required : [];
      for (const [name, one] of Object.entries(properties)) visit(`${path}.${name}`, one, required.includes(name));
      return true;
    }
    const { items, additionalProperties } = node;
    const [item] = isSchema(items) ? withoutNull(items) : [];
    if (item !== undefined && Object.keys(propertiesOf(item)).length > 0) return visitInner(`${path}[]`, item);
    const [member] = isSchema(additionalProperties) ? withoutNull(additionalProperties) : [];
    const isMapOfMaps = member !== undefined && Object.keys(propertiesOf(member)).length > 0;
    return isMapOfMaps && visitInner(`${path}.<name>`, member);
  };
  visit(section, schema, false);
  return rows;
}

/** Returns what a value may be, without the `null` that stands for the default. */
function withoutNull(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf, type } = schema;
  if (Array.isArray(anyOf)) return anyOf.filter(isSchema).flatMap(withoutNull);
  if (type === 'null') return [];
  if (!Array.isArray(type)) return [schema];
  const others = type.filter((one) => one !== 'null');
  return [{ ...schema, type: others.length === 1 ? others[0] : others }];
}

function describe(schema: JsonSchema): string {
  const { type, enum: values, const: only, items, minItems, maxItems, additionalProperties } = schema;
  if (only !== undefined) return `\`${String(only)}\``;
  if (Array.isArray(values)) {
    if (values.every((value) => providers.has(String(value)))) return 'a provider in [providers.md](providers.md)';
    if (values.every((value) => SCOPE_NAMES.has(String(value))))
      return 'scopes in [management.md](management.md#scopes)';
    return values.map((value) => `\`${String(value)}\``).join(', ');
  }
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'number' || type === 'integer')
    return `${type === 'integer' ? 'whole number' : 'number'}${range(schema)}`;
  if (type === 'array') {
    const of = isSchema(items) ? withoutNull(items).map(describe).join(', or ') : 'values';
    return `list of ${of}${range({ minimum: minItems, maximum: maxItems }, ' elements')}`;
  }
  if (type === 'object') {
    const of = isSchema(additionalProperties) ? withoutNull(additionalProperties).map(describe).join(', or ') : '';
    return of === '' ? 'map' : `map of ${of}`;
  }
  if (Array.isArray(type)) return 'decimal number';
  return type === 'string' ? 'text' : '';
}

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema, unit = ''): string {
  const least = typeof minimum === 'number' ? minimum : exclusiveMinimum;
  const shown = (value: unknown) =>
    typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 6 }) : '';
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (typeof least === 'number' && typeof most === 'number') return `, ${shown(least)} to ${shown(most)}${unit}`;
  if (typeof least === 'number' && least > 0) return `, ${shown(least)} or more${unit}`;
  return typeof most === 'number' ? `, at most ${shown(most)}${unit}` : '';
}

function defaultOf(path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((at, name) => (isSchema(at) ? at[name] : undefined), defaultSections(LARGEST_MEMORY_BOUNDS));
  if (value === undefined || value === null) return '';
  const shown =
    typeof value === 'number' ? value.toLocaleString('en-US') : `\`${JSON.stringify(value).replaceAll('"', '')}\``;
  return BY_MEMORY.has(path) ? `${shown}, less with little memory` : shown;
}

function changedBy(path: string): string {
  const [section = '', ...rest] = path.replaceAll('[]', '').split('.');
  const classes = SETTING_CLASSES[section] ?? {};
  // A list of objects has one class as a whole.
  const setting = classes[rest.join('.')] ?? classes[rest[0] ?? ''];
  return setting === undefined ? '' : CHANGED_BY[setting];
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  if (!isSchema(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])),
  );
}

function propertyOf(schema: JsonSchema, name: string): JsonSchema {
  const found = propertiesOf(schema)[name];
  if (found === undefined) throw new Error(`the schema of the file has no ${name}`);
  return found;
}

function itemsOf({ items }: JsonSchema): JsonSchema {
  if (!isSchema(items)) throw new Error('the schema of a list has no items');
  return items;
}

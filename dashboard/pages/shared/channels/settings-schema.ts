import { isObject, type JsonObject, listOf, parseJson } from '../json.ts';

/** A member of a provider's settings, as its JSON Schema describes it. */
export interface SettingField {
  readonly name: string;
  readonly label: string;
  readonly help: string | undefined;
  /** A list and a map are JSON as a value, and have editors of their own. */
  readonly kind: 'text' | 'secret' | 'number' | 'flag' | 'choice' | 'list' | 'map';
  readonly options: readonly string[];
  readonly isRequired: boolean;
  readonly isWhole: boolean;
}

/** The translated texts of fields, by name. */
export type SettingLabels = Readonly<Record<string, { readonly label: string; readonly help: string }>>;

/**
 * Returns the fields of a form for an object's JSON Schema.
 *
 * @param words texts that take precedence over the schema's
 */
export function settingFields(schema: JsonObject | null, words: SettingLabels = {}): readonly SettingField[] {
  if (schema === null || !isObject(schema.properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => ({
    ...fieldOf(name, isObject(property) ? property : {}, required.includes(name)),
    ...words[name],
  }));
}

function fieldOf(
  name: string,
  { title, description, type, format, writeOnly, enum: values }: JsonObject,
  isRequired: boolean,
): SettingField {
  const options = Array.isArray(values) ? values.map(String) : [];
  const kind = options.length > 0 ? 'choice' : kindOf(type, format === 'password' || writeOnly === true);
  return {
    ...{ name, kind, options, isRequired },
    label: typeof title === 'string' ? title : name,
    // Descriptions mark names as code; a hint is plain text.
    help: typeof description === 'string' ? description.replaceAll('`', '') : undefined,
    isWhole: type === 'integer',
  };
}

function kindOf(type: unknown, isSecret: boolean): SettingField['kind'] {
  if (type === 'boolean') return 'flag';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'string') return isSecret ? 'secret' : 'text';
  return type === 'array' ? 'list' : 'map';
}

/** Returns the value of a field for a stored setting. */
export function textOfSetting(value: unknown): string | boolean {
  return typeof value === 'string' || typeof value === 'boolean' ? value : JSON.stringify(value);
}

/** Returns the entries of a list's value. */
export function entriesOf(value: unknown): readonly string[] {
  return listOf(parseJson(String(value ?? ''))).map((entry) =>
    typeof entry === 'string' ? entry : JSON.stringify(entry),
  );
}

/** Converts input to the schema's types, omitting empty values and keeping unknown ones. */
export function settingsOf(
  values: Readonly<Record<string, string | boolean>>,
  schema: JsonObject | null,
): Record<string, unknown> {
  const kinds = new Map(settingFields(schema).map(({ name, kind }) => [name, kind]));
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === '' || value === undefined) return [];
      return [[name, typeof value === 'boolean' ? value : asKind(value.trim(), kinds.get(name))]];
    }),
  );
}

function asKind(text: string, kind: SettingField['kind'] | undefined): unknown {
  if (kind === 'number' && Number.isFinite(Number(text))) return Number(text);
  return kind === 'list' || kind === 'map' ? (parseJson(text) ?? text) : text;
}

import type { Settings } from '../../api/schema.ts';
import { isObject, type JsonObject } from '../shared/json.ts';

export type Setting = Settings['sections'][string][string];

/** How a value is edited, according to its JSON Schema. */
export type Control =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'number' }
  | { readonly kind: 'text' }
  | { readonly kind: 'texts' };

/** One setting with its path. */
export interface SettingField {
  readonly section: string;
  /** The path within the section: `semantic.certainty`. */
  readonly path: string;
  /** The path including the section. */
  readonly name: string;
  readonly label: string;
  readonly setting: Setting;
  readonly control: Control;
}

export interface SettingSection {
  readonly name: string;
  readonly label: string;
  readonly fields: readonly SettingField[];
}

interface Labels {
  readonly sections: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** Returns the settings whose label or name contains all words of the query. */
export function sectionsOf(settings: Settings, labels: Labels, query: string): readonly SettingSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return Object.entries(settings.sections)
    .map(([section, fields]) => ({
      name: section,
      label: labels.sections[section] ?? section,
      fields: Object.entries(fields)
        .map(([path, setting]): SettingField => {
          const schema = schemaOf(settings.forms[section], path.split('.'));
          const title = typeof schema.title === 'string' ? schema.title : undefined;
          const name = `${section}.${path}`;
          const label = labels.fields[name] ?? title ?? path;
          return { section, path, name, label, setting, control: controlOf(schema) };
        })
        .filter(({ name, label }) => {
          const text = `${name} ${label} ${labels.sections[section] ?? ''}`.toLowerCase();
          return words.every((word) => text.includes(word));
        }),
    }))
    .filter(({ fields }) => fields.length > 0);
}

function schemaOf(form: unknown, path: readonly string[]): JsonObject {
  let at = form;
  for (const name of path) at = isObject(at) && isObject(at.properties) ? at.properties[name] : undefined;
  return isObject(at) ? at : {};
}

function controlOf(schema: JsonObject): Control {
  if (Array.isArray(schema.enum)) return { kind: 'choice', values: schema.enum.map(String) };
  if (schema.type === 'boolean') return { kind: 'flag' };
  if (schema.type === 'number' || schema.type === 'integer') return { kind: 'number' };
  // A list, or a word for all values, which is edited as a list of one.
  const isList = schema.type === 'array' || (Array.isArray(schema.anyOf) && schema.anyOf.some(isArray));
  return { kind: isList ? 'texts' : 'text' };
}

function isArray(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'array';
}

/** Returns a change in the API's form: `{cache: {semantic: {certainty: 0.9}}}`. */
export function changeOf({ section, path }: Pick<SettingField, 'section' | 'path'>, value: unknown): object {
  return [section, ...path.split('.')].reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
}

/** Returns the value that was set through the API, or undefined. */
export function storedValue({ source, value, after_restart }: Setting): unknown {
  if (after_restart !== undefined) return after_restart ?? undefined;
  return source === 'api' ? value : undefined;
}

/** Converts the typed value for the API. An invalid number is sent as it is, so that the gateway reports it. */
export function sentValue(control: Control, typed: string | boolean | readonly string[]): unknown {
  if (control.kind === 'number' && typeof typed === 'string')
    return typed.trim() === '' ? null : Number(typed) || typedZero(typed);
  if (control.kind === 'texts' && Array.isArray(typed)) return typed.length === 1 && typed[0] === '*' ? '*' : typed;
  return typed === '' ? null : typed;
}

function typedZero(text: string): number | string {
  return Number(text) === 0 ? 0 : text;
}

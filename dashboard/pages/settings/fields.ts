import type { Settings } from '../../api/schema.ts';
import { isObject, type JsonObject } from '../shared/json.ts';
import { type Measure, measureOf, type UnitName } from './units.ts';

export type Setting = Settings['sections'][string][string];

/** How a value is edited, according to its JSON Schema and its name. */
export type Control =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'number'; readonly measure: Measure | null; readonly prefix?: '$'; readonly unit?: '%' }
  | { readonly kind: 'text' }
  | { readonly kind: 'texts' }
  | { readonly kind: 'color' }
  | { readonly kind: 'smtp' }
  | { readonly kind: 'logo' };

/** One setting with its path. */
export interface SettingField {
  readonly section: string;
  /** The path within the section: `semantic.certainty`. */
  readonly path: string;
  /** The path including the section. */
  readonly name: string;
  readonly label: string;
  /** One sentence; empty for a setting that this version of the page does not know. */
  readonly help: string;
  readonly setting: Setting;
  readonly control: Control;
}

/** A setting in its form: all kinds are text, except for lists. */
export interface SettingValues {
  value: string;
  /** The unit of `value`; empty for a setting without one. */
  unit: UnitName | '';
  texts: string[];
}

export interface SettingSection {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly fields: readonly SettingField[];
  /** Whether its changes take effect without a restart; `null` if none of its settings can be changed. */
  readonly appliesAtOnce: boolean | null;
}

interface Labels {
  readonly sections: Readonly<Record<string, string>>;
  readonly sectionHelp: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly help: Readonly<Record<string, string>>;
}

/** The sections of a first setup come first, those that are rarely changed last. Other sections follow the first ones. */
const FIRST = ['branding', 'sign_in', 'mail', 'server', 'routing', 'billing'];
const LAST = [
  'discovery',
  'cache',
  'tasks',
  'batches',
  'search',
  'media',
  'media_store',
  'retention',
  'quotas',
  'alerts',
  'telemetry',
  'logs',
  'exports',
];

function placeOf(section: string): number {
  if (FIRST.includes(section)) return FIRST.indexOf(section);
  return FIRST.length + 1 + LAST.indexOf(section);
}

/** Returns the settings whose label, sentence or name contains all words of the query. */
export function sectionsOf(settings: Settings, labels: Labels, query: string): readonly SettingSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return Object.entries(settings.sections)
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    .map(([section, settingsOfSection]) => {
      const form = settings.forms[section];
      const label = labels.sections[section] ?? section;
      const help = labels.sectionHelp[section] ?? '';
      const all = Object.entries(settingsOfSection)
        .map(([path, setting]) => fieldOf(section, path, setting, form, labels))
        .toSorted((one, other) => rankOf(one, labels) - rankOf(other, labels));
      const changeable = all.filter(({ setting }) => setting.changeable);
      return {
        name: section,
        label,
        help,
        appliesAtOnce: changeable.length === 0 ? null : changeable.every(({ setting }) => setting.applies_at_once),
        fields: all.filter((field) => {
          const text = `${field.name} ${field.label} ${field.help} ${label}`.toLowerCase();
          return words.every((word) => text.includes(word));
        }),
      };
    })
    .filter(({ fields }) => fields.length > 0);
}

/** Returns the place of a setting in the list of labels, which is in reading order; unknown ones come last. */
function rankOf({ name }: SettingField, { fields }: Labels): number {
  const at = Object.keys(fields).indexOf(name);
  return at === -1 ? Number.MAX_SAFE_INTEGER : at;
}

function fieldOf(section: string, path: string, setting: Setting, form: unknown, labels: Labels): SettingField {
  const schema = schemaOf(form, path.split('.'));
  const title = typeof schema.title === 'string' ? schema.title : undefined;
  const description = typeof schema.description === 'string' ? schema.description : undefined;
  const name = `${section}.${path}`;
  const label = labels.fields[name] ?? title ?? path;
  const help = labels.help[name] ?? description ?? '';
  return { section, path, name, label, help, setting, control: controlOf(name, schema) };
}

function schemaOf(form: unknown, path: readonly string[]): JsonObject {
  let at = form;
  for (const name of path) at = isObject(at) && isObject(at.properties) ? at.properties[name] : undefined;
  return isObject(at) ? at : {};
}

function controlOf(name: string, schema: JsonObject): Control {
  if (name === 'branding.logo') return { kind: 'logo' };
  if (name === 'mail.smtp_url') return { kind: 'smtp' };
  if (name.endsWith('_color')) return { kind: 'color' };
  if (Array.isArray(schema.enum)) return { kind: 'choice', values: schema.enum.map(String) };
  if (schema.type === 'boolean') return { kind: 'flag' };
  // An amount of money is text, which passes through no float.
  if (name.endsWith('_usd')) return { kind: 'number', measure: null, prefix: '$' };
  const measure = measureOf(name);
  if (measure !== null || schema.type === 'number' || schema.type === 'integer') {
    return { kind: 'number', measure, ...(name.endsWith('_percent') && { unit: '%' as const }) };
  }
  // A list, or a word for all values, which is edited as a list of one.
  const isList = schema.type === 'array' || (Array.isArray(schema.anyOf) && schema.anyOf.some(isArray));
  return { kind: isList ? 'texts' : 'text' };
}

function isArray(schema: unknown): boolean {
  return isObject(schema) && schema.type === 'array';
}

/** Returns whether the page has the value itself: it has only the facts of a logo, and nothing of a secret. */
export function isKnown({ control }: Pick<SettingField, 'control'>): boolean {
  return control.kind !== 'logo' && control.kind !== 'smtp';
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
  if (control.kind === 'number' && typeof typed === 'string') {
    const text = typed.trim();
    if (text === '') return null;
    return control.prefix === '$' || Number.isNaN(Number(text)) ? text : Number(text);
  }
  if (control.kind === 'texts' && Array.isArray(typed)) return typed.length === 1 && typed[0] === '*' ? '*' : typed;
  // Without a file or a host there is nothing to save, which the gateway reports.
  return typed === '' && isKnown({ control }) ? null : typed;
}

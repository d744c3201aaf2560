import { SEALED_SETTINGS, type SettingFields } from '../../../engine/ports/settings-store.ts';
import type { SecretBox } from '../secret-box.ts';
import { fromJson } from './encoding.ts';

/** An encrypted value in the JSON of a section. */
interface Sealed {
  readonly sealed: string;
}

/** Returns the context with which a field is encrypted. */
function contextOf(section: string, field: string): string {
  return `setting:${section}.${field}`;
}

/** Encodes a section as it is stored. */
export function sealedWords(box: SecretBox, section: string, fields: SettingFields): string {
  return JSON.stringify(
    changed(section, fields, (field, value) =>
      typeof value === 'string' ? ({ sealed: box.seal(value, contextOf(section, field)) } satisfies Sealed) : value,
    ),
  );
}

/** Decodes a stored section. Throws a `SecretBoxError` if a value was encrypted with another secret. */
export function openedWords(box: SecretBox, section: string, words: string): SettingFields {
  return changed(section, fromJson<SettingFields>(words), (field, value) =>
    isSealed(value) ? box.open(value.sealed, contextOf(section, field)) : value,
  );
}

/** Returns whether a stored section has an encrypted value. */
export function hasSealed(section: string, words: string): boolean {
  const fields = fromJson<SettingFields>(words);
  return sealedFieldsOf(section).some((field) => isSealed(fields[field]));
}

/** Returns a stored section without its encrypted values. */
export function withoutSealed(section: string, words: string): string {
  const names = sealedFieldsOf(section);
  const fields = Object.entries(fromJson<SettingFields>(words));
  return JSON.stringify(Object.fromEntries(fields.filter(([name]) => !names.includes(name))));
}

function changed(
  section: string,
  fields: SettingFields,
  change: (field: string, value: unknown) => unknown,
): SettingFields {
  const names = sealedFieldsOf(section);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, names.includes(name) ? change(name, value) : value]),
  );
}

function sealedFieldsOf(section: string): readonly string[] {
  return Object.hasOwn(SEALED_SETTINGS, section) ? (SEALED_SETTINGS[section] ?? []) : [];
}

function isSealed(value: unknown): value is Sealed {
  return typeof value === 'object' && value !== null && 'sealed' in value && typeof value.sealed === 'string';
}

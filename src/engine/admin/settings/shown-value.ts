import { createHash } from 'node:crypto';
import { readLogo } from '../../../domain/branding/logo.ts';
import type { SettingFields, SettingSections } from '../../ports/settings-store.ts';
import { SECRET_FIELDS } from './sections.ts';

const LOGO = 'branding.logo';

/** Returns a value as the API and the audit log show it: of a secret only that it is set, of a logo its facts. */
export function shownValue(section: string, path: string, value: unknown): unknown {
  const field = `${section}.${path}`;
  if (value === null) return null;
  if (SECRET_FIELDS.has(field)) return '(set)';
  return field === LOGO && typeof value === 'string' ? describeLogo(value) : value;
}

/** Returns the fields of a section as `shownValue` does. Only fields at its top need it. */
export function shownSection(section: string, fields: SettingFields): SettingFields {
  return Object.fromEntries(Object.entries(fields).map(([path, value]) => [path, shownValue(section, path, value)]));
}

/** Returns all sections as they are shown. Their ETag then says nothing about a secret, which could be guessed by comparing. */
export function shownSections(sections: SettingSections): SettingSections {
  return Object.fromEntries(Object.entries(sections).map(([name, fields]) => [name, shownSection(name, fields)]));
}

/** Returns a text such as `image/png, 240 × 60, 12.3 KB, 1f8b2c4d`, which differs for different logos. */
function describeLogo(url: string): string {
  const read = readLogo(url);
  if (!read.ok) return '(not readable)';
  const { mediaType, width, height, bytes } = read.logo;
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  return `${mediaType}, ${width} × ${height}, ${(bytes.length / 1024).toFixed(1)} KB, ${digest}`;
}

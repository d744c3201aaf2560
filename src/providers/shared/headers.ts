import { z } from 'zod';

/** Text that is safe in a header: printable ASCII without space at the ends, so that no setting can add a header. */
export const headerText = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII without leading or trailing spaces');

export function bearer(apiKey: string | null): Record<string, string> {
  return keyHeader('authorization', apiKey === null ? null : `Bearer ${apiKey}`);
}

/** Returns the key in the vendor's own header (`x-api-key`); no header without a key. */
export function keyHeader(name: string, apiKey: string | null): Record<string, string> {
  return apiKey === null ? {} : { [name]: apiKey };
}

/** Returns the settings that are set, each in the header that `names` gives for it. */
export function settingsHeaders(
  settings: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [setting, header] of Object.entries(names)) {
    const value = settings[setting];
    if (typeof value === 'string') headers[header] = value;
  }
  return headers;
}

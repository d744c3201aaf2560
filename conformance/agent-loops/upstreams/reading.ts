import { asArray, isObject, type JsonObject } from '../../shared/json.ts';

/** Returns the objects in a list of parsed JSON. */
export function objects(value: unknown): readonly JsonObject[] {
  return asArray(value).filter(isJsonObject);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** Compares both as text with sorted members, so that only the order of members may differ. */
export function different(what: string, found: unknown, wanted: unknown): string | null {
  const [left, right] = [sorted(found), sorted(wanted)];
  if (left === right) return null;
  return `${what}: expected ${shortened(right)}, but found ${shortened(left)}`;
}

function sorted(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    ) ?? 'nothing'
  );
}

function shortened(text: string): string {
  return text.replace(/[\w+/=]{60,}/g, (long) => `${long.slice(0, 24)}…`).slice(0, 1_500);
}

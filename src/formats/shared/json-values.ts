/* Members of a JSON object whose sender is not to be relied on: each is read as the type that it should have. */

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** A number of things, such as tokens: neither negative nor infinite. */
export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/* Validates a request's body against a published document. */

export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string' && value !== '';
export const isWhole: Check = (value) => typeof value === 'number' && Number.isInteger(value);
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isAddress: Check = (value) =>
  typeof value === 'string' && /^(?:https?:\/\/|data:image\/\w+;base64,)\S+$/.test(value);
export const isBase64: Check = (value) => typeof value === 'string' && /^[A-Za-z0-9+/]+={0,2}$/.test(value);

export function oneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

export function between(least: number, most: number): Check {
  return (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
}

export function listOf(check: Check, most: number): Check {
  return (value) => Array.isArray(value) && value.length > 0 && value.length <= most && value.every(check);
}

export function objectOf(members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value) => bodyProblem(value, members, required) === null;
}

/** Describes the first member that is unknown, missing or of a wrong type; `null` if there is none. */
export function bodyProblem(
  body: unknown,
  members: Readonly<Record<string, Check>>,
  required: readonly string[] = [],
): string | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'The body is no object.';
  for (const [name, value] of Object.entries(body)) {
    if (!Object.hasOwn(members, name)) return `Unknown member: ${name}.`;
    if (members[name]?.(value) !== true) return `Invalid value for ${name}.`;
  }
  const missing = required.find((name) => !Object.hasOwn(body, name));
  return missing === undefined ? null : `Missing member: ${missing}.`;
}

/** Resolves to `undefined` if the body is not JSON. */
export async function jsonOf(request: Request): Promise<unknown> {
  try {
    const body: unknown = await request.json();
    return body;
  } catch {
    return undefined;
  }
}

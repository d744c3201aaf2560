import { judgeRequest } from '../judges/index.ts';
import { isObject } from '../shared/json.ts';
import type { LeafRequest } from './leaf-requests.ts';

/** The most leaves of one object in one request. */
const MOST_TOGETHER = 12;

/**
 * Returns requests with several leaves: each leaf with the next of its own object, up to a dozen leaves of an object
 * together, and each leaf with `others` from anywhere in the document, the same in every run. `allows` returns whether
 * two leaves may be combined.
 */
export function leafPairs(
  requests: readonly LeafRequest[],
  others: number,
  allows: (request: LeafRequest) => boolean = isPublished,
): readonly LeafRequest[] {
  const draws = new Draws();
  const found = new Map<string, LeafRequest>();
  const add = (one: LeafRequest, other: LeafRequest) => {
    const together = merged(one, other, allows);
    if (together !== null) found.set(JSON.stringify(together.body), together);
  };
  for (const siblings of bySpelling(requests, ownerOf)) {
    siblings.forEach((one, index) => {
      const next = siblings[(index + 1) % siblings.length];
      if (next !== undefined && next !== one) add(one, next);
    });
    for (let at = 0; at < siblings.length; at += MOST_TOGETHER) {
      const some = siblings.slice(at, at + MOST_TOGETHER);
      const whole = some.reduce((all, one) => merged(all, one, allows) ?? all);
      found.set(JSON.stringify(whole.body), whole);
    }
  }
  for (const one of requests) {
    for (let drawn = 0; drawn < others; drawn++) {
      const other = requests[draws.below(requests.length)];
      if (other !== undefined) add(one, other);
    }
  }
  return [...found.values()];
}

/** Groups the requests by the object of their leaf; the same object in another spelling is a separate group. */
function bySpelling(requests: readonly LeafRequest[], owner: (request: LeafRequest) => string) {
  const groups = new Map<string, LeafRequest[]>();
  for (const request of requests) {
    const key = `${owner(request)} ${/"[a-z]+_[a-z_]+":/.test(JSON.stringify(request.body))}`;
    groups.set(key, [...(groups.get(key) ?? []), request]);
  }
  return groups.values();
}

function ownerOf({ about }: LeafRequest): string {
  const path = about.split(':')[0] ?? '';
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
}

/** Returns a request with both leaves; `null` if they exclude each other. */
function merged(one: LeafRequest, other: LeafRequest, allows: (request: LeafRequest) => boolean): LeafRequest | null {
  const body = mergedValues(one.body, other.body);
  if (!isObject(body) || JSON.stringify(body) === JSON.stringify(one.body) || excludes(body)) return null;
  const together = { format: one.format, about: `${one.about} + ${other.about}`, body };
  return allows(together) ? together : null;
}

function isPublished({ format, body }: LeafRequest): boolean {
  return judgeRequest(format, body).length === 0;
}

/** Merges members, and lists item by item. Values that cannot be merged are both listed in a list; elsewhere the second replaces the first. */
function mergedValues(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.every((item) => !isObject(item))) return [...new Set([...one, ...other])];
    return Array.from({ length: Math.max(one.length, other.length) }).flatMap((_, index) =>
      mergedItems(one[index], other[index]),
    );
  }
  if (!isObject(one) || !isObject(other) || one.type !== other.type) return other ?? one;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names].map((name) => [name, name in other ? mergedValues(one[name], other[name]) : one[name]]),
  );
}

function mergedItems(one: unknown, other: unknown): readonly unknown[] {
  if (one === undefined || other === undefined) return [one ?? other];
  if (JSON.stringify(one) === JSON.stringify(other)) return [one];
  const isSameKind = isObject(one) && isObject(other) && one.type === other.type && one.role === other.role;
  const together = isSameKind ? mergedValues(one, other) : null;
  return together === null || excludes(together) ? [one, other] : [together];
}

/** Members that exclude each other in an object; the documents say so in prose only. */
const EXCLUSIVE: readonly (readonly string[])[] = [
  ['text', 'inlineData', 'functionCall', 'functionResponse', 'fileData', 'executableCode', 'codeExecutionResult'],
  ['parameters', 'parametersJsonSchema'],
  ['response', 'responseJsonSchema'],
  ['responseSchema', 'responseJsonSchema', '_responseJsonSchema'],
  ['image_url', 'file_id'],
  ['file_url', 'file_id', 'file_data'],
  ['previous_response_id', 'conversation'],
  ['functions', 'tools'],
  ['function_call', 'tool_choice'],
  ['max_tokens', 'max_completion_tokens'],
  ['output_format', 'output_config'],
];

/** The indexes of a member's lists in `EXCLUSIVE`, by each of its spellings. */
const LISTS_OF = Map.groupBy(
  EXCLUSIVE.flatMap((names, list) =>
    [...new Set([...names, ...names.map(snakeCase)])].map((spelled) => ({ list, spelled })),
  ),
  ({ spelled }) => spelled,
);

function excludes(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(excludes);
  if (!isObject(value)) return false;
  const lists = new Set<number>();
  for (const name of Object.keys(value)) {
    for (const { list } of LISTS_OF.get(name) ?? []) {
      if (lists.has(list)) return true;
      lists.add(list);
    }
    const isTwice =
      name.includes('_') && name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) in value;
    if (isTwice || excludes(value[name])) return true;
  }
  return false;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Pseudorandom numbers that are the same in every run (a linear congruential generator). */
class Draws {
  private state = 20_260_301;

  below(bound: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * bound);
  }
}

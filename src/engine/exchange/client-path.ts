import { isRecord } from '../../formats/shared/record.ts';

/**
 * As much of a loss's path as the client's body has: an encoder knows where a thing stood, but not always what the client
 * calls a member of it (`tools[0].strict` is `tools[0].function.strict` in chat). A path of which nothing is there stays.
 */
export function clientPath(body: unknown, field: string): string {
  let value: unknown = body;
  let end = 0;
  for (const step of field.matchAll(/\.?([^.[\]]+)|\[(\d+)\]/g)) {
    const [text, member = '', index] = step;
    value = index === undefined ? memberOf(value, member) : elementOf(value, Number(index));
    if (value === undefined) return end === 0 ? field : field.slice(0, end);
    end = step.index + text.length;
  }
  return field;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function elementOf(value: unknown, index: number): unknown {
  return Array.isArray(value) ? value[index] : undefined;
}

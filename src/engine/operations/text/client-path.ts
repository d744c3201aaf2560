import { entryOf, isRecord } from '../../../formats/shared/json/record.ts';
import { snakeCase } from '../../../formats/shared/json/snake-case.ts';

/**
 * The clients' names for members that encoders name differently: paths below the object, of which the first existing one counts. Camel
 * case covers both spellings.
 */
const CLIENT_NAMES: Readonly<Record<string, readonly string[]>> = {
  cache_control: ['prompt_cache_breakpoint'],
  citations: ['annotations'],
  state: [
    ...['signature', 'thoughtSignature', 'encrypted_content', 'data'],
    ...['reasoning_details', 'extra_content', 'reasoning_signature'],
  ],
  file_name: ['filename', 'file.filename', 'document_name', 'inlineData.displayName', 'fileData.displayName'],
  detail: ['image_url.detail'],
  strict: ['function.strict', 'json_schema.strict'],
  parameters: ['function.parameters', 'input_schema', 'parametersJsonSchema'],
  description: ['function.description', 'custom.description', 'json_schema.description'],
  name: ['function.name', 'custom.name', 'json_schema.name'],
};

/**
 * Translates the path of a loss to the client's own names, as far as the client's body has them. An encoder knows the place of a value, but
 * not always the client's names (`tools[0].strict` is `tools[0].function.strict` in chat). Missing members are left off; a path that does
 * not exist at all stays as it is.
 */
export function clientPath(body: unknown, field: string): string {
  let value: unknown = body;
  let parent: unknown = null;
  let said = '';
  for (const [text, member = '', index] of field.matchAll(/\.?([^.[\]]+)|\[(\d+)\]/g)) {
    const inner: unknown = index === undefined ? memberOf(value, member) : elementOf(value, Number(index));
    if (inner !== undefined) {
      said += said === '' ? member || text : text;
      parent = value;
      value = inner;
      continue;
    }
    const known = knownName(value, member);
    if (known !== null) {
      said = said === '' ? known : `${said}.${known}`;
      parent = value;
      value = known.split('.').reduce<unknown>(memberOf, value);
      continue;
    }
    // Plain-text content has no members; its metadata is in the parent object.
    const beside = typeof value === 'string' && said.includes('.') ? nameWithin(parent, member) : null;
    if (beside !== null) return `${said.slice(0, said.lastIndexOf('.'))}.${beside}`;
    return said === '' ? field : said;
  }
  return said === '' ? field : said;
}

function nameWithin(owner: unknown, member: string): string | null {
  return memberOf(owner, member) === undefined ? knownName(owner, member) : member;
}

function knownName(owner: unknown, member: string): string | null {
  const names = [member, ...(entryOf(CLIENT_NAMES, member) ?? [])];
  for (const name of names) {
    for (const spelled of new Set([name, snakeCase(name)])) {
      const steps = spelled.split('.');
      if (steps.reduce<unknown>(memberOf, owner) !== undefined) return spelled;
    }
  }
  return null;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function elementOf(value: unknown, index: number): unknown {
  return Array.isArray(value) ? value[index] : undefined;
}

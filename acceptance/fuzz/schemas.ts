import { asArray, asObject, isObject } from '../../conformance/shared/json.ts';
import { listOf } from './hostile.ts';

type Node = Readonly<Record<string, unknown>>;

/** The number of items for lists without a maximum in the document, and the most bytes of any list. */
const ITEMS = 100;
const MOST_LIST_BYTES = 400_000;
const DEEPEST = 6;

/** The schemas of a document, and generated values for them. */
export class Schemas {
  constructor(private readonly document: Node) {}

  /** Returns the schema of a JSON body, or `null` if the operation takes none. */
  bodyOf({ requestBody }: Node): Node | null {
    const json = asObject(asObject(requestBody).content)['application/json'];
    return isObject(json) ? this.resolved(json.schema) : null;
  }

  membersOf(schema: Node): readonly string[] {
    return Object.keys(asObject(schema.properties));
  }

  /** Returns the largest value that the schema allows; `at` makes values differ. Returns `usual` where the schema does not describe one. */
  largest(schema: unknown, usual: unknown, at: number, depth = 0): unknown {
    const node = this.resolved(schema);
    if (depth > DEEPEST || Array.isArray(node.enum)) return usual;
    if (node.type === 'string') return longest(node, usual, at);
    if (node.type === 'array') {
      const sample = this.largest(node.items, asArray(usual)[0], 0, depth + 1);
      if (sample === undefined) return usual;
      const most = typeof node.maxItems === 'number' ? node.maxItems : ITEMS;
      const length = Math.min(most, Math.ceil(MOST_LIST_BYTES / (JSON.stringify(sample).length + 1)));
      return listOf(length, (item) => this.largest(node.items, asArray(usual)[0], item, depth + 1));
    }
    if (node.type !== 'object' || !isObject(usual)) return usual;
    const { properties } = node;
    return Object.fromEntries(
      Object.entries(usual).map(([name, value]) => [
        name,
        this.largest(asObject(properties)[name], value, at, depth + 1),
      ]),
    );
  }

  resolved(schema: unknown): Node {
    const { $ref, allOf } = asObject(schema ?? {});
    if (Array.isArray(allOf) && allOf.length === 1) return this.resolved(allOf[0]);
    if (typeof $ref !== 'string') return asObject(schema ?? {});
    return asObject(asObject(asObject(this.document.components).schemas)[$ref.split('/').at(-1) ?? '']);
  }
}

/** Returns a string of the greatest length that `maxLength`, or the last bound of the pattern, allows. */
function longest({ pattern, maxLength }: Node, usual: unknown, at: number): unknown {
  const bounds =
    typeof pattern === 'string' ? [...pattern.matchAll(/\{\d+,(\d+)\}/g)].map(([, most]) => Number(most)) : [];
  const most = typeof maxLength === 'number' ? maxLength : bounds.at(-1);
  if (most === undefined) return usual;
  const rule = typeof pattern === 'string' ? new RegExp(pattern, 'u') : null;
  const found = [most, most + 1]
    .map((length) => `${at}`.padEnd(length, 'x'))
    .findLast((text) => rule?.test(text) ?? text.length <= most);
  return found ?? usual;
}

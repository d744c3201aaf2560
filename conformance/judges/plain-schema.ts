import { asArray, asObject, isObject } from '../shared/json.ts';
import type { DocumentName, Variant } from './document.ts';
import { type Schema, schemasOf } from './documents.ts';

const SCHEMA_PREFIX = '#/components/schemas/';

/** The keyword that replaces `anyOf` and `oneOf` in a rewritten schema; `unions.ts` implements it. */
export const UNION_KEYWORD = 'union';

export function schemaId(document: DocumentName, variant: Variant, name: string): string {
  return `${document}:${variant}:${name}`;
}

/** Returns the name of the component to which a reference of the document points. */
export function referencedName(reference: string): string {
  if (!reference.startsWith(SCHEMA_PREFIX)) throw new Error(`a reference outside of the components: ${reference}`);
  return decodeURIComponent(reference.slice(SCHEMA_PREFIX.length)).replaceAll('~1', '/').replaceAll('~0', '~');
}

export interface PlainSchema {
  readonly schema: Schema;
  /** The components that the schema refers to. */
  readonly references: ReadonlySet<string>;
}

/**
 * Returns a component of a document as JSON Schema for a validator:
 *
 * - `null` is accepted for every property that may be absent, and in responses for every property: the real services send them, and OpenAPI
 *   3.0's `nullable` says the same of some;
 * - `anyOf` and `oneOf` become one keyword that picks a branch by its discriminator, so that only the problems of the intended branch are
 *   reported; several matching branches are not an error;
 * - a closed object of a response may have the gateway's own member `_routing`;
 * - a required member of Anthropic's responses whose default is null may be absent, as in real traffic;
 * - a 64-bit integer is a string or a number, as in the JSON mapping of protocol buffers;
 * - Gemini's request accepts an enum's value in either case, and its number (gemini/generateContent/001 and 122 do both);
 * - Gemini's request objects are closed: the service answers an unknown field with 400 `Unknown name`.
 */
export function plainSchema(document: DocumentName, variant: Variant, name: string): PlainSchema {
  const source = schemasOf(document, variant)[name];
  if (source === undefined) throw new Error(`the document ${document} has no schema ${name}`);
  const rewriter = new Rewriter(document, variant, name);
  return { schema: rewriter.rewrite(source), references: rewriter.references };
}

const PLAIN_KEYWORDS = [
  'const',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'required',
  'type',
  'uniqueItems',
];

class Rewriter {
  readonly references = new Set<string>();

  constructor(
    private readonly document: DocumentName,
    private readonly variant: Variant,
    private readonly component: string,
  ) {}

  rewrite(source: unknown): Schema {
    if (source === false) return { not: {} };
    if (!isObject(source)) return {};
    const result: Record<string, unknown> = {};
    for (const keyword of PLAIN_KEYWORDS) if (source[keyword] !== undefined) result[keyword] = source[keyword];
    if (source.format === 'int64') widenInteger(result);
    if (this.document === 'gemini' && this.variant === 'request' && Array.isArray(source.enum)) widenEnum(result);
    const all = asArray(source.allOf).map((part) => this.rewrite(part));
    if (typeof source.$ref === 'string') all.push(this.reference(referencedName(source.$ref)));
    // The documents use the recursive reference only for "this component again".
    if (source.$recursiveRef === '#') all.push(this.reference(this.component));
    if (all.length > 0) result.allOf = all;
    const branches = [...asArray(source.anyOf), ...asArray(source.oneOf)];
    if (branches.length > 0) result[UNION_KEYWORD] = this.union(source, branches);
    if (source.items !== undefined) result.items = this.rewrite(source.items);
    if (source.not !== undefined) result.not = this.rewrite(source.not);
    this.rewriteMembers(source, result);
    return source.nullable === true ? orNull(result) : result;
  }

  private rewriteMembers(source: Schema, result: Record<string, unknown>): void {
    const required = new Set(asArray(source.required));
    const properties = Object.entries(asObject(source.properties)).map(([key, value]) => {
      const rewritten = this.rewrite(value);
      return [key, this.variant !== 'request' || !required.has(key) ? orNull(rewritten) : rewritten];
    });
    if (this.variant !== 'request' && this.document === 'anthropic') result.required = requiredWithoutDefault(source);
    if (properties.length > 0) result.properties = Object.fromEntries(properties);
    const closed =
      source.additionalProperties === false ||
      (this.document === 'gemini' && this.variant === 'request' && properties.length > 0);
    if (closed) {
      result.additionalProperties = false;
      if (this.variant !== 'request')
        result.properties = { ...asObject(result.properties), _routing: { type: 'object' } };
    } else if (isObject(source.additionalProperties)) {
      result.additionalProperties = this.rewrite(source.additionalProperties);
    }
  }

  private union(source: Schema, branches: readonly unknown[]): Schema {
    const discriminator = asObject(source.discriminator).propertyName;
    return {
      document: this.document,
      variant: this.variant,
      discriminator: typeof discriminator === 'string' ? discriminator : null,
      // The originals are kept because the intended branch is chosen from them; the rewritten schemas validate the value.
      branches: branches.map((branch) => ({ source: branch, schema: this.rewrite(branch) })),
    };
  }

  private reference(name: string): Schema {
    this.references.add(name);
    return { $ref: schemaId(this.document, this.variant, name) };
  }
}

/** Returns the required members except those whose default is null: Anthropic's document requires these, but its responses omit them. */
function requiredWithoutDefault(source: Schema): readonly unknown[] {
  const properties = asObject(source.properties);
  return asArray(source.required).filter((key) => asObject(properties[String(key)]).default !== null);
}

function widenInteger(schema: Record<string, unknown>): void {
  schema.type = ['integer', 'string'];
  schema.format = undefined;
  delete schema.format;
}

function widenEnum(schema: Record<string, unknown>): void {
  const names = asArray(schema.enum).map(String);
  const numbers = names.map((_, index) => index);
  schema.enum = [...names, ...names.map((name) => name.toLowerCase()), ...numbers];
  schema.type = ['string', 'integer'];
}

function orNull(schema: Schema): Schema {
  return { if: { type: 'null' }, else: schema };
}

import { objectInOrder } from '../../shared/json/exact-json.ts';
import { isRecord, setMember } from '../../shared/json/record.ts';

/*
 * Rewrites the references of a JSON schema for APIs that accept `$ref` only to the root's `$defs`, and without sibling members.
 * Real schemas have `definitions` of older drafts, pointers to any place, and a description beside the reference.
 */

type Schema = Readonly<Record<string, unknown>>;

interface Rewritten {
  readonly schema: Schema;
  /** References that lead nowhere, or out of the schema; any value is allowed in their place. */
  readonly lost: readonly string[];
}

const MAPS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
]);
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['items', 'additionalProperties', 'additionalItems', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'contains'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'if', 'then', 'else'],
]);

const DEFINITION = /^#\/\$defs\/([^/]+)$/;
/** A schema with more values, counting referenced places each time, is left as it is, and the API may refuse it. */
const MOST_VALUES = 100_000;

/** Returns the same object if every reference is plain already. */
export function withPlainReferences(schema: Schema): Rewritten {
  return isPlain(schema, schema) ? { schema, lost: [] } : new Rewriting(schema).rewritten();
}

function isPlain(value: unknown, root: Schema): boolean {
  if (Array.isArray(value)) return value.every((one) => isPlain(one, root));
  if (!isRecord(value)) return true;
  if (typeof value.$ref === 'string') return isPlainReference(value, root);
  for (const key in value) {
    const member = value[key];
    if (MAPS.has(key) && isRecord(member)) {
      for (const name in member) if (!isPlain(member[name], root)) return false;
    } else if (SCHEMAS.has(key) && !isPlain(member, root)) return false;
  }
  return true;
}

function isPlainReference(schema: Schema, root: Schema): boolean {
  for (const key in schema) if (!key.startsWith('$')) return false;
  if (schema === root) return false;
  const name = DEFINITION.exec(String(schema.$ref))?.[1];
  return schema.$ref === '#' || (name !== undefined && isRecord(root.$defs) && Object.hasOwn(root.$defs, name));
}

class Rewriting {
  private readonly definitions: Record<string, unknown> = {};
  /** The name of the definition that each pointer now leads to. */
  private readonly names = new Map<string, string>();
  private readonly lost = new Set<string>();
  private values = 0;

  constructor(private readonly root: Schema) {}

  rewritten(): Rewritten {
    const { definitions: _, $defs: __, ...top } = this.opened(this.root);
    const schema = this.object(top);
    if (this.values > MOST_VALUES) return { schema: this.root, lost: [] };
    if (Object.keys(this.definitions).length > 0) schema.$defs = this.definitions;
    return { schema, lost: [...this.lost] };
  }

  /** Replaces a root that is itself a reference, as generators write it, with its target. */
  private opened(schema: Schema): Schema {
    const seen = new Set<unknown>();
    let opened = schema;
    while (typeof opened.$ref === 'string' && !seen.has(opened.$ref)) {
      const { $ref, ...beside } = opened;
      seen.add($ref);
      const target = this.resolved(opened.$ref);
      if (!isRecord(target) || target === this.root) {
        this.lost.add(opened.$ref);
        return beside;
      }
      opened = { ...target, ...beside };
    }
    return opened;
  }

  private schema(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.schema(one));
    return isRecord(value) ? this.object(value) : value;
  }

  private object(schema: Schema): Record<string, unknown> {
    if (typeof schema.$ref === 'string') return this.reference(schema, schema.$ref);
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(schema)) {
      if (++this.values > MOST_VALUES) break;
      setMember(out, key, this.member(key, schema[key]));
    }
    return out;
  }

  private member(key: string, value: unknown): unknown {
    if (SCHEMAS.has(key)) return this.schema(value);
    if (!MAPS.has(key) || !isRecord(value)) return value;
    return objectInOrder(Object.keys(value).map((name) => [name, this.schema(value[name])]));
  }

  private reference({ $ref: _, ...others }: Schema, pointer: string): Record<string, unknown> {
    const $ref = pointer === '#' ? pointer : this.defined(pointer);
    const beside: Record<string, unknown> = {};
    for (const key of Object.keys(others)) {
      if (!key.startsWith('$') && key !== 'definitions') setMember(beside, key, this.member(key, others[key]));
    }
    if ($ref === null) return beside;
    if (Object.keys(beside).length === 0) return { $ref };
    // The reference's siblings apply as well; an `anyOf` of one is equivalent to the reference.
    return { ...beside, anyOf: [{ $ref }] };
  }

  /** Returns the reference to the definition of a pointer's target; `null` if it leads nowhere. */
  private defined(pointer: string): string | null {
    const known = this.names.get(pointer);
    if (known !== undefined) return `#/$defs/${known}`;
    const target = this.resolved(pointer);
    if (!isRecord(target)) {
      this.lost.add(pointer);
      return null;
    }
    const name = this.freeName(pointer.slice(pointer.lastIndexOf('/') + 1));
    this.names.set(pointer, name);
    // Registered before it is rewritten, because it may refer to itself.
    setMember(this.definitions, name, {});
    setMember(this.definitions, name, this.object(target));
    return `#/$defs/${name}`;
  }

  private freeName(wanted: string): string {
    const base = wanted.replace(/[^\w.-]/g, '_') || 'schema';
    let name = base;
    for (let count = 2; Object.hasOwn(this.definitions, name); count++) name = `${base}_${count}`;
    return name;
  }

  /** Resolves a pointer within the schema (RFC 6901); `undefined` for an external address or a missing place. */
  private resolved(pointer: string): unknown {
    if (pointer === '#') return this.root;
    if (!pointer.startsWith('#/')) return undefined;
    let value: unknown = this.root;
    for (const step of pointer.slice(2).split('/')) {
      const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined;
      else value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    }
    return value;
  }
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

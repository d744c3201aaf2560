import { referencedName } from '../judges/plain-schema.ts';
import { asArray, asObject, isObject } from '../shared/json.ts';
import { propertyValue, type Scalar, scalarValues } from './leaf-values.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A value that a schema allows: the required members and one more leaf. */
export interface Variant {
  /**
   * The path of the leaf in the schema, such as `tools[].function.strict`, and its variation (`: null`, `:
   * two`).
   */
  readonly about: string;
  readonly value: unknown;
}

/** How often a recursive component (a block in a block) is followed; Google's Schema once more, for its nested ones. */
const REPEATS = 1;
const REPEATS_OF_SCHEMAS = 2;

/** Converts the names of members: unchanged, or to snake case. */
export type Spelling = (name: string) => string;

/** A place in the document: the path to it, and the components that contain it. */
interface Place {
  readonly path: string;
  readonly components: readonly string[];
}

/** Reads a published document: the smallest value of a schema, and another value for each leaf, branch and enum value. */
export class SchemaWalk {
  constructor(
    private readonly schemas: Readonly<Record<string, Schema>>,
    private readonly spelling: Spelling = (name) => name,
  ) {}

  /** Returns each member of a component's object with all values that are tried for it. */
  members(component: string): ReadonlyMap<string, readonly Variant[]> {
    const { properties } = this.merged({ $ref: `#/components/schemas/${component}` });
    const entries = Object.entries(properties).map(([name, schema]) => {
      return [this.spelling(name), this.variants(schema, { path: name, components: [component] })] as const;
    });
    return new Map(entries);
  }

  /** Returns the smallest value: the required members, with the first of several branches. */
  private least(schema: unknown, place: Place): unknown {
    const merged = this.merged(schema, place.components);
    const { branches, properties, required } = merged;
    if (merged.constant !== undefined) return merged.constant;
    const own = propertyValue(place.path);
    if (own !== undefined) return own;
    if (branches.length > 0) {
      const branch = branches.find((one) => !this.isNull(one)) ?? branches[0];
      const value = this.least(branch, inside(place, branch));
      return Object.keys(properties).length > 0 ? { ...this.leastObject(merged, place), ...asObject(value) } : value;
    }
    if (merged.type === 'array')
      return merged.least > 0 ? [this.least(merged.items, inItems(place, merged.items))] : [];
    if (merged.type === 'object' || required.length > 0 || Object.keys(properties).length > 0) {
      return this.leastObject(merged, place);
    }
    return this.scalars(merged, place)[0]?.value ?? 'any value';
  }

  private leastObject({ properties, required }: Merged, place: Place): Readonly<Record<string, unknown>> {
    const entries = required.flatMap((name) => {
      const schema = properties[name];
      return schema === undefined ? [] : [[this.spelling(name), this.least(schema, inMember(place, name, schema))]];
    });
    return Object.fromEntries(entries);
  }

  private variants(schema: unknown, place: Place): readonly Variant[] {
    if (this.isNull(schema)) return [{ about: `${place.path}: null`, value: null }];
    const merged = this.merged(schema, place.components);
    if (merged.constant !== undefined) return [{ about: place.path, value: merged.constant }];
    const own = propertyValue(place.path);
    const nulls = merged.nullable ? [{ about: `${place.path}: null`, value: null }] : [];
    if (own !== undefined) return [{ about: place.path, value: own }, ...nulls];
    if (isRepeated(place)) return [];
    if (merged.branches.length > 0) return [...this.branchVariants(merged, place), ...nulls];
    if (merged.type === 'array') return [...this.listVariants(merged, place), ...nulls];
    const isObjectType = merged.type === 'object' || Object.keys(merged.properties).length > 0;
    if (isObjectType) return [...this.objectVariants(merged, place), ...nulls];
    return [...this.scalars(merged, place).map(({ about, value }) => ({ about: place.path + about, value })), ...nulls];
  }

  private branchVariants(merged: Merged, place: Place): readonly Variant[] {
    const beside = Object.keys(merged.properties).length > 0 ? this.leastObject(merged, place) : null;
    return merged.branches.flatMap((branch) =>
      this.variants(branch, inside(place, branch)).map(({ about, value }) => ({
        about,
        value: beside === null ? value : { ...beside, ...asObject(value) },
      })),
    );
  }

  private listVariants({ items }: Merged, place: Place): readonly Variant[] {
    const each = this.variants(items, inItems(place, items));
    const [first] = each;
    const one = each.map(({ about, value }) => ({ about, value: [value] }));
    const second = each.at(-1);
    if (first === undefined || second === undefined) return one;
    return [...one, { about: `${place.path}: two`, value: [first.value, second.value] }];
  }

  private objectVariants(merged: Merged, place: Place): readonly Variant[] {
    const least = this.leastObject(merged, place);
    const variants = Object.entries(merged.properties).flatMap(([name, schema]) =>
      this.variants(schema, inMember(place, name, schema)).map(({ about, value }) => ({
        about,
        value: { ...least, [this.spelling(name)]: value },
      })),
    );
    if (isObject(merged.values)) {
      const named = inside({ ...place, path: `${place.path}.{}` }, merged.values);
      const ofMap = this.variants(merged.values, named);
      variants.push(...ofMap.map(({ about, value }) => ({ about, value: { ...least, ownKey: value } })));
    } else if (variants.length === 0) variants.push({ about: place.path, value: { ownKey: 'own value' } });
    return variants;
  }

  private scalars(merged: Merged, place: Place): readonly Scalar[] {
    return scalarValues(merged.source, place.path);
  }

  private isNull(schema: unknown): boolean {
    return asObject(schema).type === 'null' || asObject(schema).const === null;
  }

  /** Returns the schema with its references and its `allOf` resolved. */
  private merged(schema: unknown, components: readonly string[] = []): Merged {
    const source = asObject(schema);
    const parts = asArray(source.allOf).map((part) => this.merged(part, components));
    if (typeof source.$ref === 'string') {
      const name = referencedName(source.$ref);
      parts.push(this.merged(this.schemas[name], components));
    }
    const lone = [...asArray(source.anyOf), ...asArray(source.oneOf)];
    const types = asArray(source.type);
    const branches = types.length > 1 ? types.map((type) => ({ ...source, type })) : lone;
    const values = parts.find((part) => part.values !== undefined)?.values ?? source.additionalProperties;
    const [only] = asArray(source.enum).length === 1 ? asArray(source.enum) : [source.const];
    return {
      source: Object.assign({}, ...parts.map((part) => part.source), source),
      type: String(source.type ?? parts.map((part) => part.type).find((type) => type !== '') ?? ''),
      constant: only ?? parts.map((part) => part.constant).find((one) => one !== undefined),
      nullable: source.nullable === true || parts.some((part) => part.nullable),
      branches: [...parts.flatMap((part) => part.branches), ...branches],
      properties: Object.assign({}, ...parts.map((part) => part.properties), asObject(source.properties)),
      required: [...new Set([...parts.flatMap((part) => part.required), ...asArray(source.required).map(String)])],
      items: source.items ?? parts.map((part) => part.items).find((items) => items !== undefined),
      least: Number(source.minItems ?? 0),
      values,
    };
  }
}

interface Merged {
  readonly source: Schema;
  readonly type: string;
  readonly constant: unknown;
  readonly nullable: boolean;
  readonly branches: readonly unknown[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly items: unknown;
  readonly least: number;
  /** The schema of a map's values. */
  readonly values: unknown;
}

function isRepeated({ components }: Place): boolean {
  const last = components.at(-1);
  return components.filter((name) => name === last).length > (last === 'Schema' ? REPEATS_OF_SCHEMAS : REPEATS);
}

function inside(place: Place, schema: unknown): Place {
  const { $ref, allOf } = asObject(schema);
  const lone = asArray(allOf).length === 1 ? asObject(asArray(allOf)[0]).$ref : undefined;
  const reference = $ref ?? lone;
  if (typeof reference !== 'string') return place;
  return { ...place, components: [...place.components, referencedName(reference)] };
}

function inMember({ path, components }: Place, name: string, schema: unknown): Place {
  return inside({ path: `${path}.${name}`, components }, schema);
}

function inItems({ path, components }: Place, items: unknown): Place {
  return inside({ path: `${path}[]`, components }, items);
}

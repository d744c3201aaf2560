import { objectInOrder } from '../../shared/json/exact-json.ts';
import { isRecord } from '../../shared/json/record.ts';

/*
 * Adapts JSON schemas to what structured outputs and strict tools accept ("Structured outputs", JSON Schema limitations): every
 * object is closed, and limits on numbers, lengths and counts are not part of the grammar. Such limits are written into the
 * description for the model instead.
 */

type Schema = Readonly<Record<string, unknown>>;

const FORMATS: ReadonlySet<unknown> = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);

/** Keywords that are copied unchanged. */
const PLAIN: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', '$ref', 'title', 'description', 'default', 'required', '$id', '$anchor'],
]);
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'allOf']);

interface AdaptedSchema {
  readonly schema: Record<string, unknown>;
  /** Whether the result allows or states something different from the original. */
  readonly changed: boolean;
}

export function adaptSchema(schema: Schema): AdaptedSchema {
  const adapter = new Adapter();
  return { schema: adapter.object(schema), changed: adapter.changed };
}

class Adapter {
  changed = false;

  object(schema: Schema): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    const told: string[] = [];
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$schema') continue;
      if (PLAIN.has(key) || (key === 'format' && FORMATS.has(value)) || (key === 'minItems' && isZeroOrOne(value))) {
        out[key] = value;
      } else if (MAPS.has(key) && isRecord(value)) {
        out[key] = objectInOrder(Object.entries(value).map(([name, inner]) => [name, this.any(inner)]));
      } else if (LISTS.has(key) && Array.isArray(value)) {
        out[key] = value.map((inner: unknown) => this.any(inner));
      } else if (key === 'oneOf' && Array.isArray(value) && schema.anyOf === undefined) {
        out.anyOf = value.map((inner: unknown) => this.any(inner));
      } else if (key === 'items' && isRecord(value)) {
        out[key] = this.object(value);
      } else if (key !== 'additionalProperties') {
        told.push(`${key}: ${JSON.stringify(value)}`);
      }
    }
    if (isOfObjects(schema)) {
      if (schema.additionalProperties !== false) this.changed = true;
      out.additionalProperties = false;
    }
    if (told.length > 0) {
      this.changed = true;
      const before = typeof schema.description === 'string' ? `${schema.description}\n\n` : '';
      out.description = `${before}{${told.join(', ')}}`;
    }
    return out;
  }

  private any(schema: unknown): unknown {
    return isRecord(schema) ? this.object(schema) : schema;
  }
}

function isOfObjects({ type, properties }: Schema): boolean {
  return (
    type === 'object' ||
    (Array.isArray(type) && type.includes('object')) ||
    (type === undefined && isRecord(properties))
  );
}

function isZeroOrOne(value: unknown): boolean {
  return value === 0 || value === 1;
}

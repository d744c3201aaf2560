import { objectInOrder } from '../../shared/json/exact-json.ts';
import { isRecord } from '../../shared/json/record.ts';

type Schema = Readonly<Record<string, unknown>>;

const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * Returns a tool's object schema without a top-level `anyOf`, `oneOf` or `allOf`, which some APIs refuse: the object may have the
 * members of all branches and must have those that every branch requires. The description explains the choice. Returns the same
 * object if the schema has none of these.
 */
export function withFlatTop(schema: Schema): Schema {
  const choices = CHOICES.flatMap((name) =>
    Array.isArray(schema[name]) ? [[name, schema[name].filter(isRecord)] as const] : [],
  );
  if (choices.length === 0) return schema;
  const { anyOf: _, oneOf: __, allOf: ___, ...flat } = schema;
  const properties = new Map<string, unknown>();
  const add = (more: unknown) => {
    for (const [key, value] of Object.entries(isRecord(more) ? more : {})) properties.set(key, value);
  };
  const required = new Set(namesIn(schema.required));
  for (const [name, branches] of choices) {
    const lists = branches.map((branch) => namesIn(branch.required));
    const common =
      name === 'allOf' ? lists.flat() : (lists[0] ?? []).filter((one) => lists.every((list) => list.includes(one)));
    for (const one of common) required.add(one);
    for (const branch of branches) add(branch.properties);
  }
  add(schema.properties);
  const told = choices.map(([name, branches]) => `${name}: ${JSON.stringify(branches)}`).join(', ');
  const before = typeof schema.description === 'string' ? `${schema.description}\n\n` : '';
  return {
    ...flat,
    type: 'object',
    properties: objectInOrder([...properties]),
    ...(required.size === 0 ? {} : { required: [...required] }),
    description: `${before}{${told}}`,
  };
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

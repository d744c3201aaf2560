export type Body = Readonly<Record<string, unknown>>;

export function many<Made>(count: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index));
}

export const named = (count: number, prefix: string, value: (index: number) => unknown = (index) => index) =>
  Object.fromEntries(many(count, (index) => [`${prefix}${index}`, value(index)]));

/** Schemas that are expensive if a rule follows references, tries branches or looks names up one by one. */
export const SCHEMAS: Readonly<Record<string, (count: number) => Body>> = {
  properties: (count) => ({
    type: 'object',
    properties: named(count, 'p', () => ({ type: 'string', format: 'email' })),
    required: many(count, (index) => `p${index}`),
  }),
  'parallel branches': (count) => ({
    anyOf: many(count, (index) => ({ type: 'object', properties: { [`p${index}`]: { type: 'string' } } })),
  }),
  'nested branches': (count) =>
    many(Math.min(count / 20, 220), () => 0).reduce<Body>(
      (inner) => ({ anyOf: [{ type: 'string', pattern: 'a' }, inner] }),
      { type: 'object', properties: {} },
    ),
  'references that double in number': (count) => ({
    type: 'object',
    properties: { first: { $ref: '#/$defs/d0' } },
    $defs: named(count / 10, 'd', (index) => ({
      type: 'object',
      properties: { a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } },
    })),
  }),
  'circular references': (count) => ({
    $ref: '#/$defs/d0',
    $defs: named(count / 10, 'd', (index) => ({
      allOf: [{ $ref: `#/$defs/d${(index + 1) % Math.floor(count / 10)}` }, { $ref: '#' }],
    })),
  }),
  'a long list of values': (count) => ({ type: 'string', enum: many(count, (index) => `value ${index}`) }),
};

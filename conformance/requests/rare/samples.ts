export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const WAV = 'UklGRiUAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACA';
export const PDF = 'JVBERi0xLjQKJSVFT0YK';
export const SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where it is asked for', enum: ['Oslo', 'Lima'] },
    days: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 14 }, minItems: 1 },
    unit: { anyOf: [{ type: 'string', pattern: '^[CF]$' }, { type: 'null' }], default: 'C' },
  },
  required: ['city', 'days'],
  additionalProperties: false,
};

/** Requests by topic. */
export type Bodies = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export const user = (content: unknown, more: object = {}) => ({ role: 'user', content, ...more });

import type { Losses } from '../../domain/exchange/loss.ts';
import type { Quirk } from '../quirk.ts';
import { isRecord } from './record.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Members whose own members are names and not keywords. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
]);
/** Members that hold values and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'example', 'required']);

/**
 * The schema without the keywords that the quirks `schema-keywords` refuse, each left out under its own path as a loss; the
 * same object where no quirk refuses any. `path` is the schema's own.
 */
export function trimSchema(schema: JsonSchema, quirks: readonly Quirk[], path: string, losses: Losses): JsonSchema {
  const refused = new Map<string, string>();
  for (const quirk of quirks) {
    if (quirk.kind === 'schema-keywords') for (const keyword of quirk.refused) refused.set(keyword, quirk.why);
  }
  if (refused.size === 0) return schema;
  return trimmed(schema, path, (keyword, at) => {
    const why = refused.get(keyword);
    if (why !== undefined) losses.note({ field: at, verdict: 'approximated', why });
    return why !== undefined;
  });
}

function trimmed(schema: JsonSchema, path: string, isRefused: (keyword: string, at: string) => boolean): JsonSchema {
  const inner = (value: unknown, at: string) => (isRecord(value) ? trimmed(value, at, isRefused) : value);
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    const at = `${path}.${key}`;
    if (isRefused(key, at)) return [];
    if (VALUES.has(key)) return [[key, value]];
    if (MAPS.has(key) && isRecord(value)) {
      const named = Object.entries(value).map(([name, one]) => [name, inner(one, `${at}.${name}`)]);
      return [[key, Object.fromEntries(named)]];
    }
    if (Array.isArray(value)) return [[key, value.map((one, index) => inner(one, `${at}[${index}]`))]];
    return [[key, inner(value, at)]];
  });
  return Object.fromEntries(entries);
}

import { isObject, type JsonObject, objectOf } from '../shared/json.ts';
import { numberSaid, said } from '../shared/written.ts';

export const CACHE_STRATEGIES = ['off', 'asked', 'deterministic', 'exact', 'semantic'] as const;

/** The cache settings that a model overrides; an empty text keeps those of the gateway. Flags are `yes` and `no`. */
export interface CacheValues {
  strategy: string;
  ttl_seconds: string;
  max_temperature: string;
  coalesce: string;
  semantic: { certainty: string; tools: string; media: string };
}

export function cacheFrom(stated: unknown): CacheValues {
  const cache = objectOf(stated);
  const semantic = objectOf(cache.semantic);
  return {
    strategy: textOf(cache.strategy),
    ttl_seconds: textOf(cache.ttl_seconds),
    max_temperature: textOf(cache.max_temperature),
    coalesce: textOf(cache.coalesce),
    semantic: { certainty: textOf(semantic.certainty), tools: textOf(semantic.tools), media: textOf(semantic.media) },
  };
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value == null ? '' : String(value);
}

/** Returns the overrides in the API's form; `null` without any. */
export function cacheSaid({
  strategy,
  ttl_seconds,
  max_temperature,
  coalesce,
  semantic,
}: CacheValues): JsonObject | null {
  return filled({
    strategy: said(strategy),
    ttl_seconds: numberSaid(ttl_seconds),
    max_temperature: numberSaid(max_temperature),
    coalesce: flagSaid(coalesce),
    semantic: filled({
      certainty: numberSaid(semantic.certainty),
      tools: flagSaid(semantic.tools),
      media: flagSaid(semantic.media),
    }),
  });
}

function flagSaid(text: string): boolean | null {
  return text === '' ? null : text === 'yes';
}

function filled(map: JsonObject): JsonObject | null {
  const members = Object.entries(map).filter(([, value]) => value !== null);
  return members.length === 0 ? null : Object.fromEntries(members);
}

/** Returns the names and values of overrides, those of semantic matching by their path. */
export function cacheLines(cache: unknown): readonly (readonly [name: string, value: string])[] {
  if (!isObject(cache)) return [];
  return Object.entries(cache).flatMap(([name, value]) =>
    isObject(value)
      ? Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, textOf(one)] as const)
      : [[name, textOf(value)] as const],
  );
}

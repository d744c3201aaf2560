import { isObject } from '../shared/json.ts';
import { ODD_NAMES, oddText, oddValue } from './odd-values.ts';
import type { Random } from './random.ts';

type Container = unknown[] | Record<string, unknown>;

/** A member or item, with the container that has it. */
interface Place {
  readonly holder: Container;
  readonly key: string | number;
}

/** The most places that are collected in a value; a larger one is only changed near its beginning. */
const MAX_PLACES = 4_000;

/** Returns a copy of a JSON value with one to four changes. */
export function mutatedJson(value: unknown, random: Random): unknown {
  const root: Container = [structuredClone(value)];
  const changes = 1 + random.below(random.chance(0.3) ? 4 : 2);
  for (let count = 0; count < changes; count++) {
    const places = placesIn(root);
    change(random.pick(places), places, random);
  }
  return root[0];
}

function placesIn(root: Container): readonly Place[] {
  const places: Place[] = [];
  const waiting: Container[] = [root];
  for (let holder = waiting.pop(); holder !== undefined && places.length < MAX_PLACES; holder = waiting.pop()) {
    const keys = Array.isArray(holder) ? [...holder.keys()].slice(0, 200) : Object.keys(holder);
    for (const key of keys) {
      places.push({ holder, key });
      const inner = read({ holder, key });
      if (isContainer(inner)) waiting.push(inner);
    }
  }
  return places.length === 0 ? [{ holder: root, key: 0 }] : places;
}

function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || isObject(value);
}

function read({ holder, key }: Place): unknown {
  return Reflect.get(holder, key);
}

/** Makes `__proto__` a regular member, as in parsed JSON. */
function write(holder: Container, key: string | number, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

const CHANGES: readonly ((place: Place, places: readonly Place[], random: Random) => void)[] = [
  remove,
  remove,
  ({ holder, key }) => write(holder, key, null),
  ({ holder, key }, _, random) => write(holder, key, oddValue(random)),
  ({ holder, key }, _, random) => write(holder, key, oddValue(random)),
  // An empty value of the same type.
  (place) => write(place.holder, place.key, emptyLike(read(place))),
  (place) => write(place.holder, place.key, turned(read(place))),
  (place, _, random) => write(place.holder, place.key, otherText(read(place), random)),
  // A value from another place: the block of another type, the id of another call.
  ({ holder, key }, places, random) => write(holder, key, structuredClone(read(random.pick(places)))),
  (place, places, random) => repeat(place, places, random),
  (place, _, random) => addMember(read(place), random),
  ({ holder }, _, random) => addMember(holder, random),
  ({ holder }, _, random) => shuffle(holder, random),
];

function change(place: Place, places: readonly Place[], random: Random): void {
  random.pick(CHANGES)(place, places, random);
}

function remove({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function emptyLike(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (typeof value === 'number') return 0;
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : false;
}

/** Turns an array into an object, a number into a text, and the reverse; unwraps an array of one value, and wraps any other value. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? value[0] : { ...value };
  if (isObject(value)) return Object.values(value);
  if (typeof value === 'string') return Number.isNaN(Number(value)) ? [value] : Number(value);
  return typeof value === 'number' ? String(value) : [value];
}

function otherText(value: unknown, random: Random): unknown {
  if (typeof value !== 'string') return oddValue(random);
  const at = random.below(value.length + 1);
  switch (random.below(5)) {
    case 0:
      return value.slice(0, at);
    case 1:
      return `${value.slice(0, at)}${oddText(random)}${value.slice(at)}`;
    case 2:
      return `${value}_20990101`;
    case 3:
      return value.toUpperCase();
    default:
      return value.repeat(1 + random.below(50));
  }
}

function repeat({ holder, key }: Place, places: readonly Place[], random: Random): void {
  if (!Array.isArray(holder)) {
    write(holder, random.pick(places).key, structuredClone(read({ holder, key })));
    return;
  }
  const copies = random.chance(0.1) ? 60 : 1;
  const item = holder[Number(key)];
  for (let count = 0; count < copies; count++) holder.splice(Number(key), 0, structuredClone(item));
}

function addMember(value: unknown, random: Random): void {
  if (Array.isArray(value)) value.splice(random.below(value.length + 1), 0, oddValue(random));
  else if (isObject(value)) write(value, random.pick(ODD_NAMES), oddValue(random));
}

function shuffle(holder: Container, random: Random): void {
  if (!Array.isArray(holder)) return;
  const left = random.below(holder.length);
  const right = random.below(holder.length);
  [holder[left], holder[right]] = [holder[right], holder[left]];
}

/** Returns numbers between 0 and 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Members that no format has, some of them duplicated, with numbers that parsing and printing would change.
 */
const INVENTED = [
  '"x_odd":1.0',
  '"x_odd":{"model":"not this one","x_deep":[[ ],{ },{"b":1e3,"a":-0.0},null]}',
  '"x_large":12345678901234567890',
  '"x_\\u0061":"\\ud83d\\ude00 \\/ \\u00e9 é 😀"',
  '"x_odd":"twice"',
];

const SPACES = ['', '', ' ', '\t', '\n  ', '\r\n', '  '];

/**
 * Returns the value as JSON text that no serializer would produce: odd spaces, order, escapes and numbers,
 * and invented members.
 */
export function oddJson(value: unknown, random: () => number): string {
  const pick = <T>(list: readonly T[], otherwise: T): T => list[Math.floor(random() * list.length)] ?? otherwise;
  const space = () => pick(SPACES, '');
  const print = (one: unknown): string => {
    if (Array.isArray(one)) return `[${space()}${one.map(print).join(`${space()},${space()}`)}${space()}]`;
    if (typeof one === 'object' && one !== null) {
      const members = Object.entries(one).map(([key, member]) => `${text(key)}${space()}:${space()}${print(member)}`);
      const invented = INVENTED.filter(() => random() < 0.2);
      const shuffled = [...members, ...invented].map((member) => ({ member, rank: random() }));
      shuffled.sort((left, right) => left.rank - right.rank);
      return `{${space()}${shuffled.map(({ member }) => member).join(`${space()},${space()}`)}${space()}}`;
    }
    if (typeof one === 'number')
      return pick([String(one), `${one}e0`, Number.isInteger(one) ? `${one}.0` : `${one}0`], '');
    return typeof one === 'string' ? text(one) : JSON.stringify(one);
  };
  const text = (plain: string): string =>
    `"${[...plain].map((character) => (random() < 0.1 ? escaped(character) : JSON.stringify(character).slice(1, -1))).join('')}"`;
  return `${space()}${print(value)}${space()}`;
}

function escaped(character: string): string {
  if (character === '/') return '\\/';
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');
}

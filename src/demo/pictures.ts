import { png } from '../providers/sandbox/in-process/image.ts';
import { Chance } from './chance.ts';

type Colour = readonly [red: number, green: number, blue: number];

/** Colours of the sky from top to horizon, the sun, and hills from far to near. */
const PALETTES: readonly (readonly [Colour, Colour, Colour, Colour, Colour])[] = [
  [
    [24, 32, 78],
    [250, 162, 117],
    [255, 225, 168],
    [98, 66, 110],
    [32, 22, 52],
  ],
  [
    [92, 172, 238],
    [226, 243, 255],
    [255, 250, 214],
    [96, 150, 140],
    [28, 74, 82],
  ],
  [
    [12, 18, 36],
    [46, 74, 120],
    [226, 232, 240],
    [28, 44, 74],
    [8, 14, 26],
  ],
  [
    [236, 118, 116],
    [255, 214, 150],
    [255, 244, 214],
    [150, 84, 110],
    [70, 34, 70],
  ],
  [
    [120, 196, 190],
    [240, 248, 226],
    [255, 236, 190],
    [86, 140, 96],
    [30, 66, 52],
  ],
];

/** The filter `Sub` (PNG specification, section 9): each byte minus that of the previous pixel, which is nearly zero here. */
const SUB = 1;

/** Renders a landscape that depends on the seed. */
export function landscape(seed: string, width: number, height: number): Buffer {
  const chance = new Chance(`landscape ${seed}`);
  const [above, horizon, sun, far, near] = chance.one(PALETTES);
  const sunAt = [chance.between(0.2, 0.8) * width, chance.between(0.28, 0.5) * height] as const;
  const radius = chance.between(0.06, 0.12) * height;
  const hills = [0, 1, 2].map((layer) => ({
    line: hill(chance, layer, width, height),
    colour: mixed(far, near, layer / 2),
  }));
  const nearestFirst = hills.toReversed();
  const colourAt = (x: number, y: number): Colour => {
    for (const { line, colour } of nearestFirst) if (y >= (line[x] ?? height)) return colour;
    const distance = Math.hypot(x - sunAt[0], y - sunAt[1]);
    const sky = mixed(above, horizon, Math.min(1, (y / height) * 1.5));
    return distance < radius ? sun : mixed(sun, sky, Math.min(1, (distance - radius) / (radius * 2.5)));
  };
  return painted(width, height, colourAt);
}

/** Returns the upper edge of a row of hills, by column. */
function hill(chance: Chance, layer: number, width: number, height: number): readonly number[] {
  const base = height * (0.58 + layer * 0.13);
  const waves = [1, 2, 5].map((times) => ({
    length: (times * 2 * Math.PI) / width,
    shift: chance.between(0, 7),
    size: (height * 0.09) / times,
  }));
  return Array.from({ length: width }, (_, x) =>
    waves.reduce((y, { length, shift, size }) => y + size * Math.sin(x * length + shift), base),
  );
}

function painted(width: number, height: number, colourAt: (x: number, y: number) => Colour): Buffer {
  const rows = Buffer.alloc((width * 3 + 1) * height);
  let at = 0;
  for (let y = 0; y < height; y++) {
    rows[at++] = SUB;
    let before: Colour = [0, 0, 0];
    for (let x = 0; x < width; x++) {
      const colour = colourAt(x, y);
      // A buffer keeps the lowest eight bits.
      rows[at++] = colour[0] - before[0];
      rows[at++] = colour[1] - before[1];
      rows[at++] = colour[2] - before[2];
      before = colour;
    }
  }
  return png({ width, height, colours: 'rgb' }, rows);
}

function mixed(one: Colour, other: Colour, part: number): Colour {
  const mix = (a: number, b: number) => Math.round(a + (b - a) * part);
  return [mix(one[0], other[0]), mix(one[1], other[1]), mix(one[2], other[2])];
}

import { wavHeader } from '../../../domain/audio/wav.ts';

/* The files that the sandbox's jobs produce: small but real, so that a player opens them. The same request gets the same file. */

/** One second of a test picture, 64x36 pixels, H.264 without sound; made with ffmpeg's `testsrc2`. */
const CLIP = Buffer.from(
  'AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAMSbW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAADqYAAA6mAAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAmF0cmFrAAAAXHRraGQAAAADAAAAAAAAAAAAAAABAAAAAAAA6mAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAEAAAAAkAAAAAAAkZWR0cwAAABxlbHN0AAAAAAAAAAEAAOpgAAAAAAABAAAAAAHZbWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAADqYAAA6mBVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAABWaWRlb0hhbmRsZXIAAAABhG1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAURzdGJsAAAAvHN0c2QAAAAAAAAAAQAAAKxhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAEAAJABIAAAASAAAAAAAAAABDExhdmMgbGlieDI2NAAAAAAAAAAAAAAAAAAAAAAAAAAAGP//AAAAMmF2Y0MBQsAK/+EAGWdCwAqmERH+fARAAAADAEAAAAMCA8SJhGABAAZoyEIDksgAAAAQcGFzcAAAAAEAAAABAAAAFGJ0cnQAAAAAAAAMkAAADJAAAAAYc3R0cwAAAAAAAAABAAAABAAAOpgAAAAUc3RzcwAAAAAAAAABAAAAAQAAABxzdHNjAAAAAAAAAAEAAAABAAAABAAAAAEAAAAkc3RzegAAAAAAAAAAAAAABAAAAVkAAAAfAAAADQAAAA0AAAAUc3RjbwAAAAAAAAABAAADQgAAAD11ZHRhAAAANW1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAG1kaXJhcHBsAAAAAAAAAAAAAAAACGlsc3QAAAAIZnJlZQAAAZptZGF0AAABVWWIgi/xEDBARjfxQaSYCb/fcQtZNv6+4qioZZiLB1NCmj+5Ir18mis41HVZ0YEEhHDFAUAmziIcEbBSuiIrIkgJiysV0g9K5VGDZERsIzNjZ2RPh3wl/f0/+oXrbKCX0xec7sUmaHPHXpEPcChI2F49kXLL7DmI2p7xwEm/5x+84Wd6Dm+crHRg4oA6RfoCbvX3EHlkX99y+Y7/cbrD1QWO5J2M7kiO4PWh2aZ8Uiy1yBgDQYB4N3BSp0JXOJ8ihoqMDRW49+CUyFmdTJRFZX1v4jARhahr5NuGzpGI7smNpXKe3tLSKOgsSSIvOd1gWQScIjQsmracYC32aN84W0KyGS5qVT8Y+Ox4XMW22G4UAD4Q+wWP5xoGIR2sQmsQpXXFXXP//wVj/rw7oGGf8tz1tzFoUlAAKpgwAAtK//u8MP/0CvrjGIEX/ku55Luaenmf0z/YAAAAG0GaHF/OYIWbACAGHbmZgGHAR6SHwYc0lXkk1AAAAAlBmioN/rgURkAAAAAJQZo7BH+oBsBk',
  'base64',
);
/** The file's time units per second. */
const CLIP_TIMESCALE = 60_000;
/** The offset of a header's time scale from its name (ISO/IEC 14496-12, sections 8.2.2 and 8.4.2, version 0). */
const TIMESCALE_OFFSET = 16;

/** Returns an MP4 file of this length: the same pictures, each shown for longer. */
export function clip(seconds: number): Buffer {
  const file = Buffer.from(CLIP);
  for (const header of ['mvhd', 'mdhd']) {
    file.writeUInt32BE(Math.round(CLIP_TIMESCALE / seconds), file.indexOf(header) + TIMESCALE_OFFSET);
  }
  return file;
}

const SAMPLE_RATE = 8_000;
const NOTES = 16;
const NOTE_SECONDS = 0.25;
export const MELODY_SECONDS = NOTES * NOTE_SECONDS;
const LOUDNESS = 8_000;
/** A minor pentatonic scale from A3, in which any two notes sound well together. */
const SCALE_HZ = [220, 261.63, 293.66, 329.63, 392, 440, 523.25, 587.33];

/** Returns a WAV file with a melody that depends on the seed. */
export function melody(seed: string): Buffer {
  const samples = Buffer.alloc(SAMPLE_RATE * MELODY_SECONDS * 2);
  for (let index = 0; index < samples.length / 2; index++) {
    const seconds = index / SAMPLE_RATE;
    const note = Math.floor(seconds / NOTE_SECONDS);
    const hertz = SCALE_HZ[Bun.hash.xxHash32(`${seed} ${note}`) % SCALE_HZ.length] ?? 0;
    // Each note fades out, so that none ends with a click.
    const rest = 1 - (seconds / NOTE_SECONDS - note);
    samples.writeInt16LE(Math.round(LOUDNESS * rest * Math.sin(2 * Math.PI * hertz * seconds)), index * 2);
  }
  return Buffer.concat([wavHeader(samples.length, SAMPLE_RATE), samples]);
}

const RHYMES = [
  ['the signal lamps are glowing', 'and nobody is knowing'],
  ['the evening train is late', 'it waits behind the gate'],
  ['a lever and a wire', 'the rails go ever higher'],
  ['the yard is full of light', 'and sings into the night'],
] as const;

/** Returns lyrics of two verses and a chorus about the prompt. */
export function lyrics(prompt: string): string {
  const verse = (number: number) => {
    const at = Bun.hash.xxHash32(`${prompt} ${number}`) % RHYMES.length;
    return `[Verse ${number}]\n${(RHYMES[at] ?? RHYMES[0]).join(',\n')}`;
  };
  return [verse(1), `[Chorus]\n${prompt},\nmade up in the sandbox`, verse(2)].join('\n\n');
}

const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => [corner & 1, (corner >> 1) & 1, (corner >> 2) & 1] as const);
/** Two triangles per side, counter-clockwise seen from outside. */
const TRIANGLES = [
  ...[
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
  ],
  ...[
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
  ],
];

export const SANDBOX_FORMATS = ['glb', 'gltf', 'obj', 'stl'] as const;
type SandboxFormat = (typeof SANDBOX_FORMATS)[number];

export const MODEL_MEDIA_TYPES: Readonly<Record<SandboxFormat, string>> = {
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  obj: 'model/obj',
  stl: 'model/stl',
};

/** Returns a cube in this format. */
export function cube(format: SandboxFormat): Buffer {
  if (format === 'obj') return Buffer.from(objText());
  if (format === 'stl') return Buffer.from(stlText());
  const geometry = geometryBytes();
  if (format === 'glb') return glb(gltf({ byteLength: geometry.length }), geometry);
  const uri = `data:application/octet-stream;base64,${geometry.toString('base64')}`;
  return Buffer.from(gltf({ byteLength: geometry.length, uri }));
}

function objText(): string {
  const vertices = CORNERS.map((corner) => `v ${corner.join(' ')}`);
  const faces = TRIANGLES.map((triangle) => `f ${triangle.map((corner) => corner + 1).join(' ')}`);
  return `# a cube from the sandbox\n${[...vertices, ...faces].join('\n')}\n`;
}

function stlText(): string {
  const facets = TRIANGLES.map((triangle) => {
    const vertices = triangle.map((corner) => `vertex ${(CORNERS[corner] ?? []).join(' ')}`);
    return `facet normal 0 0 0\nouter loop\n${vertices.join('\n')}\nendloop\nendfacet`;
  });
  return `solid cube\n${facets.join('\n')}\nendsolid cube\n`;
}

const INDEX_BYTES = TRIANGLES.length * 3 * 2;

/** Returns the indices as 16-bit numbers, followed by the corners as floats. */
function geometryBytes(): Buffer {
  const bytes = Buffer.alloc(INDEX_BYTES + CORNERS.length * 12);
  for (const [at, corner] of TRIANGLES.flat().entries()) bytes.writeUInt16LE(corner, at * 2);
  for (const [at, value] of CORNERS.flat().entries()) bytes.writeFloatLE(value, INDEX_BYTES + at * 4);
  return bytes;
}

/** Returns a glTF 2.0 document (Khronos, glTF 2.0 Specification). */
function gltf(buffer: object): string {
  return JSON.stringify({
    asset: { version: '2.0', generator: 'switchyard-sandbox' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 1 }, indices: 0 }] }],
    buffers: [buffer],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: INDEX_BYTES, target: 34_963 },
      { buffer: 0, byteOffset: INDEX_BYTES, byteLength: CORNERS.length * 12, target: 34_962 },
    ],
    accessors: [
      { bufferView: 0, componentType: 5_123, count: TRIANGLES.length * 3, type: 'SCALAR' },
      { bufferView: 1, componentType: 5_126, count: CORNERS.length, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 1] },
    ],
  });
}

/** Returns the binary container: a header, the document and the buffer, each with a length divisible by 4. */
function glb(document: string, buffer: Buffer): Buffer {
  const json = Buffer.from(document.padEnd(Math.ceil(document.length / 4) * 4, ' '));
  const chunk = (type: number, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(data.length, 0);
    head.writeUInt32LE(type, 4);
    return Buffer.concat([head, data]);
  };
  const chunks = Buffer.concat([chunk(0x4e4f534a, json), chunk(0x004e4942, buffer)]);
  const header = Buffer.alloc(12);
  header.write('glTF', 0, 'latin1');
  header.writeUInt32LE(2, 4);
  header.writeUInt32LE(12 + chunks.length, 8);
  return Buffer.concat([header, chunks]);
}

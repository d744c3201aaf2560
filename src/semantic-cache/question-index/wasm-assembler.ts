/*
 * The subset of WebAssembly's binary format (webassembly.github.io/spec/core/binary, with SIMD) that the search kernel needs. Instructions
 * take their operands as arguments and so read like the folded text format: `i32.add(local.get(0), i32.const(4))` is `(i32.add (local.get
 * 0) (i32.const 4))`.
 */

/** Encoded instructions. */
export type Code = readonly number[];

export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;
type ValueType = typeof I32 | typeof I64 | typeof V128;

/** A function without a result. Its locals are numbered after its parameters. */
export interface AssembledFunction {
  readonly name: string;
  readonly parameters: readonly ValueType[];
  readonly locals: readonly ValueType[];
  readonly body: readonly Code[];
}

const FUNCTION_TYPE = 0x60;
const NO_RESULT = 0x40;
const END = 0x0b;
const SIMD = 0xfd;
const SECTION = { type: 1, import: 2, function: 3, export: 7, code: 10 } as const;
const KIND = { function: 0, memory: 2 } as const;

const operation =
  (...opcode: Code) =>
  (...operands: readonly Code[]): Code => [...operands.flat(), ...opcode];

/** Encodes a memory access: an address, and the value for a store. The alignment is only a hint and left at 0. */
const access =
  (...opcode: Code) =>
  (offset: number, ...operands: readonly Code[]): Code => [...operands.flat(), ...opcode, 0, ...unsigned(offset)];

export const local = {
  get: (index: number): Code => [0x20, ...unsigned(index)],
  set: (index: number, value: Code): Code => [...value, 0x21, ...unsigned(index)],
};

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  load: access(0x28),
  store: access(0x36),
  store16: access(0x3b),
  add: operation(0x6a),
  lt_u: operation(0x49),
  wrap_i64: operation(0xa7),
};

export const i64 = {
  load: access(0x29),
  add: operation(0x7c),
  xor: operation(0x85),
  popcnt: operation(0x7b),
};

export const v128 = {
  load: access(SIMD, 0x00),
  zero: [SIMD, 0x0c, ...new Array<number>(16).fill(0)] as Code,
};

export const i16x8 = {
  extend_low_i8x16_s: operation(SIMD, 0x87, 0x01),
  extend_high_i8x16_s: operation(SIMD, 0x88, 0x01),
};

export const i32x4 = {
  extract_lane: (lane: number, vector: Code): Code => [...vector, SIMD, 0x1b, lane],
  add: operation(SIMD, 0xae, 0x01),
  dot_i16x8_s: operation(SIMD, 0xba, 0x01),
};

/** Encodes a loop that repeats `body` while `condition` holds at its end. */
export function repeatWhile(condition: Code, body: readonly Code[]): Code {
  return [0x03, NO_RESULT, ...body.flat(), ...condition, 0x0d, 0, END];
}

/** Assembles a module of these functions, which imports its memory as `memory` of the module `search`. */
export function assemble(functions: readonly AssembledFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [FUNCTION_TYPE, ...list(parameters.map((type) => [type])), 0]);
  const exports = functions.map(({ name }, index) => [...text(name), KIND.function, index]);
  const bodies = functions.map(({ locals, body }) => {
    const code = [...list(locals.map((type) => [1, type])), ...body.flat(), END];
    return [...unsigned(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0, ...new TextEncoder().encode('asm'), 1, 0, 0, 0],
    ...section(SECTION.type, types),
    ...section(SECTION.import, [[...text('search'), ...text('memory'), KIND.memory, 0, 1]]),
    ...section(
      SECTION.function,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(SECTION.export, exports),
    ...section(SECTION.code, bodies),
  ]);
}

function section(id: number, items: readonly Code[]): Code {
  const content = list(items);
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): Code {
  const bytes = [...new TextEncoder().encode(value)];
  return [...unsigned(bytes.length), ...bytes];
}

/** Encodes LEB128: seven bits per byte, the lowest first. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  const rest = value >> 7;
  const isLast = (rest === 0 && (value & 0x40) === 0) || (rest === -1 && (value & 0x40) !== 0);
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(rest)];
}

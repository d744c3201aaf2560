/** Draws numbers below `bound`, reproducibly for the same seed. */
export type Draw = (bound: number) => number;

/** A 32-bit generator (Mulberry32): good enough for drawing cases, and the same on all machines. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}

export interface HostileAnswer {
  /** The bytes that are sent, piece by piece. */
  readonly pieces: readonly Buffer[];
  /** The fate of the connection afterwards: it is kept for the next request, closed, reset, or kept without ever answering. */
  readonly end: 'kept' | 'closed' | 'reset' | 'silent';
  /** Whether the answer is sent before the request has arrived. */
  readonly isEarly: boolean;
}

/** A surplus answer that only a desynchronized client would take for the next request's. */
const SMUGGLED = 'HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nsmuggled';

const STATUS_LINES = [
  'HTTP/1.1 200',
  'HTTP/1.0 200 OK',
  'HTTP/1.2 200 OK',
  'HTTP/2 200',
  'http/1.1 200 OK',
  'HTTP/1.1  200 OK',
  'HTTP/1.1\t200 OK',
  'HTTP/1.1 2000 OK',
  'HTTP/1.1 020 OK',
  'HTTP/1.1 +20 OK',
  'HTTP/1.1 20 OK',
  'HTTP/1.1 200OK',
  'HTTP/1.1 200 O\0K',
  'HTTP/1.1 200 \xff\xfe',
  'HTTP/1.1 200 OK: a',
  ' HTTP/1.1 200 OK',
  '\r\nHTTP/1.1 200 OK',
  'ICY 200 OK',
  'HTTP/1.1 101 Switching Protocols',
  '',
];
const STATUSES = [200, 201, 202, 204, 205, 206, 301, 304, 400, 404, 413, 429, 500, 503, 599, 600, 999];
const INTERIM = [100, 102, 103, 199];
const LINE_ENDS = ['\n', '\r', '\r\r\n', '\n\r', '\r\n\r\n', ' \r\n', '\0\r\n'];
const GOOD_HEADERS = [
  'x-a: 1',
  'x-a: 2',
  'X-A:3',
  'x-a:\t4 \t',
  'x-a:',
  'x-b: \xfc\xff',
  'x-b: a: b',
  'connection: close',
  'connection: keep-alive',
  'connection: keep-alive, close',
  'Connection: Upgrade',
  'keep-alive: timeout=5',
  'keep-alive: timeout=0',
  'content-type: application/json',
  'retry-after: 3',
  'trailer: x-a',
  'date: x',
  'upgrade: h2c',
  'set-cookie: a=b',
];
const BAD_HEADERS = [
  'x-b: a\0b',
  'x-b: a\rb',
  'x-b: a\nb',
  'x-b : a',
  ' x-b: a',
  '\tfolded',
  'x-b',
  ': a',
  'x b: a',
  'x-b: \x7f',
  'x\xfc: a',
];
const ENCODINGS = [
  'chunked',
  'Chunked',
  ' chunked ',
  'chunked, chunked',
  'identity',
  'chunked, identity',
  'identity, chunked',
  'gzip, chunked',
  'xchunked',
  'chunkedx',
  'chunked;q=1',
  '"chunked"',
  'chunked\x0b',
  'chunked\0',
  ',chunked',
  '',
];
/** `packed`, compressed with gzip. */
const PACKED = Buffer.from('H4sIAAAAAAAAAytITM5OTQEAELT2IQYAAAA=', 'base64').toString('latin1');

const EDITS = [
  '\r',
  '\n',
  '\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  '0',
  'f',
  ';',
  ',',
  '-',
  '\xff',
  '\r\n\r\n',
  '0\r\n\r\n',
  SMUGGLED,
];

/** Makes an answer that is mostly valid with some errors: one that is wrong everywhere would be rejected before it is interesting. */
export function hostileAnswer(draw: Draw): HostileAnswer {
  const one = <Item>(items: readonly Item[]) => items[draw(items.length)] as Item;
  const text = damaged(draw, interimHeads(draw) + finalAnswer(draw) + surplus(draw));
  return {
    pieces: cut(draw, Buffer.from(text, 'latin1')),
    end: one(['kept', 'kept', 'kept', 'kept', 'closed', 'closed', 'reset', draw(4) === 0 ? 'silent' : 'kept']),
    isEarly: draw(30) === 0,
  };
}

function chosen<Item>(draw: Draw, items: readonly Item[]): Item {
  return items[draw(items.length)] as Item;
}

function interimHeads(draw: Draw): string {
  if (draw(5) > 0) return '';
  let text = '';
  for (let left = draw(8) === 0 ? 20 : 1 + draw(2); left > 0; left--) {
    const header = chosen(draw, ['', '', 'link: x\r\n', 'content-length: 5\r\n', 'transfer-encoding: chunked\r\n']);
    text += `HTTP/1.1 ${chosen(draw, INTERIM)} x\r\n${header}\r\n`;
  }
  return text;
}

function lineEnd(draw: Draw): string {
  return draw(250) === 0 ? chosen(draw, LINE_ENDS) : '\r\n';
}

function finalAnswer(draw: Draw): string {
  const status = draw(3) === 0 ? chosen(draw, STATUSES) : 200;
  const start = draw(20) === 0 ? chosen(draw, STATUS_LINES) : `HTTP/1.1 ${status} x`;
  const isPacked = draw(15) === 0;
  const content = isPacked ? PACKED : 'abcdefgh'.repeat(draw(20) === 0 ? 1_000 : draw(6)).slice(draw(3));
  const isChunked = draw(2) === 0;
  const lines = [...framing(draw, isChunked, content.length), ...others(draw)];
  if (isPacked)
    lines.push(
      `content-encoding: ${chosen(draw, ['gzip', 'gzip', 'gzip', 'x-gzip', 'GZIP', 'deflate', 'identity', 'gzip, gzip', 'unknown'])}`,
    );
  // The order decides which of two equal headers wins in a parser that overwrites.
  if (draw(2) === 0) lines.reverse();
  let head = start + lineEnd(draw);
  for (const line of lines) head += line + lineEnd(draw);
  return head + lineEnd(draw) + (isChunked ? chunks(draw, content) : unevenly(draw, content));
}

function others(draw: Draw): string[] {
  const lines: string[] = [];
  for (let left = draw(4); left > 0; left--) lines.push(chosen(draw, draw(12) === 0 ? BAD_HEADERS : GOOD_HEADERS));
  if (draw(80) === 0) for (let left = 200 + draw(200); left > 0; left--) lines.push(`x-${left}: y`);
  if (draw(80) === 0) lines.push(`x-long: ${'y'.repeat(8_000 + draw(80_000))}`);
  return lines;
}

function framing(draw: Draw, isChunked: boolean, length: number): string[] {
  const lines: string[] = [];
  if (isChunked || draw(15) === 0) {
    const encoding = draw(9) === 0 ? chosen(draw, ENCODINGS) : 'chunked';
    lines.push(named(draw, 'transfer-encoding', encoding));
    if (draw(20) === 0) lines.push(named(draw, 'Transfer-Encoding', chosen(draw, ENCODINGS)));
  }
  if ((!isChunked && draw(8) > 0) || draw(10) === 0) {
    const said = draw(7) === 0 ? odd(draw, length) : String(length);
    lines.push(named(draw, 'content-length', said));
    if (draw(10) === 0) lines.push(named(draw, 'Content-Length', draw(2) === 0 ? said : odd(draw, length)));
  }
  return lines;
}

function named(draw: Draw, name: string, value: string): string {
  if (draw(20) > 0) return `${name}: ${value}`;
  return chosen(draw, [
    `${name} : ${value}`,
    `${name}\t: ${value}`,
    `${name}:${value}`,
    `${name}:  ${value}  `,
    `${name}:\r\n ${value}`,
    `${name}: ${value}\r\n , ${value}`,
    ` ${name}: ${value}`,
    `x: y\n${name}: ${value}`,
    `x: y\r${name}: ${value}`,
    `${name}\0: ${value}`,
    `${name.replace('-', '_')}: ${value}`,
    `${name.toUpperCase()}: ${value}`,
  ]);
}

function odd(draw: Draw, length: number): string {
  return chosen(draw, [
    String(length + 1 + draw(5)),
    String(Math.max(0, length - 1 - draw(5))),
    `+${length}`,
    `-${length}`,
    `0x${length.toString(16)}`,
    `${length}, ${length}`,
    `${length}, ${length + 1}`,
    `${length},`,
    `${length} ${length}`,
    `0${length}`,
    `${length}.0`,
    `${length};`,
    `${length}\0`,
    `${length}e0`,
    '',
    '99999999999999999999',
    '18446744073709551617',
    '4294967301',
    '9007199254740993',
  ]);
}

function unevenly(draw: Draw, content: string): string {
  return draw(12) === 0 ? content.slice(0, draw(content.length + 1)) : content;
}

function chunks(draw: Draw, content: string): string {
  let text = '';
  let left = content;
  while (left !== '') {
    const size = Math.min(left.length, 1 + draw(draw(3) === 0 ? 3_000 : 12));
    text += sizeLine(draw, size) + left.slice(0, size) + (draw(120) === 0 ? chosen(draw, LINE_ENDS) : '\r\n');
    left = left.slice(size);
  }
  if (draw(15) === 0) return text;
  return `${text}${draw(20) === 0 ? chosen(draw, ['00', '0;x', '0 ', '-0', '0x0', '']) : '0'}${lineEnd(draw)}${trailers(draw)}`;
}

function sizeLine(draw: Draw, size: number): string {
  const digits = size.toString(16);
  if (draw(25) > 0) return `${digits}${lineEnd(draw)}`;
  const line = chosen(draw, [
    digits.toUpperCase(),
    `0000${digits}`,
    `${digits};a=b`,
    `${digits} ; a="b;c"`,
    `${digits};a="\r\n"`,
    `${digits};${'a'.repeat(6_000)}`,
    `${digits};\n`,
    `${digits};\0`,
    `${digits} `,
    ` ${digits}`,
    `+${digits}`,
    `-${digits}`,
    `0x${digits}`,
    `${digits}g`,
    `${digits},${digits}`,
    (size + 1).toString(16),
    Math.max(1, size - 1).toString(16),
    'ffffffffffffffff',
    `10000000000000000${digits}`,
    `100000000${digits}`,
    '',
  ]);
  return `${line}${lineEnd(draw)}`;
}

function trailers(draw: Draw): string {
  if (draw(6) > 0) return lineEnd(draw);
  const lines = ['x-a: 9', 'content-length: 3', 'transfer-encoding: chunked', 'x', ' x', ': x', 'x\0: y', 'x: a\nb'];
  let text = '';
  for (let left = draw(30) === 0 ? 9_000 : 1 + draw(2); left > 0; left--) text += chosen(draw, lines) + lineEnd(draw);
  return text + lineEnd(draw);
}

function surplus(draw: Draw): string {
  if (draw(5) > 0) return '';
  return chosen(draw, [
    SMUGGLED,
    SMUGGLED,
    '\r\n',
    '\n',
    '0\r\n\r\n',
    'x',
    `\r\n${SMUGGLED}`,
    'HTTP/1.1 100 x\r\n\r\n',
    '\0',
  ]);
}

function damaged(draw: Draw, text: string): string {
  let edited = text;
  for (let left = draw(6) === 0 ? 1 + draw(2) : 0; left > 0; left--) {
    const at = draw(edited.length + 1);
    edited = edited.slice(0, at) + (draw(2) === 0 ? chosen(draw, EDITS) : '') + edited.slice(at + draw(3));
  }
  return draw(25) === 0 ? edited.slice(0, draw(edited.length + 1)) : edited;
}

function cut(draw: Draw, bytes: Buffer): Buffer[] {
  const places = new Set<number>();
  if (draw(10) === 0 && bytes.length < 300) for (let at = 1; at < bytes.length; at++) places.add(at);
  else for (let left = draw(3) === 0 ? 1 + draw(5) : 0; left > 0; left--) places.add(draw(bytes.length + 1));
  const ends = [...places, bytes.length].sort((first, second) => first - second);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter((piece) => piece.length > 0);
}

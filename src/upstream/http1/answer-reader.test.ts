import { describe, expect, test } from 'bun:test';
import { type AnswerHead, MAX_HEAD_BYTES } from './answer-head.ts';
import { AnswerReader } from './answer-reader.ts';

interface Read {
  readonly status: number | null;
  readonly body: string;
  /** `null` until the answer has ended. */
  readonly end: 'kept' | 'closed' | null;
  readonly error: string | null;
}

/** Returns the result of reading these pieces, followed by the server's closing the connection if it `closes`. */
function readPieces(pieces: readonly (string | Buffer)[], closes = false): Read {
  let head: AnswerHead | null = null;
  let body = '';
  let isOver = false;
  const reader = new AnswerReader();
  reader.begin({
    began: (found) => {
      if (head !== null || isOver) throw new Error('a second head');
      head = found;
    },
    came: (piece) => {
      if (head === null || isOver) throw new Error('a piece outside of the body');
      if (piece.length === 0) throw new Error('an empty piece');
      body += piece.toString('latin1');
    },
    ended: () => {
      if (isOver) throw new Error('a second end');
      isOver = true;
    },
  });
  let error: string | null = null;
  try {
    for (const piece of pieces) reader.push(Buffer.from(piece as string, 'latin1'));
    if (closes) reader.close();
  } catch (caught) {
    error = String((caught as { code?: string }).code ?? caught);
  }
  const found = head as AnswerHead | null;
  const isKept = found?.isKept === true && !reader.hasSurplus;
  return { status: found?.status ?? null, body, end: isOver ? (isKept ? 'kept' : 'closed') : null, error };
}

const GARBAGE = 'Malformed_HTTP_Response';
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe('an unambiguous response', () => {
  test.each<readonly [string, string, Partial<Read>]>([
    ['a length', `${OK}content-length: 2\r\n\r\n{}`, { body: '{}', end: 'kept' }],
    ['no body at all', `${OK}content-length: 0\r\n\r\n`, { body: '', end: 'kept' }],
    ['no reason phrase', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', { status: 200, end: 'kept' }],
    ['a reason phrase beyond ASCII', 'HTTP/1.1 500 Fehler: \xfc\r\ncontent-length: 0\r\n\r\n', { status: 500 }],
    ['chunks', `${CHUNKED}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n`, { body: 'abc', end: 'kept' }],
    [
      'chunks of another spelling',
      `${OK}transfer-encoding: Chunked\r\n\r\n00A\r\n0123456789\r\n000\r\n\r\n`,
      { body: '0123456789' },
    ],
    ['chunks with extensions', `${CHUNKED}1 ;a="b"\r\nx\r\n0;last\r\n\r\n`, { body: 'x', end: 'kept' }],
    ['trailers', `${CHUNKED}1\r\nx\r\n0\r\nchecksum: 1\r\nother: 2\r\n\r\n`, { body: 'x', end: 'kept' }],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, end: 'kept' }],
    ['304 with the length that there would be', 'HTTP/1.1 304 -\r\ncontent-length: 9\r\n\r\n', { end: 'kept' }],
    [
      'interim answers before it',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${OK}content-length: 1\r\n\r\nx`,
      { status: 200, body: 'x', end: 'kept' },
    ],
    ['a server that closes', `${OK}connection: Close\r\ncontent-length: 1\r\n\r\nx`, { body: 'x', end: 'closed' }],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx', { body: 'x', end: 'closed' }],
  ])('%s', (_, text, expected) => {
    expect(readPieces([text])).toMatchObject({ error: null, ...expected });
    // The split into packets does not matter.
    expect(readPieces([...text])).toEqual(readPieces([text]));
  });

  test('a body without a length ends with the connection', () => {
    expect(readPieces([`${OK}\r\nab`, 'c'])).toMatchObject({ body: 'abc', end: null });
    expect(readPieces([`${OK}\r\nab`, 'c'], true)).toMatchObject({ body: 'abc', end: 'closed', error: null });
  });
});

describe('an ambiguous response is read as the RFC says, and its connection is closed', () => {
  test.each<readonly [string, string, string]>([
    ['chunks and a length', `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`, 'x'],
    ['the same length twice', `${OK}content-length: 1\r\ncontent-length: 1\r\n\r\nx`, 'x'],
    ['bytes after its end', `${OK}content-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n`, 'x'],
    ['bytes after the last chunk', `${CHUNKED}0\r\n\r\n0`, ''],
    ['bytes after an answer without a body', 'HTTP/1.1 204 -\r\n\r\nx', ''],
    ['bytes after a length of 0', `${OK}content-length: 0\r\n\r\n${OK}content-length: 0\r\n\r\n`, ''],
    ['204 with a length', 'HTTP/1.1 204 -\r\ncontent-length: 1\r\n\r\n', ''],
  ])('%s', (_, text, body) => {
    expect(readPieces([text])).toMatchObject({ body, end: 'closed', error: null });
  });
});

describe('a response that is not HTTP/1.1 is refused', () => {
  const chunked = (text: string) => CHUNKED + text;
  test.each<readonly [string, string]>([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['HTTP/2 in the clear', 'HTTP/2 200\r\n\r\n'],
    ['HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 OK\r\n\r\n'],
    ['a space before it', ' HTTP/1.1 200 OK\r\n\r\n'],
    ['an empty line before it', `\r\n${OK}\r\n`],
    ['bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n'],
    ['one bare line feed', 'HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n'],
    ['a bare carriage return', `${OK}a: b\rc: d\r\n\r\n`],
    ['a NUL', `${OK}a: b\0\r\n\r\n`],
    ['a folded line', `${OK}a: b\r\n c\r\n\r\n`],
    ['a space before the colon', `${OK}content-length : 0\r\n\r\n`],
    ['a header without a name', `${OK}: x\r\n\r\n`],
    ['a header without a colon', `${OK}x\r\n\r\n`],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`],
    ['a list of lengths', `${OK}content-length: 1, 2\r\n\r\nxx`],
    ['a length with a sign', `${OK}content-length: +1\r\n\r\nx`],
    ['a negative length', `${OK}content-length: -1\r\n\r\nx`],
    ['a hexadecimal length', `${OK}content-length: 0x1\r\n\r\nx`],
    ['an empty length', `${OK}content-length: \r\n\r\nx`],
    ['a length past all bounds', `${OK}content-length: 9999999999999999\r\n\r\nx`],
    ['an unknown transfer encoding', `${OK}transfer-encoding: gzip, chunked\r\n\r\n`],
    ['chunked twice', `${OK}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a size that is none', chunked('x\r\n')],
    ['an empty size', chunked('\r\n')],
    ['a size with a sign', chunked('+1\r\nx\r\n')],
    ['a size with a prefix', chunked('0x1\r\nx\r\n')],
    ['a size past all bounds', chunked('1000000000000\r\nx')],
    ['a size with something behind it', chunked('1 x\r\nx\r\n')],
    ['a size with a space behind it', chunked('1 \r\nx\r\n')],
    ['a trailer that is none', chunked('0\r\nHTTP/1.1 200 OK\r\n\r\n')],
    ['a trailer with a NUL', chunked('0\r\na: \0\r\n\r\n')],
    ['a trailer that is folded', chunked('0\r\na: b\r\n c\r\n\r\n')],
    ['a size that ends with a line feed', chunked('1\nx\r\n')],
    ['data longer than its size', chunked('1\r\nxy\r\n')],
    ['data that ends with a line feed', chunked('1\r\nx\n0\r\n\r\n')],
    ['a protocol switch', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['endless interim answers', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(20)],
    ['an endless head', `${OK}a: ${'x'.repeat(MAX_HEAD_BYTES)}`],
    ['too many headers', `${OK}${'a: b\r\n'.repeat(300)}\r\n`],
    ['an endless extension', chunked(`1;${'x'.repeat(5_000)}`)],
    ['endless trailers', chunked(`0\r\n${'a: b\r\n'.repeat(12_000)}`)],
  ])('%s', (_, text) => {
    expect(readPieces([text])).toMatchObject({ error: GARBAGE });
    expect(readPieces(text.length > 1_000 ? (text.match(/[\s\S]{1,777}/g) ?? []) : [...text])).toMatchObject({
      error: GARBAGE,
    });
  });
});

describe('a truncated response is never complete', () => {
  test.each([
    ['nothing', ''],
    ['half a head', OK],
    ['less than its length', `${OK}content-length: 3\r\n\r\nab`],
    ['half a chunk', `${CHUNKED}5\r\nab`],
    ['chunks without the last one', `${CHUNKED}1\r\na\r\n`],
    ['a last chunk without the empty line', `${CHUNKED}0\r\n`],
  ])('%s', (_, text) => {
    expect(readPieces([text], true)).toMatchObject({ end: null, error: 'ECONNRESET' });
  });
});

/** Returns a reproducible sequence of numbers below `bound`. */
function sequence(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

test('10,000 damaged responses are read the same in one piece and in many, never beyond their bytes', () => {
  const next = sequence(20_261_123);
  const seeds = [
    `${OK}content-length: 5\r\nx-a: b\r\n\r\nhello`,
    `${CHUNKED}3\r\nabc\r\n1f;x=y\r\n${'z'.repeat(31)}\r\n0\r\nt: v\r\n\r\n`,
    `HTTP/1.1 100 -\r\n\r\n${OK}connection: close\r\n\r\nrest`,
    'HTTP/1.1 204 No Content\r\nkeep-alive: timeout=5\r\n\r\n',
  ];
  const pieces = [
    '\r',
    '\n',
    '\r\n',
    '\0',
    ' ',
    ':',
    '0',
    'f',
    ';',
    ',',
    'chunked',
    'content-length: 3\r\n',
    '\xff',
    '-1',
  ];
  const outcomes = new Set<string>();
  for (let round = 0; round < 10_000; round++) {
    let text = seeds[next(seeds.length)] ?? '';
    for (let edits = 1 + next(3); edits > 0; edits--) {
      const at = next(text.length + 1);
      text = text.slice(0, at) + (next(2) === 0 ? (pieces[next(pieces.length)] ?? '') : '') + text.slice(at + next(3));
    }
    const cuts = [...text.matchAll(/[\s\S]{1,7}/g)].map(String);
    const whole = readPieces([text], true);
    const parts = readPieces(cuts, true);
    // How much of a body is read before an error is found depends on the pieces.
    const bodies = whole.error === null ? [whole.body, parts.body] : ['', ''];
    expect({ text, ...parts, body: bodies[1] }).toEqual({ text, ...whole, body: bodies[0] ?? '' });
    expect(whole.body.length).toBeLessThanOrEqual(text.length);
    // The answer has ended, or there is an error.
    expect({ text, isSaid: whole.end !== null || whole.error !== null }).toEqual({ text, isSaid: true });
    outcomes.add(`${whole.end} ${whole.error}`);
  }
  expect([...outcomes].sort()).toContain('kept null');
  expect([...outcomes].sort()).toContain(`null ${GARBAGE}`);
  expect([...outcomes].sort()).toContain('null ECONNRESET');
}, 600_000);

import { Failure } from '../failure/failure.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, END_OF_LIST, OBJECT, END_OF_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const MEMBER = '"requests"';
/** A longer member name is wrong. */
const LONGEST_NAME = 100;

/** The next token that may come. `item` is inside of a request, `over` behind the whole object. */
type State =
  | 'object'
  | 'name'
  | 'in-name'
  | 'colon'
  | 'list'
  | 'first'
  | 'item'
  | 'after-item'
  | 'next'
  | 'end'
  | 'over';

/**
 * Splits the body `{"requests": [{…}, {…}]}` into its requests while it arrives, so that only one request is in memory. Checks the JSON
 * around the requests; the caller parses each of them.
 */
export class RequestSplitter {
  private state: State = 'object';
  private name = '';
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private item: Uint8Array[] = [];
  private itemBytes = 0;
  private items = 0;
  private problem: Failure | null = null;

  /** @param mostBytes the most bytes of one request */
  constructor(private readonly mostBytes: number) {}

  /** Why the body cannot be read; `null` if it can so far. */
  get failure(): Failure | null {
    return this.problem;
  }

  private get isInItem(): boolean {
    return this.state === 'item';
  }

  /** Yields the JSON text of each request that ends in these bytes. The bytes are not used afterwards. */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length && this.problem === null; ) {
      if (!this.isInItem) {
        this.around(bytes[at] as number);
        // The first bracket of a request belongs to it.
        if (!this.isInItem) at++;
        continue;
      }
      const end = this.endOfItem(bytes, at);
      this.keep(bytes.subarray(at, end));
      at = end;
      if (this.depth === 0 && this.problem === null) yield this.taken();
    }
  }

  /** Returns why the body is incomplete, or `null`. */
  finish(): Failure | null {
    if (this.problem !== null || this.state === 'over') return this.problem;
    if (this.state === 'object') return new Failure('empty_body', { message: 'The request body is empty.' });
    return broken('ends before its JSON is complete');
  }

  /** Reads a byte outside of the requests. */
  private around(byte: number): void {
    if (this.state === 'in-name') {
      this.inName(byte);
      return;
    }
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) return;
    const next = this.follows(byte);
    if (next !== null) this.state = next;
    else this.problem ??= this.unexpected();
  }

  /** Returns the state after a byte; `null` if the byte may not come. */
  private follows(byte: number): State | null {
    switch (this.state) {
      case 'object':
        return byte === OBJECT ? 'name' : null;
      case 'name':
        this.name = '"';
        return byte === QUOTE ? 'in-name' : null;
      case 'colon':
        return byte === COLON ? 'list' : null;
      case 'list':
        return byte === LIST ? 'first' : null;
      case 'first':
        return byte === END_OF_LIST ? 'end' : this.next(byte);
      case 'next':
        return this.next(byte);
      case 'after-item':
        return byte === COMMA ? 'next' : byte === END_OF_LIST ? 'end' : null;
      case 'end':
        return byte === END_OF_OBJECT ? 'over' : null;
      default:
        return null;
    }
  }

  private next(byte: number): State | null {
    return byte === OBJECT ? 'item' : null;
  }

  private inName(byte: number): void {
    this.name += String.fromCharCode(byte);
    if (byte !== QUOTE && this.name.length <= LONGEST_NAME) return;
    if (this.name === MEMBER) this.state = 'colon';
    else this.problem = unknownMember(this.name);
  }

  private endOfItem(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (this.isInString) {
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === BACKSLASH) this.isEscaped = true;
        else if (byte === QUOTE) this.isInString = false;
      } else if (byte === QUOTE) this.isInString = true;
      else if (byte === OBJECT || byte === LIST) this.depth++;
      else if ((byte === END_OF_OBJECT || byte === END_OF_LIST) && --this.depth === 0) return at + 1;
    }
    return bytes.length;
  }

  private keep(piece: Uint8Array): void {
    this.itemBytes += piece.length;
    if (this.itemBytes > this.mostBytes) {
      this.problem = new Failure('payload_too_large', {
        message: `\`requests[${this.items}]\` has more than ${this.mostBytes} bytes, the limit of one request.`,
        param: `requests[${this.items}]`,
      });
      return;
    }
    // A copy, because the reader of the body may use its buffer again.
    this.item.push(piece.slice());
  }

  private taken(): Uint8Array {
    const whole = new Uint8Array(this.itemBytes);
    let at = 0;
    for (const piece of this.item) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.item = [];
    this.itemBytes = 0;
    this.items++;
    this.state = 'after-item';
    return whole;
  }

  private unexpected(): Failure {
    switch (this.state) {
      case 'name':
        return new Failure('missing_required_parameter', { message: '`requests` is missing.', param: 'requests' });
      case 'list':
        return new Failure('invalid_type', { message: '`requests` must be a list.', param: 'requests' });
      case 'first':
      case 'next':
        return new Failure('invalid_type', {
          message: `\`requests[${this.items}]\` must be an object with \`custom_id\` and \`params\`.`,
          param: `requests[${this.items}]`,
        });
      case 'end':
        return broken('has something else than `}` behind the list `requests`, its only member');
      default:
        return broken('is not an object with the list `requests`');
    }
  }
}

function unknownMember(name: string): Failure {
  const shown = name.replace(/^"|"$/g, '').slice(0, LONGEST_NAME);
  return new Failure('unsupported_parameter', {
    message: `The body of a message batch has the member \`requests\` only; got \`${shown}\`.`,
    param: shown,
  });
}

function broken(what: string): Failure {
  return new Failure('invalid_json', { message: `The request body ${what}.` });
}

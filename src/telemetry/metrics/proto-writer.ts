const FIRST_BYTES = 256;
const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

const encoder = new TextEncoder();

/** Writes fields of protobuf messages. */
export class ProtoWriter {
  private bytes = new Uint8Array(FIRST_BYTES);
  private view = new DataView(this.bytes.buffer);
  private length = 0;

  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** @param value a non-negative integer */
  varint(field: number, value: number): void {
    this.tag(field, VARINT);
    this.raw(value);
  }

  double(field: number, value: number): void {
    this.tag(field, FIXED64);
    this.float64(value);
  }

  /** @param value a non-negative integer up to 2^64 */
  fixed64(field: number, value: number | bigint): void {
    this.tag(field, FIXED64);
    this.integer64(value);
  }

  string(field: number, value: string): void {
    this.data(field, encoder.encode(value));
  }

  data(field: number, value: Uint8Array): void {
    this.tag(field, LENGTH_DELIMITED);
    this.raw(value.length);
    this.room(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
  }

  packedDoubles(field: number, values: readonly number[]): void {
    this.tag(field, LENGTH_DELIMITED);
    this.raw(values.length * 8);
    for (const value of values) this.float64(value);
  }

  packedFixed64(field: number, values: readonly number[]): void {
    this.tag(field, LENGTH_DELIMITED);
    this.raw(values.length * 8);
    for (const value of values) this.integer64(value);
  }

  /** Writes a message whose fields `write` writes. */
  message(field: number, write: (writer: ProtoWriter) => void): void {
    const inner = new ProtoWriter();
    write(inner);
    this.data(field, inner.bytes.subarray(0, inner.length));
  }

  private tag(field: number, wireType: number): void {
    this.raw(field * 8 + wireType);
  }

  private raw(value: number): void {
    this.room(10);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.length++] = rest;
  }

  private float64(value: number): void {
    this.room(8);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  private integer64(value: number | bigint): void {
    this.room(8);
    this.view.setBigUint64(this.length, BigInt(value), true);
    this.length += 8;
  }

  private room(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}

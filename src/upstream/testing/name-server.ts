import dgram from 'node:dgram';

/** The addresses of a name by family; `null` if the server never answers. */
export type Zone = (name: string) => { readonly four?: readonly string[]; readonly six?: readonly string[] } | null;

export interface NameServer {
  /** In the form that a resolver takes. */
  readonly address: string;
  /** The queried names in order, with the family. */
  readonly asked: string[];
  close(): void;
}

const KINDS: Readonly<Record<number, 'four' | 'six'>> = { 1: 'four', 28: 'six' };

/** Starts a name server on loopback (RFC 1035, section 4), which answers what the test says, or nothing. */
export async function startNameServer(zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const socket = dgram.createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query);
    const type = query.readUInt16BE(end);
    const kind = KINDS[type];
    if (kind === undefined) return;
    asked.push(`${name} ${kind}`);
    const known = zone(name);
    // A query for one family that times out.
    if (known === null || (known[kind] === undefined && Object.keys(known).length > 0)) return;
    socket.send(answerTo(query.subarray(0, end + 4), type, known[kind] ?? []), port, address);
  });
  await new Promise<void>((ready) => socket.bind(0, '127.0.0.1', ready));
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function answerTo(question: Buffer, type: number, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question.subarray(0, 12));
  // A recursive server's successful answer, or NXDOMAIN for a name without addresses.
  head.writeUInt16BE(addresses.length > 0 ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const data = Buffer.from(type === 1 ? address.split('.').map(Number) : expanded(address));
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, question.subarray(12), ...records]);
}

function expanded(address: string): number[] {
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(left), groups(right)];
  const all = [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
  return all.flatMap((group) => [group >> 8, group & 255]);
}
